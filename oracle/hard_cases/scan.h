// The loops of the search over operands: all operands, or random ones.
#pragma once

#include <functional>

#include "oracle/hard_cases/collect.h"
#include "oracle/hard_cases/search.h"

namespace assay::oracle {

// Runs work(0) to work(count - 1) on the threads, in any order; false if it was stopped.  Each
// thread has its own state: `start` is called in it and returns the function.
bool RunOnThreads(std::uint64_t count, int threads, const HardSearchHooks& hooks,
                  const std::function<std::function<void(std::uint64_t)>()>& start);

// Every operand or pair; an int operand goes from -2^15 to 2^15 - 1.  False: stopped.
bool ScanEverything(const numerics::Operation& operation, const HardSearchOptions& options,
                    const HardSearchHooks& hooks, HardCollector* collector);

// How many items ScanEverything looks at.
std::uint64_t EverythingCount(const numerics::Operation& operation);

// For operands without and with a simple operand (HasSimpleOperand).
using HardCollectors = std::array<HardCollector, 2>;

// `count` tuples drawn by the seed, every fourth of simple operands.  False: stopped.
bool ScanSamples(const numerics::Operation& operation, std::uint64_t count,
                 const HardSearchOptions& options, const HardSearchHooks& hooks,
                 HardCollectors* collectors);

}  // namespace assay::oracle
