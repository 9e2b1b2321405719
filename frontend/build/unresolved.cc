#include "frontend/build/unresolved.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "frontend/decode.h"
#include "frontend/imported_functions.h"

namespace assay::frontend {
namespace {

// By id of a function or of a module-level value: the ids that it names.
std::unordered_map<Id, std::vector<Id>> UsesOf(const Module& module) {
  std::unordered_map<Id, std::vector<Id>> uses;
  Decoder decoder(module.IdBound());
  std::vector<Operand> operands;
  Id function = 0;
  for (const Instruction& instruction : module.instructions) {
    // Only debug information can fail to decode completely (loader.h).
    (void)decoder.Decode(module.WordsOf(instruction), &operands);
    if (instruction.opcode == Op::kFunction) function = instruction.result;
    const Id owner = function != 0 ? function : instruction.result;
    const bool computes = instruction.opcode != Op::kExtInst ||
                          !IsDebugSet(module.SetOf(module.Operands(instruction)[0]));
    if (owner != 0 && computes) {
      std::vector<Id>& named = uses[owner];
      const auto words = module.WordsOf(instruction);
      for (const Operand& operand : operands) {
        if (CategoryOf(operand.kind) == Category::kId) named.push_back(words[operand.first]);
      }
    }
    if (instruction.opcode == Op::kFunctionEnd) function = 0;
  }
  return uses;
}

bool IsBuiltIn(const Module& module, Id id) {
  const GlobalVariable* variable = module.FindGlobal(id);
  return variable != nullptr && variable->built_in.has_value();
}

}  // namespace

std::vector<std::string> UnresolvedNames(const Module& module) {
  std::unordered_map<Id, std::string_view> imports;
  for (const Linkage& link : module.linkage) {
    if (link.type == LinkageType::kImport && !IsBuiltIn(module, link.target) &&
        FindImportedFunction(link.name) == ImportedFunction::kNone) {
      imports.emplace(link.target, link.name);
    }
  }
  std::vector<std::string> names;
  if (imports.empty()) return names;
  const auto uses = UsesOf(module);
  std::unordered_set<Id> seen;
  std::vector<Id> open;
  for (const EntryPoint& kernel : module.entry_points) {
    if (seen.insert(kernel.function).second) open.push_back(kernel.function);
  }
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (const auto import = imports.find(id); import != imports.end()) {
      names.emplace_back(import->second);
    }
    const auto named = uses.find(id);
    if (named == uses.end()) continue;
    for (const Id next : named->second) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace assay::frontend
