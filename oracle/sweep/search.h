// A search for larger errors where operands cannot be exhausted: branch and bound over boxes of
// operands, guided by the errors of the device's own answers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "oracle/sweep/batch_runner.h"
#include "oracle/sweep/judging.h"
#include "oracle/sweep/leads.h"
#include "oracle/sweep/sweep.h"

namespace assay::oracle {

struct SearchTask {
  const numerics::Operation& operation;
  const std::vector<Lead>& leads;  // the worst inputs of the plan
  std::uint64_t first_item = 0;    // the number of the first input of the search
  std::uint64_t evaluations = 0;   // inputs to ask
  std::uint64_t seed = 1;
  std::optional<NumberRange> range = {};  // of the floating-point operands
  std::size_t max_failures = 10;
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t)> progress;  // with the number of inputs asked; may be empty
};

// Asks task.evaluations inputs.  The first eighth are random inputs as the plan draws them.  Then
// come samples of boxes: a box of operands is cut in halves, the reference excludes halves where
// the result is one, and BoxQueue says which boxes are next.  The last two fifths climb from the
// largest errors found to larger ones beside them.  Everywhere the reference chooses among more
// candidates: an input is asked if its exact value lies on the grid of the format where a device
// that errs a little more than is known would show it.  Answers are judged and counted like all
// others. Everything is a function of the task and of the device's answers; clock and threads
// decide nothing.
Expected<SearchResult> SearchForErrors(BatchRunner& runner, const Judging& judging,
                                       const SearchTask& task, Statistics* statistics);

}  // namespace assay::oracle
