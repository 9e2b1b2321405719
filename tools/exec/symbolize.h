// Calls in an application with their functions and lines, from the debug information of its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "driver/report/finding.h"

namespace assay::tools {

// A call; inlined functions have calls of their own.
struct HostCall {
  std::string function;      // "" where it is not known
  std::string file;          // "" where it is not known
  std::uint32_t line = 0;    // from 1; 0: not known
  std::string module;        // the program or library
  std::uint64_t offset = 0;  // in it
  std::string source_text;   // the line; "" where the file cannot be read
};

// Asks addr2line, or llvm-symbolizer where that is not installed, once for each module; without
// both functions have the names that their modules export, and there are no lines.
class Symbolizer {
 public:
  // Notes frames, to be resolved together.
  void Add(const std::vector<driver::HostFrame>& frames);
  void Resolve();
  // Innermost first; without what is around main().
  std::vector<HostCall> CallsOf(const std::vector<driver::HostFrame>& frames) const;

 private:
  std::map<std::string, std::map<std::uint64_t, std::vector<HostCall>>> modules_;
};

// The one that a user looks for, of calls innermost first: the first whose line can be shown and is
// of no library that is installed; else the first whose line can be shown, or is known; else the
// innermost.
std::size_t MainCallOf(const std::vector<HostCall>& calls);

// "main (app.c:42)", "solve in libsolver.so".
std::string HostCallText(const HostCall& call);

// The name of a kernel for people: what a mangled name stands for.  SYCL's compilers make
// `_ZTS` and a type of a kernel that is a lambda, and `__sycl_kernel_` and a name of a function.
std::string KernelText(const std::string& name);

// A line of a source file as it is now; "" where it cannot be read, or the path is not a whole one.
std::string LineOfFile(const std::string& path, std::uint32_t number);

// The lines that addr2line -a -f -C -i prints, by address.  For Symbolizer, and its test.
std::map<std::uint64_t, std::vector<HostCall>> ParseSymbols(const std::string& output);

}  // namespace assay::tools
