#include "interp/execute/partial_barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "interp/execute/execute.h"

namespace assay::interp {
namespace {

// The values of named barriers: this and a number, so that others are seen to be none.
constexpr std::uint64_t kBarrierTag = 0xba;

std::uint64_t HandleOf(std::uint32_t pointer_bytes, std::uint64_t number) {
  return kBarrierTag << (pointer_bytes * 8 - 8) | number;
}

std::vector<std::uint64_t> ItemsOf(std::span<const SubgroupPart> parts) {
  std::vector<std::uint64_t> items;
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      items.push_back(part.running->first + static_cast<std::uint64_t>(std::countr_zero(rest)));
    }
  }
  return items;
}

}  // namespace

PartialBarriers::PartialBarriers(Worker* worker)
    : worker_(*worker),
      program_(*worker->launch().program),
      has_named_(std::ranges::any_of(program_.syncs, &FlatSync::at_named)) {}

void PartialBarriers::BeginGroup() {
  named_.clear();
  arrivals_.clear();
}

// --- named barriers ---------------------------------------------------------------------------

void PartialBarriers::Initialize(std::span<const SubgroupPart> parts, const FlatSync& sync) {
  RunningBatch& first = *parts[0].running;
  const int lane = std::countr_zero(parts[0].lanes);
  named_.push_back(ReadLane(first, sync.operands[0], Kind::kI64, lane));
  const std::uint64_t size = program_.subgroup_size;
  const std::uint64_t subgroups = (worker_.group_items() + size - 1) / size;
  if (named_.back() == 0 || named_.back() > subgroups) {
    worker_.Report(first.batch, sync.instruction.place, lane, Rule::kBarrierNamed,
                   fmt::format("a named barrier for {} sub-groups, in a work-group of {}",
                               named_.back(), subgroups));
  }
  const std::uint64_t handle = HandleOf(worker_.launch().module->PointerBytes(), named_.size());
  for (const SubgroupPart& part : parts) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      WriteLane(*part.running, sync.results[0], Kind::kI64, std::countr_zero(rest), handle);
    }
  }
}

std::map<std::uint64_t, PartialBarriers::Subgroups> PartialBarriers::Waiting(
    std::span<RunningBatch* const> batches) const {
  std::map<std::uint64_t, Subgroups> waiting;
  for (RunningBatch* running : batches) {
    for (const Standing& standing : running->parked) {
      const FlatSync& sync = program_.syncs[program_.blocks[standing.block].sync];
      if (!sync.at_named) continue;
      for (std::uint64_t rest = standing.lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t handle = ReadLane(*running, sync.operands[0], Kind::kI64, lane);
        const std::uint64_t subgroup =
            (running->first + static_cast<std::uint64_t>(lane)) / program_.subgroup_size;
        const auto [arrived, is_first] =
            waiting[handle].try_emplace(subgroup, Arrived{standing.block, {}});
        // Its work-items that wait elsewhere come when these have gone on.
        if (!is_first && arrived->second.block != standing.block) continue;
        std::vector<SubgroupPart>& parts = arrived->second.parts;
        if (parts.empty() || parts.back().running != running) parts.push_back({running, 0});
        parts.back().lanes |= std::uint64_t{1} << lane;
      }
    }
  }
  return waiting;
}

bool PartialBarriers::IsWhole(std::uint64_t subgroup, const Arrived& arrived) const {
  const std::uint64_t size = program_.subgroup_size;
  const std::uint64_t expected = std::min(size, worker_.group_items() - subgroup * size);
  return ItemsOf(arrived.parts).size() == expected;
}

void PartialBarriers::GoOn(const Arrived& arrived, std::uint64_t meeting) {
  const FlatSync& sync = program_.syncs[program_.blocks[arrived.block].sync];
  if (RaceWatch* const races = worker_.races()) {
    races->LeaveFrom(worker_.watchers().race_view(),
                     static_cast<std::uint32_t>(sync.instruction.immediate), ItemsOf(arrived.parts),
                     meeting);
  }
  for (const SubgroupPart& part : arrived.parts) {
    const auto standing = std::ranges::find(part.running->parked, arrived.block, &Standing::block);
    standing->lanes &= ~part.lanes;
    if (standing->lanes == 0) part.running->parked.erase(standing);
    Insert(&part.running->ready, program_.blocks[arrived.block].targets[0], part.lanes);
  }
}

void PartialBarriers::ReportStuck(std::uint64_t barrier, const Subgroups& subgroups) {
  const auto& [number, arrived] = *subgroups.begin();
  const FlatSync& sync = program_.syncs[program_.blocks[arrived.block].sync];
  RunningBatch& running = *arrived.parts[0].running;
  const auto report = [&](const std::string& message) {
    worker_.Report(running.batch, sync.instruction.place, std::countr_zero(arrived.parts[0].lanes),
                   Rule::kBarrierNamed, message);
  };
  const std::uint64_t index = barrier - HandleOf(worker_.launch().module->PointerBytes(), 1);
  if (index >= named_.size()) return report("the work-item waits at what is no named barrier");
  if (!IsWhole(number, arrived)) {
    return report(
        fmt::format("{} of the work-items of sub-group {} wait at a named barrier, and the others "
                    "do not come",
                    ItemsOf(arrived.parts).size(), number));
  }
  report(
      fmt::format("{} of the {} sub-groups that a named barrier waits for come to it, and none "
                  "of the others can",
                  subgroups.size(), named_[index]));
}

bool PartialBarriers::Release(std::span<RunningBatch* const> batches, bool is_stuck) {
  if (!has_named_) return false;
  const std::uint64_t first = HandleOf(worker_.launch().module->PointerBytes(), 1);
  const auto waiting = Waiting(batches);
  if (waiting.empty()) return false;
  // Each sub-group publishes before the first one goes on.
  const auto release = [&](const Subgroups& subgroups, std::uint64_t count) {
    const std::uint64_t meeting = ++meetings_;
    for (const bool arrives : {true, false}) {
      std::uint64_t done = 0;
      for (const auto& [number, arrived] : subgroups) {
        if (done++ == count) break;
        const FlatSync& sync = program_.syncs[program_.blocks[arrived.block].sync];
        worker_.Spend(16);
        worker_.SpendMeeting();
        if (!arrives) {
          GoOn(arrived, meeting);
        } else if (RaceWatch* const races = worker_.races()) {
          races->ArriveAt(worker_.watchers().race_view(),
                          static_cast<std::uint32_t>(sync.instruction.immediate),
                          ItemsOf(arrived.parts), meeting);
        }
      }
    }
  };
  bool any = false;
  for (const auto& [barrier, subgroups] : waiting) {
    const bool is_known = barrier - first < named_.size();
    if (!is_known || named_[barrier - first] == 0) continue;
    Subgroups whole;
    for (const auto& [number, arrived] : subgroups) {
      if (IsWhole(number, arrived)) whole.emplace(number, arrived);
    }
    if (whole.size() < named_[barrier - first]) continue;
    release(whole, named_[barrier - first]);
    any = true;
  }
  if (any || !is_stuck) return any;
  const auto& [barrier, subgroups] = *waiting.begin();
  ReportStuck(barrier, subgroups);
  release(subgroups, subgroups.size());
  return true;
}

// --- split barriers ---------------------------------------------------------------------------

void PartialBarriers::Arrive(RunningBatch& running, int lane, const FlatSync& sync) {
  arrivals_.resize(worker_.group_items());
  const std::uint64_t item = running.first + static_cast<std::uint64_t>(lane);
  Arrival& mine = arrivals_[item];
  if (mine.is_open) {
    worker_.Report(running.batch, sync.instruction.place, lane, Rule::kBarrierSplit,
                   "the work-item arrives again before it has waited",
                   {"it arrived here: " + worker_.DescribePlace(mine.place)});
  }
  mine = {&running, lane, sync.instruction.place, true};
  if (RaceWatch* const races = worker_.races()) {
    races->ArriveAt(worker_.watchers().race_view(),
                    static_cast<std::uint32_t>(sync.instruction.immediate), std::span(&item, 1),
                    phase_);
  }
}

void PartialBarriers::Wait(std::span<const SubgroupPart> parts, const FlatSync& sync) {
  arrivals_.resize(worker_.group_items());
  const std::vector<std::uint64_t> items = ItemsOf(parts);
  const auto report = [&](std::uint64_t item, const std::string& message,
                          std::vector<std::string> history = {}) {
    for (const SubgroupPart& part : parts) {
      const std::uint64_t lane = item - part.running->first;
      if (lane >= 64 || (part.lanes >> lane & 1) == 0) continue;
      worker_.Report(part.running->batch, sync.instruction.place, static_cast<int>(lane),
                     Rule::kBarrierSplit, message, std::move(history));
      return;
    }
  };
  const auto missing =
      std::ranges::find_if(items, [this](std::uint64_t item) { return !arrivals_[item].is_open; });
  const auto other = std::ranges::find_if(items, [&](std::uint64_t item) {
    return arrivals_[item].place != arrivals_[items[0]].place;
  });
  if (missing != items.end()) {
    report(*missing, "the work-item waits at a split barrier at which it has not arrived");
  } else if (other != items.end()) {
    report(*other, "the work-item arrived at another instruction than others of its group",
           {"it arrived here: " + worker_.DescribePlace(arrivals_[*other].place),
            "another one arrived here: " + worker_.DescribePlace(arrivals_[items[0]].place)});
  }
  for (const std::uint64_t item : items) arrivals_[item].is_open = false;
  if (RaceWatch* const races = worker_.races()) {
    races->LeaveFrom(worker_.watchers().race_view(),
                     static_cast<std::uint32_t>(sync.instruction.immediate), items, phase_);
  }
  ++phase_;
}

void PartialBarriers::EndGroup() {
  if (worker_.launch().stop) return;
  for (Arrival& arrival : arrivals_) {
    if (!arrival.is_open) continue;
    arrival.is_open = false;
    worker_.Report(arrival.running->batch, arrival.place, arrival.lane, Rule::kBarrierSplit,
                   "the work-item arrives at a split barrier and never waits at it");
  }
}

}  // namespace assay::interp
