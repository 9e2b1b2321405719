#include "oracle/campaign/results_json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/shell_word.h"
#include "numerics/literal.h"
#include "oracle/campaign/readings.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Bits;
using numerics::Operation;
using numerics::ScalarType;

Json ArgumentsToJson(const Operation& operation, const std::vector<Bits>& args) {
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  Json list = Json::array();
  for (std::size_t i = 0; i < args.size(); ++i) {
    list.push_back(numerics::FormatBits(types[i], args[i]));
  }
  return list;
}

Json RefusedByToJson(std::uint8_t refused_by) {
  Json list = Json::array();
  for (Reading reading : kReadings) {
    if ((refused_by & ReadingBit(reading)) != 0) list.push_back(ReadingName(reading));
  }
  return list;
}

Json SightingToJson(const RunInfo& run, const Operation& operation, const Sighting& sighting) {
  const ScalarType type = operation.ResultTypes()[static_cast<std::size_t>(sighting.result)];
  Json json{{"args", ArgumentsToJson(operation, sighting.args)},
            {"observed", numerics::FormatBits(type, sighting.observed)},
            {"expected", numerics::FormatBits(type, sighting.expected)},
            {"ulp", NumberToJson(sighting.ulp)},
            {"width", sighting.width},
            {"lane", sighting.lane}};
  if (operation.ResultCount() > 1) json["result"] = sighting.result;
  if (!Accepts(sighting.rule)) json["rule"] = RuleText(sighting.rule);
  if (sighting.rule == Rule::kNotDeterministic) {
    json["before"] = numerics::FormatBits(type, sighting.before);
  }
  const auto note = VersionNote(operation, sighting);
  if (run.options.reading && !note.empty()) json["note"] = note;
  if (sighting.refused_by != 0) json["fails_by"] = RefusedByToJson(sighting.refused_by);
  json["reproduce"] = ReproductionCommand(run, operation, sighting);
  return json;
}

std::string_view LimitKindName(LimitKind kind) {
  constexpr std::string_view kNames[] = {
      "correctly_rounded",     "exact", "ulp", "absolute", "one_of", "derived_or_ulp", "piecewise",
      "implementation_defined"};
  return kNames[static_cast<int>(kind)];
}

Json LimitToJson(const RunInfo& run, const FunctionResult& result) {
  const Limit* limit = LimitOf(result.operation, run.options);
  if (limit == nullptr) return nullptr;
  Json json{{"kind", LimitKindName(KindOf(*limit))}};
  if (const auto value = UlpValue(*limit, result.operation)) json["value"] = *value;
  json["text"] = result.limit.empty() ? Describe(*limit, result.operation) : result.limit;
  json["clause"] = CitationOf(*limit);
  return json;
}

std::string CommandHead(const RunInfo& run, const Operation& operation) {
  return fmt::format("assay validate {} --functions {} --formats {}", run.device_option,
                     operation.Name(), operation.FormatName());
}

// Whose text judges a device of this option where nothing is said; a pipe or a recording may turn
// out to have a language of its own, and is then told the reading that it would have had.
Reading UsualReading(std::string_view device_option) {
  const bool compiles = (device_option.starts_with("--opencl") &&
                         device_option.find(" --program spirv") == std::string_view::npos) ||
                        device_option.starts_with("--interpreter");
  return compiles ? Reading::kOpenClC : Reading::kEnvironment;
}

// The options that change what the device is asked and how it is judged.
std::string CommandTail(const RunInfo& run, int width,
                        std::optional<Reading> reading = std::nullopt) {
  const SweepOptions& options = run.options;
  std::string tail;
  if (!reading) reading = options.reading;
  if (reading && *reading != UsualReading(run.device_option)) {
    tail += fmt::format(" --spec {}", ReadingName(*reading));
  }
  if (options.profile == Profile::kEmbedded) tail += " --profile embedded";
  if (options.math != MathMode::kDefault) tail += fmt::format(" --math {}", MathName(options.math));
  if (options.rounding) {
    tail += fmt::format(" --rounding {}", numerics::RoundingName(*options.rounding));
  }
  if (!options.build_options.empty()) {
    tail += fmt::format(" --build-options='{}'", options.build_options);
  }
  if (width != 1) tail += fmt::format(" --width {}", width);
  return tail;
}

}  // namespace

Json NumberToJson(double value) {
  if (std::isinf(value)) return "inf";
  if (std::isnan(value)) return nullptr;
  return value;
}

Json LostToJson(const std::vector<LostWidth>& lost) {
  Json list = Json::array();
  for (const LostWidth& width : lost) {
    list.push_back({{"width", width.width},
                    {"first_item", width.first_item},
                    {"items", width.items},
                    {"message", width.message}});
  }
  return list;
}

std::string ReproductionCommand(const RunInfo& run, const Operation& operation,
                                const Sighting& sighting, std::optional<Reading> reading) {
  if (!run.reproduce.empty()) return run.reproduce;
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  std::string command = CommandHead(run, operation);
  // One --at an input; those of a whole vector stand in the order of its lanes.
  const auto append = [&](const std::vector<Bits>& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      command += (i == 0 ? " --at " : ",") + numerics::FormatBits(types[i], args[i]);
    }
  };
  if (sighting.lanes.empty()) append(sighting.args);
  for (const std::vector<Bits>& lane : sighting.lanes) append(lane);
  return command + CommandTail(run, sighting.width, reading);
}

std::string SweepCommand(const RunInfo& run, const Operation& operation, int width) {
  if (!run.reproduce.empty()) return run.reproduce;
  std::string command = CommandHead(run, operation) + " --level " + run.level;
  const InputOptions& inputs = run.options.inputs;
  if (inputs.range) command += fmt::format(" --range {}", base::ShellWord(inputs.range->Text()));
  if (inputs.samples != 0) command += fmt::format(" --samples {}", inputs.samples);
  if (inputs.seed != 1) command += fmt::format(" --seed {}", inputs.seed);
  const std::uint64_t evaluations = run.options.search_evaluations;
  if (evaluations != 0 && evaluations != kSearchEvaluations) {
    command += fmt::format(" --search-evaluations {}", evaluations);
  }
  return command + CommandTail(run, width);
}

Json DeviceToJson(const DeviceDescription& device) {
  Json formats = Json::object();
  for (numerics::Format format : numerics::kAllFormats) {
    const int i = static_cast<int>(format);
    if (!device.supports[i]) continue;
    formats[std::string(numerics::Traits(format).name)] = {
        {"denormals", device.denormals[i]},
        {"rounding", numerics::RoundingName(device.rounding[i])}};
  }
  Json json{{"kind", device.kind},
            {"name", device.name},
            {"platform", device.platform},
            {"vendor", device.vendor},
            {"device_version", device.device_version},
            {"driver_version", device.driver_version},
            {"c_version", device.c_version},
            {"profile", ProfileName(device.profile)},
            {"compute_units", device.compute_units},
            {"formats", formats},
            {"correctly_rounded_divide_sqrt", device.correctly_rounded_divide_sqrt},
            {"widths", device.widths}};
  if (!device.program.empty()) json["program"] = device.program;
  if (!device.identity.empty()) {
    json["identity"] = Json::array();
    for (const IdentityPart& part : device.identity) {
      json["identity"].push_back({{"what", part.what}, {"value", part.value}});
    }
  }
  return json;
}

Json RunToJson(const RunInfo& run) {
  const SweepOptions& options = run.options;
  Json json{{"tool", "assay " + run.tool_version},
            {"truth", run.truth},
            {"device_option", run.device_option},
            {"level", run.level},
            {"profile", ProfileName(options.profile)},
            {"math", MathName(options.math)},
            {"width", options.widths},
            {"all_widths_limit", options.all_widths_limit},
            {"seed", options.inputs.seed},
            {"samples", options.inputs.samples},
            {"max_failures", options.max_failures},
            {"build_options", options.build_options}};
  if (!run.build.empty()) json["build"] = run.build;
  if (options.reading) json["spec"] = ReadingName(*options.reading);
  if (options.rounding) json["rounding"] = numerics::RoundingName(*options.rounding);
  if (options.search_evaluations > 0) json["search_evaluations"] = options.search_evaluations;
  if (options.stop_after_failures > 0) json["stop_after_failures"] = options.stop_after_failures;
  if (options.inputs.range) json["range"] = options.inputs.range->Text();
  if (!options.known_worst.empty()) {
    std::size_t count = 0;
    for (const auto& [operation, inputs] : options.known_worst) count += inputs.size();
    json["known_worst"] = count;
  }
  if (!options.only_inputs.empty()) json["at"] = options.only_inputs;
  if (!run.origin.IsEmpty()) json["origin"] = ToJson(run.origin);
  return json;
}

Json ToJson(const Origin& origin) {
  return {{"date", origin.date}, {"host", origin.host}, {"command", origin.command}};
}

Origin OriginFromJson(const Json& json) {
  return {.date = json.at("date"), .host = json.at("host"), .command = json.at("command")};
}

namespace {

// The options of a row, so that a report that was assembled from several runs can be recognised.
Json AskedWith(const RunInfo& run) {
  const SweepOptions& options = run.options;
  Json json{{"level", run.level},
            {"seed", options.inputs.seed},
            {"samples", options.inputs.samples},
            {"profile", ProfileName(options.profile)},
            {"math", MathName(options.math)},
            {"build_options", options.build_options}};
  if (options.reading) json["spec"] = ReadingName(*options.reading);
  if (options.rounding) json["rounding"] = numerics::RoundingName(*options.rounding);
  if (options.search_evaluations > 0) json["search_evaluations"] = options.search_evaluations;
  if (options.inputs.range) json["range"] = options.inputs.range->Text();
  return json;
}

Json ReadingsToJson(const RunInfo& run, const FunctionResult& result) {
  Json json = Json::object();
  for (const ReadingVerdict& verdict : ReadingVerdicts(run, result)) {
    Json entry{{"verdict", ReadingVerdictName(verdict)}};
    if (verdict.tested) entry["failure_count"] = verdict.failures;
    if (verdict.first != nullptr) {
      entry["first"] = SightingToJson(run, result.operation, *verdict.first);
      entry["first"]["reproduce"] =
          ReproductionCommand(run, result.operation, *verdict.first, verdict.reading);
    }
    json[std::string(ReadingName(verdict.reading))] = std::move(entry);
  }
  return json;
}

}  // namespace

std::string LevelText(const RunInfo& run) {
  const std::optional<RangeEnds>& range = run.options.inputs.range;
  return range ? fmt::format("{}, range {}", run.level, range->Text()) : run.level;
}

std::string_view CoverageName(const FunctionResult& result) {
  return result.exhaustive ? "exhaustive" : result.search ? "searched" : "sampled";
}

namespace {

Json SearchToJson(const RunInfo& run, const FunctionResult& result) {
  const SearchResult& search = *result.search;
  Json json{{"evaluations", search.evaluations},
            {"boxes", search.boxes},
            {"excluded", search.excluded},
            {"excluded_share", search.excluded_share},
            {"complete", search.complete}};
  if (search.has_worst) json["worst"] = SightingToJson(run, result.operation, search.worst);
  return json;
}

}  // namespace

Json ResultToJson(const RunInfo& run, const FunctionResult& result) {
  const Statistics& s = result.statistics;
  Json json{{"function", result.operation.Name()},
            {"format", result.operation.FormatName()},
            {"limit", LimitToJson(run, result)},
            {"inputs", s.inputs},
            {"answers", s.answers},
            {"exhaustive", result.exhaustive}};
  if (result.search) json["search"] = SearchToJson(run, result);
  if (run.options.reading) json["asked_with"] = AskedWith(run);
  if (s.has_worst) {
    json["max_ulp"] = NumberToJson(s.max_ulp);
    json["worst"] = SightingToJson(run, result.operation, s.worst);
  }
  if (const Sighting* all = s.WorstOfAll(); s.has_worst_allowed && all == &s.worst_allowed) {
    json["max_ulp_all"] = NumberToJson(all->ulp);
    json["worst_all"] = SightingToJson(run, result.operation, *all);
    json["worst_all"]["accepted_as"] = RuleText(all->rule);
  }
  if (s.inputs > 0) {
    Json over = Json::object();
    for (std::size_t i = 0; i < kThresholds.size(); ++i) {
      over[fmt::format("{}", kThresholds[i])] = s.over[i];
    }
    json["over"] = over;
    json["binades"] = ToJson(s.binades);
    if (!s.plane.empty()) json["plane"] = ToJson(s.plane);
    if (s.flushed > 0) json["flushed"] = s.flushed;
    if (s.derived > 0) json["derived"] = s.derived;
    if (s.asked_again > 0) json["asked_again"] = s.asked_again;
    if (s.not_deterministic > 0) json["not_deterministic"] = s.not_deterministic;
    if (!s.unstable.empty()) {
      json["unstable"] = SightingToJson(run, result.operation, s.unstable.front());
    }
  }
  json["verdict"] = VerdictName(result.verdict);
  if (Json readings = ReadingsToJson(run, result); !readings.empty()) {
    json["readings"] = std::move(readings);
  }
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.lost.empty()) json["lost_widths"] = LostToJson(result.lost);
  if (!result.notes.empty()) json["notes"] = result.notes;
  json["failure_count"] = s.failures;
  if (!s.failures_by_width.empty()) {
    Json widths = Json::object();
    for (const auto& [width, count] : s.failures_by_width) widths[std::to_string(width)] = count;
    json["failures_by_width"] = widths;
  }
  json["failures"] = Json::array();
  for (const Sighting& failure : s.recorded) {
    json["failures"].push_back(SightingToJson(run, result.operation, failure));
  }
  return json;
}

Json ReportToJson(const Report& report) {
  return ReportToJson(report, DeviceToJson(report.device), RunToJson(report.run));
}

Json ReportToJson(const Report& report, Json device, Json run) {
  Json json{{"schema", kReportSchema}, {"device", std::move(device)}, {"run", std::move(run)}};
  if (report.interrupted) json["interrupted"] = true;
  json["results"] = Json::array();
  for (const FunctionResult& result : report.results) {
    json["results"].push_back(ResultToJson(report.run, result));
  }
  return json;
}

}  // namespace assay::oracle
