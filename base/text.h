// Makes text from outside (names, logs, what a device declares) safe to show.
//
// A terminal executes control characters, and a name with a newline could look like a line of a
// report.  So in text that assay did not write, every character is escaped except visible
// characters and blanks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::base {

// One line: control characters, DEL and C1 controls, bidirectional controls, line and paragraph
// separators, invisible marks and bytes that are no UTF-8 become \n, \t, \x1b, \u{202e}.
std::string Printable(std::string_view text);

// The same for text of several lines that assay itself put together: newlines and tabs stay.
std::string PrintableLines(std::string_view text);

// Indents each line of a foreign log, so that no line looks like a line of assay.
std::string Indented(std::string_view log, std::string_view indent = "    ");

// A message of several lines: as PrintableLines, and each line but the first begins with a blank.
std::string Continued(std::string_view text);

// The width of a terminal, in columns, where nothing else is known of it.
inline constexpr std::size_t kColumns = 80;

// Breaks a text between words into lines of at most so many columns.  A longer word is not broken.
// `indent`: of all lines; the first line's is already written.
std::string Wrapped(std::string_view text, std::size_t indent = 0, std::size_t columns = kColumns);

// UTF-8 that XML 1.0 allows; other characters are escaped as by PrintableLines.  Markup is not
// escaped.
std::string XmlText(std::string_view text);
// For content and for values of attributes: XmlText with its markup escaped.
std::string EscapedXml(std::string_view text);

}  // namespace assay::base
