// Writes results: text to stdout, and JSON to a file, or to stdout in place of the text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/expected.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace assay::tools {

// Prints `text` on stdout and, where `json_path` is not empty, writes `json` there; "-" prints the
// JSON in place of the text.  Returns the exit code; that stdout failed is told at the end
// (CloseStdout).
int WriteResult(const std::string& text, const nlohmann::ordered_json& json,
                const std::string& json_path);

// Prints text for people on stdout, with control characters escaped; false where that fails (a full
// disk behind a redirection).  Names in it that are not ours are to be Printable: they have no
// lines.
bool Print(const std::string& text);
// For JSON and other files.
bool PrintRaw(const std::string& text);

// For main, last: the exit code, which is kExitDevice where stdout has not taken all that was
// printed. The message says what the code would have been: a nonconforming device is told on a full
// disk, too.
int CloseStdout(int exit_code);

// Told before hours of work, not after them: is there a folder that will take the file that the
// option names?  Good for "", "-", devices and descriptors.
Expected<void> CheckOutput(const std::string& option, const std::string& path);

// Declares an option that names a file to write.  A path that cannot be written is an error of the
// command line: nothing has been done by then.
CLI::Option* AddOutput(CLI::App* command, const std::string& option, std::string* path,
                       const std::string& help);

// The checkpoint of a run whose report goes to `json`: beside it, or "" where that is no file.
std::string CheckpointBeside(const std::string& json);

}  // namespace assay::tools
