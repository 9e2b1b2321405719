#include "numerics/image/texel.h"

#include <algorithm>

namespace assay::numerics::image {
namespace {

using Kind = ExactComponent::Kind;

ExactComponent Number(Rational value) { return {.value = std::move(value)}; }

ExactComponent DecodeFloating(Format format, Bits bits) {
  ExactComponent component = {.stored_format = format, .stored = bits};
  if (IsNan(format, bits)) {
    component.kind = Kind::kNan;
  } else if (IsInfinite(format, bits)) {
    component.kind = Kind::kInfinity;
    component.value = IsNegative(format, bits) ? -1 : 1;
  } else if (IsZero(format, bits)) {
    if (IsNegative(format, bits)) component.kind = Kind::kNegativeZero;
  } else {
    component.value = ValueOf(format, bits);
  }
  return component;
}

bool IsSrgbField(ImageFormat format, ChannelField field) {
  return IsSrgb(format.order) && field.component != 3;  // "the alpha data is stored in linear"
}

// c <= 0.04045: c / 12.92 with c = code / 255.
constexpr int kLastLinearCode = 10;

ExactComponent DecodeSrgb(std::uint64_t bits) {
  const auto code = static_cast<std::uint8_t>(bits);
  ExactComponent component = {.code = code};
  if (code <= kLastLinearCode || code == 255) {
    component.value = LinearOfSrgb(code, 1).low;
  } else {
    component.kind = Kind::kSrgb;
  }
  return component;
}

// The element of each of r, g, b, a, or what the order has there.
template <typename Texel, typename Make>
Texel MapChannels(const ElementLayout& layout, Make&& make) {
  Texel texel;
  for (std::size_t c = 0; c < 4; ++c) texel.component[c] = make(layout.source[c]);
  return texel;
}

AllowedSet Constant(int value, DataType type) {
  switch (type) {
    case DataType::kInt:
      return AllowedSet::Integers(Encoding::kSigned, 32, value, value);
    case DataType::kUint:
      return AllowedSet::Integers(Encoding::kUnsigned, 32, value, value);
    case DataType::kFloat:
    case DataType::kHalf:
      break;
  }
  return AllowedSet::One(FormatOf(type), value == 0 ? 0 : One(FormatOf(type)));
}

AllowedSet AnySet(DataType type) {
  switch (type) {
    case DataType::kInt:
      return AllowedSet::Anything(Encoding::kSigned, 32);
    case DataType::kUint:
      return AllowedSet::Anything(Encoding::kUnsigned, 32);
    case DataType::kFloat:
    case DataType::kHalf:
      break;
  }
  return AllowedSet::Anything(EncodingOf(FormatOf(type)), Traits(FormatOf(type)).width);
}

// The numbers of the format in [low, high], with +0 for a zero end.
AllowedSet NumbersIn(const Rational& low, const Rational& high, Format format) {
  return AllowedSet::Between(format, RoundTo(low, format, Rounding::kRtp),
                             RoundTo(high, format, Rounding::kRtn));
}

// "The precision of the above conversions is <= 1.5 ulp except for the following cases": the ends
// and 0, which are exact; within [0, 1] or [-1, 1].
AllowedSet AllowedOfNormalized(ChannelType type, const Rational& value, Format format) {
  AllowedSet set;
  if (value == 0 || abs(value) == 1) {
    set = AllowedSet::One(format, RoundTo(value, format, Rounding::kRte));
  } else {
    const Rational error = Ratio(3, 2) * Ulp(value, format);
    const Rational least = KindOf(type) == ChannelKind::kSnorm ? -1 : 0;
    set = NumbersIn(std::max<Rational>(value - error, least), std::min<Rational>(value + error, 1),
                    format);
  }
  set.by_analogy = type == ChannelType::kUnormShort565 || type == ChannelType::kUnormShort555 ||
                   type == ChannelType::kUnormInt24 || type == ChannelType::kUnormInt101010_2 ||
                   type == ChannelType::kUnormInt2_101010;
  // Half has subnormal numbers there (UNORM_INT16 1 is 2^-16): 7.5.3.
  set.AllowFlush();
  return set;
}

// "All 0's maps to 0.0f, and all 1's maps to 1.0f"; the others within half a code.
AllowedSet AllowedOfSrgb(int code, Format format) {
  if (code == 0) return AllowedSet::One(format, 0);
  if (code == 255) return AllowedSet::One(format, One(format));
  // The ends of the interval are irrational or in the linear part; 200 bits are beyond any float's
  // distance from them unless it is one of them.
  const Enclosure low = LinearOfHalfCode(2 * code - 1, 200),
                  high = LinearOfHalfCode(2 * code + 1, 200);
  AllowedSet set = NumbersIn(low.high, high.low, format);
  set.AllowFlush();
  return set;
}

AllowedSet AllowedOfFloating(Format stored, Bits bits, DataType type, ReadRules rules) {
  const Format format = FormatOf(type);
  const ExactComponent component = DecodeFloating(stored, bits);
  AllowedSet set = AllowedSet::One(format, RoundComponent(component, type, Rounding::kRte));
  const bool may_flush = stored == Format::kFloat || rules.sampler;
  if (may_flush && IsSubnormal(stored, bits)) set.negative_zero = set.positive_zero = true;
  return set;
}

}  // namespace

Enclosure LinearOfHalfCode(int half_codes, unsigned bits) {
  const Rational c = Ratio(half_codes, 510);
  // c_sRGB has its step at y = 0.0031308, where c is 0.04045 to five digits: no half code is there.
  if (half_codes <= 2 * kLastLinearCode + 1 && c <= Ratio(4045, 100000)) {
    const Rational y = c * Ratio(100, 1292);
    return {y, y};
  }
  return RootOfPower((c + Ratio(55, 1000)) * Ratio(1000, 1055), 12, 5, bits);
}

Enclosure LinearOfSrgb(std::uint8_t code, unsigned bits) {
  return LinearOfHalfCode(2 * code, bits);
}

ExactComponent DecodeField(ImageFormat format, ChannelField field, std::uint64_t bits) {
  const long last = (1L << field.width) - 1;
  switch (KindOf(format.type)) {
    case ChannelKind::kUnorm:
      if (IsSrgbField(format, field)) return DecodeSrgb(bits);
      return Number(Ratio(static_cast<long>(bits), last));
    case ChannelKind::kSnorm:
      return Number(std::max<Rational>(-1, Ratio(SignExtend(bits, field.width), last / 2)));
    case ChannelKind::kSigned:
      return Number(Rational(static_cast<long>(SignExtend(bits, field.width))));
    case ChannelKind::kUnsigned:
      return Number(Rational(static_cast<unsigned long>(bits)));
    case ChannelKind::kHalf:
      return DecodeFloating(Format::kHalf, bits);
    case ChannelKind::kFloat:
      return DecodeFloating(Format::kFloat, bits);
  }
  return {};
}

ExactTexel DecodeTexel(ImageFormat format, const std::byte* element) {
  const ElementLayout layout = *LayoutOf(format);
  return MapChannels<ExactTexel>(layout, [&](std::int8_t source) {
    if (source < 0) return Number(source == kOne ? 1 : 0);
    const ChannelField field = layout.field[static_cast<std::size_t>(source)];
    return DecodeField(format, field, ReadField(element, field));
  });
}

ExactTexel BorderTexel(ImageFormat format) {
  ExactTexel texel;
  texel.component[3].value = BorderAlpha(format.order);
  return texel;
}

Undefined CheckRead(ImageFormat format, DataType type) {
  switch (KindOf(format.type)) {
    case ChannelKind::kSigned:
      return type == DataType::kInt ? Undefined::kNo : Undefined::kWrongResultType;
    case ChannelKind::kUnsigned:
      return type == DataType::kUint ? Undefined::kNo : Undefined::kWrongResultType;
    case ChannelKind::kFloat:
      if (type == DataType::kHalf) return Undefined::kHalfOfFloat;
      [[fallthrough]];
    case ChannelKind::kUnorm:
    case ChannelKind::kSnorm:
    case ChannelKind::kHalf:
      break;
  }
  return IsFloating(type) ? Undefined::kNo : Undefined::kWrongResultType;
}

Bits RoundComponent(const ExactComponent& component, DataType type, Rounding rounding) {
  if (!IsFloating(type)) {
    // Of a floating-point component: CheckRead has refused it, any number will do.
    if (component.kind != Kind::kRational) return 0;
    const mpz_class integer = Floor(component.value);
    return static_cast<std::uint32_t>(mpz_get_si(integer.get_mpz_t()));
  }
  const Format format = FormatOf(type);
  switch (component.kind) {
    case Kind::kNan:
      return component.stored_format == format ? component.stored : QuietNan(format);
    case Kind::kInfinity:
      return Infinity(format) | (component.value < 0 ? SignMask(format) : 0);
    case Kind::kNegativeZero:
      return SignMask(format);
    case Kind::kRational:
      return RoundTo(component.value, format, rounding);
    case Kind::kSrgb:
      break;
  }
  for (unsigned bits = 64;; bits *= 2) {
    const Enclosure linear = LinearOfSrgb(component.code, bits);
    const Bits low = RoundTo(linear.low, format, rounding);
    if (low == RoundTo(linear.high, format, rounding)) return low;
  }
}

bool AllowedTexel::Contains(const Color& color) const {
  for (std::size_t c = 0; c < static_cast<std::size_t>(components); ++c) {
    if (!component[c].Contains(color[c])) return false;
  }
  return true;
}

AllowedSet AllowedOfField(ImageFormat format, ChannelField field, std::uint64_t bits, DataType type,
                          ReadRules rules) {
  switch (KindOf(format.type)) {
    case ChannelKind::kUnorm:
      if (IsSrgbField(format, field)) return AllowedOfSrgb(static_cast<int>(bits), FormatOf(type));
      [[fallthrough]];
    case ChannelKind::kSnorm:
      return AllowedOfNormalized(format.type, DecodeField(format, field, bits).value,
                                 FormatOf(type));
    case ChannelKind::kSigned: {
      const std::int64_t value = SignExtend(bits, field.width);
      return AllowedSet::Integers(Encoding::kSigned, 32, value, value);
    }
    case ChannelKind::kUnsigned: {
      const auto value = static_cast<std::int64_t>(bits);
      return AllowedSet::Integers(Encoding::kUnsigned, 32, value, value);
    }
    case ChannelKind::kHalf:
      return AllowedOfFloating(Format::kHalf, bits, type, rules);
    case ChannelKind::kFloat:
      return AllowedOfFloating(Format::kFloat, bits, type, rules);
  }
  return AnySet(type);
}

AllowedTexel AllowedOfTexel(ImageFormat format, const std::byte* element, DataType type,
                            ReadRules rules) {
  if (CheckRead(format, type) != Undefined::kNo) return AllowedAnything(type);
  const ElementLayout layout = *LayoutOf(format);
  AllowedTexel texel = MapChannels<AllowedTexel>(layout, [&](std::int8_t source) {
    if (source < 0) return Constant(source == kOne ? 1 : 0, type);
    const ChannelField field = layout.field[static_cast<std::size_t>(source)];
    return AllowedOfField(format, field, ReadField(element, field), type, rules);
  });
  if (layout.scalar) texel.components = 1;
  return texel;
}

AllowedTexel AllowedOfBorder(ImageFormat format, DataType type) {
  AllowedTexel texel = {.components = LayoutOf(format)->scalar ? 1 : 4};
  for (std::size_t c = 0; c < 4; ++c) {
    texel.component[c] = Constant(c == 3 ? BorderAlpha(format.order) : 0, type);
  }
  return texel;
}

AllowedTexel AllowedAnything(DataType type) {
  AllowedTexel texel;
  texel.component.fill(AnySet(type));
  return texel;
}

}  // namespace assay::numerics::image
