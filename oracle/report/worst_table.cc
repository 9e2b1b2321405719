#include "oracle/report/worst_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/junit.h"
#include "oracle/report/markdown.h"
#include "oracle/report/table.h"

namespace assay::oracle {
namespace {

using numerics::Operation;
using numerics::OperationKind;

std::string Joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : std::string(between)) + part;
  }
  return text;
}

// How a run differs from the usual one of its device.
std::string RemarksOf(const Report& report) {
  const SweepOptions& options = report.run.options;
  std::vector<std::string> remarks;
  if (options.math != MathMode::kDefault) {
    remarks.push_back(fmt::format("--math {}", MathName(options.math)));
  }
  if (options.rounding) {
    remarks.push_back(fmt::format("--rounding {}", numerics::RoundingName(*options.rounding)));
  }
  if (!options.build_options.empty()) remarks.push_back(options.build_options);
  return Joined(remarks, " ");
}

std::string LibraryOf(const DeviceDescription& device) {
  for (const IdentityPart& part : device.identity) {
    if (part.what == "library") return part.value.substr(0, part.value.find(','));
  }
  return "";
}

WorstColumn ColumnOf(const InputReport& input) {
  const DeviceDescription& device = input.report.device;
  const bool library = device.kind == "library";
  // Libraries are told apart by the name of the report: all have the name of their file.
  return {.device = library ? input.label : Joined({device.platform, device.name}, ", "),
          .version = library ? LibraryOf(device) : device.driver_version,
          .date = input.report.run.origin.date.substr(0, 10),
          .remarks = RemarksOf(input.report),
          .cells = {}};
}

bool IsSameColumn(const WorstColumn& a, const WorstColumn& b) {
  return a.device == b.device && a.version == b.version && a.remarks == b.remarks;
}

bool IsShown(const FunctionResult& result) {
  return result.statistics.has_worst && result.operation.kind == OperationKind::kBuiltin;
}

// Every operand that there is was asked.
bool HasAll(const WorstCell& cell) {
  return cell.result->exhaustive && !cell.report->run.options.inputs.range;
}

bool IsBetter(const WorstCell& offered, const WorstCell& kept) {
  if (kept.result == nullptr || HasAll(offered) != HasAll(kept)) {
    return kept.result == nullptr || HasAll(offered);
  }
  return offered.result->statistics.max_ulp > kept.result->statistics.max_ulp;
}

// Rounded up: what is printed bounds what was measured.
std::string ErrorText(double ulp) {
  if (std::isinf(ulp)) return "inf";
  if (ulp >= 1e5) return fmt::format("{:.2g}", ulp);
  const double scale = ulp < 10 ? 1e4 : ulp < 1000 ? 1e2 : 1;
  const int digits = ulp < 10 ? 4 : ulp < 1000 ? 2 : 0;
  return fmt::format("{:.{}f}", std::ceil(ulp * scale) / scale, digits);
}

}  // namespace

std::vector<WorstColumn> WorstColumns(std::span<const InputReport> reports) {
  std::vector<WorstColumn> columns;
  for (const InputReport& input : reports) {
    WorstColumn own = ColumnOf(input);
    auto column = std::find_if(columns.begin(), columns.end(),
                               [&](const WorstColumn& other) { return IsSameColumn(own, other); });
    if (column == columns.end()) column = columns.insert(columns.end(), own);
    // Of several runs the last.
    column->date = std::max(column->date, own.date);
    for (const FunctionResult& result : input.report.results) {
      if (!IsShown(result)) continue;
      WorstCell& kept = column->cells[{result.operation.Name(), result.operation.FormatName()}];
      const WorstCell offered{.result = &result, .report = &input.report};
      if (IsBetter(offered, kept)) kept = offered;
    }
  }
  return columns;
}

WorstText TextOf(const WorstCell& cell) {
  const FunctionResult& result = *cell.result;
  const Sighting& worst = result.statistics.worst;
  const std::optional<RangeEnds>& range = cell.report->run.options.inputs.range;
  WorstText text{.error = ErrorText(worst.ulp),
                 .operand = TextsOf(result.operation, worst).input,
                 .details = {},
                 .exhaustive = HasAll(cell),
                 .fails = result.verdict == Verdict::kFail};
  text.details =
      fmt::format("{} = {}, of {} {}inputs; limit {}", text.operand,
                  DecimalInput(result.operation, worst), result.statistics.inputs,
                  result.exhaustive ? "" : fmt::format("{} ", CoverageName(result)), result.limit);
  if (range) text.details += fmt::format("; range {}", range->Text());
  if (worst.width > 1) text.operand += fmt::format(" w{}", worst.width);
  return text;
}

std::vector<std::string> FunctionsOf(const std::vector<WorstColumn>& columns,
                                     std::string_view format) {
  std::set<std::string> names;
  for (const WorstColumn& column : columns) {
    for (const auto& [key, cell] : column.cells) {
      // Of vectors: float2 and the like.
      if (key.second.starts_with(format)) {
        names.insert(key.second == format ? key.first : key.first + " " + key.second);
      }
    }
  }
  return {names.begin(), names.end()};
}

const WorstCell* FindCell(const WorstColumn& column, const std::string& row,
                          std::string_view format) {
  const std::size_t blank = row.find(' ');
  const std::string function = row.substr(0, blank);
  const std::string of = blank == std::string::npos ? std::string(format) : row.substr(blank + 1);
  const auto found = column.cells.find({function, of});
  return found == column.cells.end() ? nullptr : &found->second;
}

std::vector<const WorstColumn*> ColumnsWith(const std::vector<WorstColumn>& columns,
                                            const std::vector<std::string>& rows,
                                            std::string_view format) {
  std::vector<const WorstColumn*> with;
  for (const WorstColumn& column : columns) {
    const bool any = std::any_of(rows.begin(), rows.end(), [&](const std::string& row) {
      return FindCell(column, row, format) != nullptr;
    });
    if (any) with.push_back(&column);
  }
  return with;
}

std::string DetailsOf(const WorstColumn& column) {
  return Joined({column.version, column.remarks, column.date}, ", ");
}

std::string HeadingOf(const WorstColumn& column) {
  return Joined({column.device, DetailsOf(column)}, ", ");
}

std::string WorstTableMarkdown(const std::vector<WorstColumn>& columns) {
  std::string text = fmt::format(
      "# Largest errors\n\n{}**Bold** {} `!` marks errors beyond the "
      "limit of the specification, or other violations.\n",
      kWorstIntroduction, kWorstExplanation);
  for (std::string_view format : kWorstFormats) {
    const std::vector<std::string> rows = FunctionsOf(columns, format);
    const auto with = ColumnsWith(columns, rows, format);
    if (with.empty()) continue;
    text += fmt::format("\n## {}\n\n| function |", format);
    for (const WorstColumn* column : with) {
      text += " " + MarkdownText(HeadingOf(*column)) + " |";
    }
    text += "\n|---|";
    for (std::size_t i = 0; i < with.size(); ++i) text += "---:|";
    text += "\n";
    for (const std::string& row : rows) {
      text += "| " + MarkdownText(row) + " |";
      for (const WorstColumn* column : with) {
        const WorstCell* cell = FindCell(*column, row, format);
        if (cell == nullptr) {
          text += " |";
          continue;
        }
        const WorstText shown = TextOf(*cell);
        const std::string_view mark = shown.exhaustive ? "**" : "";
        text += fmt::format(" {}{}{}{} `{}` |", mark, shown.error, mark, shown.fails ? "!" : "",
                            shown.operand);
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace assay::oracle
