// Beside operations on floats, for the detectors nan and float-exceptions: a result that is a NaN
// or an infinity though no operand is one.
#include "interp/import/import.h"

namespace assay::interp {

using frontend::OpenClStd;

namespace {

// Whether components of a result come of the operands' components at their places only.
enum class Reach : std::uint8_t { kNone, kComponent, kWhole };

Reach ReachOf(OpenClStd function) {
  switch (function) {
    case OpenClStd::kCross:
    case OpenClStd::kNormalize:
    case OpenClStd::kFastNormalize:
      return Reach::kWhole;  // others of this kind have one result
    case OpenClStd::kSelect:
    case OpenClStd::kBitselect:
    case OpenClStd::kVloadn:
    case OpenClStd::kVloadHalf:
    case OpenClStd::kVloadHalfn:
    case OpenClStd::kVloadaHalfn:
      return Reach::kNone;  // what is there already is moved
    default:
      return Reach::kComponent;
  }
}

// Operations: what only moves values makes none, and what other work-items give has its origin
// there.
Reach ReachOf(frontend::Op opcode) {
  using frontend::Op;
  switch (opcode) {
    case Op::kFAdd:
    case Op::kFSub:
    case Op::kFMul:
    case Op::kFDiv:
    case Op::kFRem:
    case Op::kFMod:
    case Op::kVectorTimesScalar:
    case Op::kDot:
    case Op::kFConvert:
    case Op::kConvertSToF:
    case Op::kConvertUToF:
      return Reach::kComponent;
    default:
      return Reach::kNone;
  }
}

}  // namespace

void Importer::CheckNanOrigin(const Instruction& instruction) {
  const bool is_on =
      context_.detectors.Has(Detector::kNan) || context_.detectors.Has(Detector::kFloatExceptions);
  if (!is_on || instruction.result == 0) return;
  // Where the module promises that there is none it is no matter of origins (CheckFastMath).
  const auto* promise =
      module_.FindDecoration(instruction.result, frontend::Decoration::kFPFastMathMode);
  const auto modes =
      promise == nullptr ? std::span<const Word>() : module_.Slice(promise->operands);
  const bool is_promised = !modes.empty() && (modes[0] & 3) == 3;
  if (is_promised && context_.detectors.Has(Detector::kArithmetic)) return;
  auto operands = module_.Operands(instruction);
  Reach reach = ReachOf(instruction.opcode);
  if (instruction.opcode == Op::kExtInst) {
    reach = ReachOf(static_cast<OpenClStd>(operands[1]));
    operands = operands.subspan(2);
  }
  if (reach == Reach::kNone || !instance_->values.contains(instruction.result)) return;
  const std::vector<Value> results = ValuesOf(instruction.result);
  if (error_ || results.empty() || !IsFloat(graph_.values[results[0]].kind)) return;
  std::vector<std::vector<Value>> columns;
  for (const Word operand : operands) {
    if (module_.TypeOf(operand) == 0) continue;  // a literal
    std::vector<Value> column = ValuesOf(operand);
    if (error_) return;
    if (!column.empty() && IsFloat(graph_.values[column[0]].kind)) {
      columns.push_back(std::move(column));
    }
  }
  for (std::size_t part = 0; part < results.size(); ++part) {
    std::vector<Value> values;
    for (const std::vector<Value>& column : columns) {
      const bool is_own = reach == Reach::kComponent && column.size() == results.size();
      if (is_own) {
        values.push_back(column[part]);
      } else {
        values.insert(values.end(), column.begin(), column.end());
      }
    }
    if (context_.detectors.Has(Detector::kNan)) CheckNanOrigin(results[part], values);
    if (context_.detectors.Has(Detector::kFloatExceptions)) {
      CheckFloatExceptions(instruction, results[part], values);
    }
  }
}

void Importer::CheckNanOrigin(Value result, std::span<const Value> operands) {
  const Kind kind = graph_.values[result].kind;
  bool is_one_kind = true;
  for (const Value operand : operands) is_one_kind &= graph_.values[operand].kind == kind;
  if (operands.empty()) return CheckNow(Check::kNanOfNothing, kind, {result});
  if (is_one_kind && operands.size() == 1) {
    return CheckNow(Check::kNanOfOne, kind, {result, operands[0]});
  }
  if (is_one_kind && operands.size() == 2) {
    return CheckNow(Check::kNanOfTwo, kind, {result, operands[0], operands[1]});
  }
  // The sum of their products with zero is a number if and only if all are.
  Value sum = kNoValue;
  for (const Value operand : operands) {
    const Kind own = graph_.values[operand].kind;
    Value product = Emit(Opcode::kFMul, own, {operand, Constant(own, 0)});
    if (own != kind) product = Convert(Opcode::kFConvert, kind, own, product);
    sum = sum == kNoValue ? product : Emit(Opcode::kFAdd, kind, {sum, product});
  }
  CheckNow(Check::kNanOfMany, kind, {result, sum});
}

}  // namespace assay::interp
