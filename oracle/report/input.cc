#include "oracle/report/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "numerics/json_reader.h"
#include "numerics/literal.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/fields.h"

namespace assay::oracle {
namespace {

using base::JsonTree;
using numerics::JsonPlace;
using numerics::Operation;
using numerics::ScalarType;

constexpr int kMaxExponent = 1 << 15;

class ReportReader : ReportFields {
 public:
  ReportReader(const JsonTree& tree, const std::string& path)
      : ReportFields(path), root_{&tree, ""} {
    input_.path = path;
  }

  Expected<InputReport> Read();
  Expected<InputReport> ReadHead();

 private:
  void ReadDevice(const JsonPlace& place);
  void ReadRun(const JsonPlace& place);
  FunctionResult ReadResult(const JsonPlace& place);
  void ReadLimit(const JsonPlace& place, FunctionResult* result);
  void ReadStatistics(const JsonPlace& place, FunctionResult* result);
  void ReadBinades(const JsonPlace& place, Statistics* statistics);
  void ReadPlane(const JsonPlace& place, Statistics* statistics);
  ErrorAt ReadErrorAt(std::span<const JsonTree> items, const std::string& pointer);
  Sighting ReadSighting(const JsonPlace& place, const Operation& operation);
  Rule ReadRule(const JsonPlace& place);
  Reading ReadReading(const JsonPlace& place);
  void ReadReadings(const JsonPlace& place, const Operation& operation, Statistics* statistics);
  void CheckAskedWith(const JsonPlace& place);
  void ReadLanes(const JsonPlace& command, const Operation& operation, Sighting* sighting);
  LostWidth ReadLost(const JsonPlace& place);
  SearchResult ReadSearch(const JsonPlace& place, const Operation& operation);
  std::vector<numerics::Bits> Operands(const JsonPlace& place, const Operation& operation,
                                       const std::vector<std::string>& texts);

  Profile ReadProfile(const JsonPlace& place);

  JsonPlace root_;
  InputReport input_;
};

Profile ReportReader::ReadProfile(const JsonPlace& place) {
  return Choice<Profile>(place, {{"full", Profile::kFull}, {"embedded", Profile::kEmbedded}});
}

void ReportReader::ReadDevice(const JsonPlace& place) {
  DeviceDescription& device = input_.report.device;
  device.kind = Text(place, "kind");
  device.name = Text(place, "name");
  device.platform = Text(place, "platform");
  device.vendor = Text(place, "vendor");
  device.device_version = Text(place, "device_version");
  device.driver_version = Text(place, "driver_version");
  device.c_version = Text(place, "c_version");
  if (const auto program = reader_.Find(place, "program")) {
    device.program = reader_.String(*program);
  }
  device.profile = ReadProfile(Member(place, "profile"));
  device.compute_units = static_cast<int>(Number(place, "compute_units", 1 << 30));
  device.correctly_rounded_divide_sqrt = Flag(place, "correctly_rounded_divide_sqrt");
  if (const auto widths = reader_.Find(place, "widths")) {
    device.widths.clear();
    for (const JsonPlace& width : reader_.Items(*widths)) device.widths.push_back(Width(width));
  }
  if (const auto identity = reader_.Find(place, "identity")) {
    for (const JsonPlace& part : reader_.Items(*identity)) {
      device.identity.push_back({Text(part, "what"), Text(part, "value")});
    }
  }
  const JsonPlace formats = Member(place, "formats");
  for (numerics::Format format : numerics::kAllFormats) {
    const auto i = static_cast<std::size_t>(format);
    const auto found = reader_.Find(formats, numerics::Traits(format).name);
    device.supports[i] = found.has_value();
    if (!found) continue;
    device.denormals[i] = Flag(*found, "denormals");
    const JsonPlace rounding = Member(*found, "rounding");
    const auto known = numerics::RoundingFromName(reader_.String(rounding));
    if (!known) reader_.Wrong(rounding, "a rounding mode is wanted here: rte, rtz, rtp or rtn");
    device.rounding[i] = known.value_or(numerics::Rounding::kRte);
  }
}

void ReportReader::ReadRun(const JsonPlace& place) {
  RunInfo& run = input_.report.run;
  SweepOptions& options = run.options;
  run.tool_version = Text(place, "tool");
  if (run.tool_version.starts_with("assay ")) run.tool_version.erase(0, 6);
  if (const auto build = reader_.Find(place, "build")) run.build = reader_.String(*build);
  run.truth = Text(place, "truth");
  run.device_option = Text(place, "device_option");
  run.level = Text(place, "level");
  options.profile = ReadProfile(Member(place, "profile"));
  options.math = Choice<MathMode>(Member(place, "math"), {{"default", MathMode::kDefault},
                                                          {"relaxed", MathMode::kRelaxed},
                                                          {"native", MathMode::kNative}});
  options.widths.clear();
  for (const JsonPlace& width : reader_.Items(Member(place, "width"))) {
    options.widths.push_back(Width(width));
  }
  options.all_widths_limit = NumberOr(place, "all_widths_limit", options.all_widths_limit);
  options.inputs.seed = Number(place, "seed");
  options.inputs.samples = Number(place, "samples");
  options.max_failures = Number(place, "max_failures");
  options.search_evaluations = NumberOr(place, "search_evaluations", 0);
  options.stop_after_failures = NumberOr(place, "stop_after_failures", 0);
  if (const auto range = reader_.Find(place, "range")) {
    options.inputs.range = reader_.Value(*range, RangeEndsOf(reader_.String(*range)));
  }
  options.build_options = Text(place, "build_options");
  if (const auto origin = reader_.Find(place, "origin")) {
    run.origin = {Text(*origin, "date"), Text(*origin, "host"), Text(*origin, "command")};
  }
  if (const auto spec = reader_.Find(place, "spec")) options.reading = ReadReading(*spec);
  if (const auto rounding = reader_.Find(place, "rounding")) {
    options.rounding = numerics::RoundingFromName(reader_.String(*rounding));
    if (!options.rounding) reader_.Wrong(*rounding, "a rounding mode is wanted: rte, rtz, ...");
  }
}

std::vector<numerics::Bits> ReportReader::Operands(const JsonPlace& place,
                                                   const Operation& operation,
                                                   const std::vector<std::string>& texts) {
  if (reader_.Failed()) return {};
  return reader_.Value(place, numerics::ParseOperands(operation, texts));
}

// The operands of a whole vector stand in the command only, an --at for each lane.
void ReportReader::ReadLanes(const JsonPlace& command, const Operation& operation,
                             Sighting* sighting) {
  constexpr std::string_view kAt = " --at ";
  const std::string text = reader_.String(command);
  std::vector<std::vector<numerics::Bits>> lanes;
  for (std::size_t at = text.find(kAt); at != std::string::npos; at = text.find(kAt, at)) {
    at += kAt.size();
    const std::string list = text.substr(at, text.find(' ', at) - at);
    lanes.push_back(Operands(command, operation, numerics::SplitAtCommas(list)));
  }
  if (lanes.size() > 1) sighting->lanes = std::move(lanes);
}

Reading ReportReader::ReadReading(const JsonPlace& place) {
  return Choice<Reading>(place, {{"opencl-c", Reading::kOpenClC},
                                 {"environment", Reading::kEnvironment},
                                 {"cts", Reading::kSuite}});
}

// The verdicts of other readings about a row.
void ReportReader::ReadReadings(const JsonPlace& place, const Operation& operation,
                                Statistics* statistics) {
  for (Reading reading : kReadings) {
    const auto entry = reader_.Find(place, ReadingName(reading));
    if (!entry || reading == input_.report.run.options.reading) continue;
    ReadingStatistics& theirs = statistics->readings[static_cast<std::size_t>(reading)];
    theirs.failures = NumberOr(*entry, "failure_count", 0);
    const auto first = reader_.Find(*entry, "first");
    theirs.has_first = first.has_value();
    if (first) theirs.first = ReadSighting(*first, operation);
  }
}

// A row of another run has other inputs and other limits than the head of the report says.
void ReportReader::CheckAskedWith(const JsonPlace& place) {
  const RunInfo& run = input_.report.run;
  const SweepOptions& options = run.options;
  const auto check = [&](std::string_view name, const std::string& here) {
    const auto found = reader_.Find(place, name);
    const std::string row = !found                                         ? ""
                            : found->tree->kind == JsonTree::Kind::kString ? found->tree->text
                            : found->tree->kind == JsonTree::Kind::kNumber ? found->tree->text
                                                                           : "?";
    if (row == here || reader_.Failed()) return;
    reader_.Wrong(found.value_or(place),
                  fmt::format("this row was asked with {} '{}' and the report with '{}': rows of "
                              "different runs are no one report; keep them in files of their own",
                              name, row, here));
  };
  check("level", run.level);
  check("seed", std::to_string(options.inputs.seed));
  check("samples", std::to_string(options.inputs.samples));
  check("profile", std::string(ProfileName(options.profile)));
  check("math", std::string(MathName(options.math)));
  check("build_options", options.build_options);
  check("search_evaluations",
        options.search_evaluations > 0 ? std::to_string(options.search_evaluations) : "");
  check("range", options.inputs.range ? options.inputs.range->Text() : "");
  check("spec", options.reading ? std::string(ReadingName(*options.reading)) : "");
  check("rounding", options.rounding ? std::string(numerics::RoundingName(*options.rounding)) : "");
}

Rule ReportReader::ReadRule(const JsonPlace& place) {
  const std::string text = reader_.String(place);
  for (int i = 0; i <= static_cast<int>(kLastRule); ++i) {
    if (RuleText(static_cast<Rule>(i)) == text) return static_cast<Rule>(i);
  }
  reader_.Wrong(place, fmt::format("unknown rule '{}'; a newer assay may know it", text));
  return Rule::kOverLimit;
}

Sighting ReportReader::ReadSighting(const JsonPlace& place, const Operation& operation) {
  Sighting sighting;
  const std::vector<ScalarType> types = operation.ResultTypes();
  sighting.result = static_cast<int>(NumberOr(place, "result", 0));
  if (sighting.result >= static_cast<int>(types.size())) {
    reader_.Wrong(place, fmt::format("{} has {} results, not a result {}", operation.Name(),
                                     types.size(), sighting.result));
  }
  if (reader_.Failed()) return {};
  const ScalarType type = types[static_cast<std::size_t>(sighting.result)];
  const JsonPlace args = Member(place, "args");
  sighting.args = Operands(args, operation, reader_.Strings(args));
  sighting.observed = Bits(Member(place, "observed"), type);
  sighting.expected = Bits(Member(place, "expected"), type);
  sighting.ulp = Ulp(Member(place, "ulp"));
  sighting.width = Width(Member(place, "width"));
  sighting.lane = static_cast<int>(Number(place, "lane", kMaxWidth));
  if (const auto rule = reader_.Find(place, "rule")) sighting.rule = ReadRule(*rule);
  if (const auto before = reader_.Find(place, "before")) {
    sighting.rule = Rule::kNotDeterministic;
    sighting.before = Bits(*before, type);
  }
  if (const auto accepted = reader_.Find(place, "accepted_as")) sighting.rule = ReadRule(*accepted);
  if (const auto readings = reader_.Find(place, "fails_by")) {
    for (const JsonPlace& reading : reader_.Items(*readings)) {
      sighting.refused_by |= ReadingBit(ReadReading(reading));
    }
  }
  ReadLanes(Member(place, "reproduce"), operation, &sighting);
  return sighting;
}

// A whole number of at most this magnitude.
bool IsInteger(const JsonTree& tree, int most, int* value) {
  const char* const end = tree.text.data() + tree.text.size();
  return !tree.text.empty() && std::from_chars(tree.text.data(), end, *value).ptr == end &&
         *value >= -most && *value <= most;
}

// A million small arrays in a survey: no pointer is made for one that is right.
void ReportReader::ReadBinades(const JsonPlace& place, Statistics* statistics) {
  if (reader_.Failed()) return;
  for (const JsonTree& entry : place.tree->items) {
    const JsonPlace here{&entry, place.pointer + "/..."};
    int exponent = 0;
    const bool signs = entry.items.size() == 5;  // reports of earlier versions are without
    const bool good = entry.kind == JsonTree::Kind::kArray && (entry.items.size() == 3 || signs) &&
                      IsInteger(entry.items[0], kMaxExponent, &exponent);
    if (!good) {
      reader_.Wrong(here, "[exponent, inputs, largest error] is wanted here");
      return;
    }
    BinadeStatistics& binade = statistics->binades[exponent];
    binade = {.inputs = reader_.Unsigned({&entry.items[1], here.pointer}),
              .max_ulp = Ulp({&entry.items[2], here.pointer})};
    for (std::size_t s = 0; signs && s < binade.signs.size(); ++s) {
      const JsonTree& sign = entry.items[3 + s];
      if (sign.kind != JsonTree::Kind::kArray || sign.items.size() != 3) {
        reader_.Wrong(here, "[inputs, largest error, width] is wanted for each sign");
        return;
      }
      binade.signs[s] = ReadErrorAt(sign.items, here.pointer);
    }
  }
}

ErrorAt ReportReader::ReadErrorAt(std::span<const JsonTree> items, const std::string& pointer) {
  return {.inputs = reader_.Unsigned({&items[0], pointer}),
          .max_ulp = Ulp({&items[1], pointer}),
          .width = static_cast<int>(reader_.Unsigned({&items[2], pointer}, kMaxWidth))};
}

void ReportReader::ReadPlane(const JsonPlace& place, Statistics* statistics) {
  if (reader_.Failed()) return;
  for (const JsonTree& entry : place.tree->items) {
    const JsonPlace here{&entry, place.pointer + "/..."};
    int x = 0, y = 0;
    const bool good = entry.kind == JsonTree::Kind::kArray && entry.items.size() == 5 &&
                      IsInteger(entry.items[0], kPlaneSteps, &x) && x != 0 &&
                      IsInteger(entry.items[1], kPlaneSteps, &y) && y != 0;
    if (!good) {
      reader_.Wrong(here, "[step, step, inputs, largest error, width] is wanted here");
      return;
    }
    statistics->plane[{x, y}] = ReadErrorAt(std::span(entry.items).subspan(2), here.pointer);
  }
}

void ReportReader::ReadStatistics(const JsonPlace& place, FunctionResult* result) {
  Statistics& s = result->statistics;
  s.inputs = Number(place, "inputs");
  s.answers = Number(place, "answers");
  if (const auto over = reader_.Find(place, "over")) {
    for (std::size_t i = 0; i < kThresholds.size(); ++i) {
      s.over[i] = Number(*over, fmt::format("{}", kThresholds[i]));
    }
  }
  if (const auto binades = reader_.Find(place, "binades")) ReadBinades(*binades, &s);
  if (const auto plane = reader_.Find(place, "plane")) ReadPlane(*plane, &s);
  s.flushed = NumberOr(place, "flushed", 0);
  s.derived = NumberOr(place, "derived", 0);
  s.asked_again = NumberOr(place, "asked_again", 0);
  s.not_deterministic = NumberOr(place, "not_deterministic", 0);
  if (const auto unstable = reader_.Find(place, "unstable")) {
    s.unstable.push_back(ReadSighting(*unstable, result->operation));
  }
  s.failures = Number(place, "failure_count");
  if (const auto widths = reader_.Find(place, "failures_by_width")) {
    for (const JsonPlace& count : reader_.Members(*widths)) {
      const std::string_view name =
          std::string_view(count.pointer).substr(widths->pointer.size() + 1);
      int width = 0;
      std::from_chars(name.data(), name.data() + name.size(), width);
      if (width < 1 || width > static_cast<int>(kMaxWidth)) {
        reader_.Wrong(count, "this is no vector width");
      }
      s.failures_by_width[width] = reader_.Unsigned(count);
    }
  }
  for (const JsonPlace& failure : reader_.Items(Member(place, "failures"))) {
    s.recorded.push_back(ReadSighting(failure, result->operation));
  }
  if (const auto worst = reader_.Find(place, "worst")) {
    s.OfferWorst(ReadSighting(*worst, result->operation));
    s.max_ulp = Ulp(Member(place, "max_ulp"));
  }
  if (const auto worst = reader_.Find(place, "worst_all")) {
    const Sighting all = ReadSighting(*worst, result->operation);
    if (all.rule != Rule::kWithinLimit && Accepts(all.rule)) s.OfferWorstAllowed(all);
  }
  if (const auto readings = reader_.Find(place, "readings")) {
    ReadReadings(*readings, result->operation, &s);
  }
}

void ReportReader::ReadLimit(const JsonPlace& place, FunctionResult* result) {
  if (reader_.Failed() || place.tree->kind == JsonTree::Kind::kNull) return;
  result->limit = Text(place, "text");
  result->citation = Text(place, "clause");
  const SweepOptions& options = input_.report.run.options;
  const Limit* limit = LimitOf(result->operation, options);
  const std::string now = limit == nullptr ? "none" : Describe(*limit, result->operation);
  if (now == result->limit) return;
  input_.notes.push_back(fmt::format("{} {} was judged by the limit {}; this assay has {}",
                                     result->operation.Name(), result->operation.FormatName(),
                                     result->limit, now));
}

LostWidth ReportReader::ReadLost(const JsonPlace& place) {
  return {.width = Width(Member(place, "width")),
          .first_item = Number(place, "first_item"),
          .items = Number(place, "items"),
          .message = Text(place, "message")};
}

SearchResult ReportReader::ReadSearch(const JsonPlace& place, const Operation& operation) {
  SearchResult search{.evaluations = Number(place, "evaluations"),
                      .boxes = Number(place, "boxes"),
                      .excluded = Number(place, "excluded"),
                      .excluded_share = Ulp(Member(place, "excluded_share")),
                      .complete = Flag(place, "complete")};
  if (const auto worst = reader_.Find(place, "worst")) {
    search.has_worst = true;
    search.worst = ReadSighting(*worst, operation);
  }
  return search;
}

FunctionResult ReportReader::ReadResult(const JsonPlace& place) {
  FunctionResult result;
  const std::string function = Text(place, "function");
  const JsonPlace format = Member(place, "format");
  const std::string format_name = reader_.String(format);
  if (reader_.Failed()) return result;
  result.operation = reader_.Value(format, numerics::OperationFromName(function, format_name));
  if (reader_.Failed()) return result;
  if (const auto asked = reader_.Find(place, "asked_with")) CheckAskedWith(*asked);
  ReadLimit(Member(place, "limit"), &result);
  result.exhaustive = Flag(place, "exhaustive");
  if (const auto search = reader_.Find(place, "search")) {
    result.search = ReadSearch(*search, result.operation);
  }
  result.verdict =
      Choice<Verdict>(Member(place, "verdict"), {{"pass", Verdict::kPass},
                                                 {"fail", Verdict::kFail},
                                                 {"unsupported", Verdict::kUnsupported},
                                                 {"not_measured", Verdict::kNotMeasured}});
  if (const auto message = reader_.Find(place, "message"))
    result.message = reader_.String(*message);
  if (const auto lost = reader_.Find(place, "lost_widths")) {
    for (const JsonPlace& width : reader_.Items(*lost)) result.lost.push_back(ReadLost(width));
  }
  ReadStatistics(place, &result);
  const bool failed = result.verdict == Verdict::kFail;
  if (failed != (result.statistics.failures > 0)) {
    reader_.Wrong(place, fmt::format("the verdict is {}, but {} answers fail",
                                     VerdictName(result.verdict), result.statistics.failures));
  }
  return result;
}

Expected<InputReport> ReportReader::ReadHead() {
  const JsonPlace schema = Member(root_, "schema");
  const std::string name = reader_.String(schema);
  if (!reader_.Failed() && name != kReportSchema) {
    const bool version = name.starts_with("assay-validate/");
    reader_.Wrong(
        schema,
        fmt::format("'{}' is {}; this reads {}, which `assay validate --json` "
                    "writes",
                    name, version ? "another version of the schema" : "no report of assay validate",
                    kReportSchema));
  }
  ReadDevice(Member(root_, "device"));
  ReadRun(Member(root_, "run"));
  if (reader_.Failed()) return tl::unexpected<Error>(*reader_.error());
  return input_;
}

Expected<InputReport> ReportReader::Read() {
  if (auto head = ReadHead(); !head) return head;
  const JsonPlace results = Member(root_, "results");
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  for (const JsonPlace& place : reader_.Items(results)) {
    FunctionResult result = ReadResult(place);
    if (reader_.Failed()) break;
    const auto key = std::pair(result.operation.Name(), result.operation.FormatName());
    if (const auto [earlier, added] = seen.emplace(key, seen.size()); !added) {
      reader_.Wrong(place, fmt::format("{} {} stands here again; it was result {}", key.first,
                                       key.second, earlier->second));
    }
    input_.report.results.push_back(std::move(result));
  }
  if (!reader_.Failed() && input_.report.results.empty()) {
    reader_.Wrong(results, "there is no result in it; run `assay validate` again");
  }
  if (reader_.Find(root_, "interrupted")) {
    input_.report.interrupted = Flag(root_, "interrupted");
    if (input_.report.interrupted) input_.notes.emplace_back("the run was interrupted");
  }
  if (reader_.Failed()) return tl::unexpected<Error>(*reader_.error());
  return std::move(input_);
}

Expected<JsonTree> TreeOf(std::string_view json, const std::string& path) {
  Expected<JsonTree> tree = base::ParseJsonTree(json);
  if (tree) return tree;
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: no JSON, perhaps truncated: {}; give a --json file of "
                          "`assay validate`",
                          path, tree.error().message));
}

}  // namespace

Expected<InputReport> ReportFromText(std::string_view json, const std::string& path) {
  const Expected<JsonTree> tree = TreeOf(json, path);
  return tree ? ReportReader(*tree, path).Read() : tl::unexpected<Error>(tree.error());
}

Expected<InputReport> ReportHeadFromText(std::string_view json, const std::string& path) {
  const Expected<JsonTree> tree = TreeOf(json, path);
  return tree ? ReportReader(*tree, path).ReadHead() : tl::unexpected<Error>(tree.error());
}

}  // namespace assay::oracle
