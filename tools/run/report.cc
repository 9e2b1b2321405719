#include "tools/run/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay_version.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "interp/job/image_content.h"
#include "numerics/image/format.h"
#include "numerics/literal.h"
#include "tools/run/envelope_text.h"
#include "tools/run/finding_text.h"
#include "tools/run/outcomes.h"
#include "tools/run/spread.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

using base::Printable;
using interp::FindingClass;
using interp::LaunchEnd;
using nlohmann::ordered_json;

constexpr std::uint64_t kShownAtEachEnd = 16;  // elements of a long buffer

std::uint64_t WorkItems(const RunReport& report) {
  std::uint64_t items = 0;
  for (const ReportedLaunch& launch : report.launches) {
    items += launch.range.global[0] * launch.range.global[1] * launch.range.global[2];
  }
  return items;
}

std::string_view ContentOf(const interp::HostBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ordered_json Sizes(int dimensions, const std::array<std::uint64_t, 3>& sizes) {
  return std::vector<std::uint64_t>(sizes.begin(), sizes.begin() + dimensions);
}

ordered_json ToJson(const ReportedLaunch& launch) {
  const int dimensions = launch.range.dimensions;
  return {{"kernel", launch.kernel},
          {"global", Sizes(dimensions, launch.range.global)},
          {"local_size", Sizes(dimensions, launch.local_size)},
          {"offset", Sizes(dimensions, launch.range.offset)},
          {"instructions", launch.instructions},
          {"cpu_seconds", launch.cpu_seconds}};
}

// How much of a buffer is shown after the budget is exceeded.
constexpr std::uint64_t kSmallElements = std::uint64_t{1} << 16;
constexpr std::size_t kSmallBytes = std::size_t{16} << 20;

// Whether the next of many elements can be shown.
bool MayShow(std::uint64_t element, const base::Budget& budget) {
  constexpr std::uint64_t kCheckEvery = 1024;
  return element < kSmallElements || element % kCheckEvery != 0 || !budget.IsExceeded();
}

// Bits as text: what a job's "data" takes; null where the budget does not last.
ordered_json DataToJson(const interp::JobBuffer& buffer, const base::Budget& budget) {
  ordered_json data = ordered_json::array();
  const auto scalar = buffer.image ? interp::ColorTypeOf(buffer.image->format).scalar
                                   : interp::ScalarOf(buffer.type);
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    if (!MayShow(i, budget)) return nullptr;
    ordered_json element = ordered_json::array();
    const auto components = buffer.image ? interp::ColorOf(*buffer.image, buffer.bytes, i)
                                         : interp::ComponentsOf(buffer.type, buffer.bytes, i);
    for (const numerics::Bits bits : components) {
      element.push_back(numerics::FormatBits(scalar, bits));
    }
    data.push_back(components.size() == 1 ? element[0] : element);
  }
  return data;
}

// The output; if the budget is exceeded, as much as can still be written.
std::string OutputOf(const RunReport& report) {
  if (report.output.size() <= kSmallBytes || !report.budget.IsExceeded()) return report.output;
  return fmt::format("{}\n[{} more bytes are left out]\n",
                     std::string_view(report.output).substr(0, kSmallBytes),
                     report.output.size() - kSmallBytes);
}

// The digest of a buffer; null where the budget does not last.
ordered_json DigestOf(const interp::JobBuffer& buffer, const base::Budget& budget) {
  base::Digest digest;
  const std::string_view bytes = ContentOf(buffer.bytes);
  for (std::size_t at = 0; at < bytes.size(); at += kSmallBytes) {
    if (at != 0 && budget.IsExceeded()) return nullptr;
    digest.Add(bytes.substr(at, kSmallBytes));
  }
  return digest.Finish();
}

// An image's form, with the keys that a job gives it.
void AddForm(const interp::ImageDescriptor& image, ordered_json* json) {
  (*json)["shape"] = interp::ImageShapeName(image.shape);
  (*json)["size"] = std::vector<std::int64_t>(
      image.size.begin(), image.size.begin() + interp::DimensionsOf(image.shape));
  if (interp::IsArrayed(image.shape)) (*json)["layers"] = image.layers;
  if (image.levels > 1) (*json)["levels"] = image.levels;
  if (image.samples > 1) (*json)["samples"] = image.samples;
  (*json)["order"] = numerics::image::Name(image.format.order);
  (*json)["type"] = numerics::image::Name(image.format.type);
}

ordered_json ToJson(const ReportedBuffer& reported, const base::Budget& budget) {
  const interp::JobBuffer& buffer = reported.buffer;
  ordered_json json{{"name", buffer.name}};
  if (buffer.image) {
    AddForm(*buffer.image, &json);
  } else {
    json["type"] = buffer.type.name;
    json["count"] = buffer.count;
  }
  json["sha256"] = DigestOf(buffer, budget);
  if (reported.printed) json["data"] = DataToJson(buffer, budget);
  if (!reported.unwritten.empty()) {
    json["never_written"] = {{"elements", CountOf(reported.unwritten)},
                             {"first", reported.unwritten[0].begin}};
  }
  return json;
}

ordered_json ToJson(const RunSettings& settings, double seconds) {
  std::vector<std::string_view> allowed;
  for (const interp::Rule rule : settings.allowed) allowed.push_back(interp::NameOf(rule));
  ordered_json json{{"seed", settings.seed},
                    {"rounding", numerics::RoundingName(settings.rounding)},
                    {"flush_to_zero", settings.flush_to_zero},
                    {"width", settings.width},
                    {"threads", settings.threads},
                    {"timeout_seconds", settings.timeout_seconds},
                    {"max_instructions", settings.max_instructions},
                    {"max_findings", settings.max_findings},
                    {"device_queue", settings.device_queue},
                    {"max_children", settings.max_children},
                    {"max_memory", settings.max_memory},
                    {"detectors", DetectorNames(settings.detectors)},
                    {"cl_version", settings.cl_version},
                    {"allowed", allowed},
                    {"seconds", seconds}};
  if (!settings.matrix.empty()) json["matrix"] = settings.matrix;
  return json;
}

ordered_json ToJson(const ReportedRuns& runs) {
  ordered_json json{{"what", runs.what},
                    {"first_seed", runs.first_seed},
                    {"planned", runs.planned},
                    {"done", runs.done},
                    {"with_findings", runs.with_findings}};
  if (runs.bound && runs.explored.empty()) json["bound"] = *runs.bound;
  if (runs.bound) json["exhausted"] = runs.exhausted;
  if (!runs.explored.empty()) {
    json["explored"] = runs.explored;
    json["given_up"] = runs.given_up;
    json["repeated"] = runs.repeated;
  }
  return json;
}

ordered_json ToJson(const ReportedReplay& replay) {
  ordered_json json{{"command", replay.command},
                    {"options", replay.options},
                    {"seed", replay.seed},
                    {"choices", replay.choices},
                    {"sources", ordered_json::array()}};
  for (const ReportedSource& source : replay.sources) {
    json["sources"].push_back({{"path", source.path}, {"sha256", source.sha256}});
  }
  return json;
}

ordered_json CompilersJson(const std::vector<std::string>& compilers) {
  ordered_json json = ordered_json::array();
  for (const std::string& compiler : compilers) {
    json.push_back(compiler.empty() ? ordered_json(nullptr) : ordered_json(compiler));
  }
  return json;
}

ordered_json ToJson(const Ignore& ignore) {
  ordered_json json{
      {"ignore", ignore.text}, {"reason", ignore.reason}, {"findings", ignore.hidden}};
  if (ignore.is_source) json["moved"] = ignore.moved;
  return json;
}

// "; 100 runs of seeds 0 to 99, 3 with findings".
std::string RunsText(const ReportedRuns& runs, LaunchEnd end) {
  const char* const why = end == LaunchEnd::kTimeLimit ? "--timeout"
                          : end == LaunchEnd::kStopped ? "interrupted"
                                                       : "--max-runs";
  if (!runs.explored.empty()) {
    return fmt::format(
        "; {}, {}: {} ({} given up, {} repeated), {} with findings", Times(runs.done, "execution"),
        runs.exhausted ? "exhausted" : fmt::format("not exhausted ({})", why), runs.explored,
        Times(runs.given_up, "run"), runs.repeated, runs.with_findings);
  }
  std::string text = fmt::format("; {}", Times(runs.done, "run"));
  if (runs.done != runs.planned && !runs.bound) text += fmt::format(" of {}", runs.planned);
  if (runs.what == "sub-group sizes") {
    text += " with different sub-group sizes";
  } else if (runs.bound) {
    text += fmt::format(", every schedule with at most {}, {}", Times(*runs.bound, "other choice"),
                        runs.exhausted ? "exhausted" : fmt::format("not exhausted ({})", why));
  } else {
    text +=
        fmt::format(" with seeds {} to {}", runs.first_seed, runs.first_seed + runs.planned - 1);
  }
  return text + fmt::format(", {} with findings", runs.with_findings);
}

}  // namespace

std::string Times(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string SourcesText(const Ignore& ignore) {
  return fmt::format("ignored sources (unsound) {}: {} hidden, {} told at a caller\n",
                     Printable(ignore.text), Times(ignore.hidden, "finding"), ignore.moved);
}

std::string IgnoresText(const RunReport& report) {
  std::string text;
  for (const Ignore& ignore : report.ignores) {
    if (ignore.is_source) {
      text += SourcesText(ignore);
      continue;
    }
    text +=
        fmt::format("ignored (unsound) {}: {}{}\n", Printable(ignore.text),
                    ignore.hidden == 0 ? "unused" : Times(ignore.hidden, "finding") + " hidden",
                    ignore.reason.empty() ? "" : fmt::format(" ({})", Printable(ignore.reason)));
  }
  return text;
}

std::vector<std::string> UnsoundOptions(const RunReport& report) {
  std::vector<std::string> options;
  constexpr std::uint32_t kAll = interp::DetectorSet::All().bits;
  if ((report.settings.detectors.bits & kAll) != kAll) {
    options.push_back("--detect " + DetectorsText(report.settings.detectors));
  }
  for (const interp::Rule rule : report.settings.allowed) {
    options.push_back("--allow " + AllowText(rule));
  }
  for (const Ignore& ignore : report.ignores) {
    options.push_back((ignore.is_source ? "--ignore-source " : "--ignore ") + ignore.text);
  }
  return options;
}

std::string BufferText(const interp::JobBuffer& buffer, bool all, const base::Budget& budget,
                       std::span<const ElementRun> unwritten) {
  std::string form = buffer.image ? interp::DescribeImage(*buffer.image)
                                  : fmt::format("{}[{}]", buffer.type.name, buffer.count);
  if (buffer.max_packets != 0) {
    const std::uint64_t left = buffer.bytes.size() / buffer.packet_bytes;
    form = fmt::format("{} of at most {} packets are left: {}", left, buffer.max_packets, form);
  }
  std::string text = fmt::format("{} {}: {}\n", buffer.Kind(), Printable(buffer.name), form);
  const bool elided = !all && buffer.count > 2 * kShownAtEachEnd;
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    if (elided && i == kShownAtEachEnd) {
      const std::uint64_t left_out = buffer.count - 2 * kShownAtEachEnd;
      text += fmt::format("  ... {} left out (--print-all) ...\n", Times(left_out, "element"));
      i += left_out;
    }
    if (!MayShow(i, budget)) {
      return text + fmt::format("  ... {} left out: {} ...\n", Times(buffer.count - i, "element"),
                                budget.Reached().value().message);
    }
    if (Contains(unwritten, i)) {
      text += fmt::format("  {}: never written\n",
                          buffer.image ? interp::PlaceText(*buffer.image, i) : std::to_string(i));
      continue;
    }
    if (buffer.image) {
      text += fmt::format("  {}: {}\n", interp::PlaceText(*buffer.image, i),
                          interp::FormatColor(*buffer.image, buffer.bytes, i));
      continue;
    }
    text +=
        fmt::format("  {}: {}\n", i,
                    interp::FormatElement(buffer.type, ComponentsOf(buffer.type, buffer.bytes, i)));
  }
  return text;
}

Expected<void> WriteSaved(const RunReport& report, std::size_t buffer, const std::string& path) {
  const interp::JobBuffer& saved = report.buffers.at(buffer).buffer;
  if (!interp::IsSavedAsPng(saved, path)) {
    return base::WriteFileAtomically(path, ContentOf(saved.bytes));
  }
  const auto content = interp::PngOf(saved);
  if (!content) return tl::unexpected(content.error());
  return base::WriteFileAtomically(path, *content);
}

std::string CountsText(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = "instructions by opcode\n";
  for (const auto& [opcode, count] : rows) text += fmt::format("  {:>16} {}\n", count, opcode);
  return text;
}

std::string ExpectationText(const ReportedExpectation& expectation) {
  if (!expectation.met) {
    return fmt::format("not judged: {}: {}\n", Printable(expectation.what),
                       Printable(expectation.message));
  }
  if (*expectation.met) {
    // Of what is met there is something to say of devices only: how far they may differ.
    if (expectation.message.empty()) return "";
    return fmt::format("note: {}: {}\n", Printable(expectation.what),
                       Printable(expectation.message));
  }
  std::string text = fmt::format("error[expectation]: {}: {}\n", Printable(expectation.what),
                                 Printable(expectation.message));
  if (!expectation.replay.empty())
    text += fmt::format("  = replay: {}\n", Printable(expectation.replay));
  return text;
}

std::string SummaryText(const RunReport& report) {
  const auto met = std::count_if(report.expectations.begin(), report.expectations.end(),
                                 [](const auto& e) { return e.met == true; });
  std::string text(interp::LaunchEndName(report.end));
  if (!report.message.empty()) text += fmt::format(" ({})", Printable(report.message));
  text += fmt::format(": {}, {}, {}, {:.2f} s", Times(WorkItems(report), "work-item"),
                      Times(report.instructions, "instruction"), FindingCountText(report),
                      report.seconds);
  if (report.planned_launches != 1) {
    text += fmt::format(", {} of {} launches", report.launches.size(), report.planned_launches);
  } else if (!report.launches.empty()) {
    const auto& local = report.launches[0].local_size;
    text += fmt::format(
        ", work-groups of {}",
        fmt::join(local.begin(), local.begin() + report.launches[0].range.dimensions, "x"));
  }
  if (!report.expectations.empty()) {
    text += fmt::format(", {} of {} met", met, Times(report.expectations.size(), "expectation"));
  }
  const RunSettings& settings = report.settings;
  if (report.runs) text += RunsText(*report.runs, report.end);
  const std::string matrix = settings.matrix.empty() ? "" : ", matrix " + settings.matrix;
  text += fmt::format("; seed {}, rounding {}{}{}, width {}, {}", settings.seed,
                      numerics::RoundingName(settings.rounding),
                      settings.flush_to_zero ? ", subnormals flushed" : "", matrix, settings.width,
                      Times(static_cast<std::uint64_t>(settings.threads), "thread"));
  const std::vector<std::string> unsound = UnsoundOptions(report);
  if (!unsound.empty()) text += fmt::format("; unsound: {}", fmt::join(unsound, ", "));
  return text + "\n";
}

ordered_json RunReportToJson(const RunReport& report) {
  ordered_json json{{"schema", kRunSchema},
                    {"version", ASSAY_VERSION},
                    {"modules", report.modules},
                    {"compilers", CompilersJson(report.compilers)},
                    {"job", report.job},
                    {"run", ToJson(report.settings, report.seconds)},
                    {"end", interp::LaunchEndName(report.end)},
                    {"message", report.message},
                    {"exit_code", RunExitCode(report)},
                    {"instructions", report.instructions},
                    {"planned_launches", report.planned_launches},
                    {"launches", ordered_json::array()},
                    {"findings", ordered_json::array()},
                    {"ignored", ordered_json::array()},
                    {"unsound", UnsoundOptions(report)},
                    {"replay", ToJson(report.replay)},
                    {"output", OutputOf(report)},
                    {"buffers", ordered_json::array()},
                    {"images", ordered_json::array()},
                    {"expectations", ordered_json::array()}};
  for (const ReportedLaunch& launch : report.launches) json["launches"].push_back(ToJson(launch));
  if (report.runs) json["runs"] = ToJson(*report.runs);
  for (const ReportedFinding& finding : report.findings) {
    json["findings"].push_back(FindingToJson(finding));
  }
  for (const Ignore& ignore : report.ignores) json["ignored"].push_back(ToJson(ignore));
  for (const ReportedBuffer& buffer : report.buffers) {
    const char* list = buffer.buffer.image ? "images" : "buffers";
    json[list].push_back(ToJson(buffer, report.budget));
  }
  for (const ReportedExpectation& expectation : report.expectations) {
    json["expectations"].push_back(
        {{"what", expectation.what},
         {"met", expectation.met ? ordered_json(*expectation.met) : ordered_json(nullptr)},
         {"message", expectation.message},
         {"replay", expectation.replay}});
  }
  if (!report.counts.empty()) json["counts"] = report.counts;
  if (report.settings.envelope != nullptr) json["envelope"] = EnvelopeJson(report);
  if (report.spread) json["spread"] = SpreadJson(report);
  if (report.outcomes) json["outcomes"] = OutcomesJson(*report.outcomes);
  if (report.litmus) json["litmus"] = LitmusJson(*report.litmus);
  return json;
}

int RunExitCode(const RunReport& report) {
  if (report.end == LaunchEnd::kStopped) return kExitInterrupted;
  const bool by_kernel =
      report.end == LaunchEnd::kDeadlock || report.end == LaunchEnd::kFindingLimit;
  bool wrong = by_kernel && !report.findings_expected;
  bool limit = report.end != LaunchEnd::kCompleted && !by_kernel;
  for (const ReportedFinding& reported : report.findings) {
    const FindingClass finding_class = reported.finding.finding_class;
    wrong |= IsKernelsFault(finding_class) && !reported.allowed && !report.findings_expected;
    limit |= finding_class == FindingClass::kResourceLimit;
  }
  for (const ReportedExpectation& expectation : report.expectations) {
    wrong |= expectation.met == false;
    // An envelope that is not decided is no pass.
    limit |= !expectation.met && report.settings.envelope != nullptr;
  }
  if (wrong) return kExitNonconforming;
  return limit ? kExitDevice : kExitConforming;
}

}  // namespace assay::tools
