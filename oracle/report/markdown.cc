#include "oracle/report/markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

#include "base/text.h"
#include "numerics/literal.h"
#include "oracle/campaign/readings.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/rows.h"
#include "oracle/report/table.h"

namespace assay::oracle {
namespace {

std::string Name(const numerics::Operation& operation) {
  return fmt::format("{} | {}", MarkdownText(operation.Name()), operation.FormatName());
}

std::string Overview(std::span<const InputReport> reports) {
  std::string text =
      "| | report | device | level | seed | profile | operations | pass | fail | unsupported | not "
      "measured | inputs |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Report& report = reports[i].report;
    std::uint64_t inputs = 0;
    for (const FunctionResult& result : report.results) inputs += result.statistics.inputs;
    const auto [pass, fail, unsupported, not_measured] = CountVerdicts(report);
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                    ReportLetter(i), MarkdownText(reports[i].label),
                    MarkdownText(DeviceText(report.device)), MarkdownText(LevelText(report.run)),
                    report.run.options.inputs.seed, ProfileName(report.run.options.profile),
                    report.results.size(), pass, fail, unsupported, not_measured, inputs);
  }
  return text;
}

// When, where and by which command the reports were made, of those that tell it.
std::string Origins(std::span<const InputReport> reports) {
  std::string text;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Origin& origin = reports[i].report.run.origin;
    if (origin.IsEmpty()) continue;
    text += fmt::format("- {}: {}, {}\n", ReportLetter(i), MarkdownText(OriginText(origin)),
                        MarkdownText(origin.command));
  }
  return text;
}

std::string Violations(const InputReport& input, const std::string& letter, std::size_t max_rows) {
  std::string rows, commands;
  std::size_t count = 0;
  for (const FunctionResult& result : input.report.results) {
    if (result.verdict != Verdict::kFail || ++count > max_rows) continue;
    const Sighting* first = ShownSighting(result);
    const Sighting& shown = first != nullptr ? *first : result.statistics.worst;
    const SightingTexts texts = TextsOf(result.operation, shown);
    std::vector<int> widths;
    for (const auto& [width, failures] : result.statistics.failures_by_width) {
      widths.push_back(width);
    }
    std::string rule = ViolationText(result.operation, shown);
    if (shown.refused_by != 0) rule += " (by " + RefusingReadings(shown.refused_by) + ")";
    rows += fmt::format("| {} | {} | {} | `{}` | {} | `{}` | `{}` | {} | {} |\n",
                        Name(result.operation), MarkdownText(result.limit), texts.ulp, texts.input,
                        DecimalInput(result.operation, shown), texts.observed, texts.expected,
                        fmt::join(widths, ", "), MarkdownText(rule));
    commands += fmt::format("    {}\n", base::Printable(ReproductionCommand(
                                            input.report.run, result.operation, shown)));
  }
  if (count == 0) return "";
  const std::string more =
      count > max_rows
          ? fmt::format("\n{} more operations fail; the report has them all.\n", count - max_rows)
          : "";
  return fmt::format(
      "\n## {} {}: violations\n\n{}, level {}\n\n"
      "| function | format | limit | ulp | input | decimal | observed | expected | in widths | "
      "rule "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n{}{}\n{}",
      letter, MarkdownText(input.label), MarkdownText(DeviceText(input.report.device)),
      MarkdownText(LevelText(input.report.run)), rows, more, commands);
}

std::string Lost(const InputReport& input, const std::string& letter) {
  std::string rows;
  for (const FunctionResult& result : input.report.results) {
    for (const LostWidth& lost : result.lost) {
      rows += fmt::format("| {} | {} | {} |\n", Name(result.operation), lost.width,
                          MarkdownText(lost.message));
    }
  }
  if (rows.empty()) return "";
  return fmt::format(
      "\n### {} {}: widths that gave no answer\n\n| function | format | width | what happened |\n"
      "|---|---|---|---|\n{}",
      letter, MarkdownText(input.label), rows);
}

// Answers that differ from those of a repeated request although both conform.
std::string NotDeterministic(const InputReport& input, const std::string& letter) {
  std::string rows;
  for (const FunctionResult& result : input.report.results) {
    const Statistics& s = result.statistics;
    if (s.unstable.empty()) continue;
    const Sighting& first = s.unstable.front();
    const SightingTexts texts = TextsOf(result.operation, first);
    const auto type = result.operation.ResultTypes()[static_cast<std::size_t>(first.result)];
    rows += fmt::format("| {} | {} of {} | `{}` | `{}` | `{}` |\n", Name(result.operation),
                        s.not_deterministic, s.asked_again, texts.input,
                        numerics::FormatBits(type, first.before), texts.observed);
  }
  if (rows.empty()) return "";
  return fmt::format(
      "\n### {} {}: not deterministic\n\n| function | format | answers that differ | first input | "
      "answer | second answer |\n|---|---|---|---|---|---|\n{}",
      letter, MarkdownText(input.label), rows);
}

std::string Cell(const FunctionResult* result) {
  if (result == nullptr) return "";
  const Statistics& s = result->statistics;
  std::string verdict(VerdictName(result->verdict));
  if (result->verdict == Verdict::kFail) verdict = "**fail**";
  return s.has_worst ? fmt::format("{} {}", UlpText(s.max_ulp), verdict) : verdict;
}

std::string ChangesMarkdown(std::span<const InputReport> reports, const Changes& changes) {
  const InputReport &before = reports[changes.before], &after = reports[changes.after];
  std::string text =
      fmt::format("\n## From {} {} to {} {}\n\nDriver {} to {}.", ReportLetter(changes.before),
                  MarkdownText(before.label), ReportLetter(changes.after),
                  MarkdownText(after.label), MarkdownText(before.report.device.driver_version),
                  MarkdownText(after.report.device.driver_version));
  if (changes.changes.empty()) return text + " No difference.\n";
  text +=
      "\n\n| function | format | change | before | after | new failures "
      "|\n|---|---|---|---|---|---|\n";
  for (const Change& change : changes.changes) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", Name(change.Operation()),
                        ChangeText(change.kind), Cell(change.before), Cell(change.after),
                        change.new_failures.size());
  }
  return text;
}

std::string AllVerdicts(std::span<const InputReport> reports) {
  std::string text =
      "\n## Every operation\n\nLargest error in ulp, and the verdict.\n\n| function | format | "
      "limit |";
  std::string rule = "|---|---|---|";
  for (std::size_t i = 0; i < reports.size(); ++i) {
    text += fmt::format(" {} |", ReportLetter(i));
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const ReportRow& row : AlignRows(reports)) {
    text += fmt::format("| {} | {} |", Name(row.operation), MarkdownText(row.Any().limit));
    for (const FunctionResult* result : row.results) text += fmt::format(" {} |", Cell(result));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string MarkdownText(std::string_view given) {
  // Newlines become blanks below.
  const std::string text = base::PrintableLines(given);
  std::string escaped;
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r') {
      escaped += ' ';
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      // In a word an underscore is a letter: lgamma_r.
      const bool letter = c == '_' && i > 0 && is_word(i - 1) && is_word(i + 1);
      if (!letter && std::string_view("\\`*_[]|~#!>").find(c) != std::string_view::npos) {
        escaped += '\\';
      }
      escaped += c;
    }
  }
  return escaped;
}

std::string ToMarkdown(std::span<const InputReport> reports, const std::vector<Changes>& changes,
                       const std::vector<std::string>& notes, const MarkdownOptions& options) {
  std::string text = "# Numerical conformance\n\n" + Overview(reports);
  const std::string origins = Origins(reports);
  if (!notes.empty() || !origins.empty()) text += "\n";
  text += origins;
  for (const std::string& note : notes) text += fmt::format("- {}\n", MarkdownText(note));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    text += Violations(reports[i], ReportLetter(i), options.max_rows);
    text += Lost(reports[i], ReportLetter(i));
    text += NotDeterministic(reports[i], ReportLetter(i));
  }
  for (const Changes& pair : changes) text += ChangesMarkdown(reports, pair);
  return options.verdicts ? text + AllVerdicts(reports) : text;
}

}  // namespace assay::oracle
