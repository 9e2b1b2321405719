// Arithmetic, comparisons and logic; integer dot products.
#include <fmt/format.h>

#include <algorithm>

#include "interp/import/import.h"
#include "numerics/function.h"

namespace assay::interp {

using frontend::TypeKind;
using numerics::Operation;
using numerics::ScalarType;

void Importer::Elementwise(const Instruction& instruction, Opcode opcode,
                           std::span<const Word> operands) {
  std::vector<std::vector<Value>> columns;
  for (const Word operand : operands) columns.push_back(ValuesOf(operand));
  if (error_) return;
  const Kind kind = ScalarKindOf(TypeIdOf(operands[0]));
  if (!Takes(opcode, kind))
    return FailUsage("operands of a type that the instruction does not take");
  const bool is_field = opcode == Opcode::kBitFieldInsert || opcode == Opcode::kBitFieldSExtract ||
                        opcode == Opcode::kBitFieldUExtract;
  std::vector<Value> results;
  for (std::size_t part = 0; part < columns[0].size(); ++part) {
    std::vector<Value> row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      // Offset and count of a bit field are scalars, for all components of a vector.
      const bool is_scalar = is_field && i >= columns.size() - 2 && columns[i].size() == 1;
      if (!is_scalar && columns[i].size() != columns[0].size()) {
        return FailUsage("operands of different sizes");
      }
      Value value = columns[i][is_scalar ? 0 : part];
      // Shifts and bit fields may have amounts of another width.
      const Kind of_operand = ScalarKindOf(TypeIdOf(operands[i]));
      if (of_operand != kind) {
        if (!IsInteger(of_operand) || !IsInteger(kind)) return FailUsage("operands of mixed types");
        value = Convert(Opcode::kUConvert, kind, of_operand, value);
      }
      row.push_back(value);
    }
    results.push_back(Emit(opcode, kind, row));
    CheckElement(instruction, opcode, kind, row, results.back());
  }
  Bind(instruction.result, results);
}

Value Importer::Math(const Operation& operation, Kind kind, std::span<const Value> operands,
                     std::uint32_t results) {
  MathCall call{.operation = operation, .control = context_.controls->Of(kind)};
  for (const ScalarType type : operation.ArgumentTypes()) {
    call.argument_bytes.push_back(static_cast<std::uint32_t>(numerics::SizeOf(type)));
  }
  std::vector<Kind> kinds;
  for (const ScalarType type : operation.ResultTypes()) {
    call.result_bytes.push_back(static_cast<std::uint32_t>(numerics::SizeOf(type)));
    kinds.push_back(numerics::IsFloating(type) ? FloatKind(numerics::WidthOf(type))
                                               : IntegerKind(numerics::WidthOf(type)));
  }
  kinds.resize(results);
  result_.math_calls.push_back(std::move(call));
  const std::vector<Value> copy(operands.begin(), operands.end());
  const std::uint32_t place =
      EmitMany(Opcode::kMath, kind, copy, result_.math_calls.size() - 1, kinds);
  return graph_.instructions[place].first_result;
}

// The processor's operation where it is set as the kind wants it, and the exact one otherwise.
Value Importer::FloatOperation(Opcode fast, numerics::Function exact, Kind kind,
                               std::span<const Value> operands) {
  const bool may_differ = exact == numerics::Function::div;
  if (may_differ ? UsesHost(kind) : context_.controls->IsHost(kind)) {
    return Emit(fast, kind, operands);
  }
  return Math(Operation::Builtin(exact, FormatOf(kind)), kind, operands);
}

void Importer::ImportFloatBinary(const Instruction& instruction, Opcode fast,
                                 numerics::Function exact) {
  const auto operands = module_.Operands(instruction);
  const Kind kind = ScalarKindOf(instruction.type);
  const bool may_differ = exact == numerics::Function::div;
  if (may_differ ? UsesHost(kind) : context_.controls->IsHost(kind)) {
    return Elementwise(instruction, fast, operands);
  }
  const std::vector<Value> left = ValuesOf(operands[0]);
  const std::vector<Value> right = ValuesOf(operands[1]);
  std::vector<Value> results;
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    const Value row[] = {left[i], right[i]};
    results.push_back(FloatOperation(fast, exact, kind, row));
  }
  Bind(instruction.result, results);
}

void Importer::ImportVectorTimesScalar(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind kind = ScalarKindOf(instruction.type);
  const Value scalar = ValueOf(operands[1]);
  std::vector<Value> results;
  for (const Value value : ValuesOf(operands[0])) {
    const Value row[] = {value, scalar};
    results.push_back(FloatOperation(Opcode::kFMul, numerics::Function::mul, kind, row));
  }
  Bind(instruction.result, results);
}

void Importer::ImportFloatRemainder(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind kind = ScalarKindOf(instruction.type);
  const std::vector<Value> left = ValuesOf(operands[0]);
  const std::vector<Value> right = ValuesOf(operands[1]);
  std::vector<Value> results;
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    const Value row[] = {left[i], right[i]};
    Value value = Math(Operation::Builtin(numerics::Function::fmod, FormatOf(kind)), kind, row);
    CheckValue(Check::kRemainderByZero, kind, {left[i], right[i]}, std::span(&value, 1));
    if (instruction.opcode == Op::kFMod) {
      // The sign of the second operand: one more of it where the remainder has the other.
      const Value zero = Constant(kind, 0);
      const Value nonzero = Emit(Opcode::kFOrdNotEqual, kind, {value, zero});
      const Value differ = Emit(
          Opcode::kLogicalNotEqual, Kind::kBool,
          {Emit(Opcode::kSignBitSet, kind, {value}), Emit(Opcode::kSignBitSet, kind, {right[i]})});
      const Value sum[] = {value, right[i]};
      value = Emit(Opcode::kSelect, kind,
                   {Emit(Opcode::kLogicalAnd, Kind::kBool, {nonzero, differ}),
                    FloatOperation(Opcode::kFAdd, numerics::Function::add, kind, sum), value});
    }
    results.push_back(value);
  }
  Bind(instruction.result, results);
}

void Importer::ImportFloatDot(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind kind = ScalarKindOf(instruction.type);
  std::vector<Value> values = ValuesOf(operands[0]);
  const auto components = static_cast<int>(values.size());
  const std::vector<Value> right = ValuesOf(operands[1]);
  values.insert(values.end(), right.begin(), right.end());
  if (components > 4) {  // OpenCL C has none; no order is prescribed
    Value sum = kNoValue;
    for (std::size_t i = 0; i < right.size(); ++i) {
      const Value row[] = {values[i], right[i], sum};
      sum = i == 0 ? FloatOperation(Opcode::kFMul, numerics::Function::mul, kind,
                                    std::span(row).first(2))
                   : FloatOperation(Opcode::kFusedMultiplyAdd, numerics::Function::fma, kind, row);
    }
    return BindOne(instruction.result, sum);
  }
  BindOne(
      instruction.result,
      Math(Operation::Builtin(numerics::Function::dot, FormatOf(kind), components), kind, values));
}

void Importer::ImportSelect(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const std::vector<Value> condition = ValuesOf(operands[0]);
  const std::vector<Value> yes = ValuesOf(operands[1]);
  const std::vector<Value> no = ValuesOf(operands[2]);
  if (error_) return;
  if (yes.size() != no.size() || (condition.size() != 1 && condition.size() != yes.size())) {
    return FailUsage("operands of different sizes");
  }
  std::vector<Value> results;
  for (std::size_t i = 0; i < yes.size(); ++i) {
    results.push_back(Emit(Opcode::kSelect, graph_.values[yes[i]].kind,
                           {condition[condition.size() == 1 ? 0 : i], yes[i], no[i]}));
  }
  Bind(instruction.result, results);
}

// Over integers too: what llvm-spirv writes for any(int4) before it was made of booleans.
void Importer::ImportAnyOrAll(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind kind = ScalarKindOf(TypeIdOf(operands[0]));
  const Opcode join = instruction.opcode == Op::kAny ? Opcode::kLogicalOr : Opcode::kLogicalAnd;
  Value result = kNoValue;
  for (Value value : ValuesOf(operands[0])) {
    if (kind != Kind::kBool) value = Emit(Opcode::kIsNonZero, kind, {value});
    result = result == kNoValue ? value : Emit(join, Kind::kBool, {result, value});
  }
  BindOne(instruction.result, result);
}

void Importer::ImportBitCount(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
  const Kind to = ScalarKindOf(instruction.type);
  std::vector<Value> results;
  for (const Value value : ValuesOf(operands[0])) {
    results.push_back(Convert(Opcode::kUConvert, to, from, Emit(Opcode::kPopcount, from, {value})));
  }
  Bind(instruction.result, results);
}

// OpIAddCarry, OpISubBorrow, OpUMulExtended, OpSMulExtended: the low parts, then the high ones.
void Importer::ImportTwoResults(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const std::vector<Value> left = ValuesOf(operands[0]);
  const std::vector<Value> right = ValuesOf(operands[1]);
  if (error_) return;
  const Kind kind = ScalarKindOf(TypeIdOf(operands[0]));
  std::vector<Value> low;
  std::vector<Value> high;
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    const Value a = left[i];
    const Value b = right[i];
    if (instruction.opcode == Op::kIAddCarry) {
      low.push_back(Emit(Opcode::kIAdd, kind, {a, b}));
      high.push_back(Convert(Opcode::kUConvert, kind, Kind::kBool,
                             Emit(Opcode::kULessThan, kind, {low.back(), a})));
    } else if (instruction.opcode == Op::kISubBorrow) {
      low.push_back(Emit(Opcode::kISub, kind, {a, b}));
      high.push_back(
          Convert(Opcode::kUConvert, kind, Kind::kBool, Emit(Opcode::kULessThan, kind, {a, b})));
    } else {
      const bool is_signed = instruction.opcode == Op::kSMulExtended;
      low.push_back(Emit(Opcode::kIMul, kind, {a, b}));
      high.push_back(Emit(is_signed ? Opcode::kSMulHi : Opcode::kUMulHi, kind, {a, b}));
    }
  }
  low.insert(low.end(), high.begin(), high.end());
  Bind(instruction.result, low);
}

void Importer::ImportPointerDifference(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Type& pointer = TypeOfValue(operands[0]);
  const Type* pointee = module_.types.Find(pointer.element);
  // Untyped pointers count bytes (SPV_KHR_untyped_pointers, OpPtrDiff).
  const bool is_untyped = pointer.opcode == Op::kTypeUntypedPointerKHR;
  const std::uint64_t size = is_untyped ? 1 : pointee == nullptr ? 0 : pointee->size;
  if (size == 0) return FailUsage("a difference of pointers to nothing");
  const Value bytes = Emit(Opcode::kISub, Kind::kI64, {ValueOf(operands[0]), ValueOf(operands[1])});
  const Value elements = Emit(Opcode::kSDiv, Kind::kI64, {bytes, Constant(Kind::kI64, size)});
  if (error_) return;
  CheckDifference(ValueOf(operands[0]), ValueOf(operands[1]), size, elements);
  BindOne(instruction.result,
          Convert(Opcode::kUConvert, ScalarKindOf(instruction.type), Kind::kI64, elements));
}

// A row of interp/program/operations.def.
bool Importer::ImportRow(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Opcode opcode = OpcodeOf(instruction.opcode);
  if (opcode == Opcode::kNop) return false;
  const Kind kind = operands.empty() ? Kind::kI32 : ScalarKindOf(TypeIdOf(operands[0]));
  // Comparisons of pointers, which some generators write.
  if (TypeOfValue(operands[0]).kind == TypeKind::kPointer && kind != Kind::kI64) {
    return FailUsage("pointers where there should be numbers"), true;
  }
  Elementwise(instruction, opcode, operands);
  CheckPointerOperands(instruction);
  return true;
}

bool Importer::ImportArithmetic(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  switch (instruction.opcode) {
    case Op::kFAdd:
      return ImportFloatBinary(instruction, Opcode::kFAdd, numerics::Function::add), true;
    case Op::kFSub:
      return ImportFloatBinary(instruction, Opcode::kFSub, numerics::Function::sub), true;
    case Op::kFMul:
      return ImportFloatBinary(instruction, Opcode::kFMul, numerics::Function::mul), true;
    case Op::kFDiv:
      return ImportFloatBinary(instruction, Opcode::kFDiv, numerics::Function::div), true;
    case Op::kVectorTimesScalar:
      return ImportVectorTimesScalar(instruction), true;
    case Op::kFRem:
    case Op::kFMod:
      return ImportFloatRemainder(instruction), true;
    case Op::kDot:
      return ImportFloatDot(instruction), true;
    case Op::kSelect:
      return ImportSelect(instruction), true;
    case Op::kAny:
    case Op::kAll:
      return ImportAnyOrAll(instruction), true;
    case Op::kBitCount:
      return ImportBitCount(instruction), true;
    case Op::kIAddCarry:
    case Op::kISubBorrow:
    case Op::kUMulExtended:
    case Op::kSMulExtended:
      return ImportTwoResults(instruction), true;
    case Op::kPtrEqual:
    case Op::kPtrNotEqual:
      BindOne(instruction.result,
              Emit(instruction.opcode == Op::kPtrEqual ? Opcode::kIEqual : Opcode::kINotEqual,
                   Kind::kI64, {ValueOf(operands[0]), ValueOf(operands[1])}));
      return CheckPointerOperands(instruction), true;
    case Op::kPtrDiff:
      return ImportPointerDifference(instruction), true;
    default:
      return ImportRow(instruction);
  }
}

// Integer dot products (SPV_KHR_integer_dot_product).
bool Importer::ImportDot(const Instruction& instruction) {
  bool left_signed = false;
  bool right_signed = false;
  bool accumulate = false;
  switch (instruction.opcode) {
    case Op::kSDot:
    case Op::kSDotAccSat:
      left_signed = right_signed = true;
      accumulate = instruction.opcode == Op::kSDotAccSat;
      break;
    case Op::kUDot:
    case Op::kUDotAccSat:
      accumulate = instruction.opcode == Op::kUDotAccSat;
      break;
    case Op::kSUDot:
    case Op::kSUDotAccSat:
      left_signed = true;
      accumulate = instruction.opcode == Op::kSUDotAccSat;
      break;
    default:
      return false;
  }
  const auto operands = module_.Operands(instruction);
  const Kind kind = ScalarKindOf(instruction.type);
  // SPIRV-Tools does not look at the types.
  if (CountLeaves(TypeIdOf(operands[0])) != CountLeaves(TypeIdOf(operands[1])) ||
      (accumulate && TypeIdOf(operands[2]) != instruction.type)) {
    return FailUsage("operands of types that the instruction does not take"), true;
  }
  const auto components = [&](Id id, bool is_signed) {
    std::vector<Value> values = ValuesOf(id);
    Kind from = ScalarKindOf(TypeIdOf(id));
    if (TypeOfValue(id).IsScalar()) {  // four packed 8-bit components, the first in the low bits
      const Value packed = ValueOf(id);
      values.clear();
      if (error_) return values;
      for (std::uint64_t shift = 0; shift < 32; shift += 8) {
        const Value part = Emit(Opcode::kShiftRightLogical, from, {packed, Constant(from, shift)});
        values.push_back(Convert(Opcode::kUConvert, Kind::kI8, from, part));
      }
      from = Kind::kI8;
    }
    for (Value& value : values) {
      value = Convert(is_signed ? Opcode::kSConvert : Opcode::kUConvert, Kind::kI64, from, value);
    }
    return values;
  };
  const std::vector<Value> left = components(operands[0], left_signed);
  const std::vector<Value> right = components(operands[1], right_signed);
  if (error_) return true;
  // 16 products of 32 by 32 bits would not fit; those that do not wrap as the result would.
  Value sum = Constant(Kind::kI64, 0);
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    sum = Emit(Opcode::kIAdd, Kind::kI64,
               {sum, Emit(Opcode::kIMul, Kind::kI64, {left[i], right[i]})});
  }
  Value result = Convert(Opcode::kUConvert, kind, Kind::kI64, sum);
  if (accumulate) {
    const Value whole =
        Convert(left_signed ? Opcode::kSConvert : Opcode::kUConvert, Kind::kI64, kind, result);
    const Value added = Emit(left_signed ? Opcode::kSAddSat : Opcode::kUAddSat, kind,
                             {result, ValueOf(operands[2])});
    CheckValue(Check::kDotOverflow, Kind::kI64, {sum, whole}, std::span(&added, 1));
    return BindOne(instruction.result, added), true;
  }
  BindOne(instruction.result, result);
  return true;
}

}  // namespace assay::interp
