// Floats of eight bits (SPV_EXT_float8): in registers one is its bits.  The extension lets it be
// moved, converted and multiplied in matrices, and nothing else.
#include <algorithm>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::Decoration;
using frontend::FloatEncoding;

namespace {

// Of a float of 32 bits and one of eight.
struct Float8Layout {
  std::uint64_t mantissa_bits, rebias;  // of the exponent's fields
  std::uint64_t smallest_normal;        // as a float: where subnormal numbers end
  std::uint64_t per_unit;               // as a float: 1 / the smallest number
  std::uint64_t unit;                   // as a float: the smallest number
  std::uint64_t largest, nan;
  std::uint64_t overflow;  // what is too large becomes: NaN, or infinity
  std::uint64_t largest_float;
  std::uint64_t last;  // before the NaNs
};

Float8Layout LayoutOf(FloatEncoding encoding) {
  if (encoding == FloatEncoding::kE4m3) {
    return {3,
            127 - 7,
            0x3c800000 /* 2^-6 */,
            0x44000000 /* 2^9 */,
            0x3b000000,
            0x7e,
            0x7f,
            0x7f,
            0x43e00000 /* 448 */,
            0x7e};
  }
  return {2,
          127 - 15,
          0x38800000 /* 2^-14 */,
          0x47800000 /* 2^16 */,
          0x37800000,
          0x7b,
          0x7e,
          0x7c,
          0x47600000 /* 57344 */,
          0x7c};
}

}  // namespace

// The same number as a float; every NaN is the quiet one.
Value Importer::FromFloat8(Value bits, FloatEncoding encoding) {
  const Float8Layout layout = LayoutOf(encoding);
  const auto constant = [&](std::uint64_t value) { return Constant(Kind::kI32, value); };
  const auto emit = [&](Opcode opcode, Value x, Value y) {
    return Emit(opcode, Kind::kI32, {x, y});
  };
  const auto select = [&](Value condition, Value yes, Value no) {
    return Emit(Opcode::kSelect, Kind::kI32, {condition, yes, no});
  };
  const Value wide = Convert(Opcode::kUConvert, Kind::kI32, Kind::kI8, bits);
  const Value magnitude = emit(Opcode::kBitwiseAnd, wide, constant(0x7f));
  const Value sign = emit(Opcode::kShiftLeftLogical,
                          emit(Opcode::kBitwiseAnd, wide, constant(0x80)), constant(24));
  const Value normal =
      emit(Opcode::kIAdd,
           emit(Opcode::kShiftLeftLogical, magnitude, constant(23 - layout.mantissa_bits)),
           constant(layout.rebias << 23));
  const Value subnormal = Emit(Opcode::kFMul, Kind::kF32,
                               {Convert(Opcode::kConvertUToF, Kind::kF32, Kind::kI32, magnitude),
                                Constant(Kind::kF32, layout.unit)});
  const Value is_subnormal =
      emit(Opcode::kULessThan, magnitude, constant(std::uint64_t{1} << layout.mantissa_bits));
  Value number = select(is_subnormal, subnormal, normal);
  if (layout.overflow != layout.nan) {
    number = select(emit(Opcode::kIEqual, magnitude, constant(layout.overflow)),
                    constant(0x7f800000), number);
  }
  const Value is_nan = emit(Opcode::kUGreaterThan, magnitude, constant(layout.last));
  return select(is_nan, constant(0x7fc00000), emit(Opcode::kBitwiseOr, number, sign));
}

// Rounded to nearest even, from a float or double.
Value Importer::ToFloat8(Value value, Kind kind, FloatEncoding encoding, bool saturates) {
  const Float8Layout layout = LayoutOf(encoding);
  const auto constant = [&](std::uint64_t bits) { return Constant(Kind::kI32, bits); };
  const auto emit = [&](Opcode opcode, Value x, Value y) {
    return Emit(opcode, Kind::kI32, {x, y});
  };
  const auto select = [&](Value condition, Value yes, Value no) {
    return Emit(Opcode::kSelect, Kind::kI32, {condition, yes, no});
  };
  Value rounded =
      Emit(encoding == FloatEncoding::kE4m3 ? Opcode::kRoundToE4M3 : Opcode::kRoundToE5M2, kind,
           {value});
  // What is rounded is exact in a float, or far too large.
  if (kind != Kind::kF32) rounded = Convert(Opcode::kFConvert, Kind::kF32, kind, rounded);
  const Value magnitude = emit(Opcode::kBitwiseAnd, rounded, constant(0x7fffffff));
  const Value sign = emit(Opcode::kBitwiseAnd,
                          emit(Opcode::kShiftRightLogical, rounded, constant(24)), constant(0x80));
  const Value normal =
      emit(Opcode::kISub,
           emit(Opcode::kShiftRightLogical, magnitude, constant(23 - layout.mantissa_bits)),
           constant(layout.rebias << layout.mantissa_bits));
  // Bits of floats without a sign have the order of their numbers.
  const Value is_subnormal = emit(Opcode::kULessThan, magnitude, constant(layout.smallest_normal));
  const Value small = select(is_subnormal, magnitude, constant(0));
  const Value subnormal =
      Convert(Opcode::kConvertFToU, Kind::kI32, Kind::kF32,
              Emit(Opcode::kFMul, Kind::kF32, {small, Constant(Kind::kF32, layout.per_unit)}));
  Value bits = select(is_subnormal, subnormal, normal);
  bits = select(emit(Opcode::kUGreaterThan, magnitude, constant(layout.largest_float)),
                constant(saturates ? layout.largest : layout.overflow), bits);
  bits = emit(Opcode::kBitwiseOr, bits, sign);
  bits = select(emit(Opcode::kUGreaterThan, magnitude, constant(0x7f800000)), constant(layout.nan),
                bits);
  return Convert(Opcode::kUConvert, Kind::kI8, Kind::kI32, bits);
}

// Conversions from and to floats of eight bits; others are left to those after it.
bool Importer::ImportFloat8(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Op::kFConvert:
    case Op::kConvertFToS:
    case Op::kConvertFToU:
    case Op::kConvertSToF:
    case Op::kConvertUToF:
      break;
    default:
      return false;
  }
  const Id operand = module_.Operands(instruction)[0];
  const Type* from = ComponentOf(TypeIdOf(operand));
  const Type* to = ComponentOf(instruction.type);
  if (from == nullptr || to == nullptr || (!from->IsFloat8() && !to->IsFloat8())) return false;
  const bool is_from_integer = from->kind == frontend::TypeKind::kInteger;
  const Kind to_kind = KindOf(*to);
  const bool saturates_integer =
      module_.FindDecoration(instruction.result, Decoration::kSaturatedConversion) != nullptr;
  const auto rounding = DecoratedRounding(instruction);
  const auto usual = to->kind == frontend::TypeKind::kInteger ? numerics::Rounding::kRtz
                                                              : numerics::Rounding::kRte;
  if (saturates_integer || rounding.value_or(usual) != usual) {
    return FailUnsupported("a conversion of floats of eight bits with another rounding"), true;
  }
  const bool saturates =
      module_.FindDecoration(instruction.result,
                             Decoration::kSaturatedToLargestFloat8NormalConversionEXT) != nullptr;
  std::vector<Value> results;
  for (Value value : ValuesOf(operand)) {
    Kind kind = KindOf(*from);
    if (from->IsFloat8()) {
      value = FromFloat8(value, from->encoding);
      kind = Kind::kF32;
    } else if (is_from_integer) {
      const bool is_signed = instruction.opcode == Op::kConvertSToF;
      value =
          Convert(is_signed ? Opcode::kConvertSToF : Opcode::kConvertUToF, Kind::kF64, kind, value);
      kind = Kind::kF64;
    } else if (kind == Kind::kF16) {
      value = Convert(Opcode::kFConvert, Kind::kF32, kind, value);
      kind = Kind::kF32;
    }
    if (to->IsFloat8()) {
      results.push_back(ToFloat8(value, kind, to->encoding, saturates));
    } else if (to->kind == frontend::TypeKind::kInteger) {
      const bool is_signed = instruction.opcode == Op::kConvertFToS;
      results.push_back(
          Convert(is_signed ? Opcode::kConvertFToS : Opcode::kConvertFToU, to_kind, kind, value));
      CheckConversion(kind, to_kind, is_signed, value, results.back());
    } else {  // every number of eight bits is one of the others, too
      results.push_back(to_kind == kind ? value : Convert(Opcode::kFConvert, to_kind, kind, value));
    }
  }
  if (!error_) Bind(instruction.result, results);
  return true;
}

}  // namespace assay::interp
