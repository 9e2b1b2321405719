#include "interp/execute/packing.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "interp/execute/execute.h"

namespace assay::interp {
namespace {

// Local memory of the groups of a batch: more would leave the processor's cache. Detectors have
// several times as much beside it.
constexpr std::uint64_t kMostLocalBytes = std::uint64_t{1} << 18;
constexpr std::uint64_t kMostWatchedBytes = std::uint64_t{1} << 16;

// Whoever wants fewer wants the first ones.
constexpr std::size_t kManyFindings = 100;

// Whether groups can wait for their own work-items beside each other. What is kept of asynchronous
// copies is one group's.
bool MayWaitBeside(const FlatSync& sync, bool is_watched) {
  switch (sync.opcode) {
    case Opcode::kBarrier:
    case Opcode::kGroup:
      return true;
    case Opcode::kWaitEvents:
    case Opcode::kAsyncCopy:
      return !is_watched;
    case Opcode::kAtomic:  // of local memory, for else groups run in order (Program::needs_order)
      return !sync.spins && !sync.may_wait;
    default:
      return false;
  }
}

// After how many groups their sizes are the same again: after a row, if its last group is smaller.
std::uint64_t PeriodOfSizes(const LaunchState& launch) {
  std::uint64_t period = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    period *= launch.groups[d];
    if (launch.range.global[d] % launch.local[d] != 0) return period;
  }
  return period;
}

// Whether objects of groups that lie behind each other are aligned as the first one's are, as the
// processor's atomic instructions ask for. They are used where a pointer may also be to another
// thread's memory (UnorderedAtomic).
bool StayAligned(const LaunchState& launch) {
  return std::ranges::none_of(launch.program->atomic_calls, &AtomicCall::is_generic) ||
         std::ranges::all_of(launch.local_objects, [](const LaunchState::LocalObject& object) {
           return object.bytes % 8 == 0 || (object.bytes < 8 && std::has_single_bit(object.bytes));
         });
}

// Whether the cells of groups whose local memory lies behind each other are apart.
bool HaveCellsApart(const LaunchState& launch) {
  const Program& program = *launch.program;
  const std::uint64_t cell = program.atomic_calls.empty() ? program.access_granule : 4;
  return std::ranges::all_of(launch.local_objects, [cell](const LaunchState::LocalObject& object) {
    return object.bytes % cell == 0;
  });
}

// Who stored which pointer, and what was accessed beside restrict ones, is kept by address.
bool KeepsPointers(const LaunchState& launch) {
  return launch.program->detectors.Has(Detector::kPointers) &&
         (launch.program->stores_addresses || !launch.pointers.parameter_bits.empty() ||
          !launch.pointers.watched_calls.empty());
}

}  // namespace

// At a limit the instructions that were executed, and the findings, are those of the first groups.
bool MayPack(const Program& program, const LaunchOptions& options, std::uint64_t items) {
  const bool is_watched = !program.detectors.IsEmpty();
  return options.deal == 0 && options.max_instructions == 0 &&
         options.max_findings >= kManyFindings &&
         options.forward_progress == ForwardProgress::kUnstated && program.may_regroup &&
         !(program.detectors.Has(Detector::kRaces) && program.has_acquire_release) &&
         !program.needs_order && !program.waits_for_groups && program.printf_calls.empty() &&
         program.queue_calls.empty() && items <= static_cast<std::uint64_t>(program.width) / 2 &&
         std::ranges::all_of(program.syncs, [is_watched](const FlatSync& sync) {
           return MayWaitBeside(sync, is_watched);
         });
}

std::uint64_t GroupsInBatch(const LaunchState& launch, std::uint64_t threads) {
  const Program& program = *launch.program;
  const bool is_watched = !program.detectors.IsEmpty();
  const std::uint64_t items = launch.local[0] * launch.local[1] * launch.local[2];
  if (!MayPack(program, launch.options, items) || !launch.may_regroup || launch.queues != nullptr ||
      !StayAligned(launch) || (is_watched && (KeepsPointers(launch) || !HaveCellsApart(launch)))) {
    return 1;
  }
  std::uint64_t groups = static_cast<std::uint64_t>(program.width) / items;
  groups = std::min(groups, launch.GroupCount() / threads);
  if (launch.local_bytes != 0) {
    const std::uint64_t most = is_watched ? kMostWatchedBytes : kMostLocalBytes;
    groups = std::min(groups, most / launch.local_bytes);
  }
  // Those of short rows would be batches of a few.
  const std::uint64_t period = PeriodOfSizes(launch);
  if (period <= groups / 4 && period < launch.GroupCount()) return 1;
  return std::max<std::uint64_t>(groups, 1);
}

// As many groups from this one on as are of one size.
std::uint64_t Worker::AlikeGroups(std::uint64_t first, std::uint64_t most) const {
  const std::array<std::uint64_t, 3> size = PositionOf(launch_, first).size;
  std::uint64_t count = 1;
  while (count < most && PositionOf(launch_, first + count).size == size) ++count;
  return count;
}

void Worker::RunGroups(std::uint64_t first, std::uint64_t count) {
  while (count != 0 && !launch_.stop) {
    const std::uint64_t alike = has_edges_ ? AlikeGroups(first, count) : count;
    RunAlike(first, alike);
    first += alike;
    count -= alike;
  }
}

void Worker::RunAlike(std::uint64_t first, std::uint64_t count) {
  EnterGroup(first, count);
  RunningBatch* const running = batches_.At(0);
  if (running == nullptr) return;
  batches_.PrepareGroups(*running, count);
  std::fill(turns_.begin(), turns_.end(), 0);
  turn_ = 0;
  lanes_ = running->alive;
  diverged_ = 0;
  do {
    if (!Run(*running)) return;
  } while (!launch_.stop && (!running->ready.empty() || ReleaseGroups(*running)));
  if (!launch_.stop && !program_.has_sync) RunStragglers(false);
  watchers_.EndGroup();
}

// The lanes of the group at the number in the batch.
std::uint64_t Worker::LanesOfGroup(std::uint64_t number) const {
  return FullMask(group_.items) << (number * group_.items);
}

// Those of complete groups execute the instruction that ends the block.
void Worker::ExecuteInGroups(RunningBatch& running, std::uint64_t lanes, std::uint32_t block) {
  if (lanes == 0) return;
  const FlatSync& sync = program_.syncs[program_.blocks[block].sync];
  if (!program_.detectors.IsEmpty()) WatchGroups(running, lanes, block);
  if (sync.opcode == Opcode::kBarrier || sync.opcode == Opcode::kWaitEvents) return;
  for (std::uint64_t rest = lanes; rest != 0;) {
    const std::uint64_t group =
        LanesOfGroup(running.batch.group_of[std::countr_zero(rest)]) & lanes;
    collectives_.ExecuteAtOnce(running, group, sync);
    rest &= ~group;
  }
}

// What detectors have to know of an instruction that the lanes are about to execute.
void Worker::WatchGroups(RunningBatch& running, std::uint64_t lanes, std::uint32_t block) {
  const FlatSync& sync = program_.syncs[program_.blocks[block].sync];
  if (!watchers_.groups().HaveSameOperands(running, lanes, sync)) {
    for (std::uint64_t rest = lanes; rest != 0;) {
      const std::uint64_t number = running.batch.group_of[std::countr_zero(rest)];
      const std::uint64_t group = LanesOfGroup(number);
      // Of the others it was told that some are missing.
      if ((group & ~lanes) == 0 && (diverged_ >> number & 1) == 0) {
        MeetInGroup(running, block, {{block, group}});
      }
      rest &= ~group;
    }
  }
  Activate(running, lanes);
  watchers_.UseOperands(running, lanes, sync);
  if (sync.opcode == Opcode::kBarrier && races() != nullptr) WatchBarriers(running, lanes, sync);
}

void Worker::WatchBarriers(const RunningBatch& running, std::uint64_t lanes, const FlatSync& sync) {
  // Groups that have ended hold nobody back.
  std::uint64_t groups = 0;
  for (std::uint64_t rest = lanes_ & ~running.alive; rest != 0;) {
    const std::uint64_t number = running.batch.group_of[std::countr_zero(rest)];
    const std::uint64_t group = LanesOfGroup(number);
    if ((group & running.alive) == 0) groups |= std::uint64_t{1} << number;
    rest &= ~group;
  }
  std::uint32_t semantics = Collectives::SemanticsOf(running, std::countr_zero(lanes), sync);
  for (std::uint64_t rest = lanes; rest != 0;) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t number = running.batch.group_of[lane];
    rest &= ~LanesOfGroup(number);
    const std::uint32_t given = Collectives::SemanticsOf(running, lane, sync);
    if (given != semantics) {
      races()->BarrierOf(watchers_.race_view(), semantics, groups);
      groups = 0;
      semantics = given;
    }
    groups |= std::uint64_t{1} << number;
  }
  races()->BarrierOf(watchers_.race_view(), semantics, groups);
}

// One group's lanes meet at the block, where those of it that wait anywhere stand as given.
void Worker::MeetInGroup(RunningBatch& running, std::uint32_t block,
                         std::vector<Standing> waiting) {
  std::swap(running.parked, waiting);
  RunningBatch* const batch = &running;
  watchers_.groups().BeginGroup();  // what it was told is of another group
  watchers_.groups().Meet(std::span(&batch, 1), block);
  std::swap(running.parked, waiting);
}

// Lanes come to an instruction at which they wait for their groups; returns those that go on.
std::uint64_t Worker::WaitInGroups(RunningBatch& running, const Standing& now,
                                   const FlatSync& sync) {
  std::uint64_t complete = 0;
  if (sync.opcode != Opcode::kAtomic) {
    if (now.lanes == lanes_) {
      complete = now.lanes;
    } else {
      // With those that have come before.
      std::uint64_t here = now.lanes;
      for (const Standing& standing : running.parked) {
        if (standing.block == now.block) here |= standing.lanes;
      }
      for (std::uint64_t rest = now.lanes; rest != 0;) {
        const std::uint64_t number = running.batch.group_of[std::countr_zero(rest)];
        const std::uint64_t group = LanesOfGroup(number) & running.alive;
        rest &= ~group;
        if ((group & ~here) != 0) continue;
        complete |= group;
        TellOfMissing(running, number, now.block, group);
      }
      if ((complete & ~now.lanes) != 0) Unpark(&running, now.block, complete & ~now.lanes);
    }
    ExecuteInGroups(running, complete, now.block);
    if (launch_.stop) return 0;
    Activate(running, complete);
  }
  const std::uint64_t waiting = now.lanes & ~complete;
  if (waiting != 0) Insert(&running.parked, now.block, waiting);
  return complete;
}

// Those that are here of the group at the number go on without others, which have returned or wait
// elsewhere.
void Worker::TellOfMissing(RunningBatch& running, std::uint64_t number, std::uint32_t block,
                           std::uint64_t here) {
  const std::uint64_t lanes = LanesOfGroup(number);
  const std::uint64_t bit = std::uint64_t{1} << number;
  if (here == lanes || (diverged_ & bit) != 0) return;
  diverged_ |= bit;
  std::vector<Standing> waiting = {{block, here}};
  for (const Standing& standing : running.parked) {
    const std::uint64_t elsewhere = standing.lanes & lanes & ~here;
    if (elsewhere != 0) Insert(&waiting, standing.block, elsewhere);
  }
  MeetInGroup(running, block, std::move(waiting));
}

// Where the group's lanes go on, all of which wait: as Release chooses. 0xffffffff: none are left.
std::uint32_t Worker::ChooseInGroup(const RunningBatch& running, std::uint64_t number) const {
  const std::uint64_t lanes = LanesOfGroup(number);
  const std::uint64_t* turns = turns_.data() + number * program_.syncs.size();
  std::uint32_t ordered = 0xffffffff;
  std::uint32_t collective = 0xffffffff;
  for (const Standing& standing : running.parked) {
    if ((standing.lanes & lanes) == 0) continue;
    const std::uint32_t sync = program_.blocks[standing.block].sync;
    if (!program_.syncs[sync].ordered) {
      collective = std::min(collective, standing.block);
    } else if (ordered == 0xffffffff ||
               std::pair(turns[sync], standing.block) <
                   std::pair(turns[program_.blocks[ordered].sync], ordered)) {
      ordered = standing.block;
    }
  }
  return ordered != 0xffffffff ? ordered : collective;
}

// Release, for each group of the batch by itself; those that go on at one block do so together.
bool Worker::ReleaseGroups(RunningBatch& running) {
  if (running.parked.empty()) return false;
  struct Next {
    std::uint32_t block;
    std::uint64_t lanes;
  };
  std::vector<Next> all;
  ++turn_;
  std::uint64_t waiting = 0;
  for (const Standing& standing : running.parked) waiting |= standing.lanes;
  while (waiting != 0) {
    const std::uint64_t number = running.batch.group_of[std::countr_zero(waiting)];
    waiting &= ~LanesOfGroup(number);
    const std::uint32_t block = ChooseInGroup(running, number);
    const std::uint32_t sync = program_.blocks[block].sync;
    if (program_.syncs[sync].ordered) turns_[number * program_.syncs.size() + sync] = turn_;
    const auto standing = std::ranges::find(running.parked, block, &Standing::block);
    const std::uint64_t lanes = standing->lanes & LanesOfGroup(number);
    if (!program_.syncs[sync].ordered) TellOfMissing(running, number, block, lanes);
    const auto same = std::ranges::find(all, block, &Next::block);
    if (same == all.end()) {
      all.push_back({block, lanes});
    } else {
      same->lanes |= lanes;
    }
  }
  for (const Next& next : all) {
    const FlatSync& sync = program_.syncs[program_.blocks[next.block].sync];
    Unpark(&running, next.block, next.lanes);
    if (sync.ordered) {
      ordered_.ExecuteInTurn(running, next.lanes, next.block);
    } else {
      ExecuteInGroups(running, next.lanes, next.block);
    }
    Insert(&running.ready, program_.blocks[next.block].targets[0], next.lanes);
  }
  return fuel_.MayGoOn();
}

}  // namespace assay::interp
