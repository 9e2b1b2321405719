#include "interp/envelope/plan.h"

#include "interp/envelope/row_range.h"

namespace assay::interp {

namespace {

using Way = EnvelopePlan::Way;

bool IsLogic(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLogicalEqual:
    case Opcode::kLogicalNotEqual:
    case Opcode::kLogicalOr:
    case Opcode::kLogicalAnd:
    case Opcode::kLogicalNot:
      return true;
    default:
      return false;
  }
}

EnvelopeFunctions ColumnsOf(const EnvelopeStep& step, const Program& program,
                            const EnvelopeOptions& options) {
  if (step.opcode == Opcode::kFConvert) {
    if (program.controls.host.rounding != numerics::Rounding::kRte) return nullptr;
    return Columns().find_conversion(step.from, step.kind,
                                     options.Flushes(step.from) || options.Flushes(step.kind));
  }
  // Of the embedded profile's mad nothing is known.
  if (step.opcode == Opcode::kMad && options.profile != oracle::Profile::kFull) return nullptr;
  if (step.result_count != 1 || step.operand_count > EnvelopeColumns::kMost) return nullptr;
  return IsFloat(step.kind) ? Columns().find(step.opcode, step.kind, options.Flushes(step.kind))
                            : nullptr;
}

}  // namespace

EnvelopePlan PlanOf(const EnvelopeStep& step, const Program& program,
                    const EnvelopeOptions& options) {
  switch (step.opcode) {
    case Opcode::kLoad:
    case Opcode::kLoadMany:
      return {.way = Way::kLoad};
    case Opcode::kStore:
    case Opcode::kStoreMany:
      return {.way = Way::kStore};
    case Opcode::kCopyMemory:
      return {.way = Way::kCopyMemory};
    case Opcode::kEnterVariable:
      return {.way = Way::kEnterVariable};
    case Opcode::kMath:
      return {.way = Way::kMath};
    case Opcode::kImageRead:
      return {.way = Way::kReadImage};
    case Opcode::kImageWrite:
      return {.way = Way::kWriteImage};
    default:
      break;
  }
  if (step.result_count == 0) return {};
  if (step.opcode == Opcode::kCopy || step.opcode == Opcode::kFreeze) return {.way = Way::kMove};
  if (step.opcode == Opcode::kSelect) return {.way = Way::kSelect};
  if (IsLogic(step.opcode)) return {.way = Way::kLogic};
  if (step.opcode == Opcode::kOffset || step.opcode == Opcode::kIndex ||
      step.opcode == Opcode::kIndex32) {
    return {.way = Way::kAddress};
  }
  if (step.opcode == Opcode::kConvertFToS || step.opcode == Opcode::kConvertFToU) {
    const EnvelopeFunctions columns = Columns().find_truncation(
        step.from, step.kind, step.opcode == Opcode::kConvertFToS, options.Flushes(step.from));
    if (columns != nullptr) return {.way = Way::kTruncation, .columns = columns};
  }
  if (const EnvelopeFunctions columns = ColumnsOf(step, program, options)) {
    const bool compares = ResultKind(step.opcode, step.kind) == Kind::kBool;
    return {.way = compares ? Way::kComparison : Way::kArithmetic, .columns = columns};
  }
  return {.way = Way::kLanes, .always = IsContraction(step.opcode) || MakesNumbers(step.opcode)};
}

}  // namespace assay::interp
