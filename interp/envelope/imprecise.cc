#include "interp/envelope/imprecise.h"

#include <array>
#include <bit>
#include <span>

#include "interp/envelope/row_range.h"
#include "interp/execute/execute.h"
#include "interp/execute/register_bits.h"
#include "interp/execute/row_operation.h"
#include "interp/program/handlers.h"

namespace assay::interp {

using oracle::Range;

namespace {

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t Mixed(std::uint64_t state) {
  state += 0x9e3779b97f4a7c15;
  state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
  state = (state ^ state >> 27) * 0x94d049bb133111eb;
  return state ^ state >> 31;
}
std::uint64_t HashOf(std::uint64_t seed, std::uint64_t operation,
                     std::span<const std::uint64_t> operands) {
  std::uint64_t hash = Mixed(seed ^ Mixed(operation));
  for (const std::uint64_t operand : operands) hash = Mixed(hash ^ operand);
  return hash;
}

}  // namespace

Imprecision::Imprecision(const Program& program, const EnvelopeOptions& options)
    : program_(program), options_(options), contraction_(options.ChoiceOf("contraction")) {
  for (const MathCall& call : program.math_calls) {
    choices_.push_back(options.ChoiceOf(call.operation.Name()));
    if (options.sites != nullptr) options.sites->Add(call.operation.Name());
    enclosures_.push_back(
        std::make_unique<oracle::Enclosure>(call.operation, options.For(call.operation)));
  }
}

numerics::Bits Imprecision::Choose(Choice choice, numerics::ScalarType type, const Range& range,
                                   std::uint64_t hash, numerics::Bits nominal) {
  // Where everything is allowed, what the run computes is, too.
  if (range.kind == Range::Kind::kPoint || range.kind == Range::Kind::kAnything ||
      choice == Choice::kNominal) {
    return nominal;
  }
  const bool is_random = choice == Choice::kRandom;
  const bool highest = choice == Choice::kHighest;
  if (!numerics::IsFloating(type)) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - numerics::WidthOf(type));
    const std::uint64_t count = ((range.high - range.low) & mask) + 1;
    if (!is_random) return highest ? range.high : range.low;
    return (range.low + (count == 0 ? hash : hash % count)) & mask;
  }
  const numerics::Format format = numerics::FormatOf(type);
  if (numerics::IsNan(format, range.low)) return nominal;
  const std::int64_t low = numerics::OrderedIndex(format, range.low);
  const std::int64_t high = numerics::OrderedIndex(format, range.high);
  if (!is_random) return highest ? range.high : range.low;
  const std::uint64_t count =
      static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  return numerics::FromOrderedIndex(
      format, low + static_cast<std::int64_t>(count == 0 ? hash : hash % count));
}

void Imprecision::Math(Batch& batch, const FlatInstruction& in) {
  const MathCall& call = program_.math_calls[in.immediate];
  const auto types = call.operation.ResultTypes();
  const std::uint32_t* arguments = &program_.extra[in.extra];
  const std::uint32_t* results = arguments + 1 + arguments[0];
  const auto count = static_cast<std::size_t>(std::popcount(batch.active));
  std::vector<Range> args(arguments[0] * count), made(types.size() * count);
  std::vector<std::uint64_t> hashes(count);
  std::vector<std::uint64_t> row(arguments[0]);
  std::size_t item = 0;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1, ++item) {
    const int lane = std::countr_zero(rest);
    for (std::uint32_t i = 0; i < arguments[0]; ++i) {
      row[i] = Read(batch.registers, arguments[1 + i], call.argument_bytes[i], lane);
      args[i * count + item] = Range::Point(row[i]);
    }
    const auto operation = static_cast<std::uint64_t>(call.operation.function) * 8 +
                           static_cast<std::uint64_t>(call.operation.format);
    hashes[item] = HashOf(options_.seed, operation, row);
  }
  enclosures_[in.immediate]->Evaluate(args, count, made);
  EvaluateMath(batch, in);  // what is no range
  item = 0;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1, ++item) {
    const int lane = std::countr_zero(rest);
    for (std::uint32_t r = 0; r < results[0]; ++r) {
      const std::uint32_t bytes = call.result_bytes[r];
      const std::uint64_t nominal = Read(batch.registers, results[1 + r], bytes, lane);
      Write(batch.registers, results[1 + r], bytes, lane,
            Choose(choices_[in.immediate], types[r], made[r * count + item],
                   Mixed(hashes[item] + r), nominal));
    }
  }
}

// With one rounding or two, as the instruction is: a compiler decides once.
void Imprecision::Contracted(Batch& batch, const FlatInstruction& in, Kind kind, bool of_two) {
  const std::uint32_t bytes = BytesOf(kind);
  if (options_.sites != nullptr) options_.sites->Add("contraction");
  const std::uint64_t way = contraction_ == Choice::kRandom
                                ? Mixed(options_.seed ^ Mixed(in.place)) % 3
                            : contraction_ == Choice::kHighest ? 1
                                                               : 0;
  const std::uint32_t registers[] = {in.a, in.b, in.c, in.extra};
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::array<std::uint64_t, 4> x{};
    for (int i = 0; i < (of_two ? 4 : 3); ++i) {
      x[static_cast<std::size_t>(i)] = Read(batch.registers, registers[i], bytes, lane);
    }
    const auto row = [&](Opcode opcode, std::initializer_list<std::uint64_t> operands) {
      return ComputeRow(opcode, kind, std::vector<std::uint64_t>(operands));
    };
    std::uint64_t result = 0;
    if (!of_two) {
      result = way == 0 ? row(Opcode::kMultiplyAdd, {x[0], x[1], x[2]})
                        : row(Opcode::kFusedMultiplyAdd, {x[0], x[1], x[2]});
    } else if (way == 0) {
      result = row(Opcode::kMultiplyAddTwo, {x[0], x[1], x[2], x[3]});
    } else if (way == 1) {
      result = row(Opcode::kFusedMultiplyAdd, {x[0], x[1], row(Opcode::kFMul, {x[2], x[3]})});
    } else {
      result = row(Opcode::kFusedMultiplyAdd, {x[2], x[3], row(Opcode::kFMul, {x[0], x[1]})});
    }
    Write(batch.registers, in.result, bytes, lane, result);
  }
}

// --- what programs name -----------------------------------------------------------------------

void ImpreciseMath(Batch& batch, const FlatInstruction& in) {
  batch.worker->watchers().imprecision()->Math(batch, in);
}
void ImpreciseContraction(Batch& batch, const FlatInstruction& in) {
  // The immediate: EncodeContraction.
  batch.worker->watchers().imprecision()->Contracted(
      batch, in, static_cast<Kind>(in.immediate & 0xff), (in.immediate >> 8) != 0);
}

}  // namespace assay::interp
