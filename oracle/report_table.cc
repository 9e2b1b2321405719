#include "oracle/report_table.h"

#include <fmt/format.h>

#include <cmath>

#include "numerics/literal.h"
#include "oracle/report_rows.h"
#include "oracle/results_json.h"

namespace assay::oracle {
namespace {

using numerics::ScalarType;

constexpr std::string_view kRow = "{:<22} {:<8} {:<18} {:>10} {:<21} {:<18} {:<18} {:>11} {}\n";

// The fields stay free of spaces, so that `awk` can split a line.
std::string WithoutSpaces(std::string text) {
  for (char& c : text) {
    if (c == ' ') c = '_';
  }
  return text.empty() ? "-" : text;
}

}  // namespace

std::string UlpText(double ulp) {
  if (std::isinf(ulp)) return "inf";
  return ulp >= 1e6 ? fmt::format("{:.4g}", ulp) : fmt::format("{:.5f}", ulp);
}

const Sighting* ShownSighting(const FunctionResult& result) {
  const Statistics& s = result.statistics;
  if (s.has_worst) return &s.worst;
  return s.recorded.empty() ? nullptr : &s.recorded.front();
}

SightingTexts TextsOf(const numerics::Operation& operation, const Sighting& sighting) {
  const std::vector<ScalarType> in = operation.ArgumentTypes();
  const ScalarType out = operation.ResultTypes()[static_cast<std::size_t>(sighting.result)];
  SightingTexts texts{.input = ""};
  for (std::size_t i = 0; i < sighting.args.size(); ++i) {
    texts.input += (i == 0 ? "" : ",") + numerics::FormatBits(in[i], sighting.args[i]);
  }
  texts.observed = numerics::FormatBits(out, sighting.observed);
  texts.expected = numerics::FormatBits(out, sighting.expected);
  texts.ulp = UlpText(sighting.ulp);
  return texts;
}

std::string TableHeader() {
  return fmt::format(kRow, "function", "format", "limit", "max_ulp", "worst_input", "observed",
                     "expected", "inputs", "verdict");
}

std::string TableRow(const FunctionResult& result) {
  SightingTexts texts;
  if (const Sighting* shown = ShownSighting(result)) texts = TextsOf(result.operation, *shown);
  return fmt::format(kRow, result.operation.Name(), result.operation.FormatName(),
                     WithoutSpaces(result.limit), texts.ulp, texts.input, texts.observed,
                     texts.expected, result.statistics.inputs, VerdictName(result.verdict));
}

std::vector<std::string> Troubles(const RunInfo& run, const FunctionResult& result) {
  const std::string name =
      fmt::format("{} {}", result.operation.Name(), result.operation.FormatName());
  std::vector<std::string> lines;
  if (!result.message.empty()) lines.push_back(fmt::format("{}: {}", name, result.message));
  for (const LostWidth& lost : result.lost) {
    lines.push_back(fmt::format("{} at width {}: {}", name, lost.width, lost.message));
    if (lost.items == 0) continue;
    lines.back() += fmt::format(" (asked inputs {} to {})\n    {}", lost.first_item,
                                lost.first_item + lost.items - 1,
                                SweepCommand(run, result.operation, lost.width));
  }
  return lines;
}

std::string TableSummary(const Report& report) {
  std::uint64_t inputs = 0, answers = 0;
  std::string details;
  for (const FunctionResult& result : report.results) {
    inputs += result.statistics.inputs;
    answers += result.statistics.answers;
    const std::string name =
        fmt::format("{} {}", result.operation.Name(), result.operation.FormatName());
    if (result.verdict == Verdict::kFail) {
      details += fmt::format("\n{}: {} of {} answers fail", name, result.statistics.failures,
                             result.statistics.answers);
      if (!result.statistics.recorded.empty()) {
        const Sighting& first = result.statistics.recorded.front();
        details += fmt::format(", first: {}\n    {}", RuleText(first.rule),
                               ReproductionCommand(report.run, result.operation, first));
      }
    }
    for (const std::string& line : Troubles(report.run, result)) details += "\n" + line;
  }
  return fmt::format("\n{}; {} inputs, {} answers{}\n", CountText(report), inputs, answers,
                     details);
}

namespace {

std::string ShortRow(const ReportRow& row) {
  std::string text = fmt::format("{:<22} {:<8} {:<18}", row.operation.Name(),
                                 row.operation.FormatName(), WithoutSpaces(row.Any().limit));
  for (const FunctionResult* result : row.results) {
    const bool measured = result != nullptr && result->statistics.has_worst;
    text += fmt::format(" {:>10} {:<12}", measured ? UlpText(result->statistics.max_ulp) : "-",
                        result != nullptr ? VerdictName(result->verdict) : "-");
  }
  while (text.back() == ' ') text.pop_back();
  return text + "\n";
}

std::string ChangeRow(const Change& change) {
  const auto side = [](const FunctionResult* result) -> std::string {
    if (result == nullptr) return "-";
    const Statistics& s = result->statistics;
    return fmt::format("{} {}", VerdictName(result->verdict),
                       s.has_worst ? UlpText(s.max_ulp) : "-");
  };
  return fmt::format("{:<22} {:<8} {:<20} {} -> {}\n", change.Operation().Name(),
                     change.Operation().FormatName(), ChangeText(change.kind), side(change.before),
                     side(change.after));
}

}  // namespace

std::string SideBySideTable(std::span<const InputReport> reports) {
  std::string text, heads;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const InputReport& input = reports[i];
    const RunInfo& run = input.report.run;
    const std::string letter = ReportLetter(i);
    text += fmt::format("{} {}: {}; level {}, seed {}, profile {}, math {}\n    {}\n", letter,
                        input.label, DeviceText(input.report.device), run.level,
                        run.options.inputs.seed, ProfileName(run.options.profile),
                        MathName(run.options.math), CountText(input.report));
    heads += fmt::format(" {:>10} {:<12}", letter + ":max_ulp", letter + ":verdict");
  }
  text += fmt::format("\n{:<22} {:<8} {:<18}{}\n", "function", "format", "limit", heads);
  for (const ReportRow& row : AlignRows(reports)) text += ShortRow(row);
  return text;
}

std::string ChangesText(std::span<const InputReport> reports, const std::vector<Changes>& all) {
  std::string text;
  for (const Changes& changes : all) {
    const InputReport &before = reports[changes.before], &after = reports[changes.after];
    text +=
        fmt::format("\nfrom {} {} (driver {}) to {} {} (driver {}):", ReportLetter(changes.before),
                    before.label, before.report.device.driver_version, ReportLetter(changes.after),
                    after.label, after.report.device.driver_version);
    text += changes.changes.empty() ? " no difference\n" : "\n";
    for (const Change& change : changes.changes) {
      text += ChangeRow(change);
      // One new failure is enough to look into it; the JSON and the page have all.
      if (change.new_failures.empty()) continue;
      text += fmt::format("    {}\n", ReproductionCommand(after.report.run, change.Operation(),
                                                          *change.new_failures.front()));
    }
  }
  return text;
}

}  // namespace assay::oracle
