// Decides which calls of a kernel are kept, if expanding all of them would make too much code.
// Internal to lowering.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "frontend/module.h"

namespace assay::interp {

struct CallPlan {
  // Functions whose calls are kept, each before the functions that it calls.  All other functions
  // are expanded at each call.
  std::vector<const frontend::Function*> kept;
  std::unordered_map<const frontend::Function*, std::uint32_t> places;  // in `kept`

  std::optional<std::uint32_t> PlaceOf(const frontend::Function& function) const {
    const auto found = places.find(&function);
    if (found == places.end()) return std::nullopt;
    return found->second;
  }
};

// Keeps no call if the kernel has at most about `max_expanded` instructions with every call
// expanded.  Otherwise it keeps as few functions as possible, those that save most first.  Never
// kept are - functions that work-items of a group execute together (barriers, group functions,
// asynchronous copies) and those that call them: where such an instruction is reached from tells
// whether work-items are at the same one; - calls of a module that cannot be executed (recursion,
// deeper than `max_depth`, a function without a body): what expands them says so.  If
// `max_expanded` is 0, everything that can be kept is.
CallPlan PlanCalls(const frontend::Module& module, const frontend::Function& kernel,
                   std::uint64_t max_expanded, std::uint32_t max_depth);

}  // namespace assay::interp
