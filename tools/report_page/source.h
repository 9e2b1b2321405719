// The sources of the pages of `assay report`; the build embeds them into the program
// (cmake/EmbedPages.cmake).
#pragma once

#include <string_view>

namespace assay::tools {

extern const std::string_view kReportPage;    // report_page/page.html, with {{places}} to fill
extern const std::string_view kReportStyle;   // report_page/report.css
extern const std::string_view kReportScript;  // report_page/*.js
extern const std::string_view kWorstStyle;    // report_page/worst.css

}  // namespace assay::tools
