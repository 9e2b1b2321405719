#include "interp/detect/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "interp/execute/execute.h"
#include "interp/execute/interleaved.h"
#include "interp/rules/rule.h"

namespace assay::interp {
namespace {

using frontend::Op;

constexpr std::uint32_t kReturned = 0xffffffff;

// Where not all of the group come to an instruction that all have to execute.
Rule DivergenceOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBarrier:
      return Rule::kBarrierDivergence;
    case Opcode::kGroup:
      return Rule::kCollectiveDivergence;
    case Opcode::kGroupPipe:
      return Rule::kPipeGroupDivergence;
    case Opcode::kInitNamedBarrier:
      return Rule::kBarrierNamed;
    case Opcode::kWaitBarrier:
      return Rule::kBarrierSplit;
    default:
      return Rule::kAsyncDivergence;
  }
}

// The scalars at one address of private memory, of each lane.
struct PrivateScalars {
  const std::byte* first = nullptr;  // lane 0's; null: not all of the lanes may plainly load theirs
  std::uint64_t step = 0;            // to the next lane's

  static PrivateScalars At(const Batch& batch, std::uint64_t lanes, Address address,
                           std::uint64_t bytes) {
    const Region* const region = batch.FindRegion(address);
    if (region == nullptr || region->space != AddressSpace::kPrivate ||
        region->variable >= batch.variable_count || region->bytes < bytes ||
        address - region->address > region->bytes - bytes ||
        (lanes & ~batch.variable_alive[region->variable]) != 0) {
      return {};
    }
    const FlatVariable& variable = batch.program->variables[region->variable];
    const std::uint64_t offset = address - region->address;
    if (variable.address != region->address) return {};
    if (variable.interleaved == 0) {
      return {batch.frame + variable.frame_offset + offset, batch.program->frame_bytes};
    }
    if (variable.interleaved != bytes || offset % bytes != 0) return {};
    return {RowAt(batch, variable, offset), bytes};
  }
};

std::size_t OwnOperands(const FlatSync& sync) { return sync.operands.size() - sync.loop_operands; }

}  // namespace

Groups::Groups(Worker* worker)
    : worker_(worker), is_watched_(worker->launch().program->detectors.Has(Detector::kGroups)) {}

void Groups::BeginGroup() {
  has_diverged_ = false;
  copies_.clear();
  finished_.clear();
}

namespace {

// Where the group's lanes begin. Of a batch that has several groups those of one are parked.
std::uint64_t FirstLane(const RunningBatch& running) {
  const std::uint32_t* const group_of = running.batch.group_of;
  if (group_of == nullptr) return 0;
  return group_of[std::countr_zero(running.parked[0].lanes)] * running.batch.group_items;
}

// From which of its operands on work-items have to agree.
std::size_t FirstShared(const Program& program, const FlatSync& sync) {
  return sync.opcode == Opcode::kGroup ? program.group_calls[sync.instruction.immediate].parts : 0;
}

}  // namespace

// In the order of linear local ids.
std::vector<Groups::Item> Groups::ItemsOf(std::span<RunningBatch* const> batches) const {
  std::vector<Item> items;
  const auto width = static_cast<std::uint64_t>(worker_->launch().program->width);
  for (RunningBatch* running : batches) {
    const std::uint64_t count = std::min(width, worker_->group_items() - running->first);
    const auto begin = static_cast<int>(FirstLane(*running));
    for (int lane = begin; lane < begin + static_cast<int>(count); ++lane) {
      items.push_back({running, lane, kReturned});
    }
    Item* const first = items.data() + items.size() - count;
    for (const Standing& standing : running->parked) {
      for (std::uint64_t rest = standing.lanes; rest != 0; rest &= rest - 1) {
        first[std::countr_zero(rest) - begin].block = standing.block;
      }
    }
  }
  return items;
}

std::string Groups::Name(const Item& item) const {
  const WorkItem named =
      ItemAt(item.running->batch, worker_->group(), static_cast<std::uint64_t>(item.lane));
  return "work-item " + worker_->DescribeItem(named.group, named.local);
}

void Groups::Meet(std::span<RunningBatch* const> batches, std::uint32_t block) {
  const Program& program = *worker_->launch().program;
  const FlatSync& sync = program.syncs[program.blocks[block].sync];
  std::uint64_t arrived = 0;
  for (const RunningBatch* running : batches) {
    for (const Standing& standing : running->parked) {
      if (standing.block == block) arrived += CountLanes(standing.lanes);
    }
  }
  const bool are_all = arrived == worker_->group_items();
  const bool has_operands = !sync.operands.empty();
  if (has_diverged_ || (are_all && !(is_watched_ && has_operands))) return;
  if (are_all && AreUniform(batches, sync)) return;
  const std::vector<Item> items = ItemsOf(batches);
  if (!are_all) {
    has_diverged_ = true;
    const auto is_here = [block](const Item& item) { return item.block == block; };
    const auto waits_elsewhere = [block](const Item& item) {
      return item.block != block && item.block != kReturned;
    };
    // One that waits elsewhere says more than one that has returned.
    auto other = std::ranges::find_if(items, waits_elsewhere);
    if (other == items.end()) other = std::ranges::find_if_not(items, is_here);
    return Missing(*std::ranges::find_if(items, is_here), *other, sync, arrived, items.size());
  }
  if (HaveSameIterations(items, sync)) CompareOperands(items, sync);
}

// Whether all work-items give the same operands, as nearly always; at a glance.
bool Groups::AreUniform(std::span<RunningBatch* const> batches, const FlatSync& sync) const {
  const Program& program = *worker_->launch().program;
  const auto width = static_cast<std::uint64_t>(program.width);
  for (std::size_t i = FirstShared(program, sync); i < sync.operands.size(); ++i) {
    const std::uint32_t bytes = BytesOf(sync.operand_kinds[i]);
    const auto values_of = [&](const RunningBatch& running) {
      return running.batch.registers + sync.operands[i] + FirstLane(running) * bytes;
    };
    const std::byte* const value = values_of(*batches[0]);
    for (const RunningBatch* running : batches) {
      const std::uint64_t count = std::min(width, worker_->group_items() - running->first);
      const std::byte* values = values_of(*running);
      if (std::memcmp(value, values, bytes) != 0 ||
          std::memcmp(values, values + bytes, (count - 1) * bytes) != 0) {
        return false;
      }
    }
  }
  return sync.opcode != Opcode::kWaitEvents || HaveSameEvents(batches, sync);
}

// ... and events in the lists that they wait for, variables of each at one address.
bool Groups::HaveSameEvents(std::span<RunningBatch* const> batches, const FlatSync& sync) const {
  constexpr std::uint64_t kMostEvents = 16;
  const auto width = static_cast<std::uint64_t>(worker_->launch().program->width);
  const std::uint64_t count = ReadLane(*batches[0], sync.operands[0], Kind::kI64, 0);
  const Address list = ReadLane(*batches[0], sync.operands[1], Kind::kI64, 0);
  if (count > kMostEvents) return false;
  worker_->Spend(count * worker_->group_items());
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t first = 0;
    for (const RunningBatch* running : batches) {
      const std::uint64_t lanes = std::min(width, worker_->group_items() - running->first);
      const PrivateScalars events = PrivateScalars::At(running->batch, FullMask(lanes),
                                                       list + i * sizeof first, sizeof first);
      if (events.first == nullptr) return false;
      if (running == batches[0]) std::memcpy(&first, events.first, sizeof first);
      std::uint64_t different = 0;
      for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        std::uint64_t event = 0;
        std::memcpy(&event, events.first + lane * events.step, sizeof event);
        different |= event ^ first;
      }
      if (different != 0) return false;
    }
  }
  return true;
}

bool Groups::HaveSameOperands(const RunningBatch& running, std::uint64_t lanes,
                              const FlatSync& sync) const {
  if (!is_watched_ || sync.operands.empty()) return true;
  const std::uint64_t count = CountLanes(lanes);
  const auto first = static_cast<std::uint64_t>(std::countr_zero(lanes));
  if (sync.opcode == Opcode::kWaitEvents || lanes != FullMask(count) << first) return false;
  for (std::size_t i = FirstShared(*worker_->launch().program, sync); i < sync.operands.size();
       ++i) {
    const std::uint32_t bytes = BytesOf(sync.operand_kinds[i]);
    const std::byte* const values = running.batch.registers + sync.operands[i] + first * bytes;
    if (std::memcmp(values, values + bytes, (count - 1) * bytes) != 0) return false;
  }
  return true;
}

// OpenCL C 6.15.8: "the barrier must be encountered by all work-items in the work-group before any
// are allowed to continue execution beyond the barrier"; 6.15.11 and 6.15.16 say so of asynchronous
// copies, waits and work-group functions.
void Groups::Missing(const Item& here, const Item& other, const FlatSync& sync,
                     std::uint64_t arrived, std::uint64_t count) {
  const Program& program = *worker_->launch().program;
  const bool waits = other.block != kReturned;
  Rule rule = DivergenceOf(sync.opcode);
  std::vector<std::string> history;
  std::string where = "has returned";
  if (waits) {
    const FlatSync& second = program.syncs[program.blocks[other.block].sync];
    if (sync.opcode == Opcode::kBarrier) rule = Rule::kBarrierDeadlock;
    where = fmt::format("waits at {}{}",
                        second.opcode == sync.opcode && sync.opcode == Opcode::kBarrier
                            ? "another barrier"
                            : TraitsOf(second.opcode).text,
                        ", and none of them can go on");
    const std::uint32_t place = sync.instruction.place;
    history.push_back(fmt::format("{} waits here: {}", Name(here), worker_->DescribePlace(place)));
    history.push_back(fmt::format("{} waits here: {}", Name(other),
                                  worker_->DescribePlace(second.instruction.place)));
  }
  worker_->Report(here.running->batch, sync.instruction.place, here.lane, rule,
                  fmt::format("{} is reached by {} of the work-group's {} work-items; {} {}",
                              TraitsOf(sync.opcode).text, arrived, count, Name(other), where),
                  std::move(history));
}

// OpenCL C 6.15.8: "all work-items in the work-group must execute the barrier on each iteration of
// the loop if any work-item executes the barrier on that iteration."
bool Groups::HaveSameIterations(std::span<const Item> items, const FlatSync& sync) {
  for (std::size_t i = OwnOperands(sync); i < sync.operands.size(); ++i) {
    const auto read = [&](const Item& item) {
      return ReadLane(*item.running, sync.operands[i], sync.operand_kinds[i], item.lane);
    };
    const std::uint64_t first = read(items[0]);
    const auto other =
        std::ranges::find_if(items, [&](const Item& item) { return read(item) != first; });
    if (other == items.end()) continue;
    has_diverged_ = true;
    const std::size_t level = i - OwnOperands(sync) + 1;
    const std::string loop =
        sync.loop_operands == 1
            ? std::string("the loop around it")
            : fmt::format("loop {} of the {} around it, counted from the outermost", level,
                          sync.loop_operands);
    worker_->Report(items[0].running->batch, sync.instruction.place, items[0].lane,
                    Rule::kBarrierIteration,
                    fmt::format("{} is reached in different iterations of {}: by {} in iteration "
                                "{}, by {} in iteration {}",
                                TraitsOf(sync.opcode).text, loop, Name(items[0]), first + 1,
                                Name(*other), read(*other) + 1));
    return false;
  }
  return true;
}

namespace {

// What an operand is, for a message; "" where work-items may differ in it.
std::string_view OperandName(const FlatSync& sync, std::size_t i, std::size_t parts) {
  constexpr std::string_view kCopy[] = {"destinations", "sources", "numbers of elements", "strides",
                                        "events"};
  constexpr std::string_view kPipe[] = {"pipes", "sizes of packets", "alignments of packets",
                                        "reservations or numbers of packets"};
  if (sync.opcode == Opcode::kBarrier) return i == 0 ? "memory scopes" : "memory flags";
  if (sync.opcode == Opcode::kGroupPipe) return kPipe[i];
  if (sync.opcode == Opcode::kInitNamedBarrier) return "numbers of sub-groups";
  if (sync.opcode == Opcode::kGroup) return i < parts ? "" : "local ids";
  if (sync.opcode == Opcode::kAsyncCopy) return kCopy[i];
  return i == 0 ? "numbers of events" : "";  // the lists: see CompareEvents
}

}  // namespace

// OpenCL C 6.15.8: "The values of flags and scope must be the same for all work-items in the
// work-group"; 6.15.11: "with the same argument values"; 6.15.16: "Behavior is undefined when the
// value of local_id is not equivalent for all work-items in the work-group."
void Groups::CompareOperands(std::span<const Item> items, const FlatSync& sync) {
  const Program& program = *worker_->launch().program;
  std::size_t parts = 0;
  Rule rule = DivergenceOf(sync.opcode);
  if (sync.opcode == Opcode::kBarrier) rule = Rule::kBarrierOperands;
  if (sync.opcode == Opcode::kGroup) {
    parts = program.group_calls[sync.instruction.immediate].parts;
    rule = Rule::kCollectiveOperands;
  }
  for (std::size_t i = 0; i < OwnOperands(sync); ++i) {
    const std::string_view name = OperandName(sync, i, parts);
    if (name.empty()) continue;
    const auto read = [&](const Item& item) {
      return ReadLane(*item.running, sync.operands[i], sync.operand_kinds[i], item.lane);
    };
    const std::uint64_t first = read(items[0]);
    const auto other =
        std::ranges::find_if(items, [&](const Item& item) { return read(item) != first; });
    if (other == items.end()) continue;
    worker_->Report(items[0].running->batch, sync.instruction.place, items[0].lane, rule,
                    fmt::format("work-items of the group give {} different {}: {} gives {:#x}, {} "
                                "gives {:#x}",
                                TraitsOf(sync.opcode).text, name, Name(items[0]), first,
                                Name(*other), read(*other)));
    return;
  }
  if (sync.opcode == Opcode::kWaitEvents) CompareEvents(items, sync);
}

// The lists are variables of each work-item: what counts are the events in them.
void Groups::CompareEvents(std::span<const Item> items, const FlatSync& sync) {
  const auto read = [&](const Item& item, std::uint64_t i, std::uint64_t* event) {
    const Address list = ReadLane(*item.running, sync.operands[1], Kind::kI64, item.lane);
    const std::byte* bytes =
        ResolveAccess(item.running->batch, sync.instruction, item.lane, list + i * sizeof *event,
                      sizeof *event, AccessKind::kLoad);
    if (bytes != nullptr) std::memcpy(event, bytes, sizeof *event);
    return bytes != nullptr;
  };
  const std::uint64_t count =
      ReadLane(*items[0].running, sync.operands[0], Kind::kI64, items[0].lane);
  for (std::uint64_t i = 0; i < count; ++i) {
    worker_->Spend(16 * items.size());
    if (!worker_->MayGoOn()) return;
    std::uint64_t first = 0;
    if (!read(items[0], i, &first)) return;
    for (const Item& item : items) {
      std::uint64_t event = 0;
      if (!read(item, i, &event)) return;
      if (event == first) continue;
      return worker_->Report(
          items[0].running->batch, sync.instruction.place, items[0].lane, Rule::kAsyncDivergence,
          fmt::format("work-items of the group wait for different events: event {} of the list is "
                      "another for {} than for {}",
                      i, Name(item), Name(items[0])));
    }
  }
}

// --- asynchronous copies ----------------------------------------------------------------------

// OpenCL C 6.15.11: "undefined if src_stride or dst_stride is 0, or if the src_stride or dst_stride
// values cause the src or dst pointers to exceed the upper bounds of the address space".
void Groups::CheckStride(RunningBatch& running, int lane, const FlatSync& sync) {
  const auto read = [&](std::size_t i) {
    return ReadLane(running, sync.operands[i], Kind::kI64, lane);
  };
  const std::uint64_t element = sync.instruction.immediate >> 1;
  const bool to_global = (sync.instruction.immediate & 1) != 0;
  const std::uint64_t address = read(to_global ? 0 : 1);
  const std::uint64_t elements = read(2);
  const std::uint64_t stride = read(3);
  if (elements == 0) return;
  std::string message;
  std::uint64_t last = 0;  // the address of the last element's last byte
  if (stride == 0) {
    message = "an asynchronous copy with a stride of 0";
  } else if (__builtin_mul_overflow(elements - 1, stride, &last) ||
             __builtin_mul_overflow(last, element, &last) ||
             __builtin_add_overflow(last, element - 1, &last) ||
             __builtin_add_overflow(last, address, &last) ||
             (worker_->launch().module->PointerBytes() == 4 && last > 0xffffffff)) {
    message = fmt::format(
        "an asynchronous copy of {} elements of {} bytes with a stride of {} elements, which leads "
        "beyond the end of the address space",
        elements, element, stride);
  }
  if (message.empty()) return;
  worker_->Report(running.batch, sync.instruction.place, lane, Rule::kAsyncStride, message);
}

void Groups::Copy(RunningBatch& running, int lane, const FlatSync& sync, std::uint64_t event) {
  if (!is_watched_) return;
  CheckStride(running, lane, sync);
  finished_.erase(event);
  copies_.try_emplace(event, PendingCopy{&running, lane, sync.instruction.place});
}

// OpenCL C 6.15.11: "Wait for events that identify the async_work_group_copy operations to
// complete.  The event objects specified in event_list will be released after the wait".
void Groups::Wait(RunningBatch& running, int lane, const FlatSync& sync,
                  std::span<const std::uint64_t> events) {
  if (!is_watched_) return;
  const std::uint32_t place = sync.instruction.place;
  const Address list = ReadLane(running, sync.operands[1], Kind::kI64, lane);
  // Copies may share an event, which is in the list once for each of them.
  std::set<std::uint64_t> waited;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.size() > 1 && !waited.insert(events[i]).second) continue;
    std::vector<std::string> history;
    std::string what;
    const std::byte* record = worker_->definedness() == nullptr
                                  ? nullptr
                                  : UndefinedAt(running.batch, lane, list + i * 8);
    if (record != nullptr && std::any_of(record, record + 8, [](std::byte undefined) {
          return undefined != std::byte{0};
        })) {
      what = "was never given a value";
    } else if (const auto found = finished_.find(events[i]); found != finished_.end()) {
      what = "was waited for already, which released it";
      history.push_back("the wait before: " + worker_->DescribePlace(found->second));
    } else if (!copies_.contains(events[i])) {
      what = "no asynchronous copy of this work-group returned";
    } else {
      continue;
    }
    worker_->Report(running.batch, place, lane, Rule::kAsyncEvent,
                    fmt::format("event {} of {} that are waited for {}", i, events.size(), what),
                    std::move(history));
  }
  for (const std::uint64_t event : events) {
    if (copies_.erase(event) != 0) finished_[event] = place;
  }
}

// OpenCL C 6.15.11: "The kernel must wait for the completion of all async copies using the
// wait_group_events built-in function before exiting; otherwise the behavior is undefined."
void Groups::EndGroup() {
  if (has_diverged_ || worker_->launch().stop) return;
  for (const auto& [event, copy] : copies_) {
    worker_->Report(copy.running->batch, copy.place, copy.lane, Rule::kAsyncUnwaited,
                    "the work-group ends with an asynchronous copy that no wait_group_events has "
                    "waited for");
  }
}

}  // namespace assay::interp
