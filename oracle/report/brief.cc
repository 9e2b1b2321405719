#include "oracle/report/brief.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "numerics/literal.h"
#include "oracle/campaign/readings.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/rows.h"
#include "oracle/report/table.h"

namespace assay::oracle {
namespace {

using numerics::Operation;
using numerics::ScalarType;

std::string NameOf(const Operation& operation) {
  return fmt::format("{} {}", operation.Name(), operation.FormatName());
}

// A paragraph whose lines after the first are indented.
std::string Paragraph(std::string_view text) { return base::Wrapped(text, 4) + "\n"; }
std::string Indented(std::string_view text) { return "    " + base::Wrapped(text, 4) + "\n"; }

// A paragraph, and a command below it that stays one line.
std::string WithCommand(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return Paragraph(text.substr(0, end)) + std::string(text.substr(std::min(end + 1, text.size()))) +
         (end < text.size() ? "\n" : "");
}

// "-0.76717 (0xbfe874c011a2432e)"
std::string Value(ScalarType type, numerics::Bits bits) {
  return fmt::format("{} ({})", numerics::FormatDecimal(type, bits),
                     numerics::FormatBits(type, bits));
}

// "cbrt(-0.76717 (0xbfe874c011a2432e)) gave ..., expected ..."
std::string AnswerText(const Operation& operation, const Sighting& sighting) {
  const std::vector<ScalarType> in = operation.ArgumentTypes();
  const ScalarType out = operation.ResultTypes()[static_cast<std::size_t>(sighting.result)];
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < sighting.args.size(); ++i) {
    arguments.push_back(Value(in[i], sighting.args[i]));
  }
  const std::string lane = LaneText(sighting);
  return fmt::format("{}({}) gave {}, expected {}{}", operation.Name(), fmt::join(arguments, ", "),
                     Value(out, sighting.observed), Value(out, sighting.expected),
                     lane.empty() ? "" : ", " + lane);
}

// An infinite error hides the others: the largest of the binades without one stands beside it.
std::string LargestError(const Statistics& s) {
  if (!s.has_worst) return "- ulp";
  std::string text = UlpText(s.max_ulp) + " ulp";
  if (!std::isinf(s.max_ulp)) return text;
  double finite = 0;
  for (const auto& [exponent, binade] : s.binades) {
    if (!std::isinf(binade.max_ulp)) finite = std::max(finite, binade.max_ulp);
    for (const ErrorAt& sign : binade.signs) {
      if (!std::isinf(sign.max_ulp)) finite = std::max(finite, sign.max_ulp);
    }
  }
  return finite == 0 ? text : fmt::format("{} (in other binades {})", text, UlpText(finite));
}

// The verdict of a row that passes or fails, with its worst answer.
std::string VerdictText(const RunInfo& run, const FunctionResult& result) {
  const bool fails = result.verdict == Verdict::kFail;
  const Sighting* shown = ShownSighting(result);
  const Statistics& s = result.statistics;
  std::string text = Paragraph(
      fmt::format("{}: {}; largest error {}, limit {}", NameOf(result.operation),
                  fails && shown != nullptr ? "fails, " + ViolationText(result.operation, *shown)
                                            : std::string(VerdictName(result.verdict)),
                  LargestError(s), base::Printable(result.limit)));
  if (shown != nullptr) text += Indented(AnswerText(result.operation, *shown));
  if (!fails) return text;
  return text + Indented(fmt::format("{} of {} answers fail{}", s.failures, s.answers,
                                     FailsBy(run, result)));
}

// The count, and the reasons that are those of most.
std::string UnsupportedText(const Report& report) {
  struct Reason {
    std::size_t count = 0;
    std::string text;  // of one function; of several, without its name
  };
  std::map<std::string, Reason> by_text;  // without the functions' names
  std::size_t all = 0;
  for (const FunctionResult& result : report.results) {
    if (result.verdict != Verdict::kUnsupported) continue;
    std::string common = base::Printable(result.message);
    const std::string own = common, name = result.operation.Name();
    const std::size_t at = common.rfind(name);
    if (at != common.npos) common.replace(at, name.size(), "...");
    Reason& reason = by_text[common];
    reason.text = ++reason.count == 1 ? own : common;
    ++all;
  }
  if (all == 0) return "";
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [common, reason] : by_text) reasons.emplace_back(reason.count, reason.text);
  std::ranges::sort(reasons, std::greater());
  constexpr std::size_t kShown = 2;
  std::string text = fmt::format("{} unsupported:", all);
  std::size_t told = 0;
  for (std::size_t i = 0; i < std::min(kShown, reasons.size()); ++i) {
    text += fmt::format("{} {} ({})", i == 0 ? "" : ";", reasons[i].second, reasons[i].first);
    told += reasons[i].first;
  }
  if (told < all) text += fmt::format("; {} for other reasons", all - told);
  return Paragraph(text + "; --wide names each");
}

// What has another reason to be told than its verdict.
std::string MoreText(const RunInfo& run, const FunctionResult& result) {
  std::string text;
  if (result.verdict == Verdict::kPass) {
    for (const std::string& line : FailsElsewhere(run, result)) text += WithCommand(line);
  }
  if (result.search) {
    text += Paragraph(fmt::format("{}: {}", NameOf(result.operation), SearchText(result)));
  }
  if (result.verdict == Verdict::kUnsupported) return text;
  const std::vector<std::string> troubles = Troubles(run, result);
  for (const std::string& line : troubles) text += WithCommand(base::Continued(line));
  if (result.verdict == Verdict::kNotMeasured && troubles.empty()) {
    text += NameOf(result.operation) + ": not measured\n";
  }
  return text;
}

// The answer that is shown of the row with the largest error of those that fail.
std::pair<const FunctionResult*, const Sighting*> WorstFailure(const Report& report) {
  std::pair<const FunctionResult*, const Sighting*> worst = {nullptr, nullptr};
  for (const FunctionResult& result : report.results) {
    if (result.verdict != Verdict::kFail || result.statistics.recorded.empty()) continue;
    const bool is_worse =
        worst.first == nullptr || result.statistics.max_ulp > worst.first->statistics.max_ulp;
    if (is_worse) worst = {&result, ShownSighting(result)};
  }
  return worst;
}

std::string Row(std::string_view name, std::string_view format, std::string_view error,
                std::string_view limit, std::string_view verdict) {
  return fmt::format("{:<22} {:<8} {:>11} {:>18} {}\n", name, format, error, limit, verdict);
}

// Of so many functions passes are told in full, too.
constexpr std::size_t kFew = 8;

std::string Summary(const Report& report) {
  std::uint64_t inputs = 0, answers = 0;
  std::string failures, passes, more;
  for (const FunctionResult& result : report.results) {
    inputs += result.statistics.inputs;
    answers += result.statistics.answers;
    if (result.verdict == Verdict::kFail) failures += VerdictText(report.run, result);
    if (result.verdict == Verdict::kPass) passes += VerdictText(report.run, result);
    more += MoreText(report.run, result);
  }
  std::string text = failures;
  if (report.results.size() <= kFew) text += passes;
  if (!more.empty()) text += "\n" + more;
  text += fmt::format("\n{}; {} inputs, {} answers\n{}", CountText(report), inputs, answers,
                      UnsupportedText(report));
  const auto [result, first] = WorstFailure(report);
  if (result == nullptr) return text;
  return text + fmt::format(
                    "\nThe worst failure again (--json FILE has a command for each):\n"
                    "    {}\n",
                    base::Printable(ReproductionCommand(report.run, result->operation, *first)));
}

}  // namespace

TableKind TableKindOf(bool verbose, bool wide) {
  if (wide) return TableKind::kWide;
  return verbose ? TableKind::kRows : TableKind::kBrief;
}

std::string TableBegin(TableKind kind) {
  switch (kind) {
    case TableKind::kBrief:
      return "";
    case TableKind::kRows:
      return Row("function", "format", "max_ulp", "limit", "verdict");
    case TableKind::kWide:
      return TableHeader();
  }
  return "";
}

std::string TableLine(TableKind kind, const FunctionResult& result) {
  const Statistics& s = result.statistics;
  switch (kind) {
    case TableKind::kBrief:
      return "";
    case TableKind::kRows:
      return Row(result.operation.Name(), result.operation.FormatName(),
                 s.has_worst ? UlpText(s.max_ulp) : "-", base::Printable(result.limit),
                 VerdictName(result.verdict));
    case TableKind::kWide:
      return TableRow(result);
  }
  return "";
}

std::string TableEnd(TableKind kind, const Report& report) {
  switch (kind) {
    case TableKind::kBrief:
      return Summary(report);
    case TableKind::kRows:
      return "\n" + Summary(report);
    case TableKind::kWide:
      return TableSummary(report);
  }
  return "";
}

}  // namespace assay::oracle
