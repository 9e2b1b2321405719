#include "oracle/report/table.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "numerics/literal.h"
#include "oracle/campaign/readings.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/rows.h"

namespace assay::oracle {
namespace {

using numerics::ScalarType;

constexpr std::string_view kRow =
    "{:<22} {:<8} {:<18} {:>10} {:<21} {:<18} {:<18} {:>11} {:<12} {}\n";

// A word for the table's column.
std::string_view RuleWord(Rule rule) {
  switch (rule) {
    case Rule::kNotDeterministic:
      return "not-deterministic";
    case Rule::kOverLimit:
      return "over-limit";
    case Rule::kWrongNan:
      return "wrong-nan";
    case Rule::kWrongInfinity:
      return "wrong-infinity";
    case Rule::kWrongZeroSign:
      return "wrong-zero-sign";
    case Rule::kWrongPrescribed:
      return "wrong-prescribed";
    case Rule::kWrongInteger:
      return "wrong-integer";
    case Rule::kNotWritten:
      return "not-written";
    case Rule::kWithinLimit:
    case Rule::kFlushedResult:
    case Rule::kFlushedOperand:
    case Rule::kFlushedNextafter:
    case Rule::kDerivation:
    case Rule::kUnspecified:
      return "-";
  }
  return "-";
}

}  // namespace

std::string WithoutSpaces(std::string text) {
  for (char& c : text) {
    if (c == ' ') c = '_';
  }
  return text.empty() ? "-" : text;
}

std::string UlpText(double ulp) {
  if (std::isinf(ulp)) return "inf";
  return ulp >= 1e6 ? fmt::format("{:.4g}", ulp) : fmt::format("{:.5f}", ulp);
}

const Sighting* ShownSighting(const FunctionResult& result) {
  const Statistics& s = result.statistics;
  // The largest error explains a failure only where it breaks a rule itself.
  const bool explains = result.verdict != Verdict::kFail || !Accepts(s.worst.rule);
  if (s.has_worst && (explains || s.recorded.empty())) return &s.worst;
  return s.recorded.empty() ? nullptr : &s.recorded.front();
}

std::string LaneText(const Sighting& sighting) {
  if (sighting.width == 1) return "";
  return fmt::format("in lane {} of width {} (lanes count from 0)", sighting.lane, sighting.width);
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

std::string DecimalInput(const numerics::Operation& operation, const Sighting& sighting) {
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  std::string text;
  for (std::size_t i = 0; i < sighting.args.size(); ++i) {
    text += (i == 0 ? "" : ",") + numerics::FormatDecimal(types[i], sighting.args[i]);
  }
  return text;
}

std::string SearchText(const FunctionResult& result) {
  if (!result.search) return "";
  const SearchResult& search = *result.search;
  std::string text = fmt::format(
      "searched with {} evaluations{}: {} boxes, {} of them excluded because they have one result "
      "by proof ({:.1f} % of the operands)",
      search.evaluations, search.complete ? "" : " (interrupted)", search.boxes, search.excluded,
      100 * search.excluded_share);
  if (!search.has_worst) return text;
  const Statistics& s = result.statistics;
  return text + fmt::format("; its largest error is {} ulp at {}{}", UlpText(search.worst.ulp),
                            TextsOf(result.operation, search.worst).input,
                            s.has_worst && s.worst.item == search.worst.item
                                ? ", the largest of all inputs"
                                : "");
}

std::string TableHeader() {
  return fmt::format(kRow, "function", "format", "limit", "max_ulp", "input", "observed",
                     "expected", "inputs", "verdict", "rule");
}

std::string TableRow(const FunctionResult& result) {
  SightingTexts texts;
  std::string_view rule = "-";
  const Statistics& s = result.statistics;
  if (s.not_deterministic > 0) rule = RuleWord(Rule::kNotDeterministic);
  if (const Sighting* shown = ShownSighting(result)) {
    texts = TextsOf(result.operation, *shown);
    if (result.verdict == Verdict::kFail) rule = RuleWord(shown->rule);
  }
  return fmt::format(kRow, result.operation.Name(), result.operation.FormatName(),
                     WithoutSpaces(base::Printable(result.limit)),
                     s.has_worst ? UlpText(s.max_ulp) : texts.ulp, texts.input, texts.observed,
                     texts.expected, s.inputs, VerdictName(result.verdict), rule);
}

std::vector<std::string> Remarks(const RunInfo& run, const FunctionResult& result) {
  const std::string name =
      fmt::format("{} {}", result.operation.Name(), result.operation.FormatName());
  std::vector<std::string> lines;
  for (const std::string& note : result.notes) lines.push_back(fmt::format("{}: {}", name, note));
  const Statistics& s = result.statistics;
  if (s.unstable.empty()) return lines;
  const Sighting& first = s.unstable.front();
  const SightingTexts texts = TextsOf(result.operation, first);
  const ScalarType type = result.operation.ResultTypes()[static_cast<std::size_t>(first.result)];
  lines.push_back(
      fmt::format("{}: not deterministic: {} of {} answers came out another way when they were "
                  "asked for again, "
                  "and conform, too; first: {} gave {}, then {}\n    {}",
                  name, s.not_deterministic, s.asked_again, texts.input,
                  numerics::FormatBits(type, first.before), texts.observed,
                  ReproductionCommand(run, result.operation, first)));
  return lines;
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
  const std::vector<std::string> remarks = Remarks(run, result);
  lines.insert(lines.end(), remarks.begin(), remarks.end());
  return lines;
}

namespace {

// ", 0x00000001 in lane 3 of width 4": which of the lanes that the command names.
std::string LaneSuffix(const numerics::Operation& operation, const Sighting& sighting) {
  const std::string lane = LaneText(sighting);
  return lane.empty() ? "" : fmt::format(", {} {}", TextsOf(operation, sighting).input, lane);
}

}  // namespace

std::string FailsBy(const RunInfo& run, const FunctionResult& result) {
  std::uint8_t refused_by = 0;
  std::string others;
  for (const ReadingVerdict& verdict : ReadingVerdicts(run, result)) {
    if (verdict.failures > 0) {
      refused_by |= ReadingBit(verdict.reading);
    } else {
      others += fmt::format(", {} by {}", verdict.tested ? "not" : "not tested",
                            ReadingName(verdict.reading));
    }
  }
  return refused_by == 0 ? "" : " by " + RefusingReadings(refused_by) + others;
}

std::vector<std::string> FailsElsewhere(const RunInfo& run, const FunctionResult& result) {
  const std::vector<ReadingVerdict> verdicts = ReadingVerdicts(run, result);
  std::uint8_t told = 0;
  std::vector<std::string> lines;
  for (const ReadingVerdict& verdict : verdicts) {
    if (verdict.failures == 0 || (told & ReadingBit(verdict.reading)) != 0) continue;
    std::uint8_t alike = 0;
    for (const ReadingVerdict& other : verdicts) {
      if (other.failures == verdict.failures) alike |= ReadingBit(other.reading);
    }
    told |= alike;
    lines.push_back(fmt::format("{} {}: {} answers fail by {}, not by {}", result.operation.Name(),
                                result.operation.FormatName(), verdict.failures,
                                RefusingReadings(alike), ReadingName(*run.options.reading)));
    if (verdict.first == nullptr) continue;
    lines.back() +=
        fmt::format(", first: {}{}\n    {}", ViolationText(result.operation, *verdict.first),
                    LaneSuffix(result.operation, *verdict.first),
                    ReproductionCommand(run, result.operation, *verdict.first, verdict.reading));
  }
  return lines;
}

namespace {

// The rows whose largest error is that of an answer which max_ulp leaves out; JSON has all.
std::string LargerErrors(const Report& report) {
  constexpr std::size_t kShown = 10;
  std::string text;
  std::size_t count = 0;
  for (const FunctionResult& result : report.results) {
    const Statistics& s = result.statistics;
    const Sighting* all = s.WorstOfAll();
    if (all == nullptr || (s.has_worst && all->ulp <= s.max_ulp) || ++count > kShown) continue;
    text += fmt::format("\n  {} {}: {} at {}, {}", result.operation.Name(),
                        result.operation.FormatName(), UlpText(all->ulp),
                        TextsOf(result.operation, *all).input, RuleText(all->rule));
  }
  if (count == 0) return "";
  if (count > kShown)
    text += fmt::format("\n  and {} more (max_ulp_all of --json)", count - kShown);
  return "\nmax_ulp leaves out flushed and derived answers; larger errors that conform as such:" +
         text;
}

}  // namespace

std::string TableSummary(const Report& report) {
  std::uint64_t inputs = 0, answers = 0;
  std::string details;
  for (const FunctionResult& result : report.results) {
    inputs += result.statistics.inputs;
    answers += result.statistics.answers;
    const std::string name =
        fmt::format("{} {}", result.operation.Name(), result.operation.FormatName());
    if (result.verdict == Verdict::kFail) {
      details += fmt::format("\n{}: {} of {} answers fail{}", name, result.statistics.failures,
                             result.statistics.answers, FailsBy(report.run, result));
      if (!result.statistics.recorded.empty()) {
        const Sighting& first = result.statistics.recorded.front();
        details +=
            fmt::format(", first: {}{}\n    {}", ViolationText(result.operation, first),
                        LaneSuffix(result.operation, first),
                        base::Printable(ReproductionCommand(report.run, result.operation, first)));
      }
    }
    if (result.verdict != Verdict::kFail) {
      for (const std::string& line : FailsElsewhere(report.run, result)) details += "\n" + line;
    }
    if (result.search) details += fmt::format("\n{}: {}", name, SearchText(result));
    for (const std::string& line : Troubles(report.run, result)) {
      details += "\n" + base::Continued(line);
    }
  }
  return fmt::format("\n{}; {} inputs, {} answers{}{}\n", CountText(report), inputs, answers,
                     details, LargerErrors(report));
}

}  // namespace assay::oracle
