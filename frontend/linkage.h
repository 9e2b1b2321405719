// Names by which modules are linked.  Internal to linking.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/decode.h"

namespace assay::frontend {

// What LinkageAttributes decorate, its name and how it is linked.
struct Symbol {
  Id target = 0;
  std::string name;
  LinkageType type = LinkageType::kExport;
  std::size_t type_word = 0;  // in the module
};

// `place`: where the instruction stands in the module.
inline std::optional<Symbol> ReadSymbol(std::size_t place, std::span<const Word> words) {
  const bool linkage = OpcodeOf(words[0]) == Op::kDecorate &&
                       static_cast<Decoration>(words[2]) == Decoration::kLinkageAttributes;
  if (!linkage) return std::nullopt;
  const std::string_view name = *StringAt(words.subspan(3));
  const std::size_t type_word = 3 + StringWords(name.size());
  return Symbol{words[1], std::string(name), static_cast<LinkageType>(words[type_word]),
                place + type_word};
}

// LLVM's pointers have no pointee.  llvm-spirv chooses one from a pointer's uses, so a function's
// declaration in one module may have pointers to another type than its definition in the other one.
// Drivers link such modules; SPIRV-Tools' linker refuses them.  Parameters that differ so become
// pointers to uint in both, which are cast where they are passed and where a body begins.
void UnifyPointers(std::vector<std::vector<Word>>* modules);

}  // namespace assay::frontend
