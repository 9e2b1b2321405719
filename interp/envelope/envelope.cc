#include "interp/envelope/envelope.h"

#include <algorithm>
#include <bit>

#include "interp/envelope/integer_range.h"
#include "interp/execute/lane_bits.h"
#include "interp/execute/running_batch.h"

namespace assay::interp {

using oracle::Open;
using oracle::Range;

oracle::JudgeOptions EnvelopeOptions::For(const numerics::Operation& operation) const {
  oracle::JudgeOptions options{.profile = profile};
  const auto keeps = [&](numerics::ScalarType type) {
    return type == numerics::ScalarType::kHalf    ? keeps_subnormal_halfs
           : type == numerics::ScalarType::kFloat ? keeps_subnormal_floats
                                                  : true;
  };
  options.build = build;
  options.denormals = keeps(operation.Inputs()[0].type);
  options.result_denormals = keeps(operation.Outputs()[0].type);
  return options;
}

Envelope::Envelope(Worker* worker, const EnvelopeOptions& options)
    : worker_(*worker), options_(options), records_(*worker->launch().envelope_records) {
  atomic_orders_ = FindAtomicOrders(worker->launch());
  const Program& program = *worker->launch().program;
  enclosures_.resize(program.math_calls.size());
  for (const MathCall& call : program.math_calls) math_names_.push_back(call.operation.Name());
  plans_.reserve(program.envelope_steps.size());
  for (std::size_t i = 0; i < program.envelope_steps.size(); ++i) {
    const EnvelopeStep& step = program.envelope_steps[i];
    plans_.push_back(step.opcode == Opcode::kMath ? PlanOfMath(program.code[i].immediate)
                                                  : PlanOf(step, program, options));
  }
  local_.Reserve(worker->launch().memory->regions().size());
}

void Envelope::Attach(RunningBatch* running) {
  const Program& program = *running->batch.program;
  running->envelope = std::make_unique<EnvelopeBatch>();
  EnvelopeBatch& kept = *running->envelope;
  kept.low.resize(program.register_bytes);
  kept.high.resize(program.register_bytes);
  for (auto* lanes : {&kept.wide, &kept.odd, &kept.anything}) {
    lanes->resize(program.register_bytes / 64 + 1);
  }
  kept.frames.resize(program.variables.size());
  running->batch.envelope = &kept;
}

void Envelope::BeginGroup() {
  if (worker_.launch().local_objects.empty()) return;
  for (const LaunchState::LocalObject& object : worker_.launch().local_objects) {
    EnvelopeRecord* record =
        local_.Find(object.address >> worker_.launch().memory->layout().place_bits);
    if (record != nullptr) std::ranges::fill(record->tags, std::uint8_t{0});
  }
}

void Envelope::Begin(Batch& batch) {
  EnvelopeBatch& kept = *batch.envelope;
  std::ranges::fill(kept.wide, std::uint64_t{0});
  kept.lost = 0;
}

// --- registers --------------------------------------------------------------------------------

Range Envelope::Get(const Batch& batch, const ShadowOperand& operand, int lane) const {
  const EnvelopeBatch& kept = *batch.envelope;
  const std::size_t place = EnvelopeBatch::RegisterOf(operand.offset);
  const auto element = static_cast<std::size_t>(lane) * operand.bytes + operand.offset;
  if ((kept.wide[place] >> lane & 1) == 0) {
    return Range::Point(ReadBits(batch.registers + element, operand.bytes));
  }
  if ((kept.anything[place] >> lane & 1) != 0) return Range::Anything(Open::kOperand);
  const std::uint64_t low = ReadBits(kept.low.data() + element, operand.bytes);
  const std::uint64_t high = ReadBits(kept.high.data() + element, operand.bytes);
  return (kept.odd[place] >> lane & 1) != 0 ? Range::Integers(low, high)
                                            : Range::Numbers(low, high);
}

void Envelope::Set(Batch& batch, const ShadowOperand& result, int lane, const Range& range) const {
  SetAll(batch, result, std::uint64_t{1} << lane, range);
}

void Envelope::SetAll(Batch& batch, const ShadowOperand& result, std::uint64_t lanes,
                      const Range& range) const {
  EnvelopeBatch& kept = *batch.envelope;
  const EnvelopeTag tag = TagOf(range);
  kept.Assign(result.offset, ~lanes, tag != EnvelopeTag::kPoint ? lanes : 0,
              tag > EnvelopeTag::kNumbers ? lanes : 0, tag == EnvelopeTag::kAnything ? lanes : 0);
  if (tag == EnvelopeTag::kPoint || tag == EnvelopeTag::kAnything) return;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const std::size_t element = lane * result.bytes + result.offset;
    WriteBits(kept.low.data() + element, result.bytes, range.low);
    WriteBits(kept.high.data() + element, result.bytes, range.high);
  }
}

void Envelope::Clear(Batch& batch, const ShadowOperand& result) const {
  std::uint64_t& wide = batch.envelope->wide[EnvelopeBatch::RegisterOf(result.offset)];
  if (wide != 0) wide &= KeptBy(batch);
}

void Envelope::Move(Batch& batch, const ShadowOperand& from, const ShadowOperand& to,
                    std::uint64_t lanes) const {
  EnvelopeBatch& kept = *batch.envelope;
  const std::size_t place = EnvelopeBatch::RegisterOf(from.offset);
  lanes &= kept.wide[place];
  if (lanes == 0) return Clear(batch, to);
  for (auto* ends : {&kept.low, &kept.high}) {
    Columns().move(ends->data() + to.offset, ends->data() + from.offset, to.bytes, batch.lanes,
                   lanes);
  }
  kept.Assign(to.offset, KeptBy(batch), lanes, kept.odd[place] & lanes,
              kept.anything[place] & lanes);
}

void Envelope::SetOpen(Batch& batch, const ShadowOperand& result, std::uint64_t open,
                       std::uint64_t kept_lanes) const {
  EnvelopeBatch& kept = *batch.envelope;
  kept.Assign(result.offset, kept_lanes, open, open, 0);
  if (open == 0) return;
  for (std::uint32_t i = 0; i < batch.lanes; ++i) {
    if ((kept_lanes >> i & 1) != 0) continue;
    kept.low[result.offset + i] = std::byte{0};
    kept.high[result.offset + i] = std::byte{1};
  }
}

// --- instructions -----------------------------------------------------------------------------

namespace {

using Way = EnvelopePlan::Way;

// Whether some of the lanes have no points in a register.
bool AreWide(const EnvelopeBatch& kept, std::span<const ShadowOperand> operands,
             std::uint64_t lanes) {
  std::uint64_t wide = 0;
  for (const ShadowOperand& operand : operands) wide |= kept.Wide(operand.offset);
  return (wide & lanes) != 0;
}

}  // namespace

void Envelope::Before(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const EnvelopePlan& plan = plans_[&step - batch.program->envelope_steps.data()];
  if (plan.way == Way::kNothing) return;
  // What a lane computes whose path is open is not looked at any more; what it stores is.
  if (plan.way == Way::kStore) return Store(batch, in, step);
  if (plan.way == Way::kCopyMemory) return Copy(batch, in, step);
  if (plan.way == Way::kWriteImage) return WriteImage(batch, in, step);
  const std::uint64_t lanes = batch.active & ~batch.envelope->lost;
  if (lanes != 0) Follow(batch, in, step, plan, lanes);
}

void Envelope::Follow(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step,
                      const EnvelopePlan& plan, std::uint64_t lanes) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  std::uint64_t rest = lanes;  // to be looked at one by one
  switch (plan.way) {
    case Way::kArithmetic:
    case Way::kComparison:
    case Way::kTruncation:
      rest = Arithmetic(batch, in, step, plan, lanes);
      break;
    case Way::kMove:
      return Move(batch, operands[0], operands[1], lanes);
    case Way::kOpen:
      for (std::uint32_t i = 0; i < step.result_count; ++i) {
        batch.envelope->Assign(operands[step.operand_count + i].offset, KeptBy(batch), lanes, lanes,
                               lanes);
        TellOpen(batch, in.place, lanes, Open::kNoLimit, NameOf(in, step));
      }
      return;
    case Way::kLoad:
      return Load(batch, in, step, lanes);
    case Way::kEnterVariable:
      return Enter(batch, in, lanes);
    case Way::kReadImage:
      return ReadImage(batch, in, step, lanes);
    case Way::kMath:
      if (plan.columns != nullptr || plan.function != nullptr) {
        worker_.Spend(8 * static_cast<std::uint64_t>(batch.lanes));
        rest = Arithmetic(batch, in, step, plan, lanes);
      }
      if (rest != 0) Math(batch, in, step, rest);
      return;
    case Way::kNothing:
    case Way::kSelect:
    case Way::kLogic:
    case Way::kAddress:
    case Way::kLanes:
    case Way::kStore:
    case Way::kCopyMemory:
    case Way::kWriteImage:
      if (!plan.always && !AreWide(*batch.envelope, {operands, step.operand_count}, lanes)) {
        for (std::uint32_t i = 0; i < step.result_count; ++i) {
          Clear(batch, operands[step.operand_count + i]);
        }
        return;
      }
      if (plan.way == Way::kSelect) rest = Select(batch, step, lanes);
      if (plan.way == Way::kLogic) rest = Logic(batch, step, lanes);
      if (plan.way == Way::kAddress) rest = AddToAddress(batch, in, step, lanes);
  }
  if (rest != 0) Compute(batch, in, step, rest);
}

std::uint64_t Envelope::Select(Batch& batch, const EnvelopeStep& step, std::uint64_t lanes) const {
  EnvelopeBatch& kept = *batch.envelope;
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const ShadowOperand& result = operands[3];
  const std::uint64_t rest = kept.Wide(operands[0].offset) & lanes;
  const std::uint64_t first = BitsOfBooleans(batch.registers + operands[0].offset, batch.lanes);
  const std::uint64_t chosen[] = {first & lanes & ~rest, ~first & lanes & ~rest};
  std::uint64_t wide = 0, odd = 0, anything = 0;
  for (int i = 0; i < 2; ++i) {
    const ShadowOperand& from = operands[1 + i];
    const std::uint64_t own = kept.Wide(from.offset) & chosen[i];
    if (own == 0) continue;
    for (auto* ends : {&kept.low, &kept.high}) {
      Columns().move(ends->data() + result.offset, ends->data() + from.offset, result.bytes,
                     batch.lanes, own);
    }
    const std::size_t place = EnvelopeBatch::RegisterOf(from.offset);
    wide |= own;
    odd |= kept.odd[place] & own;
    anything |= kept.anything[place] & own;
  }
  kept.Assign(result.offset, KeptBy(batch) | rest, wide, odd, anything);
  return rest;
}

// Booleans that may be either.
std::uint64_t Envelope::Logic(Batch& batch, const EnvelopeStep& step, std::uint64_t lanes) const {
  const EnvelopeBatch& kept = *batch.envelope;
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  std::uint64_t open[2] = {}, known[2] = {}, rest = 0;
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    const std::size_t place = EnvelopeBatch::RegisterOf(operands[i].offset);
    open[i] = kept.wide[place];
    known[i] = BitsOfBooleans(batch.registers + operands[i].offset, batch.lanes) & ~open[i];
    rest |= open[i] & (kept.anything[place] | ~kept.odd[place]) & lanes;
  }
  std::uint64_t made = open[0] | open[1];
  // A known value of one operand may decide.
  if (step.opcode == Opcode::kLogicalAnd) {
    made &= (open[0] | known[0]) & (open[1] | known[1]);
  } else if (step.opcode == Opcode::kLogicalOr) {
    made &= ~known[0] & ~known[1];
  }
  SetOpen(batch, operands[step.operand_count], made & lanes & ~rest, KeptBy(batch) | rest);
  return rest;
}

// a + b * scale of addresses, modulo 2^64.
std::uint64_t Envelope::AddToAddress(Batch& batch, const FlatInstruction& in,
                                     const EnvelopeStep& step, std::uint64_t lanes) const {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const ShadowOperand& result = operands[step.operand_count];
  EnvelopeBatch& kept = *batch.envelope;
  std::uint64_t wide = 0, odd = 0, anything = 0;
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    const std::size_t place = EnvelopeBatch::RegisterOf(operands[i].offset);
    wide |= kept.wide[place];
    odd |= kept.wide[place] & kept.anything[place];
    odd |= kept.wide[place] & ~kept.odd[place];
  }
  // What is known of neither, and bits of numbers.
  const std::uint64_t rest = odd & lanes;
  wide &= lanes & ~rest;
  kept.Assign(result.offset, KeptBy(batch) | rest | wide, 0, 0, 0);
  for (std::uint64_t left = wide; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Range base = Get(batch, operands[0], lane);
    Range index = Range::Point(in.immediate);
    std::uint64_t scale = 1;
    if (step.opcode != Opcode::kOffset) {
      index = Get(batch, operands[1], lane);
      scale = in.immediate;
      if (step.opcode == Opcode::kIndex32) {
        const auto low = static_cast<std::int32_t>(index.low);
        const auto high = static_cast<std::int32_t>(index.high);
        if (low > high) anything |= std::uint64_t{1} << lane;
        index.low = static_cast<std::uint64_t>(std::int64_t{low});
        index.high = static_cast<std::uint64_t>(std::int64_t{high});
      }
    }
    Set(batch, result, lane,
        (anything >> lane & 1) != 0 ? Range::Anything(Open::kOperand)
                                    : SumOfAddresses(base, index, scale));
  }
  return rest;
}

std::string_view Envelope::NameOf(const FlatInstruction& in, const EnvelopeStep& step) const {
  if (step.opcode != Opcode::kMath) return "";
  return math_names_[in.immediate];
}

std::uint64_t Envelope::Arithmetic(Batch& batch, const FlatInstruction& in,
                                   const EnvelopeStep& step, const EnvelopePlan& plan,
                                   std::uint64_t lanes) {
  EnvelopeBatch& kept = *batch.envelope;
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const ShadowOperand* results = operands + step.operand_count;
  EnvelopeColumns columns;
  std::uint32_t set = 0;
  std::uint64_t odd = 0, anything = 0;
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    const std::uint32_t offset = operands[i].offset;
    const std::size_t place = EnvelopeBatch::RegisterOf(offset);
    const std::uint64_t wide = kept.wide[place] & lanes;
    columns.value[i] = batch.registers + offset;
    columns.low[i] = kept.low.data() + offset;
    columns.high[i] = kept.high.data() + offset;
    columns.wide[i] = wide;
    set |= std::uint32_t{wide != 0} << i;
    odd |= kept.odd[place] & wide;
    anything |= kept.anything[place] & wide;
  }
  const EnvelopeFunction function = plan.function != nullptr ? plan.function : plan.columns[set];
  if (function == nullptr) {
    Clear(batch, results[0]);
    return 0;
  }
  // Of anything nothing becomes known; integers are looked at by themselves.
  std::uint64_t rest = odd & ~anything;
  const std::uint64_t other = KeptBy(batch);
  columns.count = batch.lanes;
  columns.lanes = lanes & ~odd;
  columns.keep = other | rest;
  columns.error = plan.error;
  columns.absolute = plan.absolute;
  columns.path = plan.path;
  for (std::uint32_t r = 0; r < step.result_count; ++r) {
    columns.result_low[r] = kept.low.data() + results[r].offset;
    columns.result_high[r] = kept.high.data() + results[r].offset;
  }
  function(&columns);
  rest |= columns.special;
  if (plan.way == Way::kComparison) {
    SetOpen(batch, results[0], columns.made[0] | anything, other | rest);
    return rest;
  }
  if (columns.open != 0) {
    TellOpen(batch, in.place, columns.open, Open::kNoLimit, NameOf(in, step));
    anything |= columns.open;
  }
  for (std::uint32_t r = 0; r < step.result_count; ++r) {
    const bool truncates = plan.way == Way::kTruncation;
    kept.Assign(results[r].offset, other | rest, columns.made[r] | anything,
                truncates ? columns.made[r] | anything : anything, anything);
  }
  return rest;
}

}  // namespace assay::interp
