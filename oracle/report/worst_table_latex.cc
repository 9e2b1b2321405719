#include <fmt/format.h>

#include "oracle/report/latex.h"
#include "oracle/report/rows.h"
#include "oracle/report/worst_table.h"

namespace assay::oracle {
namespace {

// The limit of a row; of devices that were judged by others, each with its letter.
std::string LimitOf(const std::vector<const WorstCell*>& cells) {
  std::vector<std::pair<std::string, std::string>> limits;  // the text, and the letters
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] == nullptr) continue;
    const std::string& text = cells[i]->result->limit;
    auto same = limits.begin();
    while (same != limits.end() && same->first != text) ++same;
    if (same == limits.end()) same = limits.insert(limits.end(), {text, ""});
    same->second += (same->second.empty() ? "" : ", ") + ReportLetter(i);
  }
  std::string all;
  for (const auto& [text, letters] : limits) {
    all += (all.empty() ? "" : "; ") + EscapedLatex(text);
    if (limits.size() > 1) all += fmt::format(" ({})", letters);
  }
  return all;
}

std::string CellOf(const WorstCell* cell) {
  if (cell == nullptr) return " & -- & --";
  const WorstText text = TextOf(*cell);
  const std::string error = text.error == "inf" ? "$\\infty$" : text.error;
  std::string verdict(VerdictName(cell->result->verdict));
  if (cell->result->verdict == Verdict::kNotMeasured) verdict = "not measured";
  return fmt::format(" & {} & {}", text.exhaustive ? "\\textbf{" + error + "}" : error,
                     text.fails ? "\\textbf{" + verdict + "}" : verdict);
}

std::string TableOf(const std::vector<const WorstColumn*>& columns,
                    const std::vector<std::string>& rows, std::string_view format) {
  std::string shape = "@{}lp{7em}", devices, letters, names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    shape += "rl";
    const std::string letter = ReportLetter(i);
    devices += fmt::format(" & \\multicolumn{{2}}{{l}}{{{}}}", letter);
    letters += " & ulp & verdict";
    names +=
        fmt::format("{}{}: {}", i == 0 ? "" : "; ", letter, EscapedLatex(HeadingOf(*columns[i])));
  }
  std::string text = fmt::format(
      "\\begin{{longtable}}{{{}@{{}}}}\n\\caption{{Largest error of functions of {}, in ulp of the "
      "exact result. Bold errors: every operand was asked; others are the largest of a sample. "
      "{}.}}\\\\\n",
      shape, format, names);
  const std::string head =
      fmt::format("\\toprule\nfunction & limit{} \\\\\n & {} \\\\\n\\midrule\n", devices, letters);
  text += head + "\\endfirsthead\n" + head + "\\endhead\n\\bottomrule\n\\endfoot\n";
  for (const std::string& row : rows) {
    std::vector<const WorstCell*> cells;
    for (const WorstColumn* column : columns) cells.push_back(FindCell(*column, row, format));
    text += fmt::format("\\texttt{{{}}} & \\raggedright {}", EscapedLatex(row), LimitOf(cells));
    for (const WorstCell* cell : cells) text += CellOf(cell);
    text += " \\\\\n";
  }
  return text + "\\end{longtable}\n";
}

}  // namespace

std::string WorstTableLatex(const std::vector<WorstColumn>& columns) {
  std::string text =
      "% Largest errors of functions, by device.  In the preamble:\n"
      "%   \\usepackage{array} \\usepackage{booktabs} \\usepackage{longtable}\n";
  for (const std::string_view format : kWorstFormats) {
    const std::vector<std::string> rows = FunctionsOf(columns, format);
    const auto with = ColumnsWith(columns, rows, format);
    if (!with.empty()) text += TableOf(with, rows, format);
  }
  return text;
}

}  // namespace assay::oracle
