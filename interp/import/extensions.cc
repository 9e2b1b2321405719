// Instructions of extensions on values: SPV_INTEL_ternary_bitwise_function, SPV_KHR_fma,
// SPV_INTEL_tensor_float32_conversion, SPV_EXT_arithmetic_fence, SPV_KHR_poison_freeze,
// SPV_EXT_replicated_composites, SPV_INTEL_shader_integer_functions2; and those that compute
// nothing.
#include "interp/import/import.h"
#include "numerics/function.h"

namespace assay::interp {

using frontend::TypeKind;

// The table has a bit for each combination of bits of C, B and A, with A as the lowest.
void Importer::ImportBitwiseFunction(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const auto table = Literal(operands[3]);
  if (!table) return FailUsage("a lookup table that is no constant");
  if (*table > 0xff) {
    return FailUsage("a lookup table of more than 8 bits, for which the behaviour is undefined");
  }
  std::vector<std::vector<Value>> columns;
  for (std::size_t i = 0; i < 3; ++i) {
    columns.push_back(ValuesOf(operands[i]));
    if (!error_ && TypeIdOf(operands[i]) != instruction.type) FailUsage("operands of other types");
    if (error_) return;
  }
  const Kind kind = ScalarKindOf(instruction.type);
  if (!IsInteger(kind)) return FailUsage("a bitwise function of what is no integer");
  std::vector<Value> results;
  for (std::size_t part = 0; part < columns[0].size(); ++part) {
    Value result = Constant(kind, 0);
    for (unsigned row = 0; row < 8; ++row) {
      if ((*table >> row & 1) == 0) continue;
      Value term = Constant(kind, MaskOf(kind));
      for (unsigned i = 0; i < 3; ++i) {
        Value bits = columns[i][part];
        if ((row >> i & 1) == 0) bits = Emit(Opcode::kNot, kind, {bits});
        term = Emit(Opcode::kBitwiseAnd, kind, {term, bits});
      }
      result = Emit(Opcode::kBitwiseOr, kind, {result, term});
    }
    results.push_back(result);
  }
  Bind(instruction.result, results);
}

void Importer::ImportFma(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  std::vector<std::vector<Value>> columns;
  for (const Id operand : operands) {
    columns.push_back(ValuesOf(operand));
    if (!error_ && TypeIdOf(operand) != instruction.type) FailUsage("operands of other types");
    if (error_) return;
  }
  const Kind kind = ScalarKindOf(instruction.type);
  if (!IsFloat(kind)) return FailUsage("OpFmaKHR of what is no float");
  std::vector<Value> results;
  for (std::size_t part = 0; part < columns[0].size(); ++part) {
    const Value row[] = {columns[0][part], columns[1][part], columns[2][part]};
    results.push_back(
        FloatOperation(Opcode::kFusedMultiplyAdd, numerics::Function::fma, kind, row));
  }
  Bind(instruction.result, results);
  if (!error_) CheckFastMath(instruction);
  if (!error_) CheckNanOrigin(instruction);
}

// OpRoundFToTF32INTEL: floats with 10 bits of fraction.
void Importer::ImportRounding(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  if (TypeIdOf(operands[0]) != instruction.type || ScalarKindOf(instruction.type) != Kind::kF32 ||
      IsBfloat(instruction.type)) {
    return FailUsage("OpRoundFToTF32INTEL of what is no float of 32 bits");
  }
  std::vector<Value> results;
  for (const Value value : ValuesOf(operands[0])) {
    results.push_back(Emit(Opcode::kRoundFToTF32INTEL, Kind::kF32, {value}));
  }
  Bind(instruction.result, results);
}

void Importer::ImportFreeze(const Instruction& instruction) {
  std::vector<Value> results;
  for (const Value value : ValuesOf(module_.Operands(instruction)[0])) {
    results.push_back(Emit(Opcode::kFreeze, graph_.values[value].kind, {value}));
  }
  Bind(instruction.result, results);
}

void Importer::ImportReplicate(const Instruction& instruction) {
  const Id operand = module_.Operands(instruction)[0];
  const std::vector<Value> part = ValuesOf(operand);
  const std::size_t count = LeavesOf(instruction.type).size();
  const Type& type = *module_.types.Find(instruction.type);
  bool fits = type.kind == TypeKind::kVector || type.kind == TypeKind::kArray;
  if (fits) fits = type.element == TypeIdOf(operand);
  if (type.kind == TypeKind::kStruct) {
    fits = true;
    for (const Id member : module_.types.Members(type)) fits = fits && member == TypeIdOf(operand);
  }
  if (!fits && !error_) FailUsage("a part that is not of the type of all parts");
  if (error_) return;
  std::vector<Value> values;
  while (values.size() < count && !part.empty()) {
    values.insert(values.end(), part.begin(), part.end());
  }
  Bind(instruction.result, values);
}

bool Importer::ImportExtension(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Op::kBitwiseFunctionINTEL:
      return ImportBitwiseFunction(instruction), true;
    case Op::kFmaKHR:
      return ImportFma(instruction), true;
    case Op::kRoundFToTF32INTEL:
      return ImportRounding(instruction), true;
    case Op::kFreezeKHR:
      return ImportFreeze(instruction), true;
    case Op::kArithmeticFenceEXT:  // nothing here is rearranged
      Bind(instruction.result, ValuesOf(module_.Operands(instruction)[0]));
      return true;
    case Op::kCompositeConstructReplicateEXT:
      return ImportReplicate(instruction), true;
    case Op::kReadClockKHR:
      return ImportReadClock(instruction), true;
    case Op::kFunctionPointerCallINTEL:
      return ImportPointerCall(instruction), true;
    case Op::kUCountLeadingZerosINTEL:
    case Op::kUCountTrailingZerosINTEL:
    case Op::kIMul32x16INTEL:
    case Op::kUMul32x16INTEL:
      if (ScalarKindOf(instruction.type) != Kind::kI32) {
        return FailUsage("an instruction of integers of 32 bits"), true;
      }
      return false;  // rows of operations.def
    case Op::kLoopControlINTEL:
    case Op::kCompositeConstructContinuedINTEL:  // the instruction before it has its operands
    case Op::kUntypedPrefetchKHR:
    case Op::kSubgroupBlockPrefetchINTEL:
      return true;
    default:
      return false;
  }
}

}  // namespace assay::interp
