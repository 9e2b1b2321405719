// Text for LaTeX.
#pragma once

#include <string>
#include <string_view>

namespace assay::oracle {

// One line of text that is not ours, for a paragraph, a cell or a comment.
std::string EscapedLatex(std::string_view text);

}  // namespace assay::oracle
