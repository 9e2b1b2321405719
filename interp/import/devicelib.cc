// Functions of DPC++'s device library that its compiler leaves as imports
// (frontend/device_functions.h).
#include <fmt/format.h>

#include <array>

#include "frontend/device_functions.h"
#include "interp/import/import.h"
#include "numerics/function.h"

namespace assay::interp {

using frontend::DeviceFunction;
using frontend::DeviceFunctionKind;
using frontend::DeviceRounding;
using frontend::DeviceType;
using frontend::OpenClStd;
using frontend::TypeKind;
using numerics::Function;
using numerics::Operation;
using numerics::Rounding;
using numerics::ScalarType;

// void __devicelib_assert_fail(const char* expression, const char* file, int line,
//                              const char* function, size_t global_id[3], size_t local_id[3])
// with the ids one by one.
void Importer::ImportAssert(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction).subspan(1);
  if (operands.size() < 4) {
    return FailUsage("a call of __devicelib_assert_fail without its arguments");
  }
  PrintfCall call;
  call.is_assert = true;
  std::vector<Value> values;
  for (const Word operand : operands.first(4)) {
    PrintfCall::Argument argument;
    argument.first = static_cast<std::uint32_t>(values.size());
    argument.kind = ScalarKindOf(TypeIdOf(operand));
    argument.pointer = TypeOfValue(operand).kind == frontend::TypeKind::kPointer;
    if (argument.pointer == (call.arguments.size() == 2)) {
      return FailUsage("a call of __devicelib_assert_fail with other arguments");
    }
    call.arguments.push_back(argument);
    values.push_back(ValueOf(operand));
  }
  if (error_) return;
  result_.printf_calls.push_back(std::move(call));
  EmitMany(Opcode::kPrintf, Kind::kI32, values, result_.printf_calls.size() - 1, {});
}

namespace {

// As values of it are in registers.
Kind RegisterOf(DeviceType type) {
  switch (type) {
    case DeviceType::kHalf:
      return Kind::kF16;
    case DeviceType::kFloat:
      return Kind::kF32;
    case DeviceType::kDouble:
      return Kind::kF64;
    case DeviceType::kBfloat16:
    case DeviceType::kShort:
    case DeviceType::kUshort:
      return Kind::kI16;
    case DeviceType::kInt:
    case DeviceType::kUint:
      return Kind::kI32;
    case DeviceType::kLong:
    case DeviceType::kUlong:
      return Kind::kI64;
  }
  return Kind::kI32;
}

ScalarType ScalarOf(DeviceType type) {
  switch (type) {
    case DeviceType::kHalf:
      return ScalarType::kHalf;
    case DeviceType::kFloat:
      return ScalarType::kFloat;
    case DeviceType::kBfloat16:
      return ScalarType::kBfloat16;
    case DeviceType::kDouble:
      return ScalarType::kDouble;
    case DeviceType::kShort:
      return ScalarType::kShort;
    case DeviceType::kUshort:
      return ScalarType::kUshort;
    case DeviceType::kInt:
      return ScalarType::kInt;
    case DeviceType::kUint:
      return ScalarType::kUint;
    case DeviceType::kLong:
      return ScalarType::kLong;
    case DeviceType::kUlong:
      return ScalarType::kUlong;
  }
  return ScalarType::kInt;
}

Rounding RoundingOf(DeviceRounding rounding) {
  switch (rounding) {
    case DeviceRounding::kRte:
      return Rounding::kRte;
    case DeviceRounding::kRtz:
      return Rounding::kRtz;
    case DeviceRounding::kRtp:
      return Rounding::kRtp;
    case DeviceRounding::kRtn:
      return Rounding::kRtn;
  }
  return Rounding::kRte;
}

std::uint64_t OneOf(Kind kind) {
  return kind == Kind::kF64 ? 0x3FF0000000000000 : kind == Kind::kF32 ? 0x3F800000 : 0x3C00;
}

}  // namespace

bool Importer::IsOfDeviceType(Id id, DeviceType type) const {
  const Type* found = module_.types.Find(id);
  return found != nullptr && found->IsScalar() && found->kind != TypeKind::kBool &&
         !IsSmallFloat(id) && KindOf(*found) == RegisterOf(type);
}

// Operands that are scalars of the function's type, as many as are given.
bool Importer::TakesScalars(const Instruction& instruction, const DeviceFunction& function,
                            std::size_t count) {
  const auto operands = module_.Operands(instruction).subspan(1);
  bool fits = operands.size() == count && IsOfDeviceType(instruction.type, function.result);
  for (const Word operand : operands)
    fits = fits && IsOfDeviceType(TypeIdOf(operand), function.type);
  if (!fits) FailUsage("a call of a function of the device library with other types");
  return fits;
}

void Importer::ImportDeviceFunction(const Instruction& instruction,
                                    const DeviceFunction& function) {
  switch (function.kind) {
    case DeviceFunctionKind::kMath:
      return ImportDeviceMath(instruction, function);
    case DeviceFunctionKind::kArithmetic:
      return ImportDeviceArithmetic(instruction, function);
    case DeviceFunctionKind::kInteger:
    case DeviceFunctionKind::kEvaluated:
      return ImportDeviceInteger(instruction, function);
    case DeviceFunctionKind::kMemory:
      return ImportDeviceMemory(instruction, function);
    case DeviceFunctionKind::kBfloatArray:
    case DeviceFunctionKind::kBfloatValue:
      return ImportDeviceBfloats(instruction, function);
    case DeviceFunctionKind::kConversion:
    case DeviceFunctionKind::kBits:
    case DeviceFunctionKind::kTest:
    case DeviceFunctionKind::kToLong:
      break;
  }
  if (!TakesScalars(instruction, function, 1)) return;
  const Value value = ValueOf(module_.Operands(instruction)[1]);
  const Kind from = RegisterOf(function.type);
  const Kind to = RegisterOf(function.result);
  if (error_) return;
  if (function.kind == DeviceFunctionKind::kBits) {
    return BindOne(instruction.result, Emit(Opcode::kCopy, to, {value}));
  }
  if (function.kind == DeviceFunctionKind::kConversion) {
    return BindOne(instruction.result, DeviceConversion(value, function));
  }
  if (function.kind == DeviceFunctionKind::kTest) {
    const Opcode test = function.name == "isnan"      ? Opcode::kIsNan
                        : function.name == "isinf"    ? Opcode::kIsInf
                        : function.name == "isfinite" ? Opcode::kIsFinite
                                                      : Opcode::kSignBitSet;
    return BindOne(
        instruction.result,
        Emit(Opcode::kSelect, to, {Emit(test, from, {value}), Constant(to, 1), Constant(to, 0)}));
  }
  const bool is_even = function.name == "rint";
  const Value whole = is_even ? value : Emit(Opcode::kRound, from, {value});
  BindOne(instruction.result, ConvertExactly(whole, ScalarOf(function.type), ScalarType::kLong,
                                             is_even ? Rounding::kRte : Rounding::kRtz, false));
}

void Importer::ImportDeviceMath(const Instruction& instruction, const DeviceFunction& function) {
  const auto operands = module_.Operands(instruction).subspan(1);
  const auto rule = frontend::FindInstruction(frontend::ExtendedSet::kOpenClStd,
                                              static_cast<std::uint32_t>(function.instruction));
  const bool gives_two = function.instruction == OpenClStd::kSincos;
  const bool gives_integer = function.instruction == OpenClStd::kIlogb;
  bool fits = rule && operands.size() == rule->operands.size() + (gives_two ? 1 : 0) &&
              IsOfDeviceType(TypeIdOf(operands[0]), function.type);
  if (gives_two) {
    for (const Word operand : operands.subspan(fits ? 1 : operands.size())) {
      fits = fits && TypeOfValue(operand).kind == TypeKind::kPointer &&
             IsOfDeviceType(TypeOfValue(operand).element, function.type);
    }
  } else {
    fits = fits &&
           IsOfDeviceType(instruction.type, gives_integer ? DeviceType::kInt : function.result);
  }
  if (!fits) return FailUsage("a call of a function of the device library with other types");
  if (gives_two) {
    const Kind kind = RegisterOf(function.type);
    const numerics::Format format = FormatOf(kind);
    const Value value = ValueOf(operands[0]);
    const Function functions[] = {Function::sin, Function::cos};
    for (std::size_t i = 0; i < 2 && !error_; ++i) {
      const Value result = Math(Operation::Builtin(functions[i], format), kind, {&value, 1});
      const std::vector<Leaf> leaves = LeavesOf(TypeOfValue(operands[i + 1]).element);
      StoreLeaves(ValueOf(operands[i + 1]), leaves, std::span(&result, 1));
    }
    return;
  }
  ImportOpenClCall(instruction, function.instruction, operands);
}

// A call that stands for an instruction of OpenCL.std.
void Importer::ImportOpenClCall(const Instruction& instruction, OpenClStd number,
                                std::span<const Word> operands) {
  if (!ImportInteger(instruction, number, operands) && !ImportMath(instruction, number, operands)) {
    return FailUnsupported("a function that is no function of numbers");
  }
  if (!error_) CheckNanOrigin(instruction);
}

void Importer::ImportDeviceArithmetic(const Instruction& instruction,
                                      const DeviceFunction& function) {
  struct Row {
    std::string_view name;
    Function function;
    std::size_t operands;
  };
  constexpr Row kRows[] = {{"add", Function::add, 2},  {"sub", Function::sub, 2},
                           {"mul", Function::mul, 2},  {"div", Function::div, 2},
                           {"rcp", Function::div, 1},  {"fma", Function::fma, 3},
                           {"sqrt", Function::sqrt, 1}};
  const Row* row = std::ranges::find(kRows, function.name, &Row::name);
  if (!TakesScalars(instruction, function, row->operands)) return;
  const Kind kind = RegisterOf(function.type);
  std::vector<Value> values;
  if (function.name == "rcp") values.push_back(Constant(kind, OneOf(kind)));
  for (const Word operand : module_.Operands(instruction).subspan(1)) {
    values.push_back(ValueOf(operand));
  }
  if (error_) return;
  const Value result = Math(Operation::Builtin(row->function, FormatOf(kind)), kind, values);
  result_.math_calls.back().control.rounding = RoundingOf(function.rounding);
  BindOne(instruction.result, result);
}

void Importer::ImportDeviceInteger(const Instruction& instruction, const DeviceFunction& function) {
  const Kind kind = RegisterOf(function.type);
  const Kind to = RegisterOf(function.result);
  const bool is_sad = function.name == "sad" || function.name == "usad";
  std::size_t count = is_sad ? 3 : 1;
  if (function.kind == DeviceFunctionKind::kInteger) {
    const auto rule = frontend::FindInstruction(frontend::ExtendedSet::kOpenClStd,
                                                static_cast<std::uint32_t>(function.instruction));
    count = rule ? rule->operands.size() : 0;
  }
  if (!TakesScalars(instruction, function, count)) return;
  std::vector<Value> values;
  for (const Word operand : module_.Operands(instruction).subspan(1)) {
    values.push_back(ValueOf(operand));
  }
  if (error_) return;
  const auto of_std = [&](OpenClStd number, std::span<const Value> operands) {
    return Emit(OpcodeOf(number), kind, operands);
  };
  Value value = kNoValue;
  if (function.kind == DeviceFunctionKind::kInteger) {
    value = of_std(function.instruction, values);
  } else if (is_sad) {
    const bool is_signed = function.name == "sad";
    value = Emit(Opcode::kIAdd, kind,
                 {of_std(is_signed ? OpenClStd::kSAbsDiff : OpenClStd::kUAbsDiff,
                         std::span(values).first(2)),
                  values[2]});
  } else if (function.name.starts_with("brev")) {
    value = Emit(Opcode::kBitReverse, kind, {values[0]});
  } else {  // ffs: the place of the lowest bit, from 1 on; 0 of zero
    const Value place =
        Emit(Opcode::kIAdd, kind,
             {of_std(OpenClStd::kCtz, std::span(values).first(1)), Constant(kind, 1)});
    const Value is_any = Emit(Opcode::kIsNonZero, kind, {values[0]});
    value = Emit(Opcode::kSelect, kind, {is_any, place, Constant(kind, 0)});
  }
  BindOne(instruction.result, to == kind ? value : Convert(Opcode::kUConvert, to, kind, value));
}

// A bfloat16 is an integer in registers, and 16 bits of a float for a conversion.
Value Importer::DeviceConversion(Value value, const DeviceFunction& function) {
  const ScalarType from = ScalarOf(function.type);
  const ScalarType to = ScalarOf(function.result);
  if (from == to) return value;
  if (from == ScalarType::kBfloat16) value = Emit(Opcode::kCopy, Kind::kF16, {value});
  value = ConvertExactly(value, from, to, RoundingOf(function.rounding), false);
  return to == ScalarType::kBfloat16 ? Emit(Opcode::kCopy, Kind::kI16, {value}) : value;
}

}  // namespace assay::interp
