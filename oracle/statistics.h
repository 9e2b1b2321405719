// What is kept of a sweep: streaming, of constant size, mergeable in any order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "numerics/operation.h"
#include "oracle/verdict.h"

namespace assay::oracle {

// One answer worth showing: the worst, or a failure.
struct Sighting {
  std::uint64_t item = 0;  // place in the input plan
  int width = 1;           // vector width in which it was seen
  int lane = 0;            // component of that vector
  int result = 0;          // which result (1: the second of sincos, frexp, ...)
  std::vector<numerics::Bits> args;
  // Seen in a vector, alone or because its answer differs from a narrower one's: the operands of
  // all its lanes, lane after lane.  What the neighbours hold can matter.
  std::vector<std::vector<numerics::Bits>> lanes = {};
  numerics::Bits observed = 0;
  numerics::Bits expected = 0;  // correctly rounded in the device's mode
  double ulp = 0;
  Rule rule = Rule::kWithinLimit;
};

struct BinadeStatistics {
  std::uint64_t inputs = 0;
  double max_ulp = 0;
};

// Thresholds of the "over" counts in ulp.
inline constexpr std::array<double, 6> kThresholds = {0.5, 1, 2, 4, 8, 16};

struct Statistics {
  std::uint64_t inputs = 0;   // items judged; each counts once, at its worst width
  std::uint64_t answers = 0;  // answers judged: items times widths
  double max_ulp = 0;
  Sighting worst;  // the answer with max_ulp; the first item on ties
  bool has_worst = false;
  std::array<std::uint64_t, kThresholds.size()> over{};
  std::uint64_t flushed = 0;   // accepted under 7.5.3
  std::uint64_t derived = 0;   // accepted as another allowed computation
  std::uint64_t failures = 0;  // all of them
  std::map<int, std::uint64_t> failures_by_width;
  std::vector<Sighting> recorded;  // the first failures in plan order, at most --max-failures
  std::map<int, BinadeStatistics> binades;  // by exponent of the first operand

  void Merge(const Statistics& other, std::size_t max_failures);
  void AddFailure(const Sighting& failure, std::size_t max_failures);
  // Failures of another width that has the same answers: counted, not recorded again.
  void AddRepeatedFailures(int width, std::uint64_t count);
  // Keeps the larger error, and the earlier sighting of two equal ones.
  void OfferWorst(const Sighting& sighting);
};

}  // namespace assay::oracle
