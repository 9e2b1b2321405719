#include "numerics/small_float/convert.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace assay::numerics::small_float {
namespace {

template <typename Enum, std::size_t N>
std::optional<Enum> Find(const std::string_view (&names)[N], std::string_view name) {
  const auto* const found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Enum>(found - std::begin(names));
}

// The top 32 bits of the fraction below the cut, and whether anything is below them.
struct Discarded {
  std::uint32_t top = 0;
  bool rest = false;
  bool any() const { return top != 0 || rest; }
};

// significand / 2^shift, as integer and fraction; shift > 0.
Discarded Cut(Bits significand, int shift, Bits* integer) {
  *integer = shift < 64 ? significand >> shift : 0;
  const Bits fraction = shift < 64 ? significand & ((Bits{1} << shift) - 1) : significand;
  if (shift <= 32) return {static_cast<std::uint32_t>(fraction << (32 - shift)), false};
  const int below = shift - 32;
  if (below >= 64) return {0, fraction != 0};
  return {static_cast<std::uint32_t>(fraction >> below),
          (fraction & ((Bits{1} << below) - 1)) != 0};
}

bool RoundsAway(const Discarded& d, bool odd, bool negative, const Conversion& conversion) {
  constexpr std::uint32_t kHalf = std::uint32_t{1} << 31;
  switch (conversion.rounding) {
    case Rounding::kNearestEven:
      return d.top > kHalf || (d.top == kHalf && (d.rest || odd));
    case Rounding::kTowardZero:
      return false;
    case Rounding::kUp:
      return d.any() && !negative;
    case Rounding::kDown:
      return d.any() && negative;
    case Rounding::kStochastic:
      return (std::uint64_t{d.top} + conversion.word) >> 32 != 0;
  }
  return false;
}

bool OverflowsToInfinity(bool negative, const Conversion& conversion) {
  if (conversion.overflow == Overflow::kSaturate) return false;
  if (conversion.overflow == Overflow::kNonFinite) return true;
  switch (conversion.rounding) {
    case Rounding::kNearestEven:
    case Rounding::kStochastic:
      return true;
    case Rounding::kTowardZero:
      return false;
    case Rounding::kUp:
      return !negative;
    case Rounding::kDown:
      return negative;
  }
  return true;
}

Bits NanOf(const Format& format, Bits sign) {
  if (!format.has_nan()) return format.max_finite();
  return format.specials == Specials::kNegativeZeroNan ? format.nan() : format.nan() | sign;
}

Bits InfinityOf(const Format& format, Bits sign) {
  if (format.has_infinity()) return format.infinity() | sign;
  return format.has_nan() ? NanOf(format, sign) : format.max_finite() | sign;
}

}  // namespace

std::optional<Rounding> RoundingOf(std::string_view name) {
  return Find<Rounding>(kRoundingNames, name);
}
std::optional<Overflow> OverflowOf(std::string_view name) {
  return Find<Overflow>(kOverflowNames, name);
}

Number Decode(const Format& format, Bits bits) {
  const Bits magnitude = (bits >> format.padding_bits) & format.magnitude_mask();
  const Bits padded = magnitude << format.padding_bits;
  Number number;
  number.negative = (bits & format.sign_bit()) != 0;
  const bool is_nan =
      format.specials == Specials::kNegativeZeroNan
          ? magnitude == 0 && number.negative
          : padded > format.max_finite() && !(format.has_infinity() && padded == format.infinity());
  if (is_nan) {
    number.kind = Kind::kNan;
    return number;
  }
  if (padded > format.max_finite()) {
    number.kind = Kind::kInfinity;
    return number;
  }
  const auto field = static_cast<int>(magnitude >> format.mantissa_bits);
  const Bits mantissa = magnitude & format.mantissa_mask();
  const bool is_normal = field != 0 || !format.has_sign;
  number.significand = is_normal ? mantissa | (Bits{1} << format.mantissa_bits) : mantissa;
  number.exponent =
      (is_normal ? field - format.bias : format.min_exponent()) - format.mantissa_bits;
  return number;
}

Bits Encode(const Format& format, const Number& number, const Conversion& conversion) {
  const Bits sign = number.negative ? format.sign_bit() : 0;
  if (number.kind == Kind::kNan) return NanOf(format, sign);
  const bool is_zero = number.kind == Kind::kFinite && number.significand == 0;
  if (!format.has_sign && number.negative && !is_zero) return NanOf(format, sign);
  if (number.kind == Kind::kInfinity) {
    return conversion.overflow == Overflow::kSaturate ? format.max_finite() | sign
                                                      : InfinityOf(format, sign);
  }
  if (is_zero) return format.has_negative_zero() ? sign : 0;

  // The place of the last bit that is kept.
  const int top = number.exponent + std::bit_width(number.significand) - 1;
  const auto overflow = [&] {
    return OverflowsToInfinity(number.negative, conversion) ? InfinityOf(format, sign)
                                                            : format.max_finite() | sign;
  };
  if (top > format.bias + 1) return overflow();  // no format has a larger exponent
  const int last = std::max(top, format.min_exponent()) - format.mantissa_bits;
  Bits kept = number.significand;
  if (last <= number.exponent) {
    kept <<= number.exponent - last;
  } else {
    const Discarded discarded = Cut(number.significand, last - number.exponent, &kept);
    if (RoundsAway(discarded, (kept & 1) != 0, number.negative, conversion)) ++kept;
  }
  // A carry into the next binade, and from the subnormal numbers to the normal ones, is right in
  // this sum, because the encodings of neighbours are neighbours.
  const auto binade = static_cast<Bits>(last - format.tiny_exponent());
  Bits magnitude = (binade << format.mantissa_bits) + kept;
  if (!format.has_sign) {
    // The exponent field counts from the smallest number, which is no subnormal number.
    magnitude = kept == 0 ? 0 : magnitude - 1;
  }
  magnitude <<= format.padding_bits;
  if (magnitude > format.max_finite()) return overflow();
  if (magnitude == 0 && !format.has_negative_zero()) return 0;
  return magnitude | sign;
}

}  // namespace assay::numerics::small_float
