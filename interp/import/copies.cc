// Copies of memory.
#include <algorithm>
#include <bit>
#include <span>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::StorageClass;
using frontend::TypeKind;

namespace {

// Objects of more scalars, most of them arrays, are copied as bytes.
constexpr std::size_t kMaxCopiedScalars = 64;

// Bits are copied as they are: those of a boolean may be neither 0 nor 1.
Leaf Unchanged(Leaf leaf) {
  if (leaf.kind == Kind::kBool || BytesOf(leaf.kind) != leaf.bytes) {
    leaf.kind = IntegerKind(leaf.bytes * 8);
  }
  return leaf;
}

// What lies between the scalars of a type belongs to a copy, too: another member of a union may
// have its bytes there.
void AppendPadding(std::uint64_t begin, std::uint64_t end, std::vector<Leaf>* leaves) {
  while (begin < end) {
    const std::uint64_t aligned = begin == 0 ? 8 : begin & (~begin + 1);
    const std::uint64_t bytes = std::min({aligned, std::bit_floor(end - begin), std::uint64_t{8}});
    leaves->push_back(
        {begin, IntegerKind(static_cast<int>(bytes * 8)), static_cast<std::uint8_t>(bytes)});
    begin += bytes;
  }
}

}  // namespace

// The type of an object of so many bytes that a pointer points to: compilers cast pointers to
// structs to pointers to bytes before they copy them. 0: none is known.
Importer::Id Importer::CopiedType(Id pointer, std::uint64_t bytes) const {
  for (;;) {
    const Type* type = module_.types.Find(module_.TypeOf(pointer));
    if (type == nullptr || type->kind != TypeKind::kPointer) return 0;
    const Type* pointee = module_.types.Find(type->element);
    if (pointee != nullptr && pointee->size == bytes) return type->element;
    const Instruction* definition = module_.Definition(pointer);
    if (definition == nullptr || definition->opcode != Op::kBitcast) return 0;
    pointer = module_.Operands(*definition)[0];
  }
}

// A copy of few scalars loads and stores them, so that variables need not stay in memory for it.
void Importer::EmitCopy(Value target, Value source, std::uint64_t bytes, Id type, bool is_private) {
  std::vector<Leaf> leaves;
  // Whether an array is accessed as what it is not aligned to is seen in memory.
  const Type* object = module_.types.Find(type);
  const bool is_array = object != nullptr && object->kind == TypeKind::kArray;
  const bool may_store = !is_array || !context_.detectors.Has(Detector::kAlignment);
  if (type != 0 && may_store && !context_.debug && bytes <= kMaxCopiedScalars * 8) {
    std::uint64_t end = 0;
    for (const Leaf& leaf : LeavesOf(type)) {
      AppendPadding(end, leaf.offset, &leaves);
      leaves.push_back(Unchanged(leaf));
      end = leaf.offset + leaf.bytes;
      if (leaves.size() > kMaxCopiedScalars) break;
    }
    AppendPadding(end, bytes, &leaves);
  }
  if (error_) return;
  if (leaves.empty() || leaves.size() > kMaxCopiedScalars) {
    Emit(Opcode::kCopyMemory, Kind::kI8, {target, source, Constant(Kind::kI64, bytes)});
    return;
  }
  // All is read before anything is written: the two may be the same object.
  const std::vector<Value> values = LoadLeaves(source, leaves);
  const std::size_t first = graph_.instructions.size();
  StoreLeaves(target, leaves, values);
  if (is_private) return;
  for (IrInstruction& store : std::span(graph_.instructions).subspan(first)) store.read_parts = 1;
}

void Importer::ImportCopyMemory(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Value target = ValueOf(operands[0]), source = ValueOf(operands[1]);
  Value bytes = kNoValue;
  if (instruction.opcode == Op::kCopyMemory) {
    const Type* pointee = module_.types.Find(TypeOfValue(operands[0]).element);
    // One of two pointers may be untyped.
    if (pointee == nullptr) pointee = module_.types.Find(TypeOfValue(operands[1]).element);
    if (pointee == nullptr) return FailUsage("a copy between no pointers");
    bytes = Constant(Kind::kI64, pointee->size);
  } else {
    bytes = Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(operands[2])),
                    ValueOf(operands[2]));
  }
  for (const Id pointer : {operands[0], operands[1]}) CheckArrayIndices(pointer, ValueOf(pointer));
  if (error_) return;
  const ValueInfo& size = graph_.values[bytes];
  if (size.value_kind != ValueKind::kConstant) {
    Emit(Opcode::kCopyMemory, Kind::kI8, {target, source, bytes});
    return;
  }
  Id type = CopiedType(operands[0], size.bits);
  if (type == 0) type = CopiedType(operands[1], size.bits);
  EmitCopy(target, source, size.bits, type,
           TypeOfValue(operands[0]).storage_class == StorageClass::kFunction);
}

}  // namespace assay::interp
