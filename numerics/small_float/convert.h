// Decoding, and rounding into any format of the table, exactly and with integers only.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "numerics/small_float/format.h"

namespace assay::numerics::small_float {

enum class Kind : std::uint8_t { kFinite, kInfinity, kNan };

// A finite number is (-1)^negative * significand * 2^exponent; zero has the significand 0.
struct Number {
  Kind kind = Kind::kFinite;
  bool negative = false;
  Bits significand = 0;
  int exponent = 0;
};

// Padding bits are ignored.
Number Decode(const Format& format, Bits bits);

enum class Rounding : std::uint8_t {
  kNearestEven,
  kTowardZero,
  kUp,    // toward positive infinity
  kDown,  // toward negative infinity
  // Away from zero if the discarded fraction, truncated to 32 bits, plus `word` is at least 2^32.
  kStochastic,
};
inline constexpr std::string_view kRoundingNames[] = {"nearest-even", "toward-zero", "up", "down",
                                                      "stochastic"};
std::optional<Rounding> RoundingOf(std::string_view name);

// What becomes of infinity, and of a number that is beyond the largest finite one after rounding.
// A format without infinity has NaN instead, and one without NaN the largest finite number.
enum class Overflow : std::uint8_t {
  kIeee,       // IEEE 754 7.4: infinity, or the largest finite number by the rounding
  kSaturate,   // the largest finite number
  kNonFinite,  // infinity with every rounding
};
inline constexpr std::string_view kOverflowNames[] = {"ieee", "saturate", "non-finite"};
std::optional<Overflow> OverflowOf(std::string_view name);

struct Conversion {
  Rounding rounding = Rounding::kNearestEven;
  Overflow overflow = Overflow::kIeee;
  std::uint32_t word = 0;  // of stochastic rounding
};

// The encoding of a number.  NaN becomes the format's nan() with the sign of the number where the
// format has several NaN; in a format without NaN it becomes the largest finite number, positive.
// Where a format has no sign (E8M0), zero and numbers below its smallest become the smallest, and
// negative numbers become NaN.
Bits Encode(const Format& format, const Number& number, const Conversion& conversion = {});

inline Bits Convert(const Format& from, Bits bits, const Format& to,
                    const Conversion& conversion = {}) {
  return Encode(to, Decode(from, bits), conversion);
}

// As a double, which has every number of every format.
inline double ValueOf(const Format& format, Bits bits) {
  return std::bit_cast<double>(Convert(format, bits, *FormatOf("f64")));
}

}  // namespace assay::numerics::small_float
