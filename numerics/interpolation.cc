#include "numerics/interpolation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::numerics {
namespace {

constexpr std::size_t kCount = kNodeCount;

// Row k: the coefficients of the polynomial that is 1 at node k.
std::array<long double, kCount> PolynomialOfNode(std::size_t k) {
  const auto place = [](std::size_t node) {
    return (static_cast<long double>(kNodes[node]) - 511.5L) / 511.5L;
  };
  std::array<long double, kCount> row = {1};
  std::size_t degree = 0;
  for (std::size_t other = 0; other < kCount; ++other) {
    if (other == k) continue;
    const long double root = place(other), scale = 1 / (place(k) - root);
    ++degree;
    for (std::size_t j = degree; j > 0; --j) row[j] = (row[j - 1] - row[j] * root) * scale;
    row[0] *= -root * scale;
  }
  return row;
}

Interpolation Make() {
  Interpolation made;
  for (std::size_t k = 0; k < kCount; ++k) {
    const std::array<long double, kCount> row = PolynomialOfNode(k);
    for (std::size_t j = 0; j < kCount; ++j) {
      made.coefficients[j][k] = static_cast<double>(row[j]);
      made.sum += std::fabs(made.coefficients[j][k]);
    }
  }
  double product = 0;
  for (int i = 0; i < kNeighbours; ++i) {
    const double t = InterpolationVariable(i);
    double here = 1, sum = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
      here *= static_cast<double>(i) - static_cast<double>(kNodes[k]);
      double value = 0;
      for (std::size_t j = kCount; j-- > 0;) value = value * t + made.coefficients[j][k];
      sum += std::fabs(value);
    }
    product = std::max(product, std::fabs(here));
    made.growth = std::max(made.growth, sum);
  }
  made.product = std::pow(product, 1.0 / kCount) * (1 + 0x1p-40);
  made.growth *= 1 + 0x1p-20;
  return made;
}

double Eighth(double x) {
  const double square = x * x, fourth = square * square;
  return fourth * fourth;
}

}  // namespace

std::array<double, kNodeCount> Interpolation::Through(
    const std::array<double, kNodeCount>& values) const {
  std::array<double, kNodeCount> polynomial{};
  for (std::size_t j = 0; j < kCount; ++j) {
    for (std::size_t k = 0; k < kCount; ++k) polynomial[j] += coefficients[j][k] * values[k];
  }
  return polynomial;
}

double Interpolation::Error(const Disc& disc, double gap) const {
  // The bound in the disc, times the product of the distances from the nodes to an item, over that
  // to the disc's edge.
  const double room = disc.radius - kReach * gap;
  if (!(room > kReach * gap)) return std::numeric_limits<double>::infinity();
  return disc.bound * (disc.radius / room) * Eighth(product * gap / room) * (1 + 0x1p-20);
}

const Interpolation& NeighbourInterpolation() {
  static const Interpolation kMade = Make();
  return kMade;
}

}  // namespace assay::numerics
