// The values of built-in variables.
#pragma once

#include <cstdint>

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
    default:
      return InputScope::kPlace;
  }
}

// Fills a register that is no parameter for the first `count` work-items of a batch.
void FillBuiltIn(const LaunchState& launch, const GroupPosition& group, RunningBatch& running,
                 const InputRegister& input, std::uint64_t count);

}  // namespace assay::interp
