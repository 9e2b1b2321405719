// Text from elsewhere (names, logs, what a device says of itself), made safe to show.
//
// A terminal obeys control characters, and a reader believes lines: a name with a newline in it can
// forge a verdict.  So what was not written by assay is shown with everything escaped that is not a
// visible character or a blank.
#pragma once

#include <string>
#include <string_view>

namespace assay::base {

// One line: control characters, DEL and C1 controls, bidirectional controls, line and paragraph
// separators, invisible marks and bytes that are no UTF-8 become \n, \t, \x1b, \u{202e}.
std::string Printable(std::string_view text);

// The same for text of several lines that assay itself put together: newlines and tabs stay.
std::string PrintableLines(std::string_view text);

// A log of somebody else's below a line of ours: each of its lines indented, so that none can stand
// for one of ours.
std::string Indented(std::string_view log, std::string_view indent = "    ");

// A message of several lines: as PrintableLines, and each line but the first begins with a blank.
std::string Continued(std::string_view text);

// UTF-8 that XML 1.0 allows: what it does not is shown as by PrintableLines.  Not escaped for
// markup.
std::string XmlText(std::string_view text);

}  // namespace assay::base
