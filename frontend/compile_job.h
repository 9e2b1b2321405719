// The data that all steps of a compilation share: the source, the options, the programs, the
// limits.  Internal to the compilation of OpenCL C.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/confine.h"
#include "base/expected.h"
#include "base/read_scope.h"
#include "base/run_tool.h"
#include "frontend/opencl_c.h"

namespace assay::frontend {

// A source on its way through the compilers.
struct CompileJob {
  std::string source;
  std::string name;
  std::string folder;  // empty: none, #include looks in headers and the options' folders
  int version = 0;     // of LLVM
  std::string clang;
  std::string translator;  // empty: none
  std::vector<std::string> user_options;
  std::string standard = "CL3.0";  // where the user's options do not say
  std::vector<EmbeddedHeader> headers;
  bool argument_info = false;  // is kept in the module
  bool has_overlay = false;    // headers are read as WriteOverlay wrote them
  base::ResourceLimits limits;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  base::ReadScope reads;
  std::vector<std::string> readable;

  // A share of the remaining time, with a small minimum, so that the message about a time limit
  // names the program.
  base::ResourceLimits LimitsNow(double share = 1) const {
    base::ResourceLimits now = limits;
    if (limits.seconds <= 0) return now;
    const double used = base::SecondsSince(start);
    now.seconds = std::max(0.01, (limits.seconds - used) * share);
    return now;
  }
};

// Runs a program that can see the files that the job may read, and that writes to the folder.
Expected<base::ToolResult> RunConfined(std::vector<std::string> line, const CompileJob& job,
                                       const base::TemporaryFolder& temporary,
                                       const base::ResourceLimits& limits,
                                       std::size_t max_output = base::kMaxToolOutput);

// The program's name, without its folder.
std::string ProgramName(const std::string& path);

// The output of a program that succeeded.  kUsage if it reports errors in the source; kUnsupported,
// with the cause in one line, if it aborts on a source without errors; kDevice if it was killed.
Expected<std::string> CheckExit(const std::string& path, base::ToolResult result,
                                const CompileJob& job);
Expected<std::string> RunCompiler(const std::vector<std::string>& line, const CompileJob& job,
                                  const base::TemporaryFolder& temporary);

// The cause in one line: the message of an aborted compiler before its stack dump.
std::string CauseOf(std::string_view output);

// The language, the machine, and the headers that declare its built-ins: the same for the
// preprocessor and the compiler.
std::vector<std::string> LanguageOptions(const CompileJob& job);

// The lines before the source.
std::string PrologOf(const CompileJob& job);
// A copy, so that messages, __FILE__ and debug information name the file that the user wrote.
Expected<void> WriteSource(const CompileJob& job, const base::TemporaryFolder& temporary);
// Copies of those headers in which literals are as in the source's copy (long_literals.h), for the
// compiler to read in their place.
Expected<void> WriteOverlay(const std::vector<std::string>& headers,
                            const base::TemporaryFolder& temporary, CompileJob* job);
// Adds the folder of the headers that are no files; it stands before all folders of the user's.
void AddHeaders(const CompileJob& job, const base::TemporaryFolder& temporary,
                std::vector<std::string>* line);
// Adds the last arguments of every command that reads the copy of the source.
void AddSource(const CompileJob& job, const base::TemporaryFolder& temporary,
               std::vector<std::string>* line);

}  // namespace assay::frontend
