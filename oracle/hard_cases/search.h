// The search for operands whose exact result is hard to round, one function in one format.
//
// A case: the first result is a finite number within the range, is neither a number of the format
// nor a tie, and is near to one (numerics/hardness.h defines the distance). If the results of both
// neighbours of the operand are also within 2^-10 gaps of a place of the same kind, the function
// follows numbers or midpoints there (sin x next to x, exp x next to 1, a saturated erf). Such a
// case is flat, and is listed separately, one for each binade of the first operand.
//
// The search:
// - half of one or two operands, float of one: every operand or pair (an int operand: -2^15 to
//   2^15 - 1);
// - double of one operand: numerics/hard_lefevre.h, on random intervals;
// - everything else: random operands, a quarter of them simple ones, and then the neighbours of the
//   nearest.
// Candidates come from BatchEvaluator's fractions, which are exact to 2^-22; MPFR ranks them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "numerics/hard_cases.h"
#include "numerics/operation.h"

namespace assay::oracle {

struct HardSearchOptions {
  std::size_t top = 64;  // cases of each kind that are not flat, and a quarter as many flat ones
  std::uint64_t seed = 1;
  int threads = 1;
  std::uint64_t samples = std::uint64_t{1} << 24;   // tuples where not all are tried; double: 1/64
  std::uint64_t intervals = std::uint64_t{1} << 8;  // of up to 2^30 doubles, over all binades
  bool sampled = false;  // draw operands also where all of them could be tried
  // Operands known to be hard, flattened; they are listed as published.
  std::vector<numerics::Bits> published{};
};

struct HardSearchHooks {
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t done, std::uint64_t count)> progress{};
};

struct HardSearchResult {
  std::vector<numerics::HardCase> cases;  // in the order of HardCaseRows
  std::string method;                     // sentences for the table's header
  std::string covered;
};

// kUnsupported: the function has no hard cases of its own.  Nothing: stopped.  The result does not
// depend on the number of threads.
Expected<std::optional<HardSearchResult>> SearchHardCases(const numerics::Operation& operation,
                                                          const HardSearchOptions& options,
                                                          const HardSearchHooks& hooks);

}  // namespace assay::oracle
