#include "interp/envelope/texel_ranges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace assay::interp {

namespace ni = numerics::image;

using numerics::Bits;
using numerics::Format;
using oracle::Open;
using oracle::Range;

namespace {

constexpr int kMostKnownBits = 16;  // of a field whose patterns are looked up

std::uint64_t MaskOf(int width) { return ~std::uint64_t{0} >> (64 - width); }

double ValueOf(ni::DataType type, Bits bits) {
  return numerics::ToDouble(ni::FormatOf(type), bits);
}

bool IsFiniteNumber(Format format, const Range& range) {
  return numerics::IsFinite(format, range.low) && numerics::IsFinite(format, range.high);
}

}  // namespace

numerics::ScalarType ScalarOf(ni::DataType type) {
  switch (type) {
    case ni::DataType::kFloat:
      return numerics::ScalarType::kFloat;
    case ni::DataType::kHalf:
      return numerics::ScalarType::kHalf;
    case ni::DataType::kInt:
      return numerics::ScalarType::kInt;
    case ni::DataType::kUint:
      break;
  }
  return numerics::ScalarType::kUint;
}

Range RangeOf(const ni::AllowedSet& set) {
  if (set.anything) return Range::Anything(Open::kNoLimit);
  if (set.encoding == ni::Encoding::kSigned || set.encoding == ni::Encoding::kUnsigned) {
    const Bits mask = MaskOf(set.width);
    const Bits low = static_cast<Bits>(set.low) & mask, high = static_cast<Bits>(set.high) & mask;
    return low == high ? Range::Point(low) : Range::Integers(low, high);
  }
  const Format format = ni::FormatOf(set.encoding);
  const bool has_numbers = set.low <= set.high;
  const bool has_zero = set.positive_zero || set.negative_zero;
  if (set.nan) {
    if (has_numbers || has_zero) return Range::Anything(Open::kUnstated);
    return Range::Numbers(numerics::QuietNan(format), numerics::QuietNan(format));
  }
  if (!has_numbers) {
    const Bits zero = set.positive_zero ? 0 : numerics::SignMask(format);
    if (set.positive_zero && set.negative_zero) return Range::Numbers(0, 0);
    return Range::Point(zero);
  }
  const std::int64_t low = has_zero ? std::min<std::int64_t>(set.low, 0) : set.low;
  const std::int64_t high = has_zero ? std::max<std::int64_t>(set.high, 0) : set.high;
  if (low == high) return Range::Point(numerics::FromOrderedIndex(format, low));
  return Range::Numbers(numerics::FromOrderedIndex(format, low),
                        numerics::FromOrderedIndex(format, high));
}

TexelRanges::TexelRanges(ni::ImageFormat format, ni::DataType type, bool sampled)
    : format_(format),
      type_(type),
      rules_{.sampler = sampled},
      layout_(*ni::LayoutOf(format)),
      kind_(ni::KindOf(format.type)),
      is_readable_(ni::CheckRead(format, type) == ni::Undefined::kNo),
      is_writable_(ni::CheckWrite(format, type) == ni::Undefined::kNo) {
  const ni::AllowedTexel border = ni::AllowedOfBorder(format, type);
  const Bits one = ni::IsFloating(type) ? numerics::One(ni::FormatOf(type)) : 1;
  for (std::size_t c = 0; c < 4; ++c) {
    border_[c] = RangeOf(border.component[c]);
    constants_[c] = Range::Point(layout_.source[c] == ni::kOne ? one : 0);
  }
  // Neither list of OpenCL C 6.15.15.1.1 has CL_sRGB.
  if (format.order == ni::ChannelOrder::kSRGB) border_[3] = Range::Numbers(0, one);
}

bool TexelRanges::HasNumbers() const {
  return kind_ == ni::ChannelKind::kHalf || kind_ == ni::ChannelKind::kFloat;
}

bool TexelRanges::IsSrgbField(std::size_t field) const {
  return ni::IsSrgb(format_.order) && layout_.field[field].component != 3;
}

// --- reads ------------------------------------------------------------------------------------

Range TexelRanges::ReadOf(std::size_t field, std::uint64_t bits) const {
  const ni::ChannelField& where = layout_.field[field];
  const bool is_integer = kind_ == ni::ChannelKind::kSigned || kind_ == ni::ChannelKind::kUnsigned;
  if (is_integer) {
    const bool is_signed = kind_ == ni::ChannelKind::kSigned;
    return Range::Point(
        is_signed ? static_cast<Bits>(ni::SignExtend(bits, where.width)) & MaskOf(32) : bits);
  }
  if (kind_ == ni::ChannelKind::kFloat && type_ == ni::DataType::kFloat) {
    if (numerics::IsNan(Format::kFloat, bits)) return Range::Numbers(bits, bits);
    const Range exact = Range::Point(bits);
    return WithFlushing(numerics::ScalarType::kFloat, exact);  // 8.3.3
  }
  return RangeOf(ni::AllowedOfField(format_, where, bits, type_, rules_));
}

Range TexelRanges::ReadBits(std::size_t field, std::uint64_t bits) {
  const int width = layout_.field[field].width;
  if (width > kMostKnownBits) return ReadOf(field, bits);
  Known& known = known_[field];
  if (known.ranges.empty()) {
    known.ranges.resize(std::size_t{1} << width);
    known.is_known.resize(std::size_t{1} << width);
  }
  if (!known.is_known[bits]) {
    known.ranges[bits] = ReadOf(field, bits);
    known.is_known[bits] = true;
  }
  return known.ranges[bits];
}

// All conversions of reads grow with the field.
Range TexelRanges::ReadField(std::size_t field, const Range& range) {
  if (range.IsPoint()) return ReadBits(field, range.low);
  if (range.kind == Range::Kind::kAnything) return Range::Anything(Open::kOperand);
  const int width = layout_.field[field].width;
  const bool is_signed = kind_ == ni::ChannelKind::kSigned || kind_ == ni::ChannelKind::kSnorm;
  if (range.kind == Range::Kind::kIntegers) {
    if (HasNumbers()) return Range::Anything(Open::kWide);
    const auto order = [&](Bits bits) {
      return is_signed ? ni::SignExtend(bits, width) : static_cast<std::int64_t>(bits);
    };
    if (order(range.low) > order(range.high)) return Range::Anything(Open::kWide);
  } else if (!HasNumbers()) {
    return Range::Anything(Open::kWide);
  }
  return Hull(ScalarOf(type_), ReadBits(field, range.low), ReadBits(field, range.high));
}

ColorRanges TexelRanges::Read(const FieldRanges& fields) {
  ColorRanges color;
  if (!is_readable_) {
    color.fill(Range::Anything(Open::kNoLimit));
    return color;
  }
  for (std::size_t c = 0; c < 4; ++c) {
    const std::int8_t source = layout_.source[c];
    const auto field = static_cast<std::size_t>(source);
    color[c] = source < 0 ? constants_[c] : ReadField(field, fields[field]);
  }
  return color;
}

double TexelRanges::FilterSlack() const {
  if (HasNumbers()) return 0x1p-126;
  const int width = layout_.fields > 0 ? layout_.field[0].width : 8;
  const double codes = std::ldexp(1.0, kind_ == ni::ChannelKind::kSnorm ? width - 1 : width) - 1;
  return 1 / codes;
}

// --- writes -----------------------------------------------------------------------------------

// Whether integers from the first to the last one do not go around the ends of the type.
bool TexelRanges::IsInOrder(const Range& value) const {
  if (value.kind != Range::Kind::kIntegers) return true;
  const std::uint64_t sign = type_ == ni::DataType::kInt ? std::uint64_t{1} << 31 : 0;
  return !ni::IsFloating(type_) && (value.low ^ sign) <= (value.high ^ sign);
}

// |f(x) - f_approx(x)| <= 0.6, where f scales and clamps (8.3.1.3): it grows with x.  The product
// of a float and such a factor is exact in double, and nothing hangs on the sum's last bits.
Range TexelRanges::WriteNormalized(const ni::ChannelField& field, const Range& value) const {
  const bool is_signed = kind_ == ni::ChannelKind::kSnorm;
  const double factor = std::ldexp(1.0, is_signed ? field.width - 1 : field.width) - 1;
  const double least = is_signed ? -factor - 1 : 0;
  const auto scaled = [&](Bits bits) {
    return std::clamp(ValueOf(type_, bits) * factor, least, factor);
  };
  constexpr double kMost = 0.6 + 1e-9;
  const double low = std::max(std::ceil(scaled(value.low) - kMost), least);
  const double high = std::min(std::floor(scaled(value.high) + kMost), factor);
  const Bits mask = MaskOf(field.width);
  const auto first = static_cast<Bits>(static_cast<std::int64_t>(low)) & mask;
  const auto last = static_cast<Bits>(static_cast<std::int64_t>(high)) & mask;
  return first == last ? Range::Point(first) : Range::Integers(first, last);
}

FieldRanges TexelRanges::Written(const ColorRanges& color) const {
  FieldRanges fields;
  fields.fill(Range::Anything(Open::kNoLimit));
  if (!is_writable_) return fields;
  ni::Color ends[2] = {};
  bool asks = false;
  std::array<bool, 4> is_open = {};
  const bool is_normalized = kind_ == ni::ChannelKind::kUnorm || kind_ == ni::ChannelKind::kSnorm;
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout_.fields); ++f) {
    const ni::ChannelField& field = layout_.field[f];
    const Range& value = color[field.component];
    is_open[f] = value.kind == Range::Kind::kAnything || !IsInOrder(value);
    if (is_open[f]) continue;
    if (is_normalized && !IsFiniteNumber(ni::FormatOf(type_), value)) {
      is_open[f] = true;  // the text leaves it open
      continue;
    }
    if (is_normalized && !IsSrgbField(f) && field.width <= kMostKnownBits) {
      fields[f] = WriteNormalized(field, value);
      is_open[f] = true;
      continue;
    }
    asks = true;
    ends[0][field.component] = value.low;
    ends[1][field.component] = value.high;
  }
  if (!asks) return fields;
  const ni::AllowedElement low = ni::AllowedOfWrite(format_, ends[0], type_);
  const ni::AllowedElement high = ni::AllowedOfWrite(format_, ends[1], type_);
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout_.fields); ++f) {
    if (is_open[f]) continue;
    const Range first = RangeOf(low.field[f]), last = RangeOf(high.field[f]);
    const ni::ChannelField& field = layout_.field[f];
    if (HasNumbers()) {
      fields[f] =
          Hull(field.width == 16 ? numerics::ScalarType::kHalf : numerics::ScalarType::kFloat,
               first, last);
    } else if (first.kind == Range::Kind::kAnything || last.kind == Range::Kind::kAnything) {
      fields[f] = Range::Anything(Open::kNoLimit);
    } else {
      fields[f] =
          first.low == last.high ? Range::Point(first.low) : Range::Integers(first.low, last.high);
    }
    // Between the ends a zero has any sign, and what is stored of it, too.
    const Range& value = color[field.component];
    const bool is_zero = HasNumbers() && !value.IsPoint() && fields[f].IsPoint() &&
                         (fields[f].low & ~(std::uint64_t{1} << (field.width - 1))) == 0;
    if (is_zero) fields[f].kind = Range::Kind::kNumbers;
  }
  return fields;
}

}  // namespace assay::interp
