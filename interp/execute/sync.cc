#include "interp/execute/sync.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "interp/execute/execute.h"
#include "interp/execute/group_operation.h"
#include "interp/execute/plain_copies.h"

namespace assay::interp {

using frontend::Op;

Collectives::Collectives(Worker* worker) : worker_(*worker), program_(*worker->launch().program) {}

void Collectives::Execute(std::span<RunningBatch*> batches, std::uint32_t block) {
  const FlatSync& sync = program_.syncs[program_.blocks[block].sync];
  worker_.SpendMeeting();
  Watchers& watchers = worker_.watchers();
  watchers.groups().Meet(batches, block);
  parts_.clear();
  for (RunningBatch* running : batches) {
    for (const Standing& standing : running->parked) {
      if (standing.block != block) continue;
      parts_.push_back({running, standing.lanes});
      Activate(*running, standing.lanes);
      watchers.UseOperands(*running, standing.lanes, sync);
    }
  }
  if (watchers.envelope() != nullptr) watchers.envelope()->Meet(parts_, sync);
  ExecuteHere({.parts = parts_,
               .first = parts_[0].running,
               .first_lane = std::countr_zero(parts_[0].lanes)},
              sync);
  for (RunningBatch* running : batches) {
    const std::uint64_t lanes = TakeParked(running, block);
    if (lanes != 0) Insert(&running->ready, program_.blocks[block].targets[0], lanes);
  }
}

bool Collectives::ExecuteAtOnce(RunningBatch& running, std::uint64_t lanes, const FlatSync& sync) {
  const SubgroupPart all{&running, lanes};
  const Meeting meeting{
      .parts = std::span(&all, 1), .first = &running, .first_lane = std::countr_zero(lanes)};
  switch (sync.opcode) {
    case Opcode::kBarrier:
    case Opcode::kWaitEvents:
      return true;
    case Opcode::kAsyncCopy:
      ExecuteAsyncCopy(meeting, sync);
      break;
    case Opcode::kGroup:
      ExecuteGroup(meeting, sync);
      break;
    default:
      return false;
  }
  Activate(running, lanes);
  return true;
}

void Collectives::ExecuteHere(const Meeting& meeting, const FlatSync& sync) {
  // Each row that work-items execute together has its function; another one is never here.
#define EXECUTE_Pure(name)
#define EXECUTE_Lanes(name)
#define EXECUTE_InSubgroup(name)
#define EXECUTE_AtNamed(name)
#define EXECUTE_Alone(name)
#define EXECUTE_Together(name) \
  if (sync.opcode == Opcode::k##name) Execute##name(meeting, sync);
#define OPCODE(name, results, operands, executed, ...) EXECUTE_##executed(name)
#include "interp/program/opcodes.def"
#undef OPCODE
#undef EXECUTE_Pure
#undef EXECUTE_Lanes
#undef EXECUTE_InSubgroup
#undef EXECUTE_AtNamed
#undef EXECUTE_Alone
#undef EXECUTE_Together
}

std::uint32_t Collectives::SemanticsOf(const RunningBatch& running, int lane,
                                       const FlatSync& sync) {
  const bool is_literal = sync.operands.size() == sync.loop_operands;
  return static_cast<std::uint32_t>(is_literal
                                        ? sync.instruction.immediate & 0xffffffff
                                        : ReadLane(running, sync.operands[1], Kind::kI32, lane));
}

std::uint32_t Collectives::MemoryScopeOf(const RunningBatch& running, int lane,
                                         const FlatSync& sync) {
  const bool is_literal = sync.operands.size() == sync.loop_operands;
  return static_cast<std::uint32_t>(is_literal
                                        ? sync.instruction.immediate >> 32
                                        : ReadLane(running, sync.operands[0], Kind::kI32, lane));
}

void Collectives::ExecuteBarrier(const Meeting& meeting, const FlatSync& sync) {
  if (program_.screens) worker_.FindDefined();
  RaceWatch* const races = worker_.races();
  if (races == nullptr) return;
  const RunningBatch& first = *meeting.first;
  races->Barrier(worker_.watchers().race_view(), SemanticsOf(first, meeting.first_lane, sync),
                 MemoryScopeOf(first, meeting.first_lane, sync));
}

void Collectives::ExecuteGroupPipe(const Meeting& meeting, const FlatSync& sync) {
  worker_.pipes().ExecuteTogether(meeting.parts, sync,
                                  program_.pipe_calls[sync.instruction.immediate]);
}

void Collectives::ExecuteInitNamedBarrier(const Meeting& meeting, const FlatSync& sync) {
  worker_.partial_barriers().Initialize(meeting.parts, sync);
}

void Collectives::ExecuteWaitBarrier(const Meeting& meeting, const FlatSync& sync) {
  worker_.partial_barriers().Wait(meeting.parts, sync);
}

namespace {

// The region that has all of them, where they may plainly be accessed; else null.
const Region* RegionOf(const Batch& batch, int lane, const Spaced& spaced, bool writes) {
  const Region* const region = batch.FindRegion(spaced.address);
  if (region == nullptr || HostOf(batch, *region, lane) == nullptr || region->ended ||
      !(writes ? region->writable : region->readable) || spaced.count == 0) {
    return nullptr;
  }
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(spaced.element, spaced.stride, &bytes) ||
      __builtin_mul_overflow(bytes, spaced.count - 1, &bytes) ||
      __builtin_add_overflow(bytes, spaced.element, &bytes)) {
    return nullptr;
  }
  return region->bytes >= bytes && spaced.address - region->address <= region->bytes - bytes
             ? region
             : nullptr;
}

void CopyElements(std::byte* to, const std::byte* from, const Spaced& target,
                  const Spaced& source) {
  if (target.stride == 1 && source.stride == 1) {
    std::memcpy(to, from, target.element * target.count);
    return;
  }
  // A copy of a known size is no call.
  const auto copy = [to, from, to_step = target.Step(), from_step = source.Step(),
                     count = target.count](auto bytes) {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * to_step, from + i * from_step, bytes);
    }
  };
  switch (target.element) {
    case 1:
      copy(std::integral_constant<std::size_t, 1>());
      break;
    case 2:
      copy(std::integral_constant<std::size_t, 2>());
      break;
    case 4:
      copy(std::integral_constant<std::size_t, 4>());
      break;
    case 8:
      copy(std::integral_constant<std::size_t, 8>());
      break;
    case 16:
      copy(std::integral_constant<std::size_t, 16>());
      break;
    case 32:
      copy(std::integral_constant<std::size_t, 32>());
      break;
    case 64:
      copy(std::integral_constant<std::size_t, 64>());
      break;
    default:
      copy(target.element);
  }
}

// All elements together, between two objects; false if each is to be looked at.
bool CopyAtOnce(Worker& worker, Batch& batch, int lane, const FlatInstruction& in,
                const Spaced& target, const Spaced& source, std::uint64_t event) {
  const Region* const to = RegionOf(batch, lane, target, true);
  const Region* const from = RegionOf(batch, lane, source, false);
  if (to == nullptr || from == nullptr || to->address == from->address) return false;
  if (!batch.program->detectors.IsEmpty() &&
      !RecordPlainCopy(batch, in, lane, target, source, event)) {
    return false;
  }
  if (EnvelopeWatch* const envelope = worker.watchers().envelope()) {
    if (target.stride == 1 && source.stride == 1) {
      envelope->Copied(batch, lane, target.address, source.address, target.element * target.count);
    } else {
      for (std::uint64_t i = 0; i < target.count; ++i) {
        envelope->Copied(batch, lane, target.At(i), source.At(i), target.element);
      }
    }
  }
  CopyElements(HostOf(batch, *to, lane) + (target.address - to->address),
               HostOf(batch, *from, lane) + (source.address - from->address), target, source);
  return true;
}

}  // namespace

void Collectives::ExecuteAsyncCopy(const Meeting& meeting, const FlatSync& sync) {
  RunningBatch& first = *meeting.first;
  const std::uint64_t given = ReadLane(first, sync.operands[4], Kind::kI64, meeting.first_lane);
  const std::uint64_t event = given != 0 ? given : ++events_;
  worker_.watchers().groups().Copy(first, meeting.first_lane, sync, event);
  Copy(first, meeting.first_lane, sync, event);
  for (const SubgroupPart& part : meeting.parts) {
    const std::uint64_t count = CountLanes(part.lanes);
    const int first = std::countr_zero(part.lanes);
    if (part.lanes == FullMask(count) << first) {
      std::fill_n(part.running->batch.Register<std::uint64_t>(sync.results[0]) + first, count,
                  event);
      continue;
    }
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      WriteLane(*part.running, sync.results[0], Kind::kI64, std::countr_zero(rest), event);
    }
  }
}

// The copies are done; what is left is to say so.
void Collectives::ExecuteWaitEvents(const Meeting& meeting, const FlatSync& sync) {
  RunningBatch& running = *meeting.first;
  const int lane = meeting.first_lane;
  GroupWatch& groups = worker_.watchers().groups();
  RaceWatch* const races = worker_.races();
  if (races == nullptr && !groups.is_watched()) return;
  std::vector<std::uint64_t> list;
  const std::uint64_t count = ReadLane(running, sync.operands[0], Kind::kI64, lane);
  const Address events = ReadLane(running, sync.operands[1], Kind::kI64, lane);
  Activate(running, std::uint64_t{1} << lane);
  for (std::uint64_t i = 0; i < count; ++i) {
    worker_.Spend(16);
    if (!worker_.MayGoOn()) return;
    std::uint64_t event = 0;
    const std::byte* bytes =
        ResolveAccess(running.batch, sync.instruction, lane, events + i * sizeof event,
                      sizeof event, AccessKind::kLoad);
    if (bytes == nullptr) break;
    std::memcpy(&event, bytes, sizeof event);
    if (races != nullptr) races->FinishCopies(*worker_.watchers().race_view(), event);
    list.push_back(event);
  }
  groups.Wait(running, lane, sync, list);
}

// The n events are one contiguous copy, or strided on the global side (OpenCL C 6.15.11).
void Collectives::Copy(RunningBatch& running, int lane, const FlatSync& sync, std::uint64_t event) {
  RaceWatch* const races = worker_.races();
  DefinednessWatch* const definedness = worker_.definedness();
  const auto read = [&](std::size_t i) {
    return ReadLane(running, sync.operands[i], Kind::kI64, lane);
  };
  const std::uint64_t element = sync.instruction.immediate >> 1;
  const bool to_global = (sync.instruction.immediate & 1) != 0;
  const std::uint64_t elements = read(2);
  const std::uint64_t stride = std::max<std::uint64_t>(read(3), 1);
  const Spaced to{
      .address = read(0), .element = element, .count = elements, .stride = to_global ? stride : 1};
  const Spaced from{
      .address = read(1), .element = element, .count = elements, .stride = to_global ? 1 : stride};
  Activate(running, std::uint64_t{1} << lane);
  if (CopyAtOnce(worker_, running.batch, lane, sync.instruction, to, from, event)) {
    return worker_.Spend(elements);
  }
  for (std::uint64_t i = 0; i < elements; ++i) {
    // A stride may wrap around, so that a copy that is far too long stays inside an object.
    worker_.Spend(1);
    if (!worker_.MayGoOn()) return;
    const Address target = to.At(i);
    const Address source = from.At(i);
    const std::byte* source_bytes =
        ResolveAccess(running.batch, sync.instruction, lane, source, element, AccessKind::kLoad);
    std::byte* target_bytes =
        ResolveAccess(running.batch, sync.instruction, lane, target, element, AccessKind::kStore);
    if (source_bytes == nullptr || target_bytes == nullptr) return;  // the rest would say the same
    if (races != nullptr) {
      races->Access(running.batch, sync.instruction, lane, source, element, AccessKind::kLoad,
                    false, nullptr, event);
      races->Access(running.batch, sync.instruction, lane, target, element, AccessKind::kStore,
                    false, nullptr, event);
    }
    if (definedness != nullptr) {
      definedness->Copied(running.batch, lane, target, source, element);
    }
    if (EnvelopeWatch* const envelope = worker_.watchers().envelope()) {
      envelope->Copied(running.batch, lane, target, source, element);
    }
    std::memmove(target_bytes, source_bytes, element);
  }
}

// The linear local id of the work-item whose value all get; they all give it alike.  Nothing after
// it was reported: "undefined when local_id is greater or equal to the work-group size in the
// corresponding dimension" (OpenCL C 6.15.16).
std::optional<std::uint64_t> Collectives::BroadcastSource(const RunningBatch& running, int lane,
                                                          const FlatSync& sync, std::size_t parts) {
  const std::size_t dimensions = sync.operands.size() - sync.loop_operands - parts;
  const std::array<std::uint64_t, 3>& size = worker_.position().size;
  std::uint64_t linear = 0;
  bool is_inside = true;
  std::vector<std::uint64_t> id(dimensions);
  for (std::size_t d = dimensions; d-- > 0;) {
    id[d] = ReadLane(running, sync.operands[parts + d], Kind::kI64, lane);
    is_inside = is_inside && id[d] < size[d];
    linear = linear * size[d] + id[d];
  }
  if (is_inside) return linear;
  worker_.Report(
      running.batch, sync.instruction.place, lane, Rule::kCollectiveRange,
      fmt::format("the value of the work-item with local id ({}) is asked for, in a work-group "
                  "of ({})",
                  fmt::join(id, ","), fmt::join(std::span(size).first(dimensions), ",")));
  return std::nullopt;
}

void Collectives::ExecuteGroup(const Meeting& meeting, const FlatSync& sync) {
  const GroupCall& call = program_.group_calls[sync.instruction.immediate];
  struct Item {
    RunningBatch* running;
    int lane;
  };
  // In the order of linear local ids, which scans follow.
  std::vector<Item> items;
  for (const SubgroupPart& part : meeting.parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      items.push_back({part.running, std::countr_zero(rest)});
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
        if (source ==
            ItemAt(items[i].running->batch, 0, static_cast<std::uint64_t>(items[i].lane)).local)
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

}  // namespace assay::interp
