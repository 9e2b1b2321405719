// A guided search for larger errors in formats that are too big for exhaustive tests.
#pragma once

#include <vector>

#include "oracle/sweep/batch_runner.h"
#include "oracle/sweep/judging.h"
#include "oracle/sweep/sweep.h"

namespace assay::oracle {

// Spends options.search_seconds on inputs near the worst ones known, binade by binade: each round
// keeps the best input of every binade of the first operand and tries its neighbours, random
// significands in the same binades, and fresh random operands.  Answers are judged and counted
// like all others.
Expected<void> SearchForErrors(BatchRunner& runner, const InputPlan& plan, const Judging& judging,
                               const numerics::Operation& operation, const SweepOptions& options,
                               const SweepHooks& hooks, Statistics* statistics);

}  // namespace assay::oracle
