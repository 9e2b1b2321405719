#include "numerics/image/encode.h"

#include <algorithm>
#include <cstring>

#include "numerics/image/rational.h"

namespace assay::numerics::image {
namespace {

bool IsSrgbField(ImageFormat format, ChannelField field) {
  return IsSrgb(format.order) && field.component != 3;
}

// The integers that a normalized channel may have, and the factor.
struct Scale {
  long low, high, factor;
};

Scale ScaleOf(ChannelKind kind, int width) {
  const long last = (1L << width) - 1;
  if (kind == ChannelKind::kSnorm) return {-(last / 2) - 1, last / 2, last / 2};
  return {0, last, last};
}

// f(x) = max(low, min(high, factor * x)) for finite x.
Rational Scaled(const Scale& scale, const Rational& x) {
  return std::max<Rational>(scale.low, std::min<Rational>(scale.high, scale.factor * x));
}

// 255 * c_sRGB(y) of 8.3.5 for any y but NaN, which counts as 0.
Enclosure ScaledSrgb(Format format, Bits y, unsigned bits) {
  if (IsNan(format, y) || IsNegative(format, y) || IsZero(format, y)) return {0, 0};
  if (IsInfinite(format, y)) return {255, 255};
  const Rational value = ValueOf(format, y);
  if (value > 1) return {255, 255};
  if (value < Ratio(31308, 10000000)) {
    const Rational scaled = Ratio(1292, 100) * 255 * value;
    return {scaled, scaled};
  }
  Enclosure root = RootOfPower(value, 5, 12, bits);
  for (Rational* end : {&root.low, &root.high}) {
    *end = (*end * Ratio(1055, 1000) - Ratio(55, 1000)) * 255;
  }
  return root;
}

// Refines the enclosure of 255 * c_sRGB(y) until `decide` says the same of both ends.  The value is
// irrational but for y = (3/4)^12 and 1, so it is none of the thresholds n + 1/2 and n + 3/5 in the
// end.
template <typename Decide>
long DecideSrgb(Format format, Bits y, Decide&& decide) {
  for (unsigned bits = 64;; bits *= 2) {
    const Enclosure scaled = ScaledSrgb(format, y, bits);
    const long low = decide(scaled.low);
    if (low == decide(scaled.high)) return low;
  }
}

long ToLong(const mpz_class& integer) { return mpz_get_si(integer.get_mpz_t()); }
long Ceiling(const Rational& value) { return -ToLong(Floor(-value)); }

std::uint64_t EncodeNormalized(const Scale& scale, Format format, Bits value) {
  if (IsNan(format, value)) return 0;
  if (IsInfinite(format, value)) {
    return static_cast<std::uint64_t>(IsNegative(format, value) ? scale.low : scale.high);
  }
  const Rational scaled = Scaled(scale, ValueOf(format, value));
  return static_cast<std::uint64_t>(ToLong(NearestInteger(scaled)));
}

Bits ConvertFloating(Format from, Format to, Bits value, Rounding rounding) {
  if (from == to) return value;
  const Bits sign = IsNegative(from, value) ? SignMask(to) : 0;
  if (IsNan(from, value)) return QuietNan(to);
  if (IsInfinite(from, value)) return sign | Infinity(to);
  return sign | RoundTo(ValueOf(from, value), to, rounding);
}

// The range of an integer channel as int64.
std::int64_t Clamp(ChannelKind kind, int width, Bits value) {
  if (kind == ChannelKind::kUnsigned) {
    return std::min<std::int64_t>(static_cast<std::int64_t>(value), (std::int64_t{1} << width) - 1);
  }
  const std::int64_t high = (std::int64_t{1} << (width - 1)) - 1;
  return std::clamp<std::int64_t>(static_cast<std::int32_t>(value), -high - 1, high);
}

// The integers within 0.6 of f(x).
AllowedSet WithinSixTenths(ChannelKind kind, int width, const Rational& scaled) {
  const Scale scale = ScaleOf(kind, width);
  const long low = std::max(scale.low, Ceiling(scaled - Ratio(3, 5)));
  const long high = std::min(scale.high, ToLong(Floor(scaled + Ratio(3, 5))));
  return AllowedSet::Integers(kind == ChannelKind::kSnorm ? Encoding::kSigned : Encoding::kUnsigned,
                              width, low, high);
}

AllowedSet AllowedSrgb(Format format, Bits y) {
  const long low = DecideSrgb(format, y, [](const Rational& scaled) {
    return std::max(0L, Ceiling(scaled - Ratio(3, 5)));
  });
  const long high = DecideSrgb(format, y, [](const Rational& scaled) {
    return std::min(255L, ToLong(Floor(scaled + Ratio(3, 5))));
  });
  return AllowedSet::Integers(Encoding::kUnsigned, 8, low, high);
}

bool IsPackedByAnalogy(ChannelType type) {
  return type == ChannelType::kUnormShort565 || type == ChannelType::kUnormShort555 ||
         type == ChannelType::kUnormInt24 || type == ChannelType::kUnormInt101010_2 ||
         type == ChannelType::kUnormInt2_101010;
}

AllowedSet AllowedNormalized(ImageFormat format, ChannelField field, Format data, Bits value,
                             Undefined* undefined) {
  const ChannelKind kind = KindOf(format.type);
  if (IsSrgbField(format, field)) return AllowedSrgb(data, value);
  if (!IsFinite(data, value)) {
    *undefined = Undefined::kNotFiniteToNormalized;
    return AllowedSet::Anything(
        kind == ChannelKind::kSnorm ? Encoding::kSigned : Encoding::kUnsigned, field.width);
  }
  AllowedSet set =
      WithinSixTenths(kind, field.width, Scaled(ScaleOf(kind, field.width), ValueOf(data, value)));
  set.by_analogy = IsPackedByAnalogy(format.type);
  return set;
}

AllowedSet AllowedHalf(Format data, Bits value) {
  if (data == Format::kHalf || !IsFinite(data, value)) {
    return AllowedSet::One(Format::kHalf,
                           ConvertFloating(data, Format::kHalf, value, Rounding::kRte));
  }
  const Bits nearest = ConvertFloating(data, Format::kHalf, value, Rounding::kRte);
  const Bits toward_zero = ConvertFloating(data, Format::kHalf, value, Rounding::kRtz);
  const bool negative = IsNegative(data, value);
  AllowedSet set = AllowedSet::Between(Format::kHalf, negative ? nearest : toward_zero,
                                       negative ? toward_zero : nearest);
  set.AllowFlush();
  // A subnormal float may be flushed before it is converted.
  if (IsSubnormal(data, value)) set.negative_zero = set.positive_zero = true;
  return set;
}

AllowedSet AllowedFloat(Format data, Bits value) {
  const Bits converted = ConvertFloating(data, Format::kFloat, value, Rounding::kRte);
  AllowedSet set = AllowedSet::One(Format::kFloat, converted);
  set.AllowFlush();
  return set;
}

}  // namespace

Undefined CheckWrite(ImageFormat format, DataType type) {
  switch (KindOf(format.type)) {
    case ChannelKind::kSigned:
      return type == DataType::kInt ? Undefined::kNo : Undefined::kWrongWriteType;
    case ChannelKind::kUnsigned:
      return type == DataType::kUint ? Undefined::kNo : Undefined::kWrongWriteType;
    case ChannelKind::kUnorm:
    case ChannelKind::kSnorm:
    case ChannelKind::kHalf:
    case ChannelKind::kFloat:
      break;
  }
  return IsFloating(type) ? Undefined::kNo : Undefined::kWrongWriteType;
}

std::uint64_t EncodeField(ImageFormat format, ChannelField field, Bits value, DataType type) {
  const ChannelKind kind = KindOf(format.type);
  switch (kind) {
    case ChannelKind::kUnorm:
      if (IsSrgbField(format, field)) {
        return static_cast<std::uint64_t>(DecideSrgb(
            FormatOf(type), value, [](const Rational& r) { return ToLong(NearestInteger(r)); }));
      }
      [[fallthrough]];
    case ChannelKind::kSnorm:
      return EncodeNormalized(ScaleOf(kind, field.width), FormatOf(type), value);
    case ChannelKind::kSigned:
    case ChannelKind::kUnsigned:
      return static_cast<std::uint64_t>(Clamp(kind, field.width, value));
    case ChannelKind::kHalf:
      return ConvertFloating(FormatOf(type), Format::kHalf, value, Rounding::kRte);
    case ChannelKind::kFloat:
      return ConvertFloating(FormatOf(type), Format::kFloat, value, Rounding::kRte);
  }
  return 0;
}

void EncodeTexel(ImageFormat format, const Color& color, DataType type, std::byte* element) {
  const ElementLayout layout = *LayoutOf(format);
  std::memset(element, 0, static_cast<std::size_t>(layout.bytes));
  if (CheckWrite(format, type) != Undefined::kNo) return;
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout.fields); ++f) {
    const ChannelField field = layout.field[f];
    WriteField(element, field, EncodeField(format, field, color[field.component], type));
  }
}

bool AllowedElement::Contains(const std::byte* element) const {
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout.fields); ++f) {
    if (!field[f].Contains(ReadField(element, layout.field[f]))) return false;
  }
  return true;
}

AllowedElement AllowedOfWrite(ImageFormat format, const Color& color, DataType type) {
  AllowedElement allowed = {.layout = *LayoutOf(format), .undefined = CheckWrite(format, type)};
  const bool wrong = allowed.undefined != Undefined::kNo;
  for (std::size_t f = 0; f < static_cast<std::size_t>(allowed.layout.fields); ++f) {
    const ChannelField field = allowed.layout.field[f];
    const Bits value = color[field.component];
    AllowedSet& set = allowed.field[f];
    const ChannelKind kind = KindOf(format.type);
    if (wrong) {
      set = AllowedSet::Anything(Encoding::kUnsigned, field.width);
    } else if (kind == ChannelKind::kHalf) {
      set = AllowedHalf(FormatOf(type), value);
    } else if (kind == ChannelKind::kFloat) {
      set = AllowedFloat(FormatOf(type), value);
    } else if (kind == ChannelKind::kSigned || kind == ChannelKind::kUnsigned) {
      const std::int64_t clamped = Clamp(kind, field.width, value);
      set = AllowedSet::Integers(
          kind == ChannelKind::kSigned ? Encoding::kSigned : Encoding::kUnsigned, field.width,
          clamped, clamped);
    } else {
      set = AllowedNormalized(format, field, FormatOf(type), value, &allowed.undefined);
    }
  }
  return allowed;
}

}  // namespace assay::numerics::image
