// A litmus test: a few processes on shared variables, and a question about the final state
// (docs/cli.md, "Litmus tests").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "tools/litmus/condition.h"

namespace assay::tools::litmus {

// Where a location's value is after a run.
struct Shown {
  std::string name;          // "0:r0"
  std::size_t argument = 0;  // the kernel's, a buffer
  std::uint64_t element = 0;
  int bits = 32;
};

// What is run, as the options of `assay run` say it, and what is asked.
struct Test {
  std::string path;
  std::string name;
  std::string source;  // OpenCL C; "": the file is a module
  std::string kernel;
  std::uint64_t groups = 1;
  std::uint64_t group_size = 1;
  std::uint32_t sub_group_size = 0;    // 0: not stated
  std::vector<std::string> arguments;  // "int[1]=0"
  std::vector<Shown> shown;            // the locations of the question, in its order
  std::vector<std::string> warnings;   // about comments that say nothing
  std::optional<Question> question;    // nothing: only findings are of interest
};

// Whether a file's name is that of a litmus test in herd's format.
bool IsLitmusPath(std::string_view path);

// herd's OpenCL format, also with the places of processes as Dat3M writes them.
Expected<Test> ReadLitmus(std::string_view text, const std::string& path);
// The comments "; @Config: 2, 1, 1" and so on of a module's text form; nothing where it has none.
Expected<std::optional<Test>> ReadSpirvComments(std::string_view text, const std::string& path);

}  // namespace assay::tools::litmus
