// The sources of the report page; the build embeds them into the program
// (cmake/EmbedReportPage.cmake).
#pragma once

#include <string_view>

namespace assay::tools {

extern const std::string_view kReportPage;    // report_page/page.html, with {{places}} to fill
extern const std::string_view kReportStyle;   // report_page/style.css
extern const std::string_view kReportScript;  // report_page/*.js

}  // namespace assay::tools
