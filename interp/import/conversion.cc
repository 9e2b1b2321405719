// Conversions between types, and casts.
#include <fmt/format.h>

#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::Decoration;
using frontend::TypeKind;
using numerics::Rounding;
using numerics::ScalarType;

namespace {

ScalarType IntegerType(Kind kind, bool is_signed) {
  if (kind == Kind::kI8) return is_signed ? ScalarType::kChar : ScalarType::kUchar;
  if (kind == Kind::kI16) return is_signed ? ScalarType::kShort : ScalarType::kUshort;
  if (kind == Kind::kI32) return is_signed ? ScalarType::kInt : ScalarType::kUint;
  return is_signed ? ScalarType::kLong : ScalarType::kUlong;
}
ScalarType FloatType(Kind kind) { return numerics::ScalarTypeOf(FormatOf(kind)); }

}  // namespace

Value Importer::Convert(Opcode opcode, Kind to, Kind from, Value value) {
  if (to == from && (opcode == Opcode::kUConvert || opcode == Opcode::kSConvert)) return value;
  return Emit(opcode, to, {value}, 0, from);
}

Value Importer::ConvertExactly(Value value, ScalarType from, ScalarType to,
                               std::optional<Rounding> rounding, bool saturate) {
  const auto kind_of = [](ScalarType type) {
    return numerics::IsFloating(type) ? FloatKind(numerics::WidthOf(type))
                                      : IntegerKind(numerics::WidthOf(type));
  };
  return Emit(Opcode::kConvertExactly, kind_of(to), {value},
              EncodeConversion({from, to, rounding.value_or(Rounding::kRte), saturate}),
              kind_of(from));
}

void Importer::ConvertEach(const Instruction& instruction, Id operand, Opcode opcode) {
  const Kind from = ScalarKindOf(TypeIdOf(operand));
  const Kind to = ScalarKindOf(instruction.type);
  std::vector<Value> results;
  for (const Value value : ValuesOf(operand)) results.push_back(Convert(opcode, to, from, value));
  Bind(instruction.result, results);
}

std::optional<Rounding> Importer::DecoratedRounding(const Instruction& instruction) const {
  const auto* use = module_.FindDecoration(instruction.result, Decoration::kFPRoundingMode);
  if (use == nullptr) return std::nullopt;
  const auto words = module_.Slice(use->operands);
  return words.empty() || words[0] > 3 ? std::nullopt
                                       : std::optional(static_cast<Rounding>(words[0]));
}

void Importer::ConvertEachExactly(const Instruction& instruction, ScalarType from, ScalarType to,
                                  Rounding rounding, bool saturate) {
  std::vector<Value> results;
  for (const Value value : ValuesOf(module_.Operands(instruction)[0])) {
    results.push_back(ConvertExactly(value, from, to, rounding, saturate));
  }
  Bind(instruction.result, results);
}

void Importer::ImportFloatToInteger(const Instruction& instruction, bool is_signed) {
  const auto operands = module_.Operands(instruction);
  const Kind to = ScalarKindOf(instruction.type);
  const bool saturate =
      module_.FindDecoration(instruction.result, Decoration::kSaturatedConversion) != nullptr;
  const Rounding rounding = DecoratedRounding(instruction).value_or(Rounding::kRtz);
  const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
  if (saturate || rounding != Rounding::kRtz) {
    return ConvertEachExactly(instruction, FloatType(from), IntegerType(to, is_signed), rounding,
                              saturate);
  }
  ConvertEach(instruction, operands[0], is_signed ? Opcode::kConvertFToS : Opcode::kConvertFToU);
  if (error_) return;
  const std::vector<Value> sources = ValuesOf(operands[0]);
  const std::vector<Value> results = ValuesOf(instruction.result);
  for (std::size_t i = 0; i < sources.size() && i < results.size(); ++i) {
    CheckConversion(from, to, is_signed, sources[i], results[i]);
  }
}

void Importer::ImportToFloat(const Instruction& instruction, Opcode opcode) {
  const auto operands = module_.Operands(instruction);
  const Kind to = ScalarKindOf(instruction.type);
  const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
  const Rounding rounding =
      DecoratedRounding(instruction).value_or(context_.controls->Of(to).rounding);
  const bool widens = opcode == Opcode::kFConvert && BytesOf(to) > BytesOf(from);
  if (!widens &&
      (rounding != Rounding::kRte || context_.controls->host.rounding != Rounding::kRte)) {
    const ScalarType source =
        IsFloat(from) ? FloatType(from) : IntegerType(from, opcode == Opcode::kConvertSToF);
    return ConvertEachExactly(instruction, source, FloatType(to), rounding, false);
  }
  ConvertEach(instruction, operands[0], opcode);
}

void Importer::ImportToInteger(const Instruction& instruction, bool is_signed) {
  const auto operands = module_.Operands(instruction);
  if (module_.FindDecoration(instruction.result, Decoration::kSaturatedConversion) != nullptr) {
    const Kind to = ScalarKindOf(instruction.type);
    const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
    return ConvertEachExactly(instruction, IntegerType(from, is_signed), IntegerType(to, is_signed),
                              Rounding::kRtz, true);
  }
  ConvertEach(instruction, operands[0], is_signed ? Opcode::kSConvert : Opcode::kUConvert);
}

void Importer::ImportSaturation(const Instruction& instruction, bool from_signed) {
  const Kind to = ScalarKindOf(instruction.type);
  const Kind from = ScalarKindOf(TypeIdOf(module_.Operands(instruction)[0]));
  ConvertEachExactly(instruction, IntegerType(from, from_signed), IntegerType(to, !from_signed),
                     Rounding::kRtz, true);
}

void Importer::ImportForgedPointer(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind to = ScalarKindOf(instruction.type);
  const Value integer = ValueOf(operands[0]);
  if (error_) return;
  const Value address =
      Convert(Opcode::kUConvert, to, ScalarKindOf(TypeIdOf(operands[0])), integer);
  BindOne(instruction.result, CheckForged(instruction, integer, address));
}

// The bits of the values in scalars of another width, the low ones first.
std::vector<Value> Importer::Regrouped(std::span<const Value> values, int from_bits, int to_bits) {
  const Kind from_integer = IntegerKind(from_bits);
  const Kind to_integer = IntegerKind(to_bits);
  std::vector<Value> results;
  if (from_bits > to_bits) {
    for (const Value value : values) {
      for (int shift = 0; shift < from_bits; shift += to_bits) {
        const Value part = shift == 0 ? value
                                      : Emit(Opcode::kShiftRightLogical, from_integer,
                                             {value, Constant(from_integer, std::uint64_t(shift))});
        results.push_back(Convert(Opcode::kUConvert, to_integer, from_integer, part));
      }
    }
    return results;
  }
  const auto ratio = static_cast<std::size_t>(to_bits / from_bits);
  for (std::size_t i = 0; i + ratio <= values.size(); i += ratio) {
    Value joined = Convert(Opcode::kUConvert, to_integer, from_integer, values[i]);
    for (std::size_t k = 1; k < ratio; ++k) {
      const Value part = Convert(Opcode::kUConvert, to_integer, from_integer, values[i + k]);
      const Value amount = Constant(to_integer, k * std::uint64_t(from_bits));
      joined = Emit(Opcode::kBitwiseOr, to_integer,
                    {joined, Emit(Opcode::kShiftLeftLogical, to_integer, {part, amount})});
    }
    results.push_back(joined);
  }
  return results;
}

// OpBitcast where one side is a pointer: an address is as wide as the module says, the other side a
// number of any width or a vector of integers.
void Importer::ImportPointerCast(const Instruction& instruction, std::span<const Value> values) {
  const Id source = TypeIdOf(module_.Operands(instruction)[0]);
  const bool from_pointer = module_.types.Find(source)->kind == TypeKind::kPointer;
  const bool to_pointer = module_.types.Find(instruction.type)->kind == TypeKind::kPointer;
  if (from_pointer && to_pointer) {
    Bind(instruction.result, values);
    return;
  }
  const int bits = static_cast<int>(module_.PointerBytes()) * 8;
  const Kind to = ScalarKindOf(instruction.type);
  const Kind from = ScalarKindOf(source);
  const auto count = LeavesOf(instruction.type).size();
  const Kind number = IntegerKind(bits);
  if (from_pointer) {
    if (count == 1)
      return BindOne(instruction.result, Convert(Opcode::kUConvert, to, from, values[0]));
    const Value address = Convert(Opcode::kUConvert, number, from, values[0]);
    const auto parts = Regrouped({&address, 1}, bits, BitsOf(to));
    if (parts.size() != count) return FailUsage("a cast between types of different sizes");
    Bind(instruction.result, parts);
    return;
  }
  Value joined = values[0];
  Kind joined_kind = from;
  if (values.size() > 1) {
    const auto whole = Regrouped(values, BitsOf(from), bits);
    if (whole.size() != 1 || BitsOf(from) * static_cast<int>(values.size()) != bits)
      return FailUsage("a cast between types of different sizes");
    joined = whole[0];
    joined_kind = number;
  }
  const Value address = Convert(Opcode::kUConvert, to, joined_kind, joined);
  BindOne(instruction.result, CheckForged(instruction, joined, address));
}

// The same bits, in as many scalars as the result has.
void Importer::ImportBitcast(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  const Kind to = ScalarKindOf(instruction.type);
  InheritIndices(operands[0], instruction.result);
  const std::vector<Value> values = ValuesOf(operands[0]);
  if (error_) return;
  const Type& from_type = TypeOfValue(operands[0]);
  const Type& to_type = *module_.types.Find(instruction.type);
  const Kind from = ScalarKindOf(TypeIdOf(operands[0]));
  if (from == Kind::kBool || to == Kind::kBool) return FailUsage("a cast of booleans");
  if (from_type.kind == TypeKind::kPointer || to_type.kind == TypeKind::kPointer) {
    return ImportPointerCast(instruction, values);
  }
  const std::vector<Value> results =
      BitsOf(from) == BitsOf(to) ? values : Regrouped(values, BitsOf(from), BitsOf(to));
  if (results.size() != LeavesOf(instruction.type).size()) {
    return FailUsage("a cast between types of different sizes");
  }
  Bind(instruction.result, results);
}

bool Importer::ImportConversion(const Instruction& instruction) {
  const auto operands = module_.Operands(instruction);
  switch (instruction.opcode) {
    case Op::kConvertFToU:
      return ImportFloatToInteger(instruction, false), true;
    case Op::kConvertFToS:
      return ImportFloatToInteger(instruction, true), true;
    case Op::kConvertSToF:
      return ImportToFloat(instruction, Opcode::kConvertSToF), true;
    case Op::kConvertUToF:
      return ImportToFloat(instruction, Opcode::kConvertUToF), true;
    case Op::kFConvert:
      return ImportToFloat(instruction, Opcode::kFConvert), true;
    case Op::kUConvert:
      return ImportToInteger(instruction, false), true;
    case Op::kSConvert:
      return ImportToInteger(instruction, true), true;
    case Op::kSatConvertSToU:
      return ImportSaturation(instruction, true), true;
    case Op::kSatConvertUToS:
      return ImportSaturation(instruction, false), true;
    case Op::kConvertPtrToU:
      return ConvertEach(instruction, operands[0], Opcode::kUConvert), true;
    case Op::kConvertUToPtr:
      return ImportForgedPointer(instruction), true;
    case Op::kGenericCastToPtr:
      InheritIndices(operands[0], instruction.result);
      BindOne(instruction.result, CheckCast(instruction, ValueOf(operands[0])));
      return true;
    case Op::kPtrCastToGeneric:
      InheritIndices(operands[0], instruction.result);
      Bind(instruction.result, ValuesOf(operands[0]));
      return true;
    case Op::kGenericCastToPtrExplicit:
      BindOne(instruction.result, Emit(Opcode::kCastToSpace, Kind::kI64, {ValueOf(operands[0])},
                                       operands.size() > 1 ? operands[1] : 0));
      return true;
    case Op::kGenericPtrMemSemantics:
      BindOne(instruction.result,
              Emit(Opcode::kMemorySemantics, Kind::kI32, {ValueOf(operands[0])}));
      return true;
    case Op::kBitcast:
      return ImportBitcast(instruction), true;
    default:
      return false;
  }
}

}  // namespace assay::interp
