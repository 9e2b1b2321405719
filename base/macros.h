// The macros that decide which code of an OpenCL C source is compiled, and how a compiler is asked
// what it predefines of them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::base {

struct AskedMacros {
  // The names in #if, #ifdef, #ifndef and #elif, and those in the definitions of these names, but
  // for the names that the build options define or undefine and that are the same everywhere.
  std::set<std::string> names;
  std::set<std::string> defined;  // of them, those that the sources define somewhere
};
AskedMacros MacrosAsked(std::span<const std::string> sources, std::string_view build_options);

// OpenCL C whose kernel `kMacroKernel(__global char* text, uint bytes)` writes, in one work-item,
// what its compiler predefines of the names.
inline constexpr std::string_view kMacroKernel = "assay_macros";
inline constexpr std::size_t kMacroTextBytes = std::size_t{1} << 16;
std::string MacroSource(const std::set<std::string>& names);

// What a compiler said of names: what each stands for, or nothing where it is not defined.
using MacroAnswers = std::map<std::string, std::optional<std::string>>;
// From the text that the kernel has written, in a buffer of zeros; nothing where it is not whole.
std::optional<MacroAnswers> ReadMacroText(std::string_view text,
                                          const std::set<std::string>& names);

}  // namespace assay::base
