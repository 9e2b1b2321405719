// The style of every page; the build embeds it into the program (cmake/EmbedPages.cmake).
#pragma once

#include <string_view>

namespace assay::tools {

extern const std::string_view kPageStyle;  // page/style.css

}  // namespace assay::tools
