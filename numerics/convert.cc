#include "numerics/convert.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace assay::numerics {
namespace {

// (-1)^negative * significand * 2^exponent, significand != 0.
struct Decoded {
  std::uint64_t significand = 0;
  int exponent = 0;
  bool negative = false;
};

template <Format F>
Decoded Decode(Bits bits) {
  constexpr int kMantissaBits = Traits(F).mantissa_bits();
  const Bits magnitude = Magnitude(F, bits);
  const Bits mantissa = magnitude & MantissaMask(F);
  const int biased = static_cast<int>(magnitude >> kMantissaBits);
  return {biased == 0 ? mantissa : mantissa | MinNormal(F),
          (biased == 0 ? 1 : biased) - Traits(F).emax - kMantissaBits, IsNegative(F, bits)};
}

// rest * 2^-shift for 0 < rest < 2^shift, or above in the overflow range, without ever rounding
// onto 0, 0.5 or 1: bits that a double cannot hold are gathered in its last place.
// kBits: the most that `rest` can have.
template <int kBits>
[[gnu::always_inline]] inline double Fraction(std::uint64_t rest, int shift) {
  constexpr int kDoubleBits = std::numeric_limits<double>::digits;
  const int spare = 64 - kDoubleBits - std::countl_zero(rest);
  if (kBits > kDoubleBits && spare > 0) {
    const std::uint64_t lost = rest & ((std::uint64_t{1} << spare) - 1);
    rest = (rest >> spare) | (lost != 0 ? 1 : 0);
    shift -= spare;
  }
  if (shift > 1000 || shift < -1000) [[unlikely]]
    return std::ldexp(static_cast<double>(rest), -shift);
  return static_cast<double>(rest) *
         std::bit_cast<double>(static_cast<std::uint64_t>(1023 - shift) << 52);
}

// The place of a non-zero number on the grid of F.
template <Format F, int kBits>
[[gnu::always_inline]] inline Exact LocateOnGrid(const Decoded& number) {
  constexpr FormatTraits kTraits = Traits(F);
  constexpr int kMantissaBits = kTraits.mantissa_bits();
  const Bits sign = number.negative ? SignMask(F) : 0;
  const int top = 63 - std::countl_zero(number.significand) + number.exponent;
  Exact exact{.kind = ResultKind::kFinite};
  if (top > kTraits.emax) {
    // Beyond the largest finite number, which is 2^p - 1 of its gaps.
    const double gaps =
        Fraction<kBits>(number.significand, kTraits.emax - kMantissaBits - number.exponent);
    exact.below = sign | MaxFinite(F);
    exact.fraction = gaps - static_cast<double>((std::uint64_t{1} << kTraits.precision) - 1);
    return exact;
  }
  const int binade = top > kTraits.emin() ? top : kTraits.emin();
  const Bits base = static_cast<Bits>(binade + kTraits.emax - 1) << kMantissaBits;
  const int shift = binade - kMantissaBits - number.exponent;
  if (shift <= 0) {
    exact.below = sign | (base + (number.significand << -shift));
    return exact;
  }
  const bool tiny = shift > 63;
  const std::uint64_t whole = tiny ? 0 : number.significand >> shift;
  const std::uint64_t rest = number.significand - (tiny ? 0 : whole << shift);
  exact.below = sign | (base + whole);
  if (rest != 0) exact.fraction = Fraction<kBits>(rest, shift);
  return exact;
}

// Does the magnitude of a number between two integers round away from zero?
bool RoundsAway(Rounding rounding, bool negative, bool odd, bool above_half, bool tie) {
  switch (rounding) {
    case Rounding::kRte:
      return above_half || (tie && odd);
    case Rounding::kRtz:
      return false;
    case Rounding::kRtp:
      return !negative;
    case Rounding::kRtn:
      return negative;
  }
  return false;
}

template <ScalarType T>
struct HostInteger;
template <>
struct HostInteger<ScalarType::kChar> {
  using Type = std::int8_t;
};
template <>
struct HostInteger<ScalarType::kUchar> {
  using Type = std::uint8_t;
};
template <>
struct HostInteger<ScalarType::kShort> {
  using Type = std::int16_t;
};
template <>
struct HostInteger<ScalarType::kUshort> {
  using Type = std::uint16_t;
};
template <>
struct HostInteger<ScalarType::kInt> {
  using Type = std::int32_t;
};
template <>
struct HostInteger<ScalarType::kUint> {
  using Type = std::uint32_t;
};
template <>
struct HostInteger<ScalarType::kLong> {
  using Type = std::int64_t;
};
template <>
struct HostInteger<ScalarType::kUlong> {
  using Type = std::uint64_t;
};

// The rule of an integer conversion, beside the types.
struct IntegerRule {
  bool saturate = false;
  Rounding rounding = Rounding::kRtz;
};

template <typename To>
Exact IntegerResult(To value) {
  return Exact::Integer(static_cast<std::int64_t>(value));
}

// Out of range of To, on the side of `negative`.
template <typename To>
Exact OutOfRange(bool negative, bool saturate) {
  if (!saturate) return Exact::Unspecified();
  return IntegerResult(negative ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max());
}

template <Format F, typename To>
[[gnu::always_inline]] inline Exact FloatToInteger(Bits bits, IntegerRule rule) {
  if (!IsFinite(F, bits)) [[unlikely]] {
    if (!IsNan(F, bits)) return OutOfRange<To>(IsNegative(F, bits), rule.saturate);
    return rule.saturate ? IntegerResult(To{0}) : Exact::Unspecified();
  }
  if (IsZero(F, bits)) return IntegerResult(To{0});
  const Decoded number = Decode<F>(bits);
  const int top = 63 - std::countl_zero(number.significand) + number.exponent;
  if (top > 63) return OutOfRange<To>(number.negative, rule.saturate);

  std::uint64_t whole = 0;
  bool fractional = false, above_half = false, tie = false;
  const int shift = -number.exponent;
  if (shift <= 0) {
    whole = number.significand << -shift;
  } else if (shift > 63) {  // a significand has at most 53 bits: below one half
    fractional = true;
  } else {
    whole = number.significand >> shift;
    const std::uint64_t rest = number.significand & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    fractional = rest != 0;
    above_half = rest > half;
    tie = rest == half;
  }
  // The operand against the range of To: |min| is 2^(n-1) or 0, and a fraction beyond the last
  // integer is beyond the range.
  const std::uint64_t limit =
      number.negative
          ? std::uint64_t{0} - static_cast<std::uint64_t>(std::numeric_limits<To>::min())
          : static_cast<std::uint64_t>(std::numeric_limits<To>::max());
  if (whole > limit || (whole == limit && fractional)) {
    return OutOfRange<To>(number.negative, rule.saturate);
  }
  if (fractional && RoundsAway(rule.rounding, number.negative, (whole & 1) != 0, above_half, tie)) {
    ++whole;
  }
  return IntegerResult(static_cast<To>(number.negative ? std::uint64_t{0} - whole : whole));
}

template <typename From, typename To>
Exact IntegerToInteger(From value, bool saturate) {
  if (saturate && !std::in_range<To>(value)) return OutOfRange<To>(std::cmp_less(value, 0), true);
  return IntegerResult(static_cast<To>(value));  // modulo 2^n: C99 6.3.1.3
}

template <Format F, typename From>
Exact IntegerToFloat(From value) {
  if (value == 0) return Exact::Number(0);
  const bool negative = std::cmp_less(value, 0);
  const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  return LocateOnGrid<F, 8 * sizeof(From)>(
      {negative ? std::uint64_t{0} - wide : wide, 0, negative});
}

template <Format F, Format From>
Exact FloatToFloat(Bits bits) {
  if (IsNan(From, bits)) return Exact::Nan();
  const bool negative = IsNegative(From, bits);
  if (IsInfinite(From, bits)) return Exact::Infinite(F, negative);
  if (IsZero(From, bits)) return Exact::Number(negative ? SignMask(F) : 0);
  return LocateOnGrid<F, Traits(From).precision>(Decode<From>(bits));
}

template <ScalarType From, ScalarType To>
Exact ConvertOne(Bits bits, IntegerRule rule) {
  if constexpr (IsFloating(From) && IsFloating(To)) {
    return FloatToFloat<FormatOf(To), FormatOf(From)>(bits);
  } else if constexpr (IsFloating(From)) {
    return FloatToInteger<FormatOf(From), typename HostInteger<To>::Type>(bits, rule);
  } else {
    const auto value = static_cast<typename HostInteger<From>::Type>(bits);
    if constexpr (IsFloating(To)) {
      return IntegerToFloat<FormatOf(To)>(value);
    } else {
      return IntegerToInteger<decltype(value), typename HostInteger<To>::Type>(value,
                                                                               rule.saturate);
    }
  }
}

template <int Width>
using UnsignedOf = std::conditional_t<
    Width == 8, std::uint8_t,
    std::conditional_t<Width == 16, std::uint16_t,
                       std::conditional_t<Width == 32, std::uint32_t, std::uint64_t>>>;

template <ScalarType From, ScalarType To>
void ConvertMany(const void* in, std::size_t begin, std::size_t end, IntegerRule rule, Exact* out) {
  using Element = UnsignedOf<WidthOf(From)>;
  const char* source = static_cast<const char*>(in) + begin * sizeof(Element);
  for (std::size_t i = begin; i < end; ++i, source += sizeof(Element)) {
    Element element;
    std::memcpy(&element, source, sizeof(Element));
    new (out++)
        Exact(ConvertOne<From, To>(element, rule));  // in place: a copy stalls the store buffer
  }
}

// One instance per pair of types, chosen once per call: the loop has no branch on a type.
struct Converter {
  Exact (*one)(Bits, IntegerRule);
  void (*many)(const void*, std::size_t, std::size_t, IntegerRule, Exact*);
};

constexpr std::size_t kTypes = std::size(kAllScalarTypes);

template <std::size_t... I>
constexpr auto MakeConverters(std::index_sequence<I...>) {
  return std::array<Converter, sizeof...(I)>{
      Converter{&ConvertOne<kAllScalarTypes[I / kTypes], kAllScalarTypes[I % kTypes]>,
                &ConvertMany<kAllScalarTypes[I / kTypes], kAllScalarTypes[I % kTypes]>}...};
}

const Converter& FindConverter(ScalarType from, ScalarType to) {
  static constexpr auto kConverters = MakeConverters(std::make_index_sequence<kTypes * kTypes>());
  return kConverters[static_cast<std::size_t>(from) * kTypes + static_cast<std::size_t>(to)];
}

}  // namespace

Exact ConvertExact(ScalarType from, ScalarType to, Bits value, bool saturate,
                   std::optional<Rounding> suffix) {
  return FindConverter(from, to).one(value, {saturate, suffix.value_or(Rounding::kRtz)});
}

Bits Convert(ScalarType from, ScalarType to, Bits value, Rounding rounding, bool saturate) {
  const Exact exact = ConvertExact(from, to, value, saturate, rounding);
  if (IsFloating(to)) return Round(exact, FormatOf(to), rounding);
  if (exact.kind != ResultKind::kInteger) return 0;
  const int width = WidthOf(to);
  return width == 64 ? exact.below : exact.below & ((Bits{1} << width) - 1);
}

void ConvertBatch(const Operation& operation, const void* in, std::size_t begin, std::size_t end,
                  Exact* out) {
  FindConverter(operation.from, operation.to)
      .many(in, begin, end, {operation.saturate, operation.suffix.value_or(Rounding::kRtz)}, out);
}

}  // namespace assay::numerics
