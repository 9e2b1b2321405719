#include "oracle/report_table.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "numerics/literal.h"
#include "oracle/results_json.h"

namespace assay::oracle {
namespace {

using numerics::ScalarType;

constexpr std::string_view kRow = "{:<22} {:<8} {:<18} {:>10} {:<21} {:<18} {:<18} {:>11} {}\n";

std::string Ulp(double ulp) {
  if (std::isinf(ulp)) return "inf";
  return ulp >= 1e6 ? fmt::format("{:.4g}", ulp) : fmt::format("{:.5f}", ulp);
}

// The fields stay free of spaces, so that `awk` can split a line.
std::string WithoutSpaces(std::string text) {
  for (char& c : text) {
    if (c == ' ') c = '_';
  }
  return text.empty() ? "-" : text;
}

}  // namespace

std::string TableHeader() {
  return fmt::format(kRow, "function", "format", "limit", "max_ulp", "worst_input", "observed",
                     "expected", "inputs", "verdict");
}

std::string TableRow(const FunctionResult& result) {
  const Statistics& s = result.statistics;
  std::string input = "-", observed = "-", expected = "-", ulp = "-";
  // A failure without an ulp (a wrong integer, an unspecified class) is shown as the worst.
  const Sighting* shown = s.has_worst ? &s.worst : nullptr;
  if (shown == nullptr && !s.recorded.empty()) shown = &s.recorded.front();
  if (shown != nullptr) {
    const std::vector<ScalarType> in = result.operation.ArgumentTypes();
    const ScalarType out = result.operation.ResultTypes()[static_cast<std::size_t>(shown->result)];
    input.clear();
    for (std::size_t i = 0; i < shown->args.size(); ++i) {
      input += (i == 0 ? "" : ",") + numerics::FormatBits(in[i], shown->args[i]);
    }
    observed = numerics::FormatBits(out, shown->observed);
    expected = numerics::FormatBits(out, shown->expected);
    ulp = Ulp(shown->ulp);
  }
  return fmt::format(kRow, result.operation.Name(), result.operation.FormatName(),
                     WithoutSpaces(result.limit), ulp, input, observed, expected, s.inputs,
                     VerdictName(result.verdict));
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
  std::map<Verdict, std::size_t> counts;
  std::uint64_t inputs = 0, answers = 0;
  std::string details;
  for (const FunctionResult& result : report.results) {
    ++counts[result.verdict];
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
  return fmt::format(
      "\n{} pass, {} fail, {} unsupported, {} not measured; {} inputs, {} answers{}\n",
      counts[Verdict::kPass], counts[Verdict::kFail], counts[Verdict::kUnsupported],
      counts[Verdict::kNotMeasured], inputs, answers, details);
}

}  // namespace assay::oracle
