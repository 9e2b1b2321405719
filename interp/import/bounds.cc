// Indices into arrays that are parts of objects: rows of matrices, members of structures.
//
// C99 6.5.6 (J.2): a subscript is out of range even where it leads to something else in the object.
// It is looked at where something is accessed by way of it, since compilers may compute addresses
// that are not used, and one past the end is an address, too.
//
// Known deviations: an index is forgotten where a pointer goes through memory or a phi, and that of
// a pointer to the first element of an object in local or constant memory that is moved, as is a
// constant one behind zeros only.  Of code that was optimized nothing is said: LLVM may put the
// subscripts of several arrays into one.
#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::TypeKind;

// Without optimization clang stores every parameter into a variable.
bool Importer::IsUnoptimized() const {
  for (const frontend::Function& function : module_.functions) {
    const auto parameters = function.parameters.Of(module_.parameters);
    for (const frontend::Block& block : function.blocks.Of(module_.blocks)) {
      for (const Instruction& store : block.instructions.Of(module_.instructions)) {
        if (store.opcode != Op::kStore) continue;
        const auto operands = module_.Operands(store);
        const Instruction* variable = module_.Definition(operands[0]);
        if (variable != nullptr && variable->opcode == Op::kVariable &&
            std::any_of(parameters.begin(), parameters.end(),
                        [&](const auto& parameter) { return parameter.id == operands[1]; })) {
          return true;
        }
      }
      break;  // the first block
    }
  }
  return false;
}

bool Importer::WatchesArrayIndices() {
  if (!watches_array_indices_) {
    watches_array_indices_ = IsWatched(Check::kArrayIndex) && IsUnoptimized();
  }
  return *watches_array_indices_;
}

// Whether the pointer is that of a variable of the type.
bool Importer::IsVariableOf(Id base, const Type& type) const {
  const Instruction* definition = module_.Definition(base);
  return definition != nullptr && definition->opcode == Op::kVariable &&
         TypeOfValue(base).element == type.id;
}

// Of an object of the module LLVM makes the same of the first element's address and of a cast: all
// indices are zero. A constant that a cast is moved by becomes the last of them.
bool Importer::MayBeCastOfObject(const Instruction& chain, bool moved) const {
  const auto operands = module_.Operands(chain);
  const Type* pointer = module_.types.Find(module_.TypeOf(operands[0]));
  if (pointer == nullptr || pointer->storage_class == frontend::StorageClass::kFunction) {
    return false;
  }
  const Instruction* base = module_.Definition(operands[0]);
  return base != nullptr && base->opcode == Op::kVariable &&
         (!moved || module_.constants.Integer(operands.back())) &&
         std::all_of(operands.begin() + 1, operands.end() - (moved ? 1 : 0),
                     [this](frontend::Word index) {
                       return module_.constants.Integer(index) == std::uint64_t{0};
                     });
}

// A pointer that is moved by whole elements: in an array, what its last index led to.
void Importer::StepElement(Id base, Value index, Kind kind, std::vector<ArrayIndex>* indices) {
  const ValueInfo info = graph_.values[index];
  if (indices->empty() || (info.value_kind == ValueKind::kConstant && info.bits == 0)) return;
  const Instruction* chain = module_.Definition(base);
  const bool is_element =
      chain != nullptr &&
      (chain->opcode == Op::kInBoundsPtrAccessChain || chain->opcode == Op::kPtrAccessChain ||
       chain->opcode == Op::kInBoundsAccessChain || chain->opcode == Op::kAccessChain);
  // Through a cast, it is not known which element it comes to.
  if (!is_element || MayBeCastOfObject(*chain) || !indices->back().is_last ||
      indices->back().origin != static_cast<std::uint32_t>(chain - module_.instructions.data())) {
    return indices->clear();
  }
  ArrayIndex& last = indices->back();
  const Value one = Convert(Opcode::kSConvert, Kind::kI64, last.kind, last.index);
  const Value other = Convert(Opcode::kSConvert, Kind::kI64, kind, index);
  last = {.index = Emit(Opcode::kIAdd, Kind::kI64, {one, other}),
          .kind = Kind::kI64,
          .count = last.count,
          .origin = origin_};
}

void Importer::StepInside(std::vector<ArrayIndex>* indices) {
  if (!indices->empty()) indices->back().is_last = false;
}

void Importer::StepIndex(const Type& array, Value index, Kind kind,
                         std::vector<ArrayIndex>* indices) {
  StepInside(indices);
  if (array.count == 0) return;
  indices->push_back({.index = index, .kind = kind, .count = array.count, .origin = origin_});
}

void Importer::InheritIndices(Id from, Id to) {
  if (const auto found = instance_->array_indices.find(from);
      found != instance_->array_indices.end()) {
    instance_->array_indices[to] = std::vector<ArrayIndex>(found->second);
  }
}

// Before an access through the pointer.
void Importer::CheckArrayIndices(Id pointer, Value address) {
  const auto found = instance_->array_indices.find(pointer);
  if (found == instance_->array_indices.end() || error_) return;
  const auto [checked, is_new] = instance_->checked_in.try_emplace(pointer, block_);
  if (!is_new && checked->second == block_) return;
  checked->second = block_;
  if (graph_.values[address].kind != Kind::kI64) return;
  const std::uint32_t here = origin_;
  for (const ArrayIndex& one : std::vector<ArrayIndex>(found->second)) {
    const ValueInfo& info = graph_.values[one.index];
    const auto bits = static_cast<unsigned>(BitsOf(one.kind));
    if (info.value_kind == ValueKind::kConstant && info.bits < one.count &&
        info.bits >> (bits - 1) == 0) {
      continue;
    }
    origin_ = one.origin;
    const Value index = Convert(Opcode::kSConvert, Kind::kI64, one.kind, one.index);
    CheckNow(Check::kArrayIndex, Kind::kI64, {index, Constant(Kind::kI64, one.count), address});
    graph_.instructions.back().only_accessed = true;
  }
  origin_ = here;
}

// Whether the pointer is a cast of one into a variable, of a type that wants less.
bool Importer::IsCastOfDeclared(Id pointer, std::uint64_t alignment) const {
  bool is_cast = false;
  for (const Instruction* at = module_.Definition(pointer); at != nullptr;
       at = module_.Definition(module_.Operands(*at)[0])) {
    const Type* type = module_.types.Find(at->type);
    const Type* pointee = type == nullptr ? nullptr : module_.types.Find(type->element);
    if (type == nullptr || type->kind != TypeKind::kPointer || pointee == nullptr) return false;
    switch (at->opcode) {
      case Op::kVariable:
        return is_cast && IsUnoptimized();
      case Op::kBitcast:
        is_cast = is_cast || pointee->alignment == alignment;
        break;
      case Op::kPtrCastToGeneric:
        break;
      case Op::kAccessChain:
      case Op::kInBoundsAccessChain:
      case Op::kPtrAccessChain:
      case Op::kInBoundsPtrAccessChain:
        // A member of a packed structure may lie anywhere.
        if (!is_cast || HasPackedMember(*at)) return false;
        break;
      default:
        return false;
    }
  }
  return false;
}

// Whether an access chain steps into a structure that is packed.
bool Importer::HasPackedMember(const Instruction& chain) const {
  const Type* type = module_.types.Find(TypeOfValue(module_.Operands(chain)[0]).element);
  const bool element =
      chain.opcode == Op::kPtrAccessChain || chain.opcode == Op::kInBoundsPtrAccessChain;
  const auto operands = module_.Operands(chain);
  for (std::size_t i = element ? 2 : 1; i < operands.size() && type != nullptr; ++i) {
    if (type->kind == TypeKind::kStruct) {
      if (type->packed) return true;
      const auto member = module_.constants.Integer(operands[i]);
      if (!member || *member >= type->count) return true;
      type = module_.types.Find(module_.types.Members(*type)[*member]);
    } else {
      type = module_.types.Find(type->element);
    }
  }
  return false;
}

}  // namespace assay::interp
