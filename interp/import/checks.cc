// Checks beside instructions, for detectors: what the specification leaves undefined.
#include <algorithm>

#include "interp/import/import.h"
#include "interp/rules/check.h"

namespace assay::interp {

using frontend::Decoration;
using frontend::OpenClStd;

bool Importer::IsWatched(Check check) const { return context_.detectors.Has(DetectorOf(check)); }

// The behaviour is undefined where the check is met.
void Importer::CheckNow(Check check, Kind kind, std::initializer_list<Value> operands) {
  if (!IsWatched(check) || error_) return;
  result_.checks.push_back({.check = check, .kind = kind});
  Emit(Opcode::kCheck, kind, operands, result_.checks.size() - 1);
}

// The values are undefined where the check is met.
void Importer::CheckValue(Check check, Kind kind, std::initializer_list<Value> operands,
                          std::span<const Value> values) {
  if (!IsWatched(check) || error_ || values.empty()) return;
  result_.checks.push_back({.check = check,
                            .kind = kind,
                            .poisons = true,
                            .poisoned_bytes = BytesOf(graph_.values[values[0]].kind),
                            .poisoned_count = static_cast<std::uint32_t>(values.size())});
  std::vector<Value> all(values.begin(), values.end());
  all.insert(all.end(), operands.begin(), operands.end());
  const std::uint32_t place =
      EmitMany(Opcode::kCheckValue, kind, all, result_.checks.size() - 1, {});
  graph_.instructions[place].checked = static_cast<std::uint32_t>(values.size());
}

namespace {

bool IsConstant(const Graph& graph, Value value, std::uint64_t* bits) {
  *bits = graph.values[value].bits;
  return graph.values[value].value_kind == ValueKind::kConstant;
}

}  // namespace

// One component of an instruction that is a row of interp/program/operations.def.
void Importer::CheckElement(const Instruction& instruction, Opcode opcode, Kind kind,
                            std::span<const Value> row, Value result) {
  if (!context_.detectors.Has(Detector::kArithmetic)) return;
  const std::span<const Value> values(&result, 1);
  std::uint64_t bits = 0;
  const auto decorated = [&](Decoration decoration) {
    return instruction.result != 0 &&
           module_.FindDecoration(instruction.result, decoration) != nullptr;
  };
  const auto wraps = [&](Check is_signed, Check is_unsigned) {
    if (decorated(Decoration::kNoSignedWrap)) {
      CheckValue(is_signed, kind, {row[0], row[1]}, values);
    }
    if (decorated(Decoration::kNoUnsignedWrap)) {
      CheckValue(is_unsigned, kind, {row[0], row[1]}, values);
    }
  };
  // SPV_KHR_poison_freeze: with its execution mode the result is poison, and nobody may need it.
  const auto check_division = [&](Check check) {
    const bool is_poison =
        std::ranges::find(module_.capabilities, frontend::Capability::kPoisonFreezeKHR) !=
        module_.capabilities.end();
    if (is_poison) return CheckValue(check, kind, {row[0], row[1]}, values);
    CheckNow(check, kind, {row[0], row[1]});
  };
  switch (TraitsOf(opcode).checked) {
    case Checked::kNone:
      return;
    case Checked::kSignedDivision:
      if (!IsConstant(graph_, row[1], &bits) || bits == MaskOf(kind)) {
        check_division(Check::kDivisionOverflow);
      }
      [[fallthrough]];
    case Checked::kDivision:
      if (!IsConstant(graph_, row[1], &bits) || bits == 0) {
        check_division(Check::kDivisionByZero);
      }
      return;
    case Checked::kShiftLeft:
      wraps(Check::kShiftSignedWrap, Check::kShiftUnsignedWrap);
      [[fallthrough]];
    case Checked::kShift:
      // OpenCL C takes the amount modulo the width (6.5), and what its compilers make of rotations
      // relies on that.
      if (module_.debug_info.is_opencl_c) return;
      if (!IsConstant(graph_, row[1], &bits) || bits >= static_cast<unsigned>(BitsOf(kind))) {
        CheckValue(Check::kShiftRange, kind, {row[0], row[1]}, values);
      }
      return;
    case Checked::kFieldInsert:
      return CheckValue(Check::kFieldRange, kind, {row[2], row[3]}, values);
    case Checked::kFieldExtract:
      return CheckValue(Check::kFieldRange, kind, {row[1], row[2]}, values);
    case Checked::kAddWrap:
      return wraps(Check::kAddSignedWrap, Check::kAddUnsignedWrap);
    case Checked::kSubWrap:
      return wraps(Check::kSubSignedWrap, Check::kSubUnsignedWrap);
    case Checked::kMulWrap:
      return wraps(Check::kMulSignedWrap, Check::kMulUnsignedWrap);
    case Checked::kNegateWrap:
      if (decorated(Decoration::kNoSignedWrap)) {
        CheckValue(Check::kNegateWrap, kind, {row[0]}, values);
      }
      return;
    case Checked::kFloatClamp:
      return CheckValue(Check::kFloatClampOrder, kind, {row[1], row[2]}, values);
    case Checked::kSignedClamp:
      return CheckValue(Check::kSignedClampOrder, kind, {row[1], row[2]}, values);
    case Checked::kUnsignedClamp:
      return CheckValue(Check::kUnsignedClampOrder, kind, {row[1], row[2]}, values);
    case Checked::kCommonNan:
      CheckValue(Check::kCommonNan, kind, {row[0]}, values);
      return CheckValue(Check::kCommonNan, kind, {row[1]}, values);
  }
}

// FPFastMathMode: NotNaN and NotInf are promises about operands and results (SPIR-V 3.15).
void Importer::CheckFastMath(const Instruction& instruction) {
  if (!context_.detectors.Has(Detector::kArithmetic) || instruction.result == 0) return;
  const auto* use = module_.FindDecoration(instruction.result, Decoration::kFPFastMathMode);
  const auto found = instance_->values.find(instruction.result);
  if (use == nullptr || found == instance_->values.end()) return;
  const auto words = module_.Slice(use->operands);
  const Word mode = words.empty() ? 0 : words[0];
  if ((mode & 3) == 0) return;
  const std::vector<Value> results = ValuesOf(instruction.result);
  const bool is_float = !results.empty() && IsFloat(graph_.values[results[0]].kind);
  const auto check = [&](Value value) {
    const Kind kind = graph_.values[value].kind;
    if (!IsFloat(kind)) return;
    if ((mode & 1) != 0) CheckValue(Check::kNotNan, kind, {value}, results);
    if ((mode & 2) != 0) CheckValue(Check::kNotInfinite, kind, {value}, results);
  };
  for (const Value value : results) check(value);
  // A result that is a number shows that the operands are, but of a quotient or a remainder: that
  // of a number and an infinity is one.
  const bool may_hide = instruction.opcode == Op::kExtInst || instruction.opcode == Op::kFDiv ||
                        instruction.opcode == Op::kFRem || instruction.opcode == Op::kFMod;
  if (is_float && !may_hide) return;
  const auto operands = module_.Operands(instruction);
  for (std::size_t i = instruction.opcode == Op::kExtInst ? 2 : 0; i < operands.size(); ++i) {
    if (module_.TypeOf(operands[i]) == 0 || error_) continue;
    for (const Value value : ValuesOf(operands[i])) check(value);
  }
}

// Domains of functions of OpenCL.std.
void Importer::CheckDomain(OpenClStd number, Kind kind,
                           const std::vector<std::vector<Value>>& columns,
                           std::span<const Value> results) {
  if (!context_.detectors.Has(Detector::kArithmetic)) return;
  for (std::size_t part = 0; part < results.size(); ++part) {
    const auto at = [&](std::size_t column) {
      return columns[column][columns[column].size() == 1 ? 0 : part];
    };
    const std::span<const Value> value = results.subspan(part, 1);
    switch (number) {
      case OpenClStd::kMix:
        CheckValue(Check::kMixRange, kind, {at(2)}, value);
        break;
      case OpenClStd::kSmoothstep:
        CheckValue(Check::kSmoothstepDomain, kind, {at(0), at(1), at(2)}, value);
        break;
      case OpenClStd::kHalfCos:
      case OpenClStd::kHalfSin:
      case OpenClStd::kHalfTan:
        CheckValue(Check::kHalfRange, kind, {at(0)}, value);
        break;
      case OpenClStd::kPow:
        if (context_.unsafe_math) CheckValue(Check::kPowDomain, kind, {at(0), at(1)}, value);
        break;
      case OpenClStd::kPowr:
        if (context_.unsafe_math) CheckValue(Check::kPowrDomain, kind, {at(0), at(1)}, value);
        break;
      case OpenClStd::kPown:
      case OpenClStd::kRootn: {
        if (!context_.unsafe_math) break;
        const Kind integer = graph_.values[at(1)].kind;
        const Value exponent = Convert(Opcode::kConvertSToF, kind, integer, at(1));
        if (number == OpenClStd::kPown) {
          CheckValue(Check::kPownDomain, kind, {at(0), exponent}, value);
          break;
        }
        const Value low = Emit(Opcode::kBitwiseAnd, integer, {at(1), Constant(integer, 1)});
        const Value is_odd = Convert(Opcode::kConvertSToF, kind, integer, low);
        CheckValue(Check::kRootnDomain, kind, {at(0), exponent, is_odd}, value);
        break;
      }
      case OpenClStd::kFastNormalize: {
        Value sum = kNoValue;
        for (const Value component : columns[0]) {
          const Value square = Emit(Opcode::kFMul, kind, {component, component});
          sum = sum == kNoValue ? square : Emit(Opcode::kFAdd, kind, {sum, square});
        }
        CheckValue(Check::kNormalizeOverflow, kind, {sum}, value);
        break;
      }
      default:
        return;
    }
  }
}

// A float that is converted to an integer it does not fit has no defined result.
void Importer::CheckConversion(Kind from, Kind to, bool is_signed, Value operand, Value result) {
  constexpr Check kSigned[] = {Check::kToSigned8, Check::kToSigned16, Check::kToSigned32,
                               Check::kToSigned64};
  constexpr Check kUnsigned[] = {Check::kToUnsigned8, Check::kToUnsigned16, Check::kToUnsigned32,
                                 Check::kToUnsigned64};
  const int width = BitsOf(to) == 8 ? 0 : BitsOf(to) == 16 ? 1 : BitsOf(to) == 32 ? 2 : 3;
  CheckValue(is_signed ? kSigned[width] : kUnsigned[width], from, {operand}, std::span(&result, 1));
}

// The alignment that an access through a pointer to the type must have, as its power of two: the
// operand Aligned where there is one, else the type's own.
void Importer::SetAccessAlignment(std::span<const Word> operands, std::size_t first, Id type,
                                  Id pointer) {
  access_alignment_ = 0;
  if (!context_.detectors.Has(Detector::kAlignment)) return;
  const Type* found = module_.types.Find(type);
  const std::uint64_t own = found == nullptr ? 1 : found->alignment;
  std::uint64_t alignment = own;
  if (first + 1 < operands.size() && (operands[first] & 2) != 0) alignment = operands[first + 1];
  // Of a cast pointer to a declared variable clang promises no more than the declaration does,
  // whatever the type wants.
  if (alignment < own && IsCastOfDeclared(pointer, own)) alignment = own;
  while (alignment > 1 && access_alignment_ < 63) {
    alignment /= 2;
    ++access_alignment_;
  }
}

}  // namespace assay::interp
