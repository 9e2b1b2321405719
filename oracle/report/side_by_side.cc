#include "oracle/report/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/rows.h"
#include "oracle/report/table.h"

namespace assay::oracle {
namespace {

// So many reports fit beside a function's name.
constexpr std::size_t kReportsInBlock = 3;

std::string Heading(const InputReport& input, const std::string& letter) {
  const RunInfo& run = input.report.run;
  std::string text =
      base::Wrapped(fmt::format("{} {}: {}; level {}, seed {}, profile {}, math {}", letter,
                                base::Printable(input.label),
                                base::Printable(DeviceText(input.report.device)),
                                base::Printable(LevelText(run)), run.options.inputs.seed,
                                ProfileName(run.options.profile), MathName(run.options.math)),
                    4) +
      "\n    " + base::Wrapped(CountText(input.report), 4) + "\n";
  if (!run.origin.IsEmpty()) {
    text += fmt::format("    {}:\n        {}\n", base::Printable(OriginText(run.origin)),
                        base::Printable(run.origin.command));
  }
  return text;
}

// At most 10 columns.
std::string ShortUlp(double ulp) {
  constexpr double kLong = 1e4;
  return ulp < kLong ? UlpText(ulp) : fmt::format("{:.4g}", ulp);
}

// At most 4 columns.
std::string_view VerdictWord(const FunctionResult* result) {
  if (result == nullptr) return "-";
  switch (result->verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kUnsupported:
      return "n/a";
    case Verdict::kNotMeasured:
      return "lost";
  }
  return "";
}

bool IsMeasured(const FunctionResult* result) {
  return result != nullptr && result->statistics.has_worst;
}

// Of the reports [first, last).
std::string BlockRow(const ReportRow& row, std::size_t first, std::size_t last) {
  std::string text = fmt::format("{:<22} {:<8}", row.operation.Name(), row.operation.FormatName());
  for (std::size_t i = first; i < last; ++i) {
    const FunctionResult* const result = row.results[i];
    text += fmt::format(" {:>10} {:<4}",
                        IsMeasured(result) ? ShortUlp(result->statistics.max_ulp) : "-",
                        VerdictWord(result));
  }
  while (text.back() == ' ') text.pop_back();
  return text + "\n";
}

bool IsToldInBrief(const ReportRow& row) {
  const auto verdict = [](const FunctionResult* result) { return result->verdict; };
  bool has_pass = false, has_other = false;
  for (const FunctionResult* result : row.results) {
    if (result == nullptr) continue;
    if (verdict(result) == Verdict::kFail || verdict(result) == Verdict::kNotMeasured) return true;
    (verdict(result) == Verdict::kPass ? has_pass : has_other) = true;
  }
  return has_pass && has_other;
}

bool Fails(const ReportRow& row) {
  return std::ranges::any_of(row.results, [](const FunctionResult* result) {
    return result != nullptr && result->verdict == Verdict::kFail;
  });
}

// Few rows of one table are all shown, as for one function.
constexpr std::size_t kFew = 8;

std::string Blocks(TableKind kind, std::span<const InputReport> reports) {
  std::vector<ReportRow> rows = AlignRows(reports);
  const std::size_t all = rows.size();
  if (kind == TableKind::kBrief && all > kFew) std::erase_if(rows, std::not_fn(IsToldInBrief));
  std::ranges::stable_partition(rows, Fails);
  std::string text;
  for (std::size_t first = 0; first < reports.size() && !rows.empty(); first += kReportsInBlock) {
    const std::size_t last = std::min(first + kReportsInBlock, reports.size());
    text += fmt::format("\n{:<22} {:<8}", "function", "format");
    for (std::size_t i = first; i < last; ++i) {
      text += fmt::format(" {:>10}     ", ReportLetter(i) + ":max_ulp");
    }
    while (text.back() == ' ') text.pop_back();
    text += "\n";
    for (const ReportRow& row : rows) text += BlockRow(row, first, last);
  }
  const std::size_t rest = all - rows.size();
  if (rest > 0) {
    text += fmt::format("\n{} {}operations have one verdict, pass or unsupported; -v lists them\n",
                        rest, rows.empty() ? "" : "other ");
  }
  if (rows.empty()) return text;
  return text + "\nn/a: unsupported; lost: not measured; -: not in this report; --wide: limits\n";
}

std::string WideRow(const ReportRow& row) {
  std::string text =
      fmt::format("{:<22} {:<8} {:<18}", row.operation.Name(), row.operation.FormatName(),
                  WithoutSpaces(base::Printable(row.Any().limit)));
  for (const FunctionResult* result : row.results) {
    text += fmt::format(" {:>10} {:<12}",
                        IsMeasured(result) ? UlpText(result->statistics.max_ulp) : "-",
                        result != nullptr ? VerdictName(result->verdict) : "-");
  }
  while (text.back() == ' ') text.pop_back();
  return text + "\n";
}

std::string WideTable(std::span<const InputReport> reports) {
  std::string heads;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const std::string letter = ReportLetter(i);
    heads += fmt::format(" {:>10} {:<12}", letter + ":max_ulp", letter + ":verdict");
  }
  std::string text = fmt::format("\n{:<22} {:<8} {:<18}{}\n", "function", "format", "limit", heads);
  for (const ReportRow& row : AlignRows(reports)) text += WideRow(row);
  return text;
}

std::string ChangeRow(const Change& change) {
  const auto side = [](const FunctionResult* result) -> std::string {
    if (result == nullptr) return "-";
    const Statistics& s = result->statistics;
    return fmt::format("{} {}", VerdictName(result->verdict),
                       s.has_worst ? UlpText(s.max_ulp) : "-");
  };
  return base::Wrapped(fmt::format("{} {}: {}, {} -> {}", change.Operation().Name(),
                                   change.Operation().FormatName(), ChangeText(change.kind),
                                   side(change.before), side(change.after)),
                       4) +
         "\n";
}

}  // namespace

std::string SideBySideTable(TableKind kind, std::span<const InputReport> reports) {
  std::string text;
  for (std::size_t i = 0; i < reports.size(); ++i) text += Heading(reports[i], ReportLetter(i));
  switch (kind) {
    case TableKind::kBrief:
    case TableKind::kRows:
      return text + Blocks(kind, reports);
    case TableKind::kWide:
      return text + WideTable(reports);
  }
  return text;
}

std::string ChangesText(std::span<const InputReport> reports, const std::vector<Changes>& all) {
  std::string text;
  for (const Changes& changes : all) {
    const InputReport &before = reports[changes.before], &after = reports[changes.after];
    text += "\n" +
            base::Wrapped(fmt::format("from {} {} (driver {}) to {} {} (driver {}):{}",
                                      ReportLetter(changes.before), base::Printable(before.label),
                                      base::Printable(before.report.device.driver_version),
                                      ReportLetter(changes.after), base::Printable(after.label),
                                      base::Printable(after.report.device.driver_version),
                                      changes.changes.empty() ? " no difference" : ""),
                          4) +
            "\n";
    for (const Change& change : changes.changes) {
      text += ChangeRow(change);
      // One new failure is enough to look into it; the JSON and the page have all.
      if (change.new_failures.empty()) continue;
      text += fmt::format("    {}\n",
                          base::Printable(ReproductionCommand(after.report.run, change.Operation(),
                                                              *change.new_failures.front())));
    }
  }
  return text;
}

}  // namespace assay::oracle
