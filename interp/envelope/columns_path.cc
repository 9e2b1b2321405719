// Ranges of functions of float, by their fast paths (numerics/fast_path.h).
#include <algorithm>
#include <bit>
#include <cstdint>

#include "interp/envelope/columns.h"
#include "numerics/fast_path.h"
#include "numerics/shape.h"

namespace assay::interp {

namespace {

constexpr auto kFloat = numerics::Format::kFloat;
constexpr std::int64_t kBinade = 0x00800000;  // numbers between powers of two, and the first one

// In the order of the floats.
struct Places {
  std::int64_t low = 0, high = 0;
};

// The floats that an error allows around an exact value within `margin` of double's last places of
// `made`; the error is in 2^-29 ulp.  False: that is not sure, or near to a power of two, or not
// normal.
bool PlacesAround(double made, std::uint64_t error, std::uint64_t margin, Places* places) {
  constexpr std::uint64_t kUnit = std::uint64_t{1} << 29, kFraction = (std::uint64_t{1} << 52) - 1;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(made);
  const std::uint64_t exponent = (bits >> 52 & 0x7ff) - (1023 - 127), fraction = bits & kFraction;
  const std::uint64_t place = fraction >> 29, outer = fraction + error, inner = fraction - error;
  const auto is_sure = [&](std::uint64_t end) {
    return (end & (kUnit - 1)) - margin < kUnit - 2 * margin;
  };
  if (exponent - 1 >= 252 || place - 32 >= (std::uint64_t{1} << 23) - 64 || !is_sure(outer) ||
      !is_sure(inner)) {
    return false;
  }
  const auto first = static_cast<std::int64_t>((exponent << 23) + ((inner + kUnit - 1) >> 29));
  const auto last = static_cast<std::int64_t>((exponent << 23) + (outer >> 29));
  *places = made < 0 ? Places{-last, -first} : Places{first, last};
  return true;
}

// Just above a power of two twice as many numbers below it are allowed as just below
// (oracle/judge/enclosure.cc): of results that have some on both sides.
void WidenAtBinade(std::int64_t steps, Places* places) {
  const std::int64_t inner = places->low > 0 ? places->low : -places->high;
  const std::int64_t outer = std::max(-places->low, places->high);
  if (inner <= 0) return;
  const std::int64_t power = (inner + kBinade - 1) / kBinade * kBinade;
  if (power > outer || power - 2 * steps >= inner) return;
  (places->low > 0 ? places->low : places->high) =
      places->low > 0 ? power - 2 * steps : -(power - 2 * steps);
}

bool IsNormal(float x) {
  const std::uint64_t magnitude = numerics::Magnitude(kFloat, std::bit_cast<std::uint32_t>(x));
  return magnitude - numerics::MinNormal(kFloat) <
         numerics::Infinity(kFloat) - numerics::MinNormal(kFloat);
}

const float* Floats(const std::byte* column) { return reinterpret_cast<const float*>(column); }
float* Floats(std::byte* column) { return reinterpret_cast<float*>(column); }

template <std::uint32_t kOperands, bool kIsMonotonic>
void RunPath(EnvelopeColumns* columns) {
  columns->special = columns->open = columns->made[0] = 0;
  const numerics::FastPath& path = *columns->path;
  const std::uint64_t error = columns->error;
  const std::uint64_t margin = numerics::internal::ErrorUnits(path.relative_error) + 2;
  const auto steps = static_cast<std::int64_t>((error + (std::uint64_t{1} << 29) - 1) >> 29);
  const auto at = [&](const float* x, Places* places) {
    for (std::uint32_t i = 0; i < kOperands; ++i) {
      if (!IsNormal(x[i])) return false;
    }
    double made = 0;
    if constexpr (kOperands == 1) made = path.unary(x[0]);
    if constexpr (kOperands == 2) made = path.binary(x[0], x[1]);
    if constexpr (kOperands == 3) made = path.ternary(x[0], x[1], x[2]);
    return PlacesAround(made, error, margin, places);
  };
  for (std::uint64_t rest = columns->lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t own = rest & -rest;
    float low[kOperands], high[kOperands];
    bool is_wide = false;
    for (std::uint32_t i = 0; i < kOperands; ++i) {
      const bool wide = (columns->wide[i] & own) != 0;
      low[i] = Floats(wide ? columns->low[i] : columns->value[i])[lane];
      high[i] = Floats(wide ? columns->high[i] : columns->value[i])[lane];
      is_wide = is_wide || wide;
    }
    Places first, last;
    bool known = (!is_wide || kIsMonotonic) && at(low, &first);
    if (known && is_wide) {
      known = at(high, &last);
      first = {std::min(first.low, last.low), std::max(first.high, last.high)};
      WidenAtBinade(steps, &first);
    }
    if (!known) {
      columns->special |= own;
      continue;
    }
    const auto number = [](std::int64_t place) {
      const std::uint64_t bits = numerics::FromOrderedIndex(kFloat, place);
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    };
    Floats(columns->result_low[0])[lane] = number(first.low);
    Floats(columns->result_high[0])[lane] = number(first.high);
    if (first.low != first.high || (is_wide && first.low == 0)) columns->made[0] |= own;
  }
}

}  // namespace

EnvelopeFunction FindPathEnds(numerics::Function function, std::uint32_t operands) {
  switch (operands) {
    case 1:
      return numerics::ShapeOf(function).pieces == numerics::Pieces::kMonotone ? &RunPath<1, true>
                                                                               : &RunPath<1, false>;
    case 2:
      return &RunPath<2, false>;
    case 3:
      return &RunPath<3, false>;
    default:
      return nullptr;
  }
}

}  // namespace assay::interp
