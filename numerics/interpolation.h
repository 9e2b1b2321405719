// A function of one real number over 1024 operands at equal distances, from its values at eight of
// them.
//
// Where the function is analytic around the operands, a polynomial of degree 7 follows it, with an
// error that Hermite's formula bounds (Davis, Interpolation and Approximation, 1963, 3.6).
#pragma once

#include <array>
#include <cstddef>

#include "numerics/smoothness.h"

namespace assay::numerics {

inline constexpr int kNeighbours = 1024;
inline constexpr int kNodeCount = 8;
// The items next to the Chebyshev points of the interval.
inline constexpr std::array<std::size_t, kNodeCount> kNodes = {10,  86,  227, 412,
                                                               611, 796, 937, 1013};
// The node around which the function is known, and the distance to the farthest item.
inline constexpr std::size_t kCenterNode = 4;
inline constexpr double kReach = kNodes[kCenterNode];
static_assert(kNodes[kCenterNode] >= kNeighbours - 1 - kNodes[kCenterNode]);

// The variable of the polynomials at an item: -1 at the first, 1 at the last.
inline double InterpolationVariable(int item) {
  return (static_cast<double>(item) - 511.5) * (1 / 511.5);
}

struct Interpolation {
  // Coefficient j of the polynomial that is 1 at node k and 0 at the others.
  std::array<std::array<double, kNodeCount>, kNodeCount> coefficients{};
  double sum = 0;      // of all their magnitudes
  double product = 0;  // the eighth root of the largest |product of (i - node)| of an item i
  double growth = 0;   // the largest sum of magnitudes of the eight polynomials at an item

  // The polynomial through the values at the nodes.
  std::array<double, kNodeCount> Through(const std::array<double, kNodeCount>& values) const;
  // How far the function may be from this polynomial at an item, beside what is known of the
  // values. `disc` is around the operand at kCenterNode, `gap` the distance of neighbours; infinite
  // where the disc does not hold all of them.
  double Error(const Disc& disc, double gap) const;
  // What Through and Horner's rule lose to rounding, where no value exceeds `largest`: a sum of
  // eight products, eight steps, and the variable, each below two roundings of the sum of
  // magnitudes.
  double RoundingError(double largest) const { return 40 * 0x1p-53 * sum * largest; }
};

const Interpolation& NeighbourInterpolation();

}  // namespace assay::numerics
