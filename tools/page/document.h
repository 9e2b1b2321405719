// What every page begins with, and pages without a script: one HTML document that needs nothing
// else, and whose content security policy allows nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tools {

// A style or a script as a content security policy names it: 'sha256-...'.
std::string PolicyHash(std::string_view text);

// A document with the common style up to its content.  `style`: the page's own rules.  Titles,
// commands, labels and cells are text, here and below: they are escaped here.
std::string PageStart(std::string_view title, std::string_view style = "");

// The same, with a headline, the command whose report it is, and a summary.
std::string PageHead(std::string_view headline, const std::string& command,
                     const std::string& summary);

// A part with a headline, "error[race-nonatomic] what happened"; `severity` gives its color: error,
// warning, limit, note.
struct PageSection {
  std::string_view severity;
  std::string label;
  std::string message;
  std::string text;
  bool open = true;
};
std::string PageSectionText(const PageSection& section);

std::string PageTable(std::span<const std::string_view> heads,
                      const std::vector<std::vector<std::string>>& rows);

inline constexpr std::string_view kPageEnd = "</body></html>\n";

}  // namespace assay::tools
