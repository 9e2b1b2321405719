// Lefevre's search for hard-to-round operands of a function of one double.
//
// On a short run of consecutive operands the function is a line but for a tiny error, and those
// operands i for which (a + b i) mod 1 is small follow from Euclid's algorithm on b without looking
// at the others: V. Lefevre, "New results on the distance between a segment and Z^2. Application to
// the exact rounding", ARITH-17 (2005); V. Lefevre and J.-M. Muller, "Worst cases for correct
// rounding of the elementary functions in double precision", ARITH-15 (2001).  Here the line runs
// in half gaps, so that numbers and midpoints are found at once; the lines come from a polynomial
// of degree 4 through five values by MPFR.
//
// Known deviation: the errors of polynomial and line are estimated (at one more value by MPFR, and
// by the second derivative at the ends), not proven, so that a list of hits is not a proof that
// there are no others.  Hits are candidates; MeasureHardness confirms them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/operation.h"

namespace assay::numerics {

// The smallest i in [0, n) with low <= a * i mod m <= high, or n where there is none.
// 0 <= low <= high < m, a < m, and a * n must fit into 64 bits.
std::uint64_t FirstInRange(std::uint64_t a, std::uint64_t m, std::uint64_t low, std::uint64_t high,
                           std::uint64_t n);

struct LefevreHit {
  Bits operand = 0;
  double distance = 0;  // in gaps, from the nearest number or midpoint
  bool to_midpoint = false;
};

struct LefevreRun {
  std::uint64_t searched = 0;  // consecutive operands, the skipped ones included
  std::uint64_t skipped = 0;   // in segments that follow a number or midpoint all along
  std::uint64_t segments = 0;
  std::vector<LefevreHit> hits;
};

// Searches consecutive operands from `first` on for results within `bound` gaps (at most 2^-24) of
// a number or a midpoint.  As many as `segments` lines cover, at most 2^30 and not beyond the
// binade of `first`, whose significand should end in 30 zeros.  Nothing where the function is not
// smooth there: not a number, subnormal, in two binades, too steep for lines of 32 operands.
std::optional<LefevreRun> SearchConsecutive(const Operation& operation, Bits first,
                                            std::uint64_t segments, double bound);

}  // namespace assay::numerics
