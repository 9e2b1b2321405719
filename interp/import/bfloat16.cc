// bfloat16: floats with 16 bits less (SPV_KHR_bfloat16, SPV_INTEL_bfloat16_conversion).  In
// registers one is the float that it stands for; the extension lets it be moved, converted (by way
// of float) and multiplied in OpDot, and nothing else.
#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::Category;
using frontend::OperandKind;
using frontend::TypeKind;

// The scalar that it consists of, unless it is a structure or none.
const frontend::Type* Importer::ComponentOf(Id id) const {
  const Type* type = module_.types.Find(id);
  while (type != nullptr &&
         (type->kind == TypeKind::kVector || type->kind == TypeKind::kArray || type->IsMatrix())) {
    type = module_.types.Find(type->element);
  }
  return type;
}

bool Importer::IsBfloat(Id id) const {
  const Type* type = ComponentOf(id);
  return type != nullptr && type->IsBfloat();
}

bool Importer::IsSmallFloat(Id id) const {
  const Type* type = ComponentOf(id);
  return type != nullptr && (type->IsBfloat() || type->IsFloat8());
}

namespace {

// Of those that are imported: memory, conversion and composite instructions, and what the
// extension names.
bool MayHaveSmallFloat(frontend::Op opcode) {
  using frontend::Op;
  switch (opcode) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kPredicatedLoadINTEL:
    case Op::kPredicatedStoreINTEL:
    case Op::kMaskedGatherINTEL:
    case Op::kMaskedScatterINTEL:
    case Op::kVectorExtractDynamic:
    case Op::kVectorInsertDynamic:
    case Op::kVectorShuffle:
    case Op::kCompositeConstruct:
    case Op::kCompositeConstructContinuedINTEL:
    case Op::kCompositeConstructReplicateEXT:
    case Op::kCompositeExtract:
    case Op::kCompositeInsert:
    case Op::kCopyObject:
    case Op::kCopyLogical:
    case Op::kConvertFToU:
    case Op::kConvertFToS:
    case Op::kConvertSToF:
    case Op::kConvertUToF:
    case Op::kFConvert:
    case Op::kBitcast:
    case Op::kSelect:
    case Op::kFreezeKHR:
    case Op::kCooperativeMatrixLoadKHR:
    case Op::kCooperativeMatrixStoreKHR:
    case Op::kCooperativeMatrixMulAddKHR:
    case Op::kCooperativeMatrixLoadCheckedINTEL:
    case Op::kCooperativeMatrixStoreCheckedINTEL:
    case Op::kCooperativeMatrixConstructCheckedINTEL:
    case Op::kCooperativeMatrixGetElementCoordINTEL:
    case Op::kSubgroupMatrixMultiplyAccumulateINTEL:
    case Op::kFunctionPointerCallINTEL:
      return true;
    default:
      return false;
  }
}

}  // namespace

// Whether the instruction takes the types of its operands and its result, if these are bfloat16 or
// floats of eight bits.
bool Importer::IsForSmallFloat(const Instruction& instruction) const {
  if (instruction.opcode == Op::kDot) {  // of bfloat16 only
    const Type* component = ComponentOf(TypeIdOf(module_.Operands(instruction)[0]));
    return component == nullptr || !component->IsFloat8();
  }
  if (MayHaveSmallFloat(instruction.opcode)) return true;
  if (IsSmallFloat(instruction.type)) return false;
  const auto rule = frontend::FindInstruction(instruction.opcode);
  const auto words = module_.WordsOf(instruction);
  if (!rule) return true;
  std::size_t place = 1;
  for (const frontend::OperandRule& operand : rule->operands) {
    const bool is_value = operand.kind == OperandKind::kIdRef;
    const bool repeats = operand.quantifier == frontend::Quantifier::kAny;
    for (; is_value && place < words.size(); ++place) {
      if (IsSmallFloat(module_.TypeOf(words[place]))) return false;
      if (!repeats) break;
    }
    ++place;
  }
  return true;
}

Value Importer::BfloatBits(Value value) {
  const Value high =
      Emit(Opcode::kShiftRightLogical, Kind::kI32, {value, Constant(Kind::kI32, 16)});
  return Convert(Opcode::kUConvert, Kind::kI16, Kind::kI32, high);
}

Value Importer::FromBfloatBits(Value bits) {
  const Value wide = Convert(Opcode::kUConvert, Kind::kI32, Kind::kI16, bits);
  return Emit(Opcode::kShiftLeftLogical, Kind::kI32, {wide, Constant(Kind::kI32, 16)});
}

// Every conversion goes by way of float, which is rounded to nearest.
void Importer::ImportToBfloat(const Instruction& instruction) {
  const Id operand = module_.Operands(instruction)[0];
  const auto rounding = DecoratedRounding(instruction);
  if (rounding.value_or(numerics::Rounding::kRte) != numerics::Rounding::kRte) {
    return FailUnsupported("a conversion to bfloat16 that is not rounded to nearest");
  }
  const Kind from = ScalarKindOf(TypeIdOf(operand));
  Opcode opcode = Opcode::kFConvert;
  if (instruction.opcode == Op::kConvertSToF) opcode = Opcode::kConvertSToF;
  if (instruction.opcode == Op::kConvertUToF) opcode = Opcode::kConvertUToF;
  std::vector<Value> results;
  for (Value value : ValuesOf(operand)) {
    if (from != Kind::kF32) value = Convert(opcode, Kind::kF32, from, value);
    results.push_back(Emit(Opcode::kRoundToBfloat16, Kind::kF32, {value}));
  }
  Bind(instruction.result, results);
}

// OpConvertFToBF16INTEL and OpConvertBF16ToFINTEL: a bfloat16 is an integer of 16 bits.
void Importer::ImportBfloatBits(const Instruction& instruction) {
  const Id operand = module_.Operands(instruction)[0];
  const bool is_from_float = instruction.opcode == Op::kConvertFToBF16INTEL;
  const Id float_type = is_from_float ? TypeIdOf(operand) : instruction.type;
  const Id integer_type = is_from_float ? instruction.type : TypeIdOf(operand);
  if (ScalarKindOf(float_type) != Kind::kF32 || IsBfloat(float_type) ||
      ScalarKindOf(integer_type) != Kind::kI16) {
    return FailUsage("a conversion between what is no float of 32 bits and no integer of 16");
  }
  std::vector<Value> results;
  for (const Value value : ValuesOf(operand)) {
    results.push_back(is_from_float
                          ? BfloatBits(Emit(Opcode::kRoundToBfloat16, Kind::kF32, {value}))
                          : FromBfloatBits(value));
  }
  Bind(instruction.result, results);
}

bool Importer::ImportBfloat(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  switch (instruction.opcode) {
    case Op::kConvertFToBF16INTEL:
    case Op::kConvertBF16ToFINTEL:
      return ImportBfloatBits(instruction), true;
    case Op::kConvertSToF:
    case Op::kConvertUToF:
    case Op::kFConvert: {
      if (IsBfloat(instruction.type)) return ImportToBfloat(instruction), true;
      const bool is_exact = instruction.opcode == Op::kFConvert &&
                            IsBfloat(TypeIdOf(operands[0])) &&
                            ScalarKindOf(instruction.type) == Kind::kF32;
      if (is_exact) Bind(instruction.result, ValuesOf(operands[0]));
      return is_exact;
    }
    case Op::kDot: {
      if (!IsBfloat(instruction.type)) return false;
      ImportFloatDot(instruction);
      if (error_) return true;
      return BindOne(instruction.result,
                     Emit(Opcode::kRoundToBfloat16, Kind::kF32, {ValueOf(instruction.result)})),
             true;
    }
    case Op::kBitcast: {
      const bool from = IsBfloat(TypeIdOf(operands[0]));
      const bool to = IsBfloat(instruction.type);
      if (!from && !to) return false;
      std::vector<Value> values = ValuesOf(operands[0]);
      const int bits = from ? 16 : BitsOf(ScalarKindOf(TypeIdOf(operands[0])));
      if (from) {
        for (Value& value : values) value = BfloatBits(value);
      }
      const int to_bits = to ? 16 : BitsOf(ScalarKindOf(instruction.type));
      if (bits < 8 || to_bits < 8) return FailUsage("a cast of booleans"), true;
      if (bits != to_bits) values = Regrouped(values, bits, to_bits);
      if (to) {
        for (Value& value : values) value = FromBfloatBits(value);
      }
      if (values.size() != LeavesOf(instruction.type).size()) {
        return FailUsage("a cast between types of different sizes"), true;
      }
      Bind(instruction.result, values);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace assay::interp
