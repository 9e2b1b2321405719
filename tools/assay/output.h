// Where results go: stdout as text, and JSON to a file or to stdout instead.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace assay::tools {

// Prints `text` on stdout and, where `json_path` is not empty, writes `json` there; "-" prints the
// JSON in place of the text.  Returns the exit code.
int WriteResult(const std::string& text, const nlohmann::ordered_json& json,
                const std::string& json_path);

// Prints on stdout; false where that fails (a closed pipe, a full disk behind a redirection).
bool Print(const std::string& text);

}  // namespace assay::tools
