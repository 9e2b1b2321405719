// How hard an exact value is to round: its distance from the nearest place where rounding changes.
//
// Rounding changes at the numbers of the format (directed modes) and at the midpoints between two
// of them (round to nearest). An implementation that knows its result to within d gaps rounds
// correctly only if the exact value is farther than d from every such place.
#pragma once

#include <span>
#include <vector>

#include "numerics/operation.h"

namespace assay::numerics {

// Distances in gaps.  The gap is that between the two numbers of the format around v, or from the
// number that v is to the next one away from zero; only its own midpoint counts, since v is nearer
// to an end of the gap than to any other midpoint.  Below the smallest subnormal the gap goes from
// zero to it.  Beyond the largest finite number it is the one that would follow: its midpoint is
// where rte begins to overflow, and its far end is no number, so that to_number may exceed 1/2.
struct Hardness {
  bool applies = false;    // v is a real number: no NaN, infinity, integer or unspecified result
  double to_number = 0;    // from the nearest number of the format; 0: v is one
  double to_midpoint = 0;  // from the midpoint of the gap; 0: a tie
};

// Distances below this one are given as it, so that none is 0 but where v is at the place itself.
inline constexpr double kLeastDistance = 0x1p-1000;

// One entry a result, each distance true to 2^-20 of itself: MPFR's precision grows until it is.
// args: as for EvaluateExact.
std::vector<Hardness> MeasureHardness(const Operation& operation, std::span<const Bits> args);

}  // namespace assay::numerics
