// Binary floating-point formats as one table of numbers: the IEEE formats, and the small ones that
// matrix engines read.  Sources: IEEE 754-2019 3.4; OCP 8-bit Floating Point Specification 1.0
// (E4M3, E5M2); OCP Microscaling Formats 1.0 (E8M0, E3M2, E2M3, E2M1); arXiv 2206.02915 (FNUZ).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::numerics::small_float {

using Bits = std::uint64_t;

// What the encodings with the largest exponent mean.
enum class Specials : std::uint8_t {
  kIeee,             // infinity where the mantissa is 0, else NaN
  kAllOnesNan,       // NaN where exponent and mantissa are all ones, else finite; no infinity
  kNegativeZeroNan,  // the only NaN is the encoding of a negative zero; no infinity
  kNone,             // all are finite
};

struct Format {
  std::string_view name;
  int exponent_bits;
  int mantissa_bits;
  int bias;  // the value of a normal number is 1.mantissa * 2^(exponent field - bias)
  Specials specials;
  // E8M0 has neither a sign nor zero: its exponent field 0 is a number like any other.
  bool has_sign = true;
  int padding_bits = 0;  // zero bits below the mantissa: TF32 has the layout of a float

  constexpr int width() const {
    return (has_sign ? 1 : 0) + exponent_bits + mantissa_bits + padding_bits;
  }
  constexpr int min_exponent() const { return (has_sign ? 1 : 0) - bias; }  // of a normal number
  // Exponent of the smallest subnormal number.
  constexpr int tiny_exponent() const { return min_exponent() - mantissa_bits; }
  constexpr Bits mantissa_mask() const { return (Bits{1} << mantissa_bits) - 1; }
  constexpr Bits exponent_mask() const { return (Bits{1} << exponent_bits) - 1; }
  // Of encodings without padding.
  constexpr Bits magnitude_mask() const { return (Bits{1} << (exponent_bits + mantissa_bits)) - 1; }
  constexpr bool has_infinity() const { return specials == Specials::kIeee; }
  constexpr bool has_nan() const { return specials != Specials::kNone; }
  constexpr bool has_negative_zero() const {
    return has_sign && specials != Specials::kNegativeZeroNan;
  }

  // Encodings, with padding.
  constexpr Bits sign_bit() const { return has_sign ? Bits{1} << (width() - 1) : 0; }
  constexpr Bits max_finite() const { return MaxFiniteMagnitude() << padding_bits; }
  constexpr Bits infinity() const {
    return exponent_mask() << (mantissa_bits + padding_bits);  // has_infinity() only
  }
  // A quiet NaN with an otherwise empty payload, where there are several; has_nan() only.
  constexpr Bits nan() const {
    switch (specials) {
      case Specials::kIeee:
        return infinity() | (Bits{1} << (mantissa_bits + padding_bits - 1));
      case Specials::kNegativeZeroNan:
        return sign_bit();
      case Specials::kAllOnesNan:
      case Specials::kNone:
        break;
    }
    return magnitude_mask() << padding_bits;
  }

 private:
  constexpr Bits MaxFiniteMagnitude() const {
    switch (specials) {
      case Specials::kIeee:
        return (exponent_mask() << mantissa_bits) - 1;
      case Specials::kAllOnesNan:
        return magnitude_mask() - 1;
      case Specials::kNegativeZeroNan:
      case Specials::kNone:
        break;
    }
    return magnitude_mask();
  }
};

inline constexpr Format kFormats[] = {
    {"e2m1", 2, 1, 1, Specials::kNone},
    {"e2m3", 2, 3, 1, Specials::kNone},
    {"e3m2", 3, 2, 3, Specials::kNone},
    {"e4m3", 4, 3, 7, Specials::kAllOnesNan},
    {"e5m2", 5, 2, 15, Specials::kIeee},
    {"e4m3fnuz", 4, 3, 8, Specials::kNegativeZeroNan},
    {"e5m2fnuz", 5, 2, 16, Specials::kNegativeZeroNan},
    {"e8m0", 8, 0, 127, Specials::kAllOnesNan, false},
    {"f16", 5, 10, 15, Specials::kIeee},
    {"bf16", 8, 7, 127, Specials::kIeee},
    {"tf32", 8, 10, 127, Specials::kIeee, true, 13},
    {"f32", 8, 23, 127, Specials::kIeee},
    {"f64", 11, 52, 1023, Specials::kIeee},
};

constexpr const Format* FormatOf(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace assay::numerics::small_float
