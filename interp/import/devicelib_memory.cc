// Functions of DPC++'s device library that work on memory (frontend/device_functions.h).
#include "frontend/device_functions.h"
#include "interp/import/import.h"

namespace assay::interp {

using frontend::DeviceFunction;
using frontend::DeviceFunctionKind;
using frontend::DeviceType;
using frontend::TypeKind;

namespace {

constexpr Leaf kByte{.offset = 0, .kind = Kind::kI8, .bytes = 1};

}  // namespace

// `body(i)` for each i below the count.  Where it returns a condition, the loop ends if that is
// true: then the value of the loop is `found`'s, and else 0.
Value Importer::ForEachByte(Value count, const std::function<Value(Value, Value*)>& body) {
  const std::uint32_t before = block_;
  const std::uint32_t head = NewBlock();
  const std::uint32_t inside = NewBlock();
  const std::uint32_t after = NewBlock();
  const Value first = Constant(Kind::kI64, 0);
  Jump(head);
  block_ = head;
  Phi index{.result = NewValue(Kind::kI64, ValueKind::kPhi, 0), .operands = {}};
  Finish(End::kBranch, {inside, after},
         Emit(Opcode::kULessThan, Kind::kI64, {index.result, count}));
  block_ = inside;
  Value found = kNoValue;
  const Value ends = body(index.result, &found);
  if (ends != kNoValue) {
    const std::uint32_t rest = NewBlock();
    Finish(End::kBranch, {after, rest}, ends);
    block_ = rest;
  }
  const Value next = Emit(Opcode::kIAdd, Kind::kI64, {index.result, Constant(Kind::kI64, 1)});
  Jump(head);
  for (const std::uint32_t predecessor : graph_.blocks[head].predecessors) {
    index.operands.push_back(predecessor == before ? first : next);
  }
  graph_.blocks[head].phis.push_back(std::move(index));
  block_ = after;
  if (ends == kNoValue) return kNoValue;
  const Kind kind = graph_.values[found].kind;
  const Value zero = Constant(kind, 0);
  Phi result{.result = NewValue(kind, ValueKind::kPhi, 0), .operands = {}};
  for (const std::uint32_t predecessor : graph_.blocks[after].predecessors) {
    result.operands.push_back(predecessor == head ? zero : found);
  }
  const Value value = result.result;
  graph_.blocks[after].phis.push_back(std::move(result));
  return value;
}

// void* memcpy(void*, const void*, size_t), void* memset(void*, int, size_t) and
// int memcmp(const void*, const void*, size_t).
void Importer::ImportDeviceMemory(const Instruction& instruction, const DeviceFunction& function) {
  const auto operands = module_.Operands(instruction).subspan(1);
  const bool fills = function.name == "memset";
  const bool compares = function.name == "memcmp";
  const auto is_pointer = [&](Id id) {
    const Type* type = module_.types.Find(id);
    return type != nullptr && type->kind == TypeKind::kPointer;
  };
  const bool fits = operands.size() == 3 && is_pointer(TypeIdOf(operands[0])) &&
                    (fills ? IsOfDeviceType(TypeIdOf(operands[1]), DeviceType::kInt)
                           : is_pointer(TypeIdOf(operands[1]))) &&
                    TypeOfValue(operands[2]).kind == TypeKind::kInteger &&
                    (compares ? IsOfDeviceType(instruction.type, DeviceType::kInt)
                              : is_pointer(instruction.type));
  if (!fits) return FailUsage("a call of a function of the device library with other types");
  const Value first = ValueOf(operands[0]);
  const Value second = ValueOf(operands[1]);
  const Value count = Convert(Opcode::kUConvert, Kind::kI64, ScalarKindOf(TypeIdOf(operands[2])),
                              ValueOf(operands[2]));
  if (error_) return;
  const std::span leaves(&kByte, 1);
  const auto byte_at = [&](Value address, Value index) {
    return LoadLeaves(IndexAddress(address, index, Kind::kI64, 1), leaves).front();
  };
  if (compares) {
    const Value difference = ForEachByte(count, [&](Value index, Value* found) {
      const Value one = byte_at(first, index);
      const Value other = byte_at(second, index);
      *found = Emit(Opcode::kISub, Kind::kI32,
                    {Convert(Opcode::kUConvert, Kind::kI32, Kind::kI8, one),
                     Convert(Opcode::kUConvert, Kind::kI32, Kind::kI8, other)});
      return Emit(Opcode::kINotEqual, Kind::kI8, {one, other});
    });
    return BindOne(instruction.result, difference);
  }
  const Value byte = fills ? Convert(Opcode::kUConvert, Kind::kI8, Kind::kI32, second) : kNoValue;
  ForEachByte(count, [&](Value index, Value*) {
    const Value value = fills ? byte : byte_at(second, index);
    StoreLeaves(IndexAddress(first, index, Kind::kI64, 1), leaves, std::span(&value, 1));
    return kNoValue;
  });
  BindOne(instruction.result, first);
}

// Conversions between float and bfloat16 in memory.
void Importer::ImportDeviceBfloats(const Instruction& instruction, const DeviceFunction& function) {
  const auto operands = module_.Operands(instruction).subspan(1);
  const bool stores = function.kind == DeviceFunctionKind::kBfloatArray;
  bool fits = operands.size() == (stores ? 2u : 1u);
  for (const Word operand : operands) {
    fits = fits && TypeOfValue(operand).kind == TypeKind::kPointer;
  }
  if (!stores) fits = fits && IsOfDeviceType(instruction.type, function.result);
  if (!fits) return FailUsage("a call of a function of the device library with other types");
  const bool narrows = function.result == DeviceType::kBfloat16;
  const Kind from = narrows ? Kind::kF32 : Kind::kI16;
  const Kind to = narrows ? Kind::kI16 : Kind::kF32;
  std::vector<Leaf> sources, targets;
  for (std::uint64_t i = 0; i < function.count; ++i) {
    const auto leaf = [i](Kind kind) {
      return Leaf{i * BytesOf(kind), kind, static_cast<std::uint8_t>(BytesOf(kind))};
    };
    sources.push_back(leaf(from));
    targets.push_back(leaf(to));
  }
  std::vector<Value> values = LoadLeaves(ValueOf(operands[0]), sources);
  for (Value& value : values) value = DeviceConversion(value, function);
  if (error_) return;
  if (stores) return StoreLeaves(ValueOf(operands[1]), targets, values);
  BindOne(instruction.result, values.front());
}

}  // namespace assay::interp
