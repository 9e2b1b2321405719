// The build options of OpenCL C: split, checked against the allowed options, and made independent
// of the folder in which the compiler runs.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"
#include "base/read_scope.h"

namespace assay::frontend {

enum class OptionsFrom : std::uint8_t {
  kData,         // a job, a report: only what can neither run code nor name a file elsewhere
  kCommandLine,  // the user: all but what is in the way of assay's own options
};

struct BuildOptions {
  std::vector<std::string> words;     // for the compiler; every path is absolute
  std::vector<std::string> readable;  // files and folders that they name
};

// The options as words, the way a shell without expansions would split them; kUsage for an
// unclosed quote.
Expected<std::vector<std::string>> SplitOptions(const std::string& text);

// kUsage naming the first option that is refused, and why.  A relative -I is below `folder`, the
// source's; other paths of a command line are relative to where assay runs.  Paths in data must be
// in `scope`.
Expected<BuildOptions> ReadBuildOptions(const std::string& text, OptionsFrom from,
                                        const std::string& folder, const base::ReadScope& scope);

}  // namespace assay::frontend
