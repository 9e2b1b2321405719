#include "interp/envelope/envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "frontend/atomics.h"
#include "interp/envelope/columns.h"
#include "interp/envelope/integer_range.h"
#include "interp/envelope/row_range.h"
#include "interp/execute/register_bits.h"

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
  int family = 0;
  for (const AtomicCall& call : worker->launch().program->atomic_calls) {
    if (call.fence) continue;
    const int own = frontend::OrderlessFamily(call.opcode);
    is_orderless_ = is_orderless_ && own != 0 && !call.is_used && (family == 0 || family == own);
    family = own;
  }
  enclosures_.resize(worker->launch().program->math_calls.size());
  local_.Reserve(worker->launch().memory->regions().size());
}

void Envelope::Attach(RunningBatch* running) {
  const Program& program = *running->batch.program;
  running->envelope = std::make_unique<EnvelopeBatch>();
  EnvelopeBatch& kept = *running->envelope;
  kept.low.resize(program.register_bytes);
  kept.high.resize(program.register_bytes);
  kept.tags.resize(program.register_bytes);
  kept.any.resize(program.register_bytes / 64 + 1);
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
  std::ranges::fill(kept.any, std::uint8_t{0});
  kept.lost = 0;
}

// --- registers --------------------------------------------------------------------------------

Range Envelope::Get(const Batch& batch, const ShadowOperand& operand, int lane) const {
  EnvelopeBatch& kept = *batch.envelope;
  if (kept.any[operand.offset >> 6] != 0) {
    switch (static_cast<EnvelopeTag>(kept.Tags(operand.offset)[lane])) {
      case EnvelopeTag::kPoint:
        break;
      case EnvelopeTag::kNumbers:
        return Range::Numbers(Read(kept.low.data(), operand.offset, operand.bytes, lane),
                              Read(kept.high.data(), operand.offset, operand.bytes, lane));
      case EnvelopeTag::kIntegers:
        return Range::Integers(Read(kept.low.data(), operand.offset, operand.bytes, lane),
                               Read(kept.high.data(), operand.offset, operand.bytes, lane));
      case EnvelopeTag::kAnything:
        return Range::Anything(Open::kOperand);
    }
  }
  return Range::Point(Read(batch.registers, operand.offset, operand.bytes, lane));
}

void Envelope::Set(Batch& batch, const ShadowOperand& result, int lane, const Range& range) const {
  EnvelopeBatch& kept = *batch.envelope;
  std::uint8_t& any = kept.any[result.offset >> 6];
  if (any == 0) {
    if (range.IsPoint()) return;
    std::memset(kept.Tags(result.offset), 0, kMaxLanes);
    any = 1;
  }
  const EnvelopeTag tag = TagOf(range);
  kept.Tags(result.offset)[lane] = static_cast<std::uint8_t>(tag);
  Write(kept.low.data(), result.offset, result.bytes, lane, range.low);
  Write(kept.high.data(), result.offset, result.bytes, lane, range.high);
}

void Envelope::Clear(Batch& batch, const ShadowOperand& result) const {
  EnvelopeBatch& kept = *batch.envelope;
  std::uint8_t& any = kept.any[result.offset >> 6];
  if (any == 0) return;
  if (batch.whole) {
    any = 0;
    return;
  }
  std::uint8_t* tags = kept.Tags(result.offset);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    tags[std::countr_zero(rest)] = 0;
  }
}

void Envelope::Move(Batch& batch, const ShadowOperand& from, const ShadowOperand& to) const {
  EnvelopeBatch& kept = *batch.envelope;
  if (!IsWide(batch, from.offset)) return Clear(batch, to);
  std::uint8_t* tags = kept.Tags(to.offset);
  const std::uint8_t* others = kept.Tags(from.offset);
  if (batch.whole) {
    const std::size_t bytes = std::size_t{batch.lanes} * from.bytes;
    std::memcpy(kept.low.data() + to.offset, kept.low.data() + from.offset, bytes);
    std::memcpy(kept.high.data() + to.offset, kept.high.data() + from.offset, bytes);
    std::memcpy(tags, others, batch.lanes);
    kept.any[to.offset >> 6] = 1;
    return;
  }
  if (kept.any[to.offset >> 6] == 0) std::memset(tags, 0, kMaxLanes);
  kept.any[to.offset >> 6] = 1;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    tags[lane] = others[lane];
    if (tags[lane] == 0) continue;
    Write(kept.low.data(), to.offset, to.bytes, lane,
          Read(kept.low.data(), from.offset, from.bytes, lane));
    Write(kept.high.data(), to.offset, to.bytes, lane,
          Read(kept.high.data(), from.offset, from.bytes, lane));
  }
}

// --- instructions -----------------------------------------------------------------------------

namespace {

// Leaves the lanes out of what is executed, for a while.
class Without {
 public:
  Without(Batch* batch, std::uint64_t lanes)
      : batch_(*batch), active_(batch->active), whole_(batch->whole) {
    batch_.active &= ~lanes;
    batch_.whole = false;
    batch_.is_expanded = false;
  }
  ~Without() {
    batch_.active = active_;
    batch_.whole = whole_;
    batch_.is_expanded = false;
  }
  Without(const Without&) = delete;
  Without& operator=(const Without&) = delete;

 private:
  Batch& batch_;
  std::uint64_t active_;
  bool whole_;
};

}  // namespace

void Envelope::Before(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  // What a lane computes whose path is open is not looked at any more; what it stores is.
  const std::uint64_t lost = batch.envelope->lost & batch.active;
  if (lost == 0 || TraitsOf(step.opcode).access == Access::kStore ||
      TraitsOf(step.opcode).access == Access::kCopy) {
    return Follow(batch, in, step);
  }
  if (lost == batch.active) return;
  const Without without(&batch, lost);
  Follow(batch, in, step);
}

void Envelope::Follow(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  switch (step.opcode) {
    case Opcode::kLoad:
    case Opcode::kLoadMany:
      return Load(batch, in, step);
    case Opcode::kStore:
    case Opcode::kStoreMany:
      return Store(batch, in, step);
    case Opcode::kCopyMemory:
      return Copy(batch, in, step);
    case Opcode::kEnterVariable:
      return Enter(batch, in);
    case Opcode::kMath:
      return Math(batch, in, step);
    default:
      break;
  }
  if (step.result_count == 0) return;
  const Program& program = *batch.program;
  const ShadowOperand* operands = program.shadow_operands.data() + step.first;
  if (step.opcode == Opcode::kCopy) return Move(batch, operands[0], operands[1]);
  bool is_wide = IsContraction(step.opcode) || step.opcode == Opcode::kImageRead;
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    is_wide = is_wide || IsWide(batch, operands[i].offset);
  }
  if (!is_wide && !MakesNumbers(step.opcode)) {
    for (std::uint32_t i = 0; i < step.result_count; ++i) {
      Clear(batch, operands[step.operand_count + i]);
    }
    return;
  }
  const bool is_open = step.opcode == Opcode::kMad && options_.profile != oracle::Profile::kFull;
  const std::uint64_t special =
      is_open ? batch.active : ComputeColumns(batch, step, is_wide, options_);
  if (special == 0) return;
  if (special == batch.active) return Compute(batch, in, step);
  // Lanes with special values by themselves; then the others may have more of them.
  {
    const Without without(&batch, special);
    Follow(batch, in, step);
  }
  const Without without(&batch, batch.active & ~special);
  Compute(batch, in, step);
}

void Envelope::Compute(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const ShadowOperand* results = operands + step.operand_count;
  std::vector<Range> row(step.operand_count), made(step.result_count);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
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
        TellOpen(batch, in.place, lane, made[r].open, "");
      }
    }
  }
  worker_.Spend(32 * static_cast<std::uint64_t>(std::popcount(batch.active)));
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
    if (step.opcode == Opcode::kImageRead) return Range::Anything(Open::kNoLimit);
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

void Envelope::Math(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const numerics::Operation& operation = batch.program->math_calls[in.immediate].operation;
  const auto ulp = operation.kind == numerics::OperationKind::kBuiltin &&
                           operation.format == numerics::Format::kFloat
                       ? EnclosureOf(in.immediate).ConstantUlp()
                       : std::nullopt;
  const std::uint64_t special =
      ulp ? ComputeMathColumns(batch, step, operation.function, *ulp, options_) : batch.active;
  if (special == 0) return worker_.Spend(8 * static_cast<std::uint64_t>(batch.lanes));
  if (special == batch.active) return MathOfLanes(batch, in, step);
  {
    const Without without(&batch, special);
    Math(batch, in, step);
  }
  const Without without(&batch, batch.active & ~special);
  MathOfLanes(batch, in, step);
}

void Envelope::MathOfLanes(Batch& batch, const FlatInstruction& in, const EnvelopeStep& step) {
  const ShadowOperand* operands = batch.program->shadow_operands.data() + step.first;
  const ShadowOperand* results = operands + step.operand_count;
  const MathCall& call = batch.program->math_calls[in.immediate];
  const auto types = call.operation.ArgumentTypes();
  const auto count = static_cast<std::size_t>(std::popcount(batch.active));
  std::vector<Range> args(step.operand_count * count);
  // The enclosure has all results of the function; the instruction those that are used.
  const auto made_count = static_cast<std::size_t>(call.operation.ResultCount());
  std::vector<Range> made(made_count * count);
  std::size_t item = 0;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1, ++item) {
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
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1, ++item) {
    const int lane = std::countr_zero(rest);
    for (std::uint32_t r = 0; r < step.result_count; ++r) {
      Range range = made[r * count + item];
      const bool is_nan =
          range.IsPoint() && numerics::IsFloating(call.operation.ResultTypes()[r]) &&
          numerics::IsNan(numerics::FormatOf(call.operation.ResultTypes()[r]), range.low);
      if (is_nan) range.kind = Range::Kind::kNumbers;  // any NaN
      Set(batch, results[r], lane, range);
      if (range.kind == Range::Kind::kAnything && range.open != Open::kOperand) {
        TellOpen(batch, in.place, lane, range.open, call.operation.Name());
      }
    }
  }
}

// --- control flow -----------------------------------------------------------------------------

void Envelope::Decide(Batch& batch, const FlatBlock& block) {
  if (!IsWide(batch, block.condition)) return;
  const ShadowOperand condition = {block.condition, BytesOf(block.condition_kind)};
  for (std::uint64_t rest = batch.active & ~batch.envelope->lost; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Range range = Get(batch, condition, lane);
    if (range.IsPoint()) continue;
    if (block.end == End::kSwitch && range.kind == Range::Kind::kIntegers) {
      // All values may lead to the same place.
      const FlatSwitch& table = batch.program->switches[block.cases];
      const auto target = [&](std::uint64_t value) {
        for (const SwitchCase& one : table.cases) {
          if (one.value == value) return one.target;
        }
        return table.otherwise;
      };
      const std::uint64_t count = CountOf(block.condition_kind, range);
      bool same = count != 0 && count <= 256;
      for (std::uint64_t i = 1; same && i < count; ++i) {
        same = target((range.low + i) & MaskOf(block.condition_kind)) == target(range.low);
      }
      if (same) continue;
    }
    worker_.Report(batch, block.place, lane, Rule::kEnvelopeBranch,
                   "conforming devices may go either way here: the condition hangs on a value "
                   "that the specification leaves open");
    Lose(batch, lane);
  }
}

void Envelope::Lose(Batch& batch, int lane) {
  batch.envelope->lost |= std::uint64_t{1} << lane;
  records_.is_undecided = true;
}

void Envelope::TellAccess(Batch& batch, std::uint32_t place, int lane) {
  worker_.Report(batch, place, lane, Rule::kEnvelopeAccess,
                 "conforming devices may access other places here: the address hangs on a value "
                 "that the specification leaves open");
  Lose(batch, lane);
}

void Envelope::TellOpen(Batch& batch, std::uint32_t place, int lane, Open why,
                        std::string_view what) {
  worker_.Report(
      batch, place, lane, Rule::kEnvelopeOpen,
      what.empty() ? fmt::format("nothing is known of the result: {}", OpenText(why))
                   : fmt::format("nothing is known of the result of {}: {}", what, OpenText(why)));
}

}  // namespace assay::interp
