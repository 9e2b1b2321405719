// Text from a driver: names, versions, build logs.
#pragma once

#include <string>
#include <string_view>

namespace assay::oracle {

// The text up to the first NUL, in which control characters and bytes that are no UTF-8 are written
// as \xNN: it may go into JSON and to a terminal.
std::string PrintableText(std::string_view text);
// The same, with line breaks and tabs kept and blanks at the end dropped, cut to `limit` bytes.
std::string PrintableLog(std::string_view text, std::size_t limit);

}  // namespace assay::oracle
