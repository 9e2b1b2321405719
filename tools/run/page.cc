#include "tools/run/page.h"

#include <fmt/format.h>

#include "oracle/report/junit.h"

namespace assay::tools {
namespace {

using oracle::EscapedXml;

constexpr std::string_view kStyle =
    "body{margin:2rem auto;max-width:70rem;padding:0 1.5rem;font:0.9375rem/1.45 system-ui,"
    "sans-serif;color:#1b1f24;background:#fff}h1{font-size:1.375rem}pre{background:#f6f7f9;"
    "padding:.5rem .75rem;overflow-x:auto;font-size:.8125rem}.error{color:#b01f17}"
    ".warning,.limit,.note{color:#7a5200}summary{cursor:pointer;padding:.25rem 0}"
    "table{border-collapse:collapse;margin:1rem 0}th,td{padding:.25rem .75rem;text-align:left;"
    "border-bottom:1px solid #8884}"
    "@media screen and (prefers-color-scheme:dark){body{color:#e4e8ed;background:#13161a}"
    "pre{background:#1b2026}.error{color:#ff938a}.warning,.limit,.note{color:#e6bd68}}";

}  // namespace

std::string PageHead(const std::string& title, const std::string& summary) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>{0}</title><style>{1}</style></head>\n<body>"
      "<h1>{0}</h1>\n<pre>{2}</pre>\n",
      EscapedXml(title), kStyle, EscapedXml(summary));
}

std::string PageSectionText(const PageSection& section) {
  return fmt::format(
      "<details{0}><summary><b class=\"{1}\">{1}[{2}]</b> {3}</summary><pre>{4}</pre>"
      "</details>\n",
      section.open ? " open" : "", section.severity, EscapedXml(section.label),
      EscapedXml(section.message), EscapedXml(section.text));
}

std::string PageTable(std::span<const std::string_view> heads,
                      const std::vector<std::vector<std::string>>& rows) {
  std::string table = "<table><thead><tr>";
  for (const std::string_view head : heads) table += fmt::format("<th>{}</th>", EscapedXml(head));
  table += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    table += "<tr>";
    for (const std::string& cell : row) table += fmt::format("<td>{}</td>", EscapedXml(cell));
    table += "</tr>\n";
  }
  return table + "</tbody></table>\n";
}

}  // namespace assay::tools
