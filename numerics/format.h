// Binary floating-point formats and scalar types, as bits.
//
// A value crosses every interface of assay as its bits in a std::uint64_t (zero-extended) plus a
// type; host arithmetic stays inside numerics.  Formats: IEEE 754-2019 binary16, binary32,
// binary64, and bfloat16 (cl_khr_bfloat16 / SPV_KHR_bfloat16: 1-8-7).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace assay::numerics {

using Bits = std::uint64_t;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Format : std::uint8_t { kHalf, kBfloat16, kFloat, kDouble };

inline constexpr Format kAllFormats[] = {Format::kHalf, Format::kBfloat16, Format::kFloat,
                                         Format::kDouble};

struct FormatTraits {
  std::string_view name;  // the OpenCL C spelling
  int width;              // bits in all
  int precision;          // significand bits, the implicit one included
  int emax;               // exponent of the largest finite number: 2^emax <= max < 2^(emax+1)
  constexpr int emin() const { return 1 - emax; }  // exponent of the smallest normal number
  constexpr int mantissa_bits() const { return precision - 1; }
  constexpr int exponent_bits() const { return width - precision; }
  // Exponent of the smallest subnormal, the spacing of the numbers below 2^emin.
  constexpr int tiny_exponent() const { return emin() - mantissa_bits(); }
};

inline constexpr FormatTraits kFormatTraits[] = {{"half", 16, 11, 15},
                                                 {"bfloat16", 16, 8, 127},
                                                 {"float", 32, 24, 127},
                                                 {"double", 64, 53, 1023}};

constexpr const FormatTraits& Traits(Format format) {
  return kFormatTraits[static_cast<int>(format)];
}

constexpr std::optional<Format> FormatFromName(std::string_view name) {
  for (Format format : kAllFormats) {
    if (Traits(format).name == name) return format;
  }
  return std::nullopt;
}

// Bit patterns of one format.
constexpr Bits SignMask(Format f) { return Bits{1} << (Traits(f).width - 1); }
constexpr Bits MantissaMask(Format f) { return (Bits{1} << Traits(f).mantissa_bits()) - 1; }
constexpr Bits MagnitudeMask(Format f) { return SignMask(f) - 1; }
constexpr Bits Infinity(Format f) { return MagnitudeMask(f) & ~MantissaMask(f); }
constexpr Bits QuietNan(Format f) {
  return Infinity(f) | (Bits{1} << (Traits(f).mantissa_bits() - 1));
}
constexpr Bits MaxFinite(Format f) { return Infinity(f) - 1; }
constexpr Bits MinNormal(Format f) { return Bits{1} << Traits(f).mantissa_bits(); }
constexpr Bits MinSubnormal(Format) { return 1; }
constexpr Bits One(Format f) {
  return static_cast<Bits>(Traits(f).emax) << Traits(f).mantissa_bits();
}

// Predicates.  `bits` must be zero above the format's width.
constexpr Bits Magnitude(Format f, Bits bits) { return bits & MagnitudeMask(f); }
constexpr bool IsNegative(Format f, Bits bits) { return (bits & SignMask(f)) != 0; }
constexpr bool IsNan(Format f, Bits bits) { return Magnitude(f, bits) > Infinity(f); }
constexpr bool IsInfinite(Format f, Bits bits) { return Magnitude(f, bits) == Infinity(f); }
constexpr bool IsFinite(Format f, Bits bits) { return Magnitude(f, bits) < Infinity(f); }
constexpr bool IsZero(Format f, Bits bits) { return Magnitude(f, bits) == 0; }
constexpr bool IsSubnormal(Format f, Bits bits) {
  return !IsZero(f, bits) && Magnitude(f, bits) < MinNormal(f);
}

constexpr Bits Negate(Format f, Bits bits) { return bits ^ SignMask(f); }
constexpr Bits CopySign(Format f, Bits magnitude, Bits sign) {
  return Magnitude(f, magnitude) | (sign & SignMask(f));
}

// Exponent of the binade whose spacing the finite number stands on; zero and subnormals give emin.
constexpr int GridExponent(Format f, Bits bits) {
  const int biased = static_cast<int>(Magnitude(f, bits) >> Traits(f).mantissa_bits());
  return (biased == 0 ? 1 : biased) - Traits(f).emax;
}

// Place on the line of all numbers of the format: consecutive numbers have consecutive indices,
// both zeros have index 0, infinities continue the line.  NaN must not be asked.
constexpr std::int64_t OrderedIndex(Format f, Bits bits) {
  const auto magnitude = static_cast<std::int64_t>(Magnitude(f, bits));
  return IsNegative(f, bits) ? -magnitude : magnitude;
}
constexpr Bits FromOrderedIndex(Format f, std::int64_t index) {
  return index < 0 ? (static_cast<Bits>(-index) | SignMask(f)) : static_cast<Bits>(index);
}

// The value as a host double: exact for every finite number of every format; NaN and infinity
// keep their class and sign.
double ToDouble(Format f, Bits bits);

// Nearest number of the format to `value` under round to nearest even (a single rounding).
Bits FromDouble(Format f, double value);

// The scalar types of OpenCL C 6.1.1 that conversions and built-ins handle.
enum class ScalarType : std::uint8_t {
  kChar,
  kUchar,
  kShort,
  kUshort,
  kInt,
  kUint,
  kLong,
  kUlong,
  kHalf,
  kBfloat16,
  kFloat,
  kDouble,
};

inline constexpr ScalarType kAllScalarTypes[] = {
    ScalarType::kChar, ScalarType::kUchar,    ScalarType::kShort, ScalarType::kUshort,
    ScalarType::kInt,  ScalarType::kUint,     ScalarType::kLong,  ScalarType::kUlong,
    ScalarType::kHalf, ScalarType::kBfloat16, ScalarType::kFloat, ScalarType::kDouble};

constexpr bool IsFloating(ScalarType t) { return t >= ScalarType::kHalf; }
constexpr bool IsSigned(ScalarType t) { return IsFloating(t) || static_cast<int>(t) % 2 == 0; }
constexpr Format FormatOf(ScalarType t) {
  return static_cast<Format>(static_cast<int>(t) - static_cast<int>(ScalarType::kHalf));
}
constexpr ScalarType ScalarTypeOf(Format f) {
  return static_cast<ScalarType>(static_cast<int>(f) + static_cast<int>(ScalarType::kHalf));
}
constexpr int WidthOf(ScalarType t) {
  return IsFloating(t) ? Traits(FormatOf(t)).width : 8 << (static_cast<int>(t) / 2);
}
// Ones in the bits of a value of the type.
constexpr Bits WidthMask(ScalarType t) { return ~Bits{0} >> (64 - WidthOf(t)); }
constexpr std::size_t SizeOf(ScalarType t) { return static_cast<std::size_t>(WidthOf(t)) / 8; }

// The OpenCL C spelling: "char", "uchar", ..., "double".
constexpr std::string_view ScalarTypeName(ScalarType t) {
  constexpr std::string_view kIntegers[] = {"char", "uchar", "short", "ushort",
                                            "int",  "uint",  "long",  "ulong"};
  return IsFloating(t) ? Traits(FormatOf(t)).name : kIntegers[static_cast<int>(t)];
}
constexpr std::optional<ScalarType> ScalarTypeFromName(std::string_view name) {
  for (ScalarType type : kAllScalarTypes) {
    if (ScalarTypeName(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace assay::numerics
