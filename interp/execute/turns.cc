// Which of the work-items that wait go on: those that take turns, or all of the group.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "interp/execute/execute.h"

namespace assay::interp {
namespace {

// So many turns without a change: a group that only looks waits for what cannot happen.
constexpr std::uint64_t kPatience = std::uint64_t{1} << 19;

// Whether the group takes a turn as a whole at the instruction that ends the block: other groups
// see what it does with a pipe.
bool TakesTurn(const LaunchState& launch, std::uint32_t block) {
  const Program& program = *launch.program;
  return launch.choices != nullptr &&
         program.syncs[program.blocks[block].sync].opcode == Opcode::kGroupPipe;
}

}  // namespace

// Lets work-items go on after every one of the group has returned or waits.  False if none is left.
//
// Instructions of sub-groups come first.  Ordered ones come before collective ones, the one that
// had no turn for the longest time first, and of several the first in the program: an order that
// depends neither on the batch width nor on the number of threads, and in which a spin lock's
// holder gets its turn.
bool Worker::Release(std::span<RunningBatch*> batches) {
  if (subgroups_.Release(batches, false)) return fuel_.MayGoOn();
  if (lockstep_.is_on()) {
    lockstep_.Look(batches);
    // Before a livelock is told: one that is held up may be the one that others wait for.
    if (lockstep_.holds() && idle_turns_ > lockstep_.Patience(kPatience / 2)) {
      lockstep_.Withdraw();
      if (lockstep_.LetGo(batches)) idle_turns_ = 0;
    }
  }
  std::uint32_t ordered = 0xffffffff;
  std::uint32_t collective = 0xffffffff;
  for (const RunningBatch* running : batches) {
    for (const Standing& standing : running->parked) {
      const FlatBlock& block = program_.blocks[standing.block];
      if (program_.syncs[block.sync].of_subgroup) continue;
      if (program_.syncs[block.sync].at_named) continue;
      if (!program_.syncs[block.sync].ordered) {
        collective = std::min(collective, standing.block);
      } else if (lockstep_.Free(*running, standing) == 0) {
        continue;
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
    if (fuel_.MayGoOn()) return true;
    TellLoop(ordered);
    return false;
  }
  if (partial_barriers_.Release(batches, collective == 0xffffffff)) return fuel_.MayGoOn();
  if (collective == 0xffffffff) return false;
  collectives_.Execute(batches, collective);
  return true;
}

void Worker::ReleaseOrdered(std::span<RunningBatch*> batches, std::uint32_t block) {
  bool changed = false;
  std::uint64_t count = 0;
  for (RunningBatch* running : batches) {
    const auto standing = std::ranges::find(running->parked, block, &Standing::block);
    if (standing == running->parked.end()) continue;
    const std::uint64_t lanes = lockstep_.Free(*running, *standing);
    if (lanes == 0) continue;
    Unpark(running, block, lanes);
    changed = ordered_.ExecuteInTurn(*running, lanes, block) || changed;
    count += static_cast<std::uint64_t>(std::popcount(lanes));
    Insert(&running->ready, program_.blocks[block].targets[0], lanes);
  }
  const bool may_wait = program_.syncs[program_.blocks[block].sync].may_wait;
  idle_turns_ = changed || !may_wait ? 0 : idle_turns_ + count;
  if (idle_turns_ <= kPatience) return;
  if (subgroups_.Release(batches, true)) {
    idle_turns_ = 0;
    return;
  }
  for (RunningBatch* running : batches) {
    if (running->ready.empty() && running->parked.empty()) continue;
    const Standing& first =
        running->ready.empty() ? running->parked.front() : running->ready.front();
    return ReportLivelock(
        {.item = 0, .running = running, .lane = std::countr_zero(first.lanes), .block = block});
  }
}

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
    if (subgroups_.Release(current_, false)) {
      if (launch_.stop || !fuel_.MayGoOn()) return false;
      continue;
    }
    if (lockstep_.is_on()) lockstep_.Look(current_);
    std::uint32_t collective = 0xffffffff;
    for (const RunningBatch* running : current_) {
      for (const Standing& standing : running->parked) {
        const FlatSync& sync = program_.syncs[program_.blocks[standing.block].sync];
        if (sync.ordered) return true;
        if (!sync.at_named) collective = std::min(collective, standing.block);
      }
    }
    if (partial_barriers_.Release(current_, collective == 0xffffffff)) {
      if (launch_.stop || !fuel_.MayGoOn()) return false;
      continue;
    }
    if (collective == 0xffffffff || launch_.stop) return false;
    if (TakesTurn(launch_, collective)) return true;
    collectives_.Execute(current_, collective);
  }
}

// Puts lanes aside that come to an instruction at which they wait; returns those that need not.
std::uint64_t Worker::Wait(RunningBatch& running, const FlatBlock& block, const Standing& now) {
  const FlatSync& sync = program_.syncs[block.sync];
  if (running.batch.group_of != nullptr) return WaitInGroups(running, now, sync);
  std::uint64_t passed = 0;
  if (sync.of_subgroup) {
    passed = subgroups_.Pass(running, now.block, now.lanes);
    Activate(running, passed);
  } else if (meets_at_once_ && CountLanes(now.lanes) == group_.items &&
             collectives_.ExecuteAtOnce(running, now.lanes, sync)) {
    if (!launch_.stop) return now.lanes;
  }
  if (passed != now.lanes) Insert(&running.parked, now.block, now.lanes & ~passed);
  return passed;
}

void Worker::EndGroup() {
  if (!launch_.stop) lockstep_.EndGroup();
  partial_barriers_.EndGroup();
  watchers_.EndGroup();
  output_.Flush(group_.number);
}

void Worker::CollectWaiting(std::vector<Waiting>* waiting) const {
  for (RunningBatch* running : current_) {
    std::uint64_t lanes = 0;
    std::array<std::uint32_t, 64> blocks;
    for (const Standing& standing : running->parked) {
      if (!program_.syncs[program_.blocks[standing.block].sync].ordered) continue;
      const std::uint64_t free = lockstep_.Free(*running, standing);
      for (std::uint64_t rest = free; rest != 0; rest &= rest - 1) {
        blocks[static_cast<std::size_t>(std::countr_zero(rest))] = standing.block;
      }
      lanes |= free;
    }
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t item = running->first + static_cast<std::uint64_t>(lane);
      waiting->push_back(
          {item, running, lane, blocks[static_cast<std::size_t>(lane)], std::nullopt});
      if (lockstep_.is_on()) waiting->back().subgroup = lockstep_.SubgroupOf(item);
    }
  }
  if (!waiting->empty()) return;
  // The group as a whole: its first work-item stands for all.
  for (RunningBatch* running : current_) {
    for (const Standing& standing : running->parked) {
      if (!TakesTurn(launch_, standing.block)) continue;
      if (!waiting->empty() && waiting->front().block <= standing.block) continue;
      const int lane = std::countr_zero(standing.lanes);
      waiting->assign(
          1, {running->first + static_cast<std::uint64_t>(lane), running, lane, standing.block});
    }
  }
}

TurnResult Worker::TakeTurn(const Waiting& waiting) {
  if (TakesTurn(launch_, waiting.block)) {
    collectives_.Execute(current_, waiting.block);
    (void)fuel_.MayGoOn();
    return {.value = 0, .changed = true};
  }
  const std::uint64_t lane = std::uint64_t{1} << waiting.lane;
  Unpark(waiting.running, waiting.block, lane);
  const TurnResult result = ordered_.Execute(*waiting.running, waiting.lane, waiting.block);
  Insert(&waiting.running->ready, program_.blocks[waiting.block].targets[0], lane);
  if (!fuel_.MayGoOn()) TellLoop(waiting.block);
  return result;
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

}  // namespace assay::interp
