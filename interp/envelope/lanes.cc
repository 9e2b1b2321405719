// Ranges of single lanes, for what is not computed for many at once.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "interp/envelope/envelope.h"
#include "interp/envelope/integer_range.h"
#include "interp/envelope/row_range.h"
#include "interp/execute/running_batch.h"
#include "numerics/fast_path.h"
#include "numerics/function.h"

namespace assay::interp {

using oracle::Open;
using oracle::Range;

void Envelope::Compute(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                       std::uint64_t lanes) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const ShadowOperand* results = operands + step.operand_count;
  std::vector<Range> row(step.operand_count), made(step.result_count);
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (std::uint32_t i = 0; i < step.operand_count; ++i) row[i] = Get(batch, operands[i], lane);
    for (std::uint32_t r = 0; r < step.result_count; ++r) {
      made[r] = ResultOf(batch, in, step, row, r);
      // Which NaN it is, is open (OpenCL C 7.3): its bits as an integer are not known.
      const bool is_nan = MakesNumbers(step.opcode) && made[r].IsPoint() && IsFloat(step.kind) &&
                          numerics::IsNan(FormatOf(step.kind), made[r].low);
      if (is_nan) made[r].kind = Range::Kind::kNumbers;
    }
    for (std::uint32_t r = 0; r < step.result_count; ++r) {
      Set(batch, results[r], lane, made[r]);
      if (made[r].kind == Range::Kind::kAnything && made[r].open != Open::kOperand) {
        TellOpen(batch, in.place, std::uint64_t{1} << lane, made[r].open, "");
      }
    }
  }
  worker_.Spend(32 * CountLanes(lanes));
}

Range Envelope::Chosen(Kind kind, const Range& which, std::span<const Range> from) const {
  if (which.IsPoint()) return from[std::min<std::size_t>(which.low, from.size() - 1)];
  std::optional<Range> all;
  for (const Range& one : from) {
    const Range taken = AsKind(one, IsFloat(kind), kind);
    all = all ? Hull(ScalarOf(kind), *all, taken) : taken;
  }
  return *all;
}

Range Envelope::Converted(const Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                          const Range& operand) const {
  const Kind kind = step.kind;
  const numerics::Rounding host = batch.program->controls.host.rounding;
  const auto signed_type = [](Kind of) {
    return static_cast<numerics::ScalarType>(static_cast<int>(ScalarOf(of)) - 1);
  };
  switch (step.opcode) {
    case Opcode::kUConvert:
    case Opcode::kSConvert: {
      const bool is_signed = step.opcode == Opcode::kSConvert && step.from != Kind::kBool;
      const Range from = AsKind(operand, false, step.from);
      return ConvertRange(is_signed ? signed_type(step.from) : ScalarOf(step.from), ScalarOf(kind),
                          from, numerics::Rounding::kRtz, false, false);
    }
    case Opcode::kConvertFToU:
    case Opcode::kConvertFToS:
      return ConvertRange(ScalarOf(step.from),
                          step.opcode == Opcode::kConvertFToS ? signed_type(kind) : ScalarOf(kind),
                          AsKind(operand, true, step.from), numerics::Rounding::kRtz, false,
                          options_.Flushes(step.from));
    case Opcode::kConvertSToF:
    case Opcode::kConvertUToF:
      return ConvertRange(
          step.opcode == Opcode::kConvertSToF ? signed_type(step.from) : ScalarOf(step.from),
          ScalarOf(kind), AsKind(operand, false, step.from), host, false, false);
    case Opcode::kFConvert:
      return ConvertRange(ScalarOf(step.from), ScalarOf(kind), AsKind(operand, true, step.from),
                          host, false, options_.Flushes(step.from) || options_.Flushes(kind));
    case Opcode::kConvertExactly: {
      const Conversion conversion = DecodeConversion(in.immediate);
      const bool from_float = numerics::IsFloating(conversion.from);
      const auto flushes = [&](numerics::ScalarType type) {
        return numerics::IsFloating(type) && options_.Flushes(FloatKind(numerics::WidthOf(type)));
      };
      return ConvertRange(conversion.from, conversion.to, AsKind(operand, from_float, step.from),
                          conversion.rounding, conversion.saturate,
                          flushes(conversion.from) || flushes(conversion.to));
    }
    default:
      return Range::Anything(Open::kUnstated);
  }
}

Range Envelope::ResultOf(const Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                         std::span<const Range> operands, std::uint32_t result) const {
  const Kind kind = step.kind;
  switch (step.opcode) {
    case Opcode::kCopy:
    case Opcode::kFreeze:
      return operands[0];
    case Opcode::kSelect: {
      const Range values[] = {operands[2], operands[1]};
      return Chosen(kind, operands[0], values);
    }
    case Opcode::kExtractDynamic:
      return Chosen(kind, operands[0], operands.subspan(1));
    case Opcode::kInsertDynamic: {
      const Range& kept = operands[2 + result];
      if (operands[0].IsPoint()) return operands[0].low == result ? operands[1] : kept;
      const Range values[] = {operands[1], kept};
      return Chosen(kind, Range::Integers(0, 1), values);
    }
    case Opcode::kOffset:
      return SumOfAddresses(operands[0], Range::Point(in.immediate), 1);
    case Opcode::kIndex:
      return SumOfAddresses(operands[0], operands[1], in.immediate);
    case Opcode::kIndex32: {
      const Range wide = ConvertRange(numerics::ScalarType::kInt, numerics::ScalarType::kLong,
                                      operands[1], numerics::Rounding::kRtz, false, false);
      return SumOfAddresses(operands[0], wide, in.immediate);
    }
    case Opcode::kUConvert:
    case Opcode::kSConvert:
    case Opcode::kConvertFToU:
    case Opcode::kConvertFToS:
    case Opcode::kConvertSToF:
    case Opcode::kConvertUToF:
    case Opcode::kFConvert:
    case Opcode::kConvertExactly:
      return Converted(batch, in, step, operands[0]);
    default:
      break;
  }
  const bool is_row = step.opcode >= Opcode::kSNegate && step.opcode < Opcode::kCount;
  if (!is_row || operands.size() > 4) {
    const bool are_points =
        std::ranges::all_of(operands, [](const Range& range) { return range.IsPoint(); });
    return are_points ? Range::Point(0) : Range::Anything(Open::kUnstated);
  }
  std::array<Range, 4> taken;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    taken[i] = AsKind(operands[i], IsFloat(kind), kind);
  }
  const auto row = std::span<const Range>(taken).first(operands.size());
  const bool flushes = IsFloat(kind) && options_.Flushes(kind);
  if (step.opcode == Opcode::kMad && options_.profile == oracle::Profile::kEmbedded) {
    return Range::Anything(Open::kNoLimit);
  }
  if (step.opcode == Opcode::kMultiplyAdd || step.opcode == Opcode::kMad) {
    return ContractedRange(kind, row, flushes);
  }
  if (step.opcode == Opcode::kMultiplyAddTwo) return ContractedSum(kind, row, flushes);
  return RowRange(step.opcode, kind, row, flushes);
}

// --- built-ins --------------------------------------------------------------------------------

const oracle::Enclosure& Envelope::EnclosureOf(std::uint64_t math_call) {
  std::unique_ptr<oracle::Enclosure>& enclosure = enclosures_[math_call];
  if (enclosure == nullptr) {
    const numerics::Operation& operation =
        worker_.launch().program->math_calls[math_call].operation;
    enclosure = std::make_unique<oracle::Enclosure>(operation, options_.For(operation));
  }
  return *enclosure;
}

EnvelopePlan Envelope::PlanOfMath(std::uint64_t math_call) {
  const numerics::Operation& operation = worker_.launch().program->math_calls[math_call].operation;
  EnvelopePlan plan{.way = EnvelopePlan::Way::kMath};
  const oracle::Enclosure::Facts facts = EnclosureOf(math_call).FactsOf();
  if (facts.is_open) return {.way = EnvelopePlan::Way::kOpen};
  if (operation.kind != numerics::OperationKind::kBuiltin) return plan;
  const bool is_float = operation.format == numerics::Format::kFloat;
  if (!is_float && operation.format != numerics::Format::kDouble) return plan;
  const Kind kind = is_float ? Kind::kF32 : Kind::kF64;
  if (facts.is_rounded) {
    using enum numerics::Function;
    const bool divides = operation.function == div;
    if (divides || operation.function == sqrt) {
      plan.columns =
          Columns().find(divides ? Opcode::kFDiv : Opcode::kSqrt, kind, options_.Flushes(kind));
    }
    return plan;
  }
  // In quarters of an ulp, which the columns take exactly.
  constexpr double kMost = 16;
  const bool is_ulp =
      facts.ulp && *facts.ulp <= kMost && 4 * *facts.ulp == std::floor(4 * *facts.ulp);
  if (!is_float) {
    if (!is_ulp || *facts.ulp != std::floor(*facts.ulp) || *facts.ulp == 0) return plan;
    plan.function = FindDoubleEnds(operation.function);
    plan.error = static_cast<std::uint64_t>(*facts.ulp);
    return plan;
  }
  if (!(is_ulp || facts.absolute)) return plan;
  plan.function = Columns().find_math(operation.function, operation.components,
                                      facts.absolute.has_value(), options_.Flushes(kind));
  plan.error = is_ulp ? static_cast<std::uint64_t>(*facts.ulp * 0x1p29) : 0;
  plan.absolute = facts.absolute.value_or(0);
  if (plan.function != nullptr || !is_ulp) return plan;
  const auto types = operation.ArgumentTypes();
  const bool are_floats = std::ranges::all_of(
      types, [](numerics::ScalarType type) { return type == numerics::ScalarType::kFloat; });
  if (!are_floats || operation.ResultCount() != 1) return plan;
  plan.path = numerics::FindFastPath(operation.function, operation.format);
  if (plan.path != nullptr) {
    plan.function = FindPathEnds(operation.function, static_cast<std::uint32_t>(types.size()));
  }
  return plan;
}

void Envelope::Math(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                    std::uint64_t lanes) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const ShadowOperand* results = operands + step.operand_count;
  const MathCall& call = batch.program->math_calls[in.immediate];
  const auto types = call.operation.ArgumentTypes(), result_types = call.operation.ResultTypes();
  const auto count = static_cast<std::size_t>(CountLanes(lanes));
  std::vector<Range> args(step.operand_count * count);
  // The enclosure has all results of the function; the instruction those that are used.
  const auto made_count = static_cast<std::size_t>(call.operation.ResultCount());
  std::vector<Range> made(made_count * count);
  std::size_t item = 0;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1, ++item) {
    const int lane = std::countr_zero(rest);
    for (std::uint32_t i = 0; i < step.operand_count; ++i) {
      const bool is_float = numerics::IsFloating(types[i]);
      const int width = numerics::WidthOf(types[i]);
      args[i * count + item] = AsKind(Get(batch, operands[i], lane), is_float,
                                      is_float ? FloatKind(width) : IntegerKind(width));
    }
  }
  worker_.Spend(64 * count);
  EnclosureOf(in.immediate).Evaluate(args, count, made);
  item = 0;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1, ++item) {
    const int lane = std::countr_zero(rest);
    for (std::uint32_t r = 0; r < step.result_count; ++r) {
      Range range = made[r * count + item];
      const bool is_nan = range.IsPoint() && numerics::IsFloating(result_types[r]) &&
                          numerics::IsNan(numerics::FormatOf(result_types[r]), range.low);
      if (is_nan) range.kind = Range::Kind::kNumbers;  // any NaN
      Set(batch, results[r], lane, range);
      if (range.kind == Range::Kind::kAnything && range.open != Open::kOperand) {
        TellOpen(batch, in.place, std::uint64_t{1} << lane, range.open, NameOf(in, step));
      }
    }
  }
}

}  // namespace assay::interp
