// The values of built-in variables.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "interp/execute/launch_state.h"
#include "interp/execute/running_batch.h"

namespace assay::interp {

// What a built-in variable of sub-groups is for a work-item of the group, by its linear local id.
std::uint64_t SubgroupInput(const LaunchState& launch, const GroupPosition& group,
                            const Input& input, std::uint64_t item);

// What the value of an input is the same for: the launch, work-items at the same place in groups of
// the same size, or only in one group.
enum class InputScope : std::uint8_t { kLaunch, kPlace, kGroup };
constexpr InputScope ScopeOf(InputKind kind) {
  switch (kind) {
    case InputKind::kParameter:
    case InputKind::kGlobalSize:
    case InputKind::kEnqueuedLocalSize:
    case InputKind::kNumGroups:
    case InputKind::kGlobalOffset:
    case InputKind::kWorkDim:
      return InputScope::kLaunch;
    case InputKind::kGlobalId:
    case InputKind::kGroupId:
    case InputKind::kGlobalLinearId:
      return InputScope::kGroup;
    case InputKind::kLocalId:
    case InputKind::kLocalSize:
    case InputKind::kLocalLinearId:
    case InputKind::kSubgroupSize:
    case InputKind::kSubgroupMaxSize:
    case InputKind::kNumSubgroups:
    case InputKind::kNumEnqueuedSubgroups:
    case InputKind::kSubgroupId:
    case InputKind::kSubgroupLocalId:
    case InputKind::kSubgroupEqMask:
    case InputKind::kSubgroupGeMask:
    case InputKind::kSubgroupGtMask:
    case InputKind::kSubgroupLeMask:
    case InputKind::kSubgroupLtMask:
      break;
  }
  return InputScope::kPlace;
}

// Fills a register that is no parameter for the first `count` work-items of a batch.
void FillBuiltIn(const LaunchState& launch, const GroupPosition& group, RunningBatch& running,
                 const InputRegister& input, std::uint64_t count);

// The lanes of a batch that has several groups of one size (packing.h), by lane where it says so.
struct LanesOfGroups {
  using ByLane = std::array<std::uint32_t, kMaxLanes>;
  std::uint64_t items = 1;           // of each group
  alignas(64) ByLane group = {};     // the number of its group
  std::array<ByLane, 3> local = {};  // by dimension: its local id
  ByLane row = {};           // where groups are in a row: its place there, from the first lane's
  bool is_row = false;       // they differ in the first dimension only
  bool is_same_row = false;  // ... and are in the row of those before them
  std::vector<std::array<std::uint64_t, 3>> ids;  // of the groups

  // Groups of this one's size come next.
  void Begin(const LaunchState& launch, const GroupPosition& first);
  // These come, from `first` on.
  void Place(const LaunchState& launch, const GroupPosition& first, std::uint64_t groups);
};
// Fills a register with what differs between groups.
void FillInGroups(const LaunchState& launch, const LanesOfGroups& lanes, RunningBatch& running,
                  const InputRegister& input);
// What the lanes of the first group have, in all groups that there is room for.
void RepeatInGroups(const LanesOfGroups& lanes, RunningBatch& running, const InputRegister& input);

}  // namespace assay::interp
