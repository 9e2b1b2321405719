// The places where a program can stop, known before it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "frontend/module.h"
#include "interp/program/program.h"

namespace assay::interp {

struct DebugPlace {
  std::uint32_t file = 0;
  std::uint32_t line = 0;   // 0: not known, or not the programmer's (what a function begins with)
  std::uint32_t frame = 0;  // the same for places of one function at one call site
  std::uint32_t depth = 0;  // functions around it, inlined ones too
  // The first place of a line in its block, as far as the module shows.
  bool starts_line = false;
};

// Places that a person named: "14", "reduce.cl:14", "reduce", "%31", "*207".
struct DebugLocation {
  std::string text;  // "reduce.cl:14", "reduce at reduce.cl:9", "%31 in reduce"
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::vector<std::uint32_t> markers;  // one for each call site
};

class DebugPlaces {
 public:
  DebugPlaces(const frontend::Module& module, const Program& program);

  const DebugPlace& At(std::uint32_t marker) const { return places_[marker]; }
  std::size_t size() const { return places_.size(); }
  bool has_lines() const { return has_lines_; }
  // kUsage where nothing has that name.  A line of no file is one of `file`.
  Expected<DebugLocation> Resolve(const std::string& text, std::uint32_t file) const;
  // A call of the kernel that its compiler put around it: no place of the programmer's.
  bool IsWrapper(std::uint32_t site) const { return hides_kernel_ && site == 0; }
  // The function of an instruction, a place in Module::functions; kNone outside of all.
  std::uint32_t FunctionOf(std::uint32_t origin) const { return function_of_[origin]; }
  // The function's name in the source, without the compiler's prefix.
  std::string FunctionName(std::uint32_t function) const;
  // The first file with code; 0 without lines.
  std::uint32_t main_file() const { return main_file_; }
  // A file by its path, or by the end of it; nothing where there is none.
  std::optional<std::uint32_t> FindFile(std::string_view path) const;
  std::optional<std::uint32_t> MarkerOf(std::uint32_t site, std::uint32_t origin) const;

 private:
  void FindFunctions();
  bool CallsKernel() const;
  void FindPlaces();
  Expected<DebugLocation> ResolveLine(std::uint32_t file, std::uint32_t line) const;
  Expected<DebugLocation> ResolveFunction(const std::string& name) const;
  Expected<DebugLocation> ResolveId(const std::string& text) const;
  Expected<DebugLocation> ResolveInstruction(const std::string& text) const;
  DebugLocation At(std::uint32_t origin, std::vector<std::uint32_t> markers) const;

  const frontend::Module& module_;
  const Program& program_;
  std::vector<DebugPlace> places_;
  std::vector<std::uint32_t> function_of_;
  std::vector<bool> has_scopes_;  // by function
  bool hides_kernel_ = false;
  bool has_lines_ = false;
  std::uint32_t main_file_ = 0;
};

}  // namespace assay::interp
