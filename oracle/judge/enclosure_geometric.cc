#include "oracle/judge/enclosure_geometric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "numerics/shape.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Format;
using numerics::Function;

namespace {

using numerics::kInfinity;

// An interval of real numbers; operations round outward by one number of double.
struct RealInterval {
  double low = 0, high = 0;
};
RealInterval Outward(double low, double high) {
  return {std::nextafter(low, -kInfinity), std::nextafter(high, kInfinity)};
}
RealInterval operator+(const RealInterval& a, const RealInterval& b) {
  return Outward(a.low + b.low, a.high + b.high);
}
RealInterval operator-(const RealInterval& a, const RealInterval& b) {
  return Outward(a.low - b.high, a.high - b.low);
}
RealInterval operator*(const RealInterval& a, const RealInterval& b) {
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return Outward(low, high);
}
RealInterval Negated(const RealInterval& a) { return {-a.high, -a.low}; }
RealInterval Magnitude(const RealInterval& a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return {-a.high, -a.low};
  return {0, std::max(-a.low, a.high)};
}
RealInterval Square(const RealInterval& a) {
  const RealInterval m = Magnitude(a);
  const RealInterval square = m * m;
  return {std::max(square.low, 0.0), square.high};
}
RealInterval SquareRoot(const RealInterval& a) {
  const RealInterval root = Outward(std::sqrt(std::max(a.low, 0.0)), std::sqrt(a.high));
  return {std::max(root.low, 0.0), root.high};
}
bool IsSound(const RealInterval& a) { return std::isfinite(a.low) && std::isfinite(a.high); }

// Products that are added: their sum, and those of the positive and of the negative ones apart.
struct SumOfProducts {
  std::optional<RealInterval> all;
  double positive = 0, negative = 0;

  void Add(const RealInterval& product) {
    all = all ? *all + product : product;
    positive += std::max(product.high, 0.0);
    negative += std::max(-product.low, 0.0);
  }
  // Whether some order may overflow (numerics/evaluate_geometric.cc); every addition may round up.
  bool MayOverflow(Format format) const {
    const double drift = std::ldexp(4.0, -numerics::Traits(format).mantissa_bits());
    const double largest = numerics::ToDouble(format, numerics::MaxFinite(format));
    return !(std::max(positive, negative) * (1 + drift) < largest);
  }
};

// The numbers of the format in the interval and so many steps beside it.
Range NumbersIn(Format format, const RealInterval& value, double steps, double absolute) {
  const RealInterval wide = absolute == 0 ? value : value + RealInterval{-absolute, absolute};
  if (!IsSound(wide)) return Range::Anything(Open::kWide);
  // Twice: just above a power of two as many numbers below it are allowed.
  const auto more = 2 * static_cast<std::int64_t>(std::ceil(steps)) + 1;
  const auto infinity = static_cast<std::int64_t>(numerics::Infinity(format));
  const std::int64_t low =
      numerics::OrderedIndex(format, numerics::FromDouble(format, wide.low)) - more;
  const std::int64_t high =
      numerics::OrderedIndex(format, numerics::FromDouble(format, wide.high)) + more;
  return Range::Numbers(numerics::FromOrderedIndex(format, std::max(low, -infinity)),
                        numerics::FromOrderedIndex(format, std::min(high, infinity)));
}

// The component i of a vector by its length: it grows with the component itself, and its magnitude
// falls with the others'.
RealInterval Normalized(std::span<const RealInterval> x, std::size_t i) {
  const auto at = [&](double own, bool is_low) {
    if (own == 0) return 0.0;
    // The smallest value: of a positive component with the largest others, else the smallest.
    const bool largest = (own > 0) == is_low;
    double sum = own * own;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (j == i) continue;
      const RealInterval m = Magnitude(x[j]);
      const double other = largest ? m.high : m.low;
      sum += other * other;
    }
    return own / std::sqrt(sum);
  };
  // Fewer than ten roundings.
  const double low = at(x[i].low, true), high = at(x[i].high, false);
  constexpr double kError = 0x1p-48;
  return {low - std::fabs(low) * kError, high + std::fabs(high) * kError};
}

}  // namespace

void EncloseGeometric(const numerics::Operation& operation, const Limit& limit,
                      std::span<const Range> box, std::span<Range> results, std::size_t stride) {
  const Format format = operation.format;
  std::vector<RealInterval> x;
  std::vector<Bits> largest;  // for limits that grow with the operands
  bool is_finite = true;
  for (const Range& range : box) {
    x.push_back({numerics::ToDouble(format, range.low), numerics::ToDouble(format, range.high)});
    is_finite = is_finite && IsSound(x.back());
    largest.push_back(-x.back().low > x.back().high ? range.low : range.high);
  }
  const auto count = static_cast<std::size_t>(operation.ResultCount());
  const auto fill = [&](const Range& range) {
    for (std::size_t i = 0; i < count; ++i) results[i * stride] = range;
  };
  if (!is_finite) return fill(Range::Anything(Open::kPole));
  const Tolerance tolerance = ToleranceAt(limit, operation, largest, 0);
  if (tolerance.kind != LimitKind::kUlp && tolerance.kind != LimitKind::kAbsolute) {
    return fill(Range::Anything(Open::kNoLimit));
  }
  const auto n = static_cast<std::size_t>(operation.components);
  const std::span<const RealInterval> a = std::span(x).first(n);
  const auto set = [&](std::size_t i, const RealInterval& value) {
    results[i * stride] = NumbersIn(format, value, tolerance.ulp, tolerance.absolute);
  };
  const auto set_sum = [&](std::size_t i, const SumOfProducts& sum) {
    if (!sum.MayOverflow(format)) return set(i, *sum.all);
    results[i * stride] = Range::Anything(Open::kOverflow);
  };
  const auto length = [&](std::span<const RealInterval> v) {
    RealInterval sum;
    for (const RealInterval& one : v) sum = sum + Square(one);
    return SquareRoot(sum);
  };
  const Function function = numerics::BaseOf(operation.function);
  if (function == Function::dot) {
    SumOfProducts sum;
    for (std::size_t i = 0; i < n; ++i) sum.Add(x[i] * x[n + i]);
    return set_sum(0, sum);
  }
  if (function == Function::cross) {
    const std::span<const RealInterval> b = std::span(x).subspan(n, n);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      SumOfProducts difference;
      difference.Add(a[j] * b[k]);
      difference.Add(Negated(a[k] * b[j]));
      set_sum(i, difference);
    }
    if (n == 4) results[3 * stride] = Range::Numbers(0, 0);
    return;
  }
  if (function == Function::length) return set(0, length(a));
  if (function == Function::distance) {
    std::vector<RealInterval> difference;
    for (std::size_t i = 0; i < n; ++i) difference.push_back(x[i] - x[n + i]);
    return set(0, length(difference));
  }
  // normalize: near zero the direction says nothing.
  if (length(a).low <= 0) return fill(Range::Anything(Open::kPole));
  for (std::size_t i = 0; i < n; ++i) set(i, Normalized(a, i));
}

}  // namespace assay::oracle
