// What the rest relies on and a module that nobody validated does not keep.  Handlers trust that a
// register is as wide as they read it; here is where that is made sure.
#include <fmt/format.h>

#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::TypeKind;

// One value for each scalar of the type, as wide as it.
bool GraphBuilder::FitsType(std::span<const Value> values, Id type) {
  const std::vector<Leaf>& leaves = LeavesOf(type);
  if (error_ || leaves.size() != values.size()) return false;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (values[i] >= graph_.values.size() ||
        BytesOf(graph_.values[values[i]].kind) != BytesOf(leaves[i].kind)) {
      return false;
    }
  }
  return true;
}

bool Importer::HasGoodType(const Instruction& instruction) const {
  if (instruction.type == 0) return true;
  const Type* type = module_.types.Find(instruction.type);
  if (type == nullptr || type->kind == TypeKind::kFunction) return false;
  if (type->kind != TypeKind::kVoid) return true;
  return instruction.opcode == Op::kFunctionCall || instruction.opcode == Op::kExtInst;
}

// Beside instructions: what a function that has none, but calls others, or huge values make.
bool Importer::IsTooLarge() const {
  return graph_.instructions.size() > context_.max_code ||
         graph_.blocks.size() > context_.max_code ||
         (pool_.size() + graph_.values.size() + graph_.operands.size() + leaf_count_) / 16 >
             context_.max_code;
}

void Importer::FailTooLarge() {
  const std::string_view why =
      context_.debug ? "; a debugger expands every call, `assay run` keeps those of large kernels"
                     : "; calls on the way to a barrier or a group function are always expanded";
  FailWith(ErrorKind::kUnsupported,
           fmt::format("{}: the kernel has more than {} instructions (the limit on code){}",
                       module_.name, context_.max_code, why));
}

}  // namespace assay::interp
