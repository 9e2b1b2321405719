// Where results go: stdout as text, and JSON to a file or to stdout instead.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "numerics/expected.h"

namespace assay::tools {

// Prints `text` on stdout and, where `json_path` is not empty, writes `json` there; "-" prints the
// JSON in place of the text.  Returns the exit code.
int WriteResult(const std::string& text, const nlohmann::ordered_json& json,
                const std::string& json_path);

// Prints on stdout; false where that fails (a closed pipe, a full disk behind a redirection).
bool Print(const std::string& text);

// Told before hours of work, not after them: is there a folder that will take the file that the
// option names?  Good for "", "-" and /dev.
Expected<void> CheckOutput(const std::string& option, const std::string& path);

}  // namespace assay::tools
