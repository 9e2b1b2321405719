// The last step of a sweep: from what was judged to a result.  It needs all of the items, so that
// of shards it is done after they are merged.
#pragma once

#include <span>

#include "oracle/judge/panel.h"
#include "oracle/sweep/sweep.h"

namespace assay::oracle {

struct Measured {
  SweepProgress progress;
  std::string message;
  bool complete = false;    // every item was asked
  bool refuted = false;     // the answers do not count
  bool enumerates = false;  // the plan has every operand
  std::optional<SearchResult> search;
};

JudgeOptions JudgeOptionsFor(const DeviceDescription& device, const numerics::Operation& operation,
                             const SweepOptions& options);

FunctionResult FinishSweep(const JudgePanel& panel, const Limit& limit, Measured measured);

// What one shard has measured.
FunctionResult PartOf(const numerics::Operation& operation, const Limit& limit, Measured measured);

// The result of an operation from the parts of all shards, with their ranks (RankOf).
struct RankedPart {
  std::uint64_t rank = 0;
  const FunctionResult* part = nullptr;
};
FunctionResult MergeParts(const DeviceDescription& device, const numerics::Operation& operation,
                          const SweepOptions& options, std::vector<RankedPart> parts);

}  // namespace assay::oracle
