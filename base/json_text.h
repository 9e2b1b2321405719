// JSON as text.  The library's parser and writer are templates that take seconds to compile, and
// ten seconds with the sanitizers, so they are instantiated in one file.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace assay::base {

// A discarded value where the text is not JSON; nothing is thrown.
nlohmann::ordered_json ParseJson(std::string_view text);
nlohmann::ordered_json ParseJson(std::istream& text);

// On one line, or with `indent` spaces a level.  Bytes that are not UTF-8 become U+FFFD.
std::string JsonText(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace assay::base
