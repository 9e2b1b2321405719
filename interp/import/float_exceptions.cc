// Beside operations on floats, for the detector float-exceptions: where NaNs and infinities are
// born, by their kind, and where sums cancel.
#include <algorithm>
#include <cmath>

#include "interp/import/import.h"

namespace assay::interp {

using frontend::OpenClStd;

namespace {

enum class Birth : std::uint8_t { kOverflow, kPole, kQuotient };

// What an infinity is, of finite operands.
Birth BirthOf(OpenClStd function) {
  switch (function) {
    case OpenClStd::kNativeDivide:
    case OpenClStd::kHalfDivide:
      return Birth::kQuotient;
    case OpenClStd::kExp:
    case OpenClStd::kExp2:
    case OpenClStd::kExp10:
    case OpenClStd::kExpm1:
    case OpenClStd::kHalfExp:
    case OpenClStd::kHalfExp2:
    case OpenClStd::kHalfExp10:
    case OpenClStd::kNativeExp:
    case OpenClStd::kNativeExp2:
    case OpenClStd::kNativeExp10:
    case OpenClStd::kCosh:
    case OpenClStd::kSinh:
    case OpenClStd::kFma:
    case OpenClStd::kMad:
    case OpenClStd::kFdim:
    case OpenClStd::kHypot:
    case OpenClStd::kLdexp:
    case OpenClStd::kMix:
    case OpenClStd::kDegrees:
    case OpenClStd::kCross:
    case OpenClStd::kDistance:
    case OpenClStd::kLength:
    case OpenClStd::kFastDistance:
    case OpenClStd::kFastLength:
    case OpenClStd::kNextafter:
      return Birth::kOverflow;
    default:
      return Birth::kPole;
  }
}

Birth BirthOf(frontend::Op opcode) {
  return opcode == frontend::Op::kFDiv ? Birth::kQuotient : Birth::kOverflow;
}

}  // namespace

// A zero, and a NaN where an operand is a NaN, or where one is not finite.
Value Importer::NanWhere(Kind kind, std::span<const Value> operands, bool is_finite) {
  Value sum = Constant(kind, 0);
  for (const Value operand : operands) {
    const Kind own = graph_.values[operand].kind;
    Value one = kNoValue;
    if (is_finite) {
      one = Emit(Opcode::kFMul, own, {operand, Constant(own, 0)});
    } else {
      const Value is_number = Emit(Opcode::kFOrdEqual, own, {operand, operand});
      const numerics::Format format = FormatOf(own);
      one = Emit(Opcode::kSelect, own,
                 {is_number, Constant(own, 0), Constant(own, numerics::QuietNan(format))});
    }
    if (own != kind) one = Convert(Opcode::kFConvert, kind, own, one);
    sum = Emit(Opcode::kFAdd, kind, {sum, one});
  }
  return sum;
}

void Importer::CheckCancellation(Value result, Value first, Value second) {
  const Kind kind = graph_.values[result].kind;
  const numerics::Format format = FormatOf(kind);
  // A half has no smaller number than 2^-24.
  const int bits = static_cast<int>(
      std::min<std::uint32_t>(context_.cancellation_bits, kind == Kind::kF16 ? 24 : 1000));
  const Value part = Constant(
      kind, numerics::FromDouble(
                format, std::ldexp(1.0, kind == Kind::kF32 ? std::max(-bits, -149) : -bits)));
  const Value larger =
      Emit(Opcode::kFmax, kind,
           {Emit(Opcode::kFabs, kind, {first}), Emit(Opcode::kFabs, kind, {second})});
  CheckNow(Check::kFloatCancellation, kind, {result, larger, part});
}

void Importer::CheckFloatExceptions(const Instruction& instruction, Value result,
                                    std::span<const Value> operands) {
  const Kind kind = graph_.values[result].kind;
  const bool is_function = instruction.opcode == Op::kExtInst;
  const auto function =
      is_function ? static_cast<OpenClStd>(module_.Operands(instruction)[1]) : OpenClStd{};
  const Birth birth = is_function ? BirthOf(function) : BirthOf(instruction.opcode);
  const bool is_pole = birth == Birth::kPole;
  if (operands.empty()) return CheckNow(Check::kFloatOverflowOfNothing, kind, {result});
  const bool is_one_kind = std::ranges::all_of(
      operands, [&](Value operand) { return graph_.values[operand].kind == kind; });
  if (is_one_kind && operands.size() == 1) {
    CheckNow(Check::kFloatNanOfOne, kind, {result, operands[0]});
    CheckNow(is_pole ? Check::kFloatInfinityOfOne : Check::kFloatOverflowOfOne, kind,
             {result, operands[0]});
  } else if (is_one_kind && operands.size() == 2) {
    CheckNow(Check::kFloatNanOfTwo, kind, {result, operands[0], operands[1]});
    CheckNow(birth == Birth::kQuotient ? Check::kFloatOverflowOfQuotient
             : is_pole                 ? Check::kFloatInfinityOfTwo
                                       : Check::kFloatOverflowOfTwo,
             kind, {result, operands[0], operands[1]});
    if (birth == Birth::kQuotient) {
      CheckNow(Check::kFloatDivisionByZero, kind, {result, operands[0], operands[1]});
    }
  } else {
    CheckNow(Check::kFloatNanOfMany, kind, {result, NanWhere(kind, operands, false)});
    CheckNow(is_pole ? Check::kFloatInfinityOfMany : Check::kFloatOverflowOfMany, kind,
             {result, NanWhere(kind, operands, true)});
  }
  if (instruction.opcode == Op::kFAdd || instruction.opcode == Op::kFSub) {
    CheckCancellation(result, operands[0], operands[1]);
  } else if (is_function && is_one_kind && operands.size() == 3 &&
             (function == OpenClStd::kFma || function == OpenClStd::kMad)) {
    CheckCancellation(result, Emit(Opcode::kFMul, kind, {operands[0], operands[1]}), operands[2]);
  }
}

}  // namespace assay::interp
