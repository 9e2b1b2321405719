// Instructions at which work-items wait: for the whole work-group, or for their turn.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/execute/execute.h"
#include "interp/execute/group_operation.h"
#include "interp/execute/printf.h"
#include "interp/program/memory_order.h"
#include "interp/rules/rule.h"

namespace assay::interp {

using frontend::Op;

// Lets work-items go on after every one of the group has returned or waits.  False if none is left.
//
// Ordered instructions come before collective ones, the one that had no turn for the longest time
// first, and of several the first in the program: an order that depends neither on the batch width
// nor on the number of threads, and in which a spin lock's holder gets its turn.
bool Worker::Release(std::span<RunningBatch*> batches) {
  std::uint32_t ordered = 0xffffffff;
  std::uint32_t collective = 0xffffffff;
  for (const RunningBatch* running : batches) {
    for (const Standing& standing : running->parked) {
      const FlatBlock& block = program_.blocks[standing.block];
      if (!program_.syncs[block.sync].ordered) {
        collective = std::min(collective, standing.block);
      } else if (ordered == 0xffffffff ||
                 std::pair(turns_[block.sync], standing.block) <
                     std::pair(turns_[program_.blocks[ordered].sync], ordered)) {
        ordered = standing.block;
      }
    }
  }
  if (ordered != 0xffffffff) {
    turns_[program_.blocks[ordered].sync] = ++turn_;
    ReleaseOrdered(batches, ordered);
    return fuel_ >= 0 || CheckLimits();
  }
  if (collective == 0xffffffff) return false;
  ReleaseCollective(batches, collective);
  return true;
}

namespace {

// Takes the lanes that wait at the block; they go on after it.
std::uint64_t TakeParked(RunningBatch* running, std::uint32_t block) {
  for (auto standing = running->parked.begin(); standing != running->parked.end(); ++standing) {
    if (standing->block != block) continue;
    const std::uint64_t lanes = standing->lanes;
    running->parked.erase(standing);
    return lanes;
  }
  return 0;
}

}  // namespace

void Worker::ReleaseOrdered(std::span<RunningBatch*> batches, std::uint32_t block) {
  bool changed = false;
  std::uint64_t count = 0;
  for (RunningBatch* running : batches) {
    const std::uint64_t lanes = TakeParked(running, block);
    if (lanes == 0) continue;
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      ExecuteOrdered(*running, std::countr_zero(rest), block);
      changed = changed || last_turn_.changed;
      ++count;
    }
    Insert(&running->ready, program_.blocks[block].targets[0], lanes);
  }
  // A group that only looks, and never changes anything, waits for what cannot happen.
  constexpr std::uint64_t kPatience = std::uint64_t{1} << 19;
  idle_turns_ = changed ? 0 : idle_turns_ + count;
  if (idle_turns_ <= kPatience) return;
  for (RunningBatch* running : batches) {
    for (const auto* standing : {&running->ready, &running->parked}) {
      if (standing->empty()) continue;
      return ReportLivelock({.item = 0,
                             .running = running,
                             .lane = std::countr_zero(standing->front().lanes),
                             .block = block});
    }
  }
}

void Worker::ExecuteOrdered(RunningBatch& running, int lane, std::uint32_t block) {
  const FlatSync& sync = program_.syncs[program_.blocks[block].sync];
  // Waiting in turns is work too: a lock that is never released ends at a limit.
  Spend(16);
  Activate(running, std::uint64_t{1} << lane);
  UseOperands(running, std::uint64_t{1} << lane, sync);
  if (sync.opcode == Opcode::kAtomic) {
    ExecuteAtomic(running, lane, sync);
  } else {
    last_turn_ = {0, true};
    ExecutePrintf(running, lane, sync);
  }
}

// --- turns ------------------------------------------------------------------------------------

bool Worker::RunUntilWaiting() {
  if (!program_.has_sync) {
    RunAlone();
    return false;
  }
  for (;;) {
    for (RunningBatch* running : current_) {
      if (!running->ready.empty() && !Run(*running)) return false;
    }
    if (CanGoOn()) return !launch_.stop;
    std::uint32_t collective = 0xffffffff;
    for (const RunningBatch* running : current_) {
      for (const Standing& standing : running->parked) {
        if (program_.syncs[program_.blocks[standing.block].sync].ordered) return true;
        collective = std::min(collective, standing.block);
      }
    }
    if (collective == 0xffffffff || launch_.stop) return false;
    ReleaseCollective(current_, collective);
  }
}

void Worker::EndGroup() {
  CloseGroup();
  FlushOutput(group_);
}

void Worker::CollectWaiting(std::vector<Waiting>* waiting) const {
  for (RunningBatch* running : current_) {
    for (const Standing& standing : running->parked) {
      if (!program_.syncs[program_.blocks[standing.block].sync].ordered) continue;
      for (std::uint64_t rest = standing.lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        waiting->push_back(
            {running->first + static_cast<std::uint64_t>(lane), running, lane, standing.block});
      }
    }
  }
}

Worker::TurnResult Worker::TakeTurn(const Waiting& waiting) {
  const std::uint64_t lane = std::uint64_t{1} << waiting.lane;
  for (auto standing = waiting.running->parked.begin(); standing != waiting.running->parked.end();
       ++standing) {
    if (standing->block != waiting.block) continue;
    standing->lanes &= ~lane;
    if (standing->lanes == 0) waiting.running->parked.erase(standing);
    break;
  }
  ExecuteOrdered(*waiting.running, waiting.lane, waiting.block);
  Insert(&waiting.running->ready, program_.blocks[waiting.block].targets[0], lane);
  if (fuel_ < 0) (void)CheckLimits();
  return last_turn_;
}

void Worker::ReportLivelock(const Waiting& waiting) {
  const FlatSync& sync = program_.syncs[program_.blocks[waiting.block].sync];
  const std::string_view message =
      "the work-item waits in a loop for a change that no work-item makes";
  Report(waiting.running->batch, sync.instruction.place, waiting.lane, Rule::kLivelock,
         std::string(message),
         {"OpenCL does not promise that other work-items make progress meanwhile, least of all "
          "those of other work-groups"});
  launch_.Stop(LaunchEnd::kDeadlock, "work-items wait for what cannot happen");
}

void Worker::ReleaseCollective(std::span<RunningBatch*> batches, std::uint32_t block) {
  const FlatSync& sync = program_.syncs[program_.blocks[block].sync];
  groups_->Meet(batches, block);
  RunningBatch* first = nullptr;
  int first_lane = 0;
  for (RunningBatch* running : batches) {
    for (const Standing& standing : running->parked) {
      if (standing.block != block || first != nullptr) continue;
      first = running;
      first_lane = std::countr_zero(standing.lanes);
    }
  }
  for (RunningBatch* running : batches) {
    for (const Standing& standing : running->parked) {
      if (standing.block != block) continue;
      Activate(*running, standing.lanes);
      UseOperands(*running, standing.lanes, sync);
    }
  }
  switch (sync.opcode) {
    case Opcode::kBarrier:
      if (races_ != nullptr) {
        const bool is_literal = sync.operands.size() == sync.loop_operands;
        races_->Barrier(&race_view_, static_cast<std::uint32_t>(
                                         is_literal ? sync.instruction.immediate & 0xffffffff
                                                    : ReadLane(*first, sync.operands[1], Kind::kI32,
                                                               first_lane)));
      }
      break;
    case Opcode::kGroup:
      ExecuteGroup(batches, block, sync);
      break;
    case Opcode::kAsyncCopy: {
      const std::uint64_t given = ReadLane(*first, sync.operands[4], Kind::kI64, first_lane);
      const std::uint64_t event = given != 0 ? given : ++events_;
      groups_->Copy(*first, first_lane, sync, event);
      ExecuteAsyncCopy(*first, first_lane, sync, event);
      for (RunningBatch* running : batches) {
        for (const Standing& standing : running->parked) {
          if (standing.block != block) continue;
          for (std::uint64_t rest = standing.lanes; rest != 0; rest &= rest - 1) {
            WriteLane(*running, sync.results[0], Kind::kI64, std::countr_zero(rest), event);
          }
        }
      }
      break;
    }
    default:  // the copies that are waited for are done
      WaitForEvents(*first, first_lane, sync);
      break;
  }
  for (RunningBatch* running : batches) {
    const std::uint64_t lanes = TakeParked(running, block);
    if (lanes != 0) Insert(&running->ready, program_.blocks[block].targets[0], lanes);
  }
}

// Operands of an instruction that work-items wait at decide something; its results are defined.
void Worker::UseOperands(RunningBatch& running, std::uint64_t lanes, const FlatSync& sync) {
  Batch& batch = running.batch;
  if (!batch.tainted) return;
  const std::string_view what = TraitsOf(sync.opcode).text;
  for (std::size_t i = 0; i < sync.operands.size(); ++i) {
    if (batch.any_undefined[sync.operands[i] >> 6] == 0) continue;
    definedness_->Use(batch, sync.instruction.place, sync.operands[i],
                      BytesOf(sync.operand_kinds[i]), lanes, what, false);
  }
  for (std::size_t i = 0; i < sync.results.size(); ++i) {
    definedness_->Clear(batch, sync.results[i], BytesOf(sync.result_kinds[i]));
  }
}

// The copies are done; what is left is to say so.
void Worker::WaitForEvents(RunningBatch& running, int lane, const FlatSync& sync) {
  if (races_ == nullptr && !groups_->is_watched()) return;
  std::vector<std::uint64_t> list;
  const std::uint64_t count = ReadLane(running, sync.operands[0], Kind::kI64, lane);
  const Address events = ReadLane(running, sync.operands[1], Kind::kI64, lane);
  Activate(running, std::uint64_t{1} << lane);
  for (std::uint64_t i = 0; i < count; ++i) {
    Spend(16);
    if (!MayGoOn()) return;
    std::uint64_t event = 0;
    const std::byte* bytes = Resolve(running.batch, sync.instruction, lane,
                                     events + i * sizeof event, sizeof event, AccessKind::kLoad);
    if (bytes == nullptr) break;
    std::memcpy(&event, bytes, sizeof event);
    if (races_ != nullptr) races_->FinishCopies(race_view_, event);
    list.push_back(event);
  }
  groups_->Wait(running, lane, sync, list);
}

void Worker::ExecuteAtomic(RunningBatch& running, int lane, const FlatSync& sync) {
  const AtomicCall& call = program_.atomic_calls[sync.instruction.immediate];
  const Address address = ReadLane(running, sync.operands[0], Kind::kI64, lane);
  const std::uint32_t size = BytesOf(sync.kind);
  std::byte* bytes =
      Resolve(running.batch, sync.instruction, lane, address, size, AccessKind::kAtomic);
  last_turn_ = {};
  std::uint64_t undefined = 0;
  if (bytes != nullptr) {
    const auto operand = [&](std::size_t i) {
      return sync.operands.size() > i
                 ? ReadLane(running, sync.operands[i], sync.operand_kinds[i], lane)
                 : 0;
    };
    std::uint64_t before = 0;
    std::memcpy(&before, bytes, size);
    // A compare-exchange that fails is a load with an order of its own (OpenCL C 6.15.12.7.4).
    AtomicCall made = call;
    if (IsCompareExchange(call.opcode) && before != operand(2)) {
      made.opcode = frontend::Op::kAtomicLoad;
      made.order = call.order_unequal;
    }
    undefined = WatchAtomic(running.batch, sync.instruction, lane, address, size, made);
    const std::size_t version =
        races_ != nullptr ? ChooseVersion(running.batch, lane, call, address, bytes, size) : 0;
    last_turn_.value = ApplyAtomic(call.opcode, sync.kind, bytes, operand(1), operand(2));
    std::uint64_t after = 0;
    std::memcpy(&after, bytes, size);
    last_turn_.changed = after != before;
    if (races_ != nullptr) {
      if (version != 0) last_turn_.value = races_->VersionValue(running.batch, address, version);
      WatchOrder(running.batch, lane, made, address, after, version);
    }
    if (program_.has_spins) {
      WatchSpin(running, lane, sync,
                {.group = group_,
                 .item = running.first + static_cast<std::uint64_t>(lane),
                 .address = address,
                 .before = before,
                 .expected = IsCompareExchange(call.opcode) ? operand(2) : 0,
                 .changed = last_turn_.changed});
    }
  }
  if (!sync.results.empty()) {
    WriteLane(running, sync.results[0], sync.result_kinds[0], lane, last_turn_.value);
    if (undefined != 0) {
      definedness_->ReturnedByAtomic(running.batch, sync.instruction, sync.results[0],
                                     BytesOf(sync.result_kinds[0]), lane, undefined);
    }
  }
}

void Worker::WatchSpin(RunningBatch& running, int lane, const FlatSync& sync,
                       const SpinWatch::Turn& turn) {
  if (!spins_.EndsWait(sync, turn)) return;
  Report(running.batch, sync.instruction.place, lane, Rule::kItemProgress,
         "the work-item waits in a loop for another one of its work-group; this ends only where "
         "both make progress at the same time, which OpenCL does not promise");
}

// The n events are one contiguous copy, or strided on the global side (OpenCL C 6.15.11).
void Worker::ExecuteAsyncCopy(RunningBatch& running, int lane, const FlatSync& sync,
                              std::uint64_t event) {
  const auto read = [&](std::size_t i) {
    return ReadLane(running, sync.operands[i], Kind::kI64, lane);
  };
  const std::uint64_t element = sync.instruction.immediate >> 1;
  const bool to_global = (sync.instruction.immediate & 1) != 0;
  const std::uint64_t elements = read(2);
  const std::uint64_t stride = std::max<std::uint64_t>(read(3), 1);
  Activate(running, std::uint64_t{1} << lane);
  for (std::uint64_t i = 0; i < elements; ++i) {
    // A stride may wrap around, so that a copy that is far too long stays inside an object.
    Spend(1);
    if (fuel_ < 0 && !CheckLimits()) return;
    const Address target = read(0) + i * element * (to_global ? stride : 1);
    const Address source = read(1) + i * element * (to_global ? 1 : stride);
    const std::byte* from =
        Resolve(running.batch, sync.instruction, lane, source, element, AccessKind::kLoad);
    std::byte* to =
        Resolve(running.batch, sync.instruction, lane, target, element, AccessKind::kStore);
    if (from == nullptr || to == nullptr) return;  // the rest would say the same
    if (races_ != nullptr) {
      races_->Access(running.batch, sync.instruction, lane, source, element, AccessKind::kLoad,
                     false, nullptr, event);
      races_->Access(running.batch, sync.instruction, lane, target, element, AccessKind::kStore,
                     false, nullptr, event);
    }
    if (definedness_ != nullptr) {
      definedness_->Copied(running.batch, lane, target, source, element);
    }
    std::memmove(to, from, element);
  }
}

// The linear local id of the work-item whose value all get; they all give it alike.  Nothing after
// it was reported: "undefined when local_id is greater or equal to the work-group size in the
// corresponding dimension" (OpenCL C 6.15.16).
std::optional<std::uint64_t> Worker::BroadcastSource(const RunningBatch& running, int lane,
                                                     const FlatSync& sync, std::size_t parts) {
  const std::size_t dimensions = sync.operands.size() - sync.loop_operands - parts;
  std::uint64_t linear = 0;
  bool is_inside = true;
  std::vector<std::uint64_t> id(dimensions);
  for (std::size_t d = dimensions; d-- > 0;) {
    id[d] = ReadLane(running, sync.operands[parts + d], Kind::kI64, lane);
    is_inside = is_inside && id[d] < group_size_[d];
    linear = linear * group_size_[d] + id[d];
  }
  if (is_inside) return linear;
  Report(running.batch, sync.instruction.place, lane, Rule::kCollectiveRange,
         fmt::format("the value of the work-item with local id ({}) is asked for, in a work-group "
                     "of ({})",
                     fmt::join(id, ","), fmt::join(std::span(group_size_).first(dimensions), ",")));
  return std::nullopt;
}

void Worker::ExecuteGroup(std::span<RunningBatch*> batches, std::uint32_t block,
                          const FlatSync& sync) {
  const GroupCall& call = program_.group_calls[sync.instruction.immediate];
  struct Item {
    RunningBatch* running;
    int lane;
  };
  // In the order of linear local ids, which scans follow.
  std::vector<Item> items;
  for (RunningBatch* running : batches) {
    for (const Standing& standing : running->parked) {
      if (standing.block != block) continue;
      for (std::uint64_t rest = standing.lanes; rest != 0; rest &= rest - 1) {
        items.push_back({running, std::countr_zero(rest)});
      }
    }
  }
  std::vector<std::uint64_t> values(items.size());
  for (std::uint32_t part = 0; part < call.parts; ++part) {
    const Kind kind = sync.operand_kinds[part];
    for (std::size_t i = 0; i < items.size(); ++i) {
      values[i] = ReadLane(*items[i].running, sync.operands[part], kind, items[i].lane);
    }
    if (call.opcode == Op::kGroupBroadcast) {
      const auto source = BroadcastSource(*items[0].running, items[0].lane, sync, call.parts);
      std::uint64_t value = 0;
      for (std::size_t i = 0; i < items.size(); ++i) {
        const Item& item = items[i];
        if (source == item.running->first + static_cast<std::uint64_t>(item.lane))
          value = values[i];
      }
      std::fill(values.begin(), values.end(), value);
    } else {
      ApplyGroupOperation(call.opcode, static_cast<frontend::GroupOperation>(call.operation), kind,
                          values);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      WriteLane(*items[i].running, sync.results[part], sync.result_kinds[part], items[i].lane,
                values[i]);
    }
  }
}

// --- printf -----------------------------------------------------------------------------------

std::string Worker::ReadText(RunningBatch& running, const FlatSync& sync, int lane,
                             Address address) {
  std::string text;
  for (;; ++address) {
    const std::byte* byte =
        Resolve(running.batch, sync.instruction, lane, address, 1, AccessKind::kLoad);
    if (byte == nullptr || *byte == std::byte{0} || text.size() > 65535) break;
    text.push_back(static_cast<char>(*byte));
  }
  Spend(text.size());
  return text;
}

void Worker::ExecutePrintf(RunningBatch& running, int lane, const FlatSync& sync) {
  const PrintfCall& call = program_.printf_calls[sync.instruction.immediate];
  const std::string format =
      ReadText(running, sync, lane, ReadLane(running, sync.operands[0], Kind::kI64, lane));
  std::vector<PrintfArgument> arguments;
  for (const PrintfCall::Argument& described : call.arguments) {
    PrintfArgument argument;
    argument.type = described.pointer         ? PrintfType::kPointer
                    : IsFloat(described.kind) ? PrintfType::kFloat
                                              : PrintfType::kInteger;
    argument.bits = static_cast<std::uint8_t>(BytesOf(described.kind) * 8);
    for (std::uint32_t i = 0; i < described.count; ++i) {
      argument.components.push_back(
          ReadLane(running, sync.operands[described.first + i], described.kind, lane));
    }
    if (described.pointer) {
      const Region* region = running.batch.FindRegion(argument.components[0]);
      // A constant variable of the module, not a buffer in constant memory (6.15.14.3).
      if (region != nullptr && region->host != nullptr && !region->writable && !region->is_buffer &&
          !region->is_constant_buffer) {
        argument.has_text = true;
        argument.text = ReadText(running, sync, lane, argument.components[0]);
      }
    }
    arguments.push_back(std::move(argument));
  }
  const PrintfResult result = FormatPrintf(format, arguments);
  output_ += result.text;
  Spend(result.text.size());
  if ((launch_.output_bytes += result.text.size()) + launch_.memory->used_bytes() >
      launch_.memory->max_bytes()) {
    launch_.Stop(LaunchEnd::kMemoryLimit,
                 fmt::format("printf's output needs more than the limit of {} bytes "
                             "(--max-memory)",
                             launch_.memory->max_bytes()));
  }
  if (launch_.options.debug != nullptr) WriteOutput();
  for (const PrintfResult::Problem& problem : result.problems) {
    Report(running.batch, sync.instruction.place, lane, problem.rule, problem.message);
  }
  if (!sync.results.empty()) {
    WriteLane(running, sync.results[0], sync.result_kinds[0], lane,
              static_cast<std::uint32_t>(result.value));
  }
}

// Under a debugger as soon as nothing of an earlier work-group can come before it.
void Worker::WriteOutput() {
  const std::lock_guard lock(launch_.mutex);
  if (group_ != launch_.next_output || !launch_.options.output) return;
  launch_.options.output(std::string_view(output_).substr(written_output_));
  written_output_ = output_.size();
}

// Output appears in the order of work-groups, whichever thread ran them.
void Worker::FlushOutput(std::uint64_t group) {
  if (program_.printf_calls.empty()) return;
  const std::lock_guard lock(launch_.mutex);
  const std::size_t written = std::exchange(written_output_, 0);
  launch_.waiting_output[group] = std::move(output_);
  output_.clear();
  for (auto first = launch_.waiting_output.begin();
       first != launch_.waiting_output.end() && first->first == launch_.next_output;
       first = launch_.waiting_output.erase(first)) {
    if (launch_.options.output) {
      const auto text = std::string_view(first->second).substr(first->first == group ? written : 0);
      if (!text.empty()) launch_.options.output(text);
      launch_.output_bytes -= first->second.size();
    } else {
      launch_.output += first->second;
    }
    ++launch_.next_output;
  }
}

}  // namespace assay::interp
