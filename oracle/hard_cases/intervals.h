// The search for hard cases of a function of one double, on intervals of consecutive operands.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "oracle/hard_cases/collect.h"
#include "oracle/hard_cases/search.h"

namespace assay::oracle {

struct IntervalScan {
  std::array<std::vector<HardCandidate>, 2> candidates;  // by kind
  std::string method;
  std::string covered;
};

// Spreads options.intervals over the binades where the function is smooth and does not follow the
// numbers all along; which intervals of a binade is drawn by the seed.  Nothing: stopped.
std::optional<IntervalScan> ScanIntervals(const numerics::Operation& operation,
                                          const HardSearchOptions& options,
                                          const HardSearchHooks& hooks);

}  // namespace assay::oracle
