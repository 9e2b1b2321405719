#include "tools/page/document.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "tools/page/source.h"

namespace assay::tools {
namespace {

using base::EscapedXml;

}  // namespace

// CSP level 3, 2.3.1: base64 of the digest.
std::string PolicyHash(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = base::Sha256(text);
  std::string base64;
  unsigned bits = 0;
  int count = 0;
  const auto flush = [&] {
    while (count >= 6) base64 += kDigits[bits >> (count -= 6) & 63u];
  };
  for (char digit : hex) {
    bits = bits << 4 | static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    count += 4;
    flush();
  }
  bits <<= 6 - count % 6;
  count = 6;
  flush();
  return "'sha256-" + base64 + "='";
}

std::string PageStart(std::string_view title, std::string_view style) {
  const std::string rules = std::string(kPageStyle) + std::string(style);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body class=\"document\">\n",
      PolicyHash(rules), EscapedXml(title), rules);
}

std::string PageHead(std::string_view headline, const std::string& command,
                     const std::string& summary) {
  return PageStart(command) + fmt::format(
                                  "<header><h1>{}</h1></header>\n<pre>{}</pre>\n"
                                  "<pre>{}</pre>\n",
                                  EscapedXml(headline), EscapedXml(command), EscapedXml(summary));
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
  std::string table = "<div class=\"scroll\"><table class=\"stacked\"><thead><tr>";
  for (const std::string_view head : heads) table += fmt::format("<th>{}</th>", EscapedXml(head));
  table += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    table += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      table +=
          fmt::format("<td data-label=\"{}\">{}</td>", EscapedXml(heads[i]), EscapedXml(row[i]));
    }
    table += "</tr>\n";
  }
  return table + "</tbody></table></div>\n";
}

}  // namespace assay::tools
