// Pages of reports without a script: one HTML document that needs nothing else, and whose content
// security policy allows nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tools {

// The document up to its first heading, `title`, and `summary` below it.
std::string PageHead(const std::string& title, const std::string& summary);

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
