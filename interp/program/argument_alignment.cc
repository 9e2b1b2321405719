#include "interp/program/argument_alignment.h"

#include <algorithm>
#include <bit>

namespace assay::interp {

using frontend::TypeKind;

std::uint64_t ArgumentAlignment(const frontend::Module& module,
                                const frontend::Parameter& parameter) {
  const frontend::Type* type = module.types.Find(parameter.type);
  if (type == nullptr || type->kind != TypeKind::kPointer) return 1;
  const frontend::Type* pointee = module.types.Find(type->element);
  if (pointee == nullptr) return 1;
  const std::uint64_t own = std::max<std::uint64_t>(pointee->alignment, 1);
  // Compilers since LLVM 16 write pointers to bytes where the code does not show the type, and its
  // alignment as a decoration.
  const bool is_bytes = pointee->kind == TypeKind::kInteger && pointee->size == 1 &&
                        type->storage_class != frontend::StorageClass::kFunction;
  const frontend::DecorationUse* use =
      is_bytes ? module.FindDecoration(parameter.id, frontend::Decoration::kAlignment) : nullptr;
  if (use == nullptr) return own;
  const auto operands = module.Slice(use->operands);
  const bool is_known = !operands.empty() && std::has_single_bit(operands[0]);
  return is_known ? std::max<std::uint64_t>(own, operands[0]) : own;
}

}  // namespace assay::interp
