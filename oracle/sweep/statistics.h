// The statistics of a sweep: streaming, of constant size, mergeable in any order.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "numerics/operation.h"
#include "oracle/judge/verdict.h"
#include "oracle/sweep/error_places.h"

namespace assay::oracle {

// Plan order: the order in which one thread at width 1 would meet the answers.
struct SightingPlace {
  std::uint64_t item = 0;
  int width = 1;
  int result = 0;
  auto operator<=>(const SightingPlace&) const = default;
};

// One answer worth showing: the worst, or a failure.
struct Sighting {
  std::uint64_t item = 0;  // place in the input plan
  int width = 1;           // vector width in which it was seen
  int lane = 0;            // component of that vector
  int result = 0;          // which result (1: the second of sincos, frexp, ...)
  std::vector<numerics::Bits> args;
  // If it was seen only in a vector, or its answer there differs from that in a narrower width: the
  // operands of all lanes of the vector, lane after lane, because the values in other lanes can
  // matter.
  std::vector<std::vector<numerics::Bits>> lanes = {};
  numerics::Bits observed = 0;
  numerics::Bits expected = 0;  // correctly rounded in the device's mode
  numerics::Bits before = 0;    // kNotDeterministic: the first observation
  double ulp = 0;
  Rule rule = Rule::kWithinLimit;
  std::uint8_t refused_by = 0;  // ReadingBit of each reading under which it is a failure

  SightingPlace Place() const { return {item, width, result}; }
};

// The verdict of another reading about the same answers.
struct ReadingStatistics {
  std::uint64_t failures = 0;
  // The first failure that is none under the run's own reading, with this reading's rule.
  Sighting first;
  bool has_first = false;
};

// Thresholds of the "over" counts in ulp.
inline constexpr std::array<double, 6> kThresholds = {0.5, 1, 2, 4, 8, 16};

struct Statistics {
  std::uint64_t inputs = 0;   // items judged; each counts once, at its worst width
  std::uint64_t answers = 0;  // answers judged: items times widths
  // max_ulp, worst, over and binades ignore answers that conform only as flushed or derived.
  double max_ulp = 0;
  Sighting worst;  // the answer with max_ulp; the first item on ties
  bool has_worst = false;
  Sighting worst_allowed;  // of the answers left out: the one with the largest error
  bool has_worst_allowed = false;
  std::array<std::uint64_t, kThresholds.size()> over{};
  std::uint64_t flushed = 0;            // accepted under 7.5.3
  std::uint64_t derived = 0;            // accepted as another allowed computation
  std::uint64_t asked_again = 0;        // answers that were requested a second time
  std::uint64_t not_deterministic = 0;  // those of them that differ although both conform
  std::vector<Sighting> unstable;       // the first of them in plan order; empty or one
  std::uint64_t failures = 0;           // all of them
  std::map<int, std::uint64_t> failures_by_width;
  std::vector<Sighting> recorded;  // the first failures, in plan order, at most --max-failures
  Binades binades;
  ErrorPlane plane;                                       // of functions of two scalars
  std::array<ReadingStatistics, kReadingCount> readings;  // that of the run's own stays empty

  void Merge(const Statistics& other, std::size_t max_failures);
  void AddFailure(const Sighting& failure, std::size_t max_failures);
  // Whether AddFailure would record a failure there, and OfferWorst keep one: where they do not, no
  // Sighting need be made, which takes longer than most functions.
  bool RecordsFailure(const SightingPlace& place, std::size_t max_failures) const;
  bool IsWorst(const SightingPlace& place, double ulp) const;
  // Failures of another width that has the same answers: counted, not recorded again.
  void AddRepeatedFailures(int width, std::uint64_t count);
  void AddNotDeterministic(const Sighting& sighting);
  // A failure under another reading; `accepted`: the run's own reading accepts it.
  void AddFailureOf(Reading reading, const Sighting& failure, bool accepted);
  // Keeps the larger error, and the earlier sighting of two equal ones.
  void OfferWorst(const Sighting& sighting);
  void OfferWorstAllowed(const Sighting& sighting);
  // The accepted or refused answer with the largest error, flushed and derived ones included; null
  // where none has an ulp.
  const Sighting* WorstOfAll() const;
};

}  // namespace assay::oracle
