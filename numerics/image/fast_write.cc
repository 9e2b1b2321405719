#include "numerics/image/fast_write.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace assay::numerics::image {
namespace {

// The least float at which 255 c_sRGB(y) rounds to 1, 2, ..., 255: the ties n + 1/2 are at no
// float.
struct SrgbSteps {
  std::array<float, 255> least;
  SrgbSteps() {
    for (std::size_t n = 0; n < least.size(); ++n) {
      const Enclosure tie = LinearOfHalfCode(2 * static_cast<int>(n) + 1, 200);
      const Bits bits = RoundTo(tie.high, Format::kFloat, Rounding::kRtp);
      least[n] = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
  }
};

// Of NaN and negative numbers 0.
std::uint64_t EncodeSrgb(double y) {
  static const SrgbSteps steps;
  const auto above = std::partition_point(steps.least.begin(), steps.least.end(),
                                          [y](float least) { return least <= y; });
  return static_cast<std::uint64_t>(above - steps.least.begin());
}

std::uint64_t EncodeNormalized(double low, double high, double factor, double value) {
  if (std::isnan(value)) return 0;
  const double scaled = std::clamp(factor * value, low, high);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(scaled)));
}

}  // namespace

FastWriter::FastWriter(ImageFormat format, DataType type)
    : format_(format),
      type_(type),
      layout_(*LayoutOf(format)),
      kind_(KindOf(format.type)),
      defined_(CheckWrite(format, type) == Undefined::kNo) {}

// Of kFloat and kHalf.
inline double FastWriter::Value(Bits value) const {
  if (type_ == DataType::kHalf) return ToDouble(Format::kHalf, value);
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value)));
}

inline std::uint64_t FastWriter::Encode(ChannelField field, Bits value) const {
  const double last = std::bit_cast<double>((Bits{0x3ff} + field.width) << 52) - 1;
  switch (kind_) {
    case ChannelKind::kUnorm:
      if (IsSrgb(format_.order) && field.component != 3) return EncodeSrgb(Value(value));
      return EncodeNormalized(0, last, last, Value(value));
    case ChannelKind::kSnorm: {
      const double high = (last - 1) / 2;
      return EncodeNormalized(-high - 1, high, high, Value(value));
    }
    case ChannelKind::kHalf:
      if (type_ == DataType::kHalf) return value;
      if (IsNan(Format::kFloat, value)) return QuietNan(Format::kHalf);
      return FromDouble(Format::kHalf, Value(value));
    case ChannelKind::kFloat:
      if (type_ == DataType::kFloat) return value;
      if (IsNan(Format::kHalf, value)) return QuietNan(Format::kFloat);
      return std::bit_cast<std::uint32_t>(static_cast<float>(Value(value)));
    case ChannelKind::kSigned:
    case ChannelKind::kUnsigned:
      break;
  }
  return EncodeField(format_, field, value, type_);
}

void FastWriter::Write(const Color& color, std::byte* element) const {
  std::memset(element, 0, static_cast<std::size_t>(layout_.bytes));
  if (!defined_) return;
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout_.fields); ++f) {
    const ChannelField field = layout_.field[f];
    const std::uint64_t bits = Encode(field, color[field.component]);
    const bool whole =
        field.offset % 8 == 0 && (field.width == 8 || field.width == 16 || field.width == 32);
    if (whole) {
      std::memcpy(element + field.offset / 8, &bits, field.width / 8);
    } else {
      WriteField(element, field, bits);
    }
  }
}

}  // namespace assay::numerics::image
