// numerics::UlpError for the inner loop: the same number, without library calls for most floats and
// doubles.
#pragma once

#include <bit>
#include <cmath>

#include "numerics/exact.h"

namespace assay::oracle {

inline double Distance(const numerics::Exact& exact, numerics::Format format,
                       numerics::Bits observed) {
  using numerics::Format;
  if (format == Format::kDouble && (observed ^ exact.below) >> 52 == 0 &&
      (observed >> 52 & 0x7ff) != 0x7ff && exact.fraction != 0) {
    // In one binade the bits count gaps.
    const auto gaps = static_cast<std::int64_t>(observed - exact.below);
    return numerics::DifferenceUp(static_cast<double>(gaps), exact.fraction);
  }
  if (format != Format::kFloat || !numerics::IsFinite(format, observed)) {
    return numerics::UlpError(exact, format, observed);
  }
  const auto below = static_cast<std::uint32_t>(exact.below);
  const std::uint32_t magnitude = below & 0x7fffffffu;
  const double a = std::bit_cast<float>(static_cast<std::uint32_t>(observed));
  const double b = std::bit_cast<float>(below);
  // 1 / gap = 2^(23 - exponent), an exact double for every exponent of float.
  const std::uint32_t field = magnitude < 0x00800000u ? 1 : magnitude >> 23;
  const double per_gap = std::bit_cast<double>(std::uint64_t{1023 + 23 + 127 - field} << 52);
  const double distance = (below >> 31 != 0 ? b - a : a - b) * per_gap;
  const double error = numerics::DifferenceUp(distance, exact.fraction);
  const bool power_of_two =
      exact.fraction == 0 && (magnitude & 0x007fffffu) == 0 && magnitude > 0x00800000u;
  return power_of_two ? 2 * error : error;
}

}  // namespace assay::oracle
