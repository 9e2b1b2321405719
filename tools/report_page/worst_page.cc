#include "tools/report_page/worst_page.h"

#include <fmt/format.h>

#include "base/text.h"
#include "tools/page/document.h"
#include "tools/report_page/source.h"

namespace assay::tools {
namespace {

using oracle::WorstCell;
using oracle::WorstColumn;
using oracle::WorstText;

std::string Escaped(std::string_view text) { return base::EscapedXml(base::Printable(text)); }

// Several operands may be broken behind their commas.
std::string OperandHtml(const std::string& operand) {
  std::string html;
  for (const char c : Escaped(operand))
    html += c == ',' ? std::string(",<wbr>") : std::string(1, c);
  return html;
}

std::string CellHtml(const WorstCell* cell, const std::string& label) {
  if (cell == nullptr) return "<td></td>";
  const WorstText text = TextOf(*cell);
  std::string kind = text.exhaustive ? "all" : "";
  if (text.fails) kind += kind.empty() ? "fails" : " fails";
  return fmt::format("<td{} data-label=\"{}\" title=\"{}\">{}<span>{}</span></td>",
                     kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), label,
                     Escaped(text.details), text.error, OperandHtml(text.operand));
}

std::string TableHtml(const std::vector<const WorstColumn*>& columns,
                      const std::vector<std::string>& rows, std::string_view format) {
  std::string text = fmt::format(
      "<h2>{}</h2>\n<div class=\"scroll\"><table class=\"worst\">\n<thead><tr><th>function</th>",
      format);
  for (const WorstColumn* column : columns) {
    text += fmt::format("<th>{}<span>{}</span></th>", Escaped(column->device),
                        Escaped(DetailsOf(*column)));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const std::string& row : rows) {
    text += fmt::format("<tr><th>{}</th>", Escaped(row));
    for (const WorstColumn* column : columns) {
      const std::string label = Escaped(column->device + " " + column->version);
      text += CellHtml(FindCell(*column, row, format), label);
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

}  // namespace

std::string WorstPage(const std::vector<WorstColumn>& columns) {
  std::string text = PageStart("Largest errors", kWorstStyle) +
                     fmt::format(
                         "<header><h1>Largest errors</h1></header>\n<p>{}Green {} Red marks "
                         "errors beyond the limit of the specification, or other "
                         "violations.</p>\n",
                         oracle::kWorstIntroduction, oracle::kWorstExplanation);
  for (const std::string_view format : oracle::kWorstFormats) {
    const std::vector<std::string> rows = FunctionsOf(columns, format);
    const auto with = ColumnsWith(columns, rows, format);
    if (!with.empty()) text += TableHtml(with, rows, format);
  }
  return text + std::string(kPageEnd);
}

}  // namespace assay::tools
