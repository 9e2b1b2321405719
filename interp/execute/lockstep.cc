#include "interp/execute/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "interp/execute/execute.h"

namespace assay::interp {

LockStep::LockStep(Worker* worker)
    : worker_(*worker),
      is_on_(worker->launch().program->has_spins &&
             (worker->launch().options.forward_progress == ForwardProgress::kSubgroup ||
              worker->launch().options.forward_progress == ForwardProgress::kNone)),
      holds_groups_(worker->launch().options.forward_progress == ForwardProgress::kNone),
      subgroup_size_(worker->launch().program->subgroup_size) {}

void LockStep::BeginGroup() {
  if (!is_on_) return;
  const std::uint64_t count = (worker_.group_items() + subgroup_size_ - 1) / subgroup_size_;
  spins_.assign(count, false);
  let_go_.assign(count, false);
  group_let_go_ = spins_in_group_ = holds_ = false;
  hangs_.clear();
}

// Every loop has ended.
void LockStep::EndGroup() {
  for (const Hang& hang : hangs_) Tell(hang);
  hangs_.clear();
}

void LockStep::Tell(const Hang& hang) {
  const FlatSync& sync =
      worker_.launch().program->syncs[worker_.launch().program->blocks[hang.spinner.block].sync];
  worker_.Report(hang.spinner.running->batch, sync.instruction.place, hang.spinner.lane, hang.rule,
                 hang.message, hang.history);
}

bool LockStep::StillStands(const Place& place) {
  return std::ranges::any_of(place.running->parked, [&](const Standing& standing) {
    return standing.block == place.block && (standing.lanes >> place.lane & 1) != 0;
  });
}

// Work-items that wait for their turn, in the order of their ids.
std::vector<LockStep::Place> LockStep::Places(std::span<RunningBatch* const> batches) const {
  const Program& program = *worker_.launch().program;
  std::vector<Place> places;
  for (RunningBatch* running : batches) {
    for (const Standing& standing : running->parked) {
      const FlatSync& sync = program.syncs[program.blocks[standing.block].sync];
      if (!sync.ordered) continue;
      for (std::uint64_t rest = standing.lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        places.push_back({running, lane, standing.block,
                          running->first + static_cast<std::uint64_t>(lane), sync.spins});
      }
    }
  }
  std::ranges::sort(places, {}, &Place::item);
  return places;
}

void LockStep::Look(std::span<RunningBatch* const> batches) {
  // Who has left the loop had to wait for those that were let go.
  std::erase_if(hangs_, [this](const Hang& hang) {
    if (StillStands(hang.spinner)) return false;
    Tell(hang);
    return true;
  });
  spins_.assign(spins_.size(), false);
  spins_in_group_ = holds_ = false;
  const std::vector<Place> places = Places(batches);
  for (const Place& place : places) {
    if (!place.spins) continue;
    spins_[SubgroupOf(place.item)] = true;
    spins_in_group_ = true;
  }
  for (const Place& place : places) {
    holds_ = holds_ || (!place.spins && (IsHeldByGroup() || IsHeldBySubgroup(place.item)));
  }
}

bool LockStep::IsHeldBySubgroup(std::uint64_t item) const {
  const std::uint64_t subgroup = SubgroupOf(item);
  return spins_[subgroup] && !let_go_[subgroup];
}

std::uint64_t LockStep::Free(const RunningBatch& running, const Standing& standing) const {
  const Program& program = *worker_.launch().program;
  if (!is_on_ || program.syncs[program.blocks[standing.block].sync].spins) return standing.lanes;
  if (IsHeldByGroup()) return 0;
  std::uint64_t free = standing.lanes;
  for (std::uint64_t rest = standing.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint64_t>(std::countr_zero(rest));
    if (IsHeldBySubgroup(running.first + lane)) free &= ~(rest & -rest);
  }
  return free;
}

bool LockStep::LetGo(std::span<RunningBatch* const> batches) {
  if (!is_on_) return false;
  const std::vector<Place> places = Places(batches);
  const auto find = [&](const auto& fits) {
    const auto found = std::ranges::find_if(places, fits);
    return found == places.end() ? nullptr : &*found;
  };
  if (IsHeldByGroup()) {
    group_let_go_ = true;
    const Place* spinner = find([](const Place& place) { return place.spins; });
    const Place* held =
        find([&](const Place& place) { return !place.spins && !IsHeldBySubgroup(place.item); });
    if (spinner != nullptr && held != nullptr) {
      Remember(*spinner, *held, Rule::kItemProgressHang);
      return true;
    }
  }
  for (const Place& held : places) {
    if (held.spins || !IsHeldBySubgroup(held.item)) continue;
    const std::uint64_t subgroup = SubgroupOf(held.item);
    const Place* spinner =
        find([&](const Place& place) { return place.spins && SubgroupOf(place.item) == subgroup; });
    if (spinner == nullptr) continue;
    Remember(*spinner, held, Rule::kProgressLockstep);
    let_go_[subgroup] = true;
    return true;
  }
  return false;
}

void LockStep::Remember(const Place& spinner, const Place& held, Rule rule) {
  has_hung_ = true;
  const Program& program = *worker_.launch().program;
  const FlatSync& sync = program.syncs[program.blocks[spinner.block].sync];
  const FlatSync& other = program.syncs[program.blocks[held.block].sync];
  const Address address = ReadLane(*spinner.running, sync.operands[0], Kind::kI64, spinner.lane);
  const Region* region = spinner.running->batch.FindRegion(address);
  const std::string where =
      region == nullptr || region->address == 0
          ? "memory"
          : fmt::format("{} memory '{}' at offset {}", AddressSpaceName(region->space),
                        worker_.launch().memory->NameOf(region->object), address - region->address);
  const bool is_subgroup = rule == Rule::kProgressLockstep;
  const std::string name = worker_.DescribeItem(worker_.group(), held.item);
  hangs_.push_back(
      {spinner,
       rule,
       fmt::format("the work-item spins on {}, and work-item {} of its {} gets no turn meanwhile: "
                   "{} the loop does not end",
                   where, name, is_subgroup ? "sub-group" : "work-group",
                   is_subgroup ? "in lock step" : "one after the other"),
       {fmt::format("work-item {} stands before: {}", name,
                    worker_.DescribePlace(other.instruction.place)),
        is_subgroup
            ? fmt::format("--forward-progress {}: the work-items of a sub-group, here of {}, make "
                          "progress together only",
                          ForwardProgressName(worker_.launch().options.forward_progress),
                          subgroup_size_)
            : std::string("--forward-progress none: sub-groups make no progress by themselves")}});
}

}  // namespace assay::interp
