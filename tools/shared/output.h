// Writes results: text to stdout, and JSON to a file, or to stdout in place of the text.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/expected.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace assay::tools {

// Prints `text` on stdout and, if `json_path` is not empty, writes `json` there; "-" prints the
// JSON in place of the text.  Returns the exit code.  CloseStdout reports a failure of stdout at
// the end.
int WriteResult(const std::string& text, const nlohmann::ordered_json& json,
                const std::string& json_path);

// Prints text for people on stdout, with control characters escaped and commands as the user
// called assay (base/called_as.h); false where that fails (a full
// disk behind a redirection).  Names in it that are not ours are to be Printable: they have no
// lines.
bool Print(const std::string& text);
// Prints "assay: TEXT" on stderr, escaped as by Print.  At a terminal in lines of its width;
// elsewhere as it is, because a message that is one line can be searched for.
void Tell(const std::string& text);

// The columns of the terminal that a descriptor is; 0 where it is none.
std::size_t TerminalColumns(int descriptor);

// A text for a terminal of so many columns: its lines go on in lines that are indented further.
// Source lines ("  | ...") and commands stay whole, and so does everything where `columns` is 0.
std::string InColumns(const std::string& text, std::size_t columns);

// For JSON and other files.
bool PrintRaw(const std::string& text);

// Called last by main.  Returns the exit code, or kExitDevice if stdout did not take all output.
// The message then has the original exit code, so that a nonconforming device is reported on a full
// disk, too.
int CloseStdout(int exit_code);

// Checks, before hours of work, that the file that the option names can be created in its folder.
// "", "-", devices and descriptors are always accepted.
Expected<void> CheckOutput(const std::string& option, const std::string& path);

// Declares an option that names a file to write.  A path that cannot be written is an error of the
// command line: nothing has been done by then.
CLI::Option* AddOutput(CLI::App* command, const std::string& option, std::string* path,
                       const std::string& help);

// -v and --wide: how much of a table is shown.
void AddTableKind(CLI::App* command, bool* verbose, bool* wide);

// --source-root: the folder from which SARIF names files; an absolute path without links
// afterwards.
CLI::Option* AddSourceRoot(CLI::App* command, std::string* path);

// The checkpoint of a run whose report goes to `json`: beside it, or "" where that is no file.
std::string CheckpointBeside(const std::string& json);

}  // namespace assay::tools
