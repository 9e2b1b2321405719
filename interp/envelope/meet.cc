// Instructions that work-items execute one after the other, or together.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "interp/envelope/envelope.h"
#include "interp/envelope/integer_range.h"
#include "interp/envelope/row_range.h"
#include "interp/execute/register_bits.h"

namespace assay::interp {

using oracle::Open;
using oracle::Range;

namespace {

std::optional<Opcode> RowOfAtomic(frontend::Op opcode) {
  using frontend::Op;
  switch (opcode) {
    case Op::kAtomicIIncrement:
    case Op::kAtomicIAdd:
      return Opcode::kIAdd;
    case Op::kAtomicIDecrement:
    case Op::kAtomicISub:
      return Opcode::kISub;
    case Op::kAtomicSMin:
      return Opcode::kSMin;
    case Op::kAtomicUMin:
      return Opcode::kUMin;
    case Op::kAtomicSMax:
      return Opcode::kSMax;
    case Op::kAtomicUMax:
      return Opcode::kUMax;
    case Op::kAtomicAnd:
      return Opcode::kBitwiseAnd;
    case Op::kAtomicOr:
      return Opcode::kBitwiseOr;
    case Op::kAtomicXor:
      return Opcode::kBitwiseXor;
    case Op::kAtomicFMinEXT:
      return Opcode::kFmin;
    case Op::kAtomicFMaxEXT:
      return Opcode::kFmax;
    default:
      return std::nullopt;
  }
}

bool IsSumOfFloats(frontend::Op opcode) {
  return opcode == frontend::Op::kGroupFAdd || opcode == frontend::Op::kGroupNonUniformFAdd;
}
bool IsProductOfFloats(frontend::Op opcode) {
  return opcode == frontend::Op::kGroupFMulKHR || opcode == frontend::Op::kGroupNonUniformFMul;
}

double ValueOf(Kind kind, std::uint64_t bits) {
  if (kind == Kind::kF32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return numerics::ToDouble(FormatOf(kind), bits);
}

// The sums of numbers in any order: |computed - exact| <= (n - 1) u / (1 - (n - 1) u) times the
// sum of their magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 4.2), and
// underflow adds no error to a sum.
class SumInAnyOrder {
 public:
  explicit SumInAnyOrder(Kind kind) : kind_(kind) {}
  void Add(const Range& value) {
    ++count_;
    if (open_ != Open::kNot) return;
    if (value.kind == Range::Kind::kAnything) {
      open_ = Open::kOperand;
      return;
    }
    const double first = ValueOf(kind_, value.low), last = ValueOf(kind_, value.high);
    if (!std::isfinite(first) || !std::isfinite(last)) open_ = Open::kPole;
    low_ += first;
    high_ += last;
    magnitudes_ += std::max(std::fabs(first), std::fabs(last));
  }
  std::uint64_t count() const { return count_; }
  Range Take() const {
    if (open_ != Open::kNot) return Range::Anything(open_);
    const numerics::Format format = FormatOf(kind_);
    const double n = static_cast<double>(count_);
    const double unit = std::ldexp(1.0, -numerics::Traits(format).precision);
    // The sums here, in double, err by as much again of double's unit.
    const double error = (n * unit / (1 - n * unit) + n * 0x1p-51) * magnitudes_ * (1 + 0x1p-20);
    const auto index = [&](double value) {
      return numerics::OrderedIndex(format, numerics::FromDouble(format, value));
    };
    const auto infinity = static_cast<std::int64_t>(numerics::Infinity(format));
    return Range::Numbers(
        numerics::FromOrderedIndex(format, std::max(index(low_ - error) - 1, -infinity)),
        numerics::FromOrderedIndex(format, std::min(index(high_ + error) + 1, infinity)));
  }

 private:
  Kind kind_;
  std::uint64_t count_ = 0;
  Open open_ = Open::kNot;
  double low_ = 0, high_ = 0, magnitudes_ = 0;
};

}  // namespace

void Envelope::Meet(std::span<const SubgroupPart> parts, const FlatSync& sync) {
  if (sync.opcode == Opcode::kAtomic) {
    return Atomic(parts[0].running->batch, std::countr_zero(parts[0].lanes), sync);
  }
  if (sync.opcode == Opcode::kAsyncCopy || sync.opcode == Opcode::kPrintf) {
    // Where, and how much; what is printed is no result.
    Batch& batch = parts[0].running->batch;
    const int lane = std::countr_zero(parts[0].lanes);
    const bool looks = sync.opcode == Opcode::kAsyncCopy && (batch.envelope->lost >> lane & 1) == 0;
    for (std::size_t i = 0; i < sync.operands.size() && looks; ++i) {
      if (!Get(batch, {sync.operands[i], 8}, lane).IsPoint()) {
        TellAccess(batch, sync.instruction.place, lane);
      }
    }
    for (const SubgroupPart& part : parts) {
      Activate(*part.running, part.lanes);
      for (std::size_t r = 0; r < sync.results.size(); ++r) {
        Clear(part.running->batch, {sync.results[r], BytesOf(sync.result_kinds[r])});
      }
    }
    return;
  }
  if (sync.results.empty()) return;
  for (std::size_t r = 0; r < sync.results.size(); ++r) {
    const ShadowOperand result = {sync.results[r], BytesOf(sync.result_kinds[r])};
    const Range range = TogetherRange(parts, sync, r);
    for (const SubgroupPart& part : parts) {
      Batch& batch = part.running->batch;
      SetAll(batch, result, part.lanes, range);
      if (range.kind == Range::Kind::kAnything && range.open != Open::kOperand) {
        TellOpen(batch, sync.instruction.place, part.lanes, range.open, TraitsOf(sync.opcode).text);
      }
    }
  }
}

// What every work-item gets, without looking at which one it is.
Range Envelope::TogetherRange(std::span<const SubgroupPart> parts, const FlatSync& sync,
                              std::size_t result) const {
  const Program& program = *worker_.launch().program;
  frontend::Op combine{};
  std::uint32_t operation = 0;
  bool moves = false;
  if (sync.opcode == Opcode::kGroup) {
    const GroupCall& call = program.group_calls[sync.instruction.immediate];
    combine = call.opcode;
    operation = call.operation;
    moves = call.opcode == frontend::Op::kGroupBroadcast;
  } else if (sync.opcode == Opcode::kSubgroup) {
    const SubgroupCall& call = program.subgroup_calls[sync.instruction.immediate];
    combine = call.combine;
    operation = call.operation;
    moves = call.Moves();
    // How devices add the products of a matrix is open; integers have one sum.
    const Kind result_kind = sync.result_kinds[result];
    if (call.function == SubgroupFunction::kMatrixMultiply && result_kind != Kind::kI32 &&
        result_kind != Kind::kI64) {
      return Range::Anything(Open::kUnstated);
    }
  }
  const Kind kind = sync.result_kinds[result];
  const bool is_reduction =
      operation == static_cast<std::uint32_t>(frontend::GroupOperation::kReduce);
  const bool sums = IsSumOfFloats(combine);
  if ((sums && !is_reduction) || IsProductOfFloats(combine))
    return Range::Anything(Open::kUnstated);
  SumInAnyOrder sum(kind);
  std::vector<Range> values;
  bool are_points = true;
  const std::size_t operands = sync.operands.size() - sync.loop_operands;
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      for (std::size_t i = 0; i < operands; ++i) {
        const bool is_lost = (part.running->batch.envelope->lost >> lane & 1) != 0;
        const Range one = is_lost ? Range::Anything(Open::kOperand)
                                  : Get(part.running->batch,
                                        {sync.operands[i], BytesOf(sync.operand_kinds[i])}, lane);
        are_points = are_points && one.IsPoint();
        const bool is_value = sync.operand_kinds[i] == sync.result_kinds[result];
        if (!is_value || !(moves || i == result || operands == 1)) continue;
        if (sums) {
          sum.Add(one);
        } else if (moves) {
          values.push_back(one);
        }
      }
    }
  }
  if (sums) return sum.count() != 0 ? sum.Take() : Range::Anything(Open::kUnstated);
  // Of points the run has the only result.
  if (are_points) return Range::Point(0);
  if (!moves || values.empty()) return Range::Anything(Open::kUnstated);
  Range all = AsKind(values[0], IsFloat(kind), kind);
  for (const Range& one : values) all = Hull(ScalarOf(kind), all, AsKind(one, IsFloat(kind), kind));
  if (all.IsPoint() && IsFloat(kind)) all.kind = Range::Kind::kNumbers;
  return all;
}

void Envelope::Atomic(Batch& batch, int lane, const FlatSync& sync) {
  const AtomicCall& call = batch.program->atomic_calls[sync.instruction.immediate];
  const auto operand = [&](std::size_t i) {
    return Get(batch, {sync.operands[i], BytesOf(sync.operand_kinds[i])}, lane);
  };
  const bool is_lost = (batch.envelope->lost >> lane & 1) != 0;
  const Range address =
      is_lost ? Range::Point(Read(batch.registers, sync.operands[0], 8, lane)) : operand(0);
  const std::uint32_t bytes = BytesOf(sync.kind);
  const std::uint32_t place = sync.instruction.place;
  if (!address.IsPoint()) {
    TellAccess(batch, place, lane);
    if (!sync.results.empty()) {
      Set(batch, {sync.results[0], BytesOf(sync.result_kinds[0])}, lane,
          Range::Anything(Open::kOperand));
    }
    return;
  }
  if (call.opcode == frontend::Op::kMemoryBarrier) return;
  const AtomicOrder order = atomic_orders_[sync.instruction.immediate];
  const auto set_result = [&](const Range& range) {
    if (sync.results.empty()) return;
    Set(batch, {sync.results[0], BytesOf(sync.result_kinds[0])}, lane, range);
  };
  const bool is_load = call.opcode == frontend::Op::kAtomicLoad;
  if (order != AtomicOrder::kNothing) {
    // Who comes first decides: the run shows one order of many.
    set_result(Range::Anything(Open::kOperand));
    if (order == AtomicOrder::kMemory || !sync.results.empty()) {
      TellOpen(batch, place, std::uint64_t{1} << lane, Open::kOrder, "an atomic operation");
    }
  }
  if (order == AtomicOrder::kMemory) {
    if (is_load) return;
    return StoreRange(batch, lane, address.low, bytes, Range::Anything(Open::kOperand), 0);
  }
  const Range old = LoadRange(batch, lane, address.low, bytes);
  const bool is_store = call.opcode == frontend::Op::kAtomicStore;
  const bool replaces = is_store || call.opcode == frontend::Op::kAtomicExchange;
  const bool adds_floats = call.opcode == frontend::Op::kAtomicFAddEXT;
  const Range value = sync.operands.size() - sync.loop_operands > 1
                          ? operand(1)
                          : Range::Point(call.opcode == frontend::Op::kAtomicIDecrement ||
                                                 call.opcode == frontend::Op::kAtomicIIncrement
                                             ? 1
                                             : 0);
  if (order == AtomicOrder::kNothing) {
    set_result(adds_floats ? Range::Anything(Open::kUnstated) : old);
  }
  if (is_load) return;
  const auto after = [&]() -> Range {
    if (is_lost) return Range::Anything(Open::kOperand);
    if (replaces) return value;
    if (adds_floats) return Range::Anything(Open::kUnstated);
    if (old.IsPoint() && value.IsPoint()) return Range::Point(0);
    if (const auto row = RowOfAtomic(call.opcode)) {
      const bool is_float = IsFloat(sync.kind);
      const Range operands[] = {AsKind(old, is_float, sync.kind),
                                AsKind(value, is_float, sync.kind)};
      return RowRange(*row, sync.kind, operands, is_float && options_.Flushes(sync.kind));
    }
    return Range::Anything(Open::kUnstated);
  };
  const Range made = after();
  if (made.kind == Range::Kind::kAnything && made.open != Open::kOperand) {
    TellOpen(batch, place, std::uint64_t{1} << lane, made.open, "an atomic operation");
  }
  // A point is the run's own value, whatever that is.
  StoreRange(batch, lane, address.low, bytes, made, made.low);
}

void Envelope::Copied(Batch& batch, int lane, Address target, Address source, std::uint64_t bytes) {
  if (records_.has_some) CopyBytes(batch, lane, target, source, bytes);
}

}  // namespace assay::interp
