// Elements of images and colors that are written.
#include <algorithm>
#include <bit>

#include "numerics/format.h"
#include "oracle/images/cases.h"
#include "oracle/inputs/random.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::image::ChannelField;
using numerics::image::ChannelKind;
using numerics::image::DataType;

constexpr std::uint64_t Ones(int width) { return ~std::uint64_t{0} >> (64 - width); }

// A bijection of `width` bits for every `salt`.
std::uint64_t Permuted(std::uint64_t number, int width, std::uint64_t salt) {
  return (number * (2 * (salt % 1000) + 1) + salt * 77) & Ones(width);
}

// Magnitudes from 2^-4 to 2^5.  Neighbours of one size: where a coordinate is on the border of two
// texels, a weight near 0 of an element that is much larger than the others would decide, and with
// it the last bit of the coordinate.
std::uint64_t CalmNumber(Format format, ItemStream& stream) {
  const auto& traits = numerics::Traits(format);
  const auto exponent = static_cast<std::uint64_t>(traits.emax + stream.Between(-4, 4));
  return (stream.Coin() ? numerics::SignMask(format) : 0) | exponent << traits.mantissa_bits() |
         (stream.Next() & numerics::MantissaMask(format));
}

// What IEEE 754 has: zeros, subnormals, ends, INF, NaN, and any pattern.
std::uint64_t AnyNumber(Format format, ItemStream& stream) {
  const std::uint64_t special[] = {0,
                                   1,
                                   numerics::MantissaMask(format),
                                   numerics::MinNormal(format),
                                   numerics::One(format),
                                   numerics::MaxFinite(format),
                                   numerics::Infinity(format),
                                   numerics::QuietNan(format)};
  const std::uint64_t sign = stream.Coin() ? numerics::SignMask(format) : 0;
  switch (stream.Below(3)) {
    case 0:
      return special[stream.Below(std::size(special))] | sign;
    case 1:
      return CalmNumber(format, stream);
    default:
      return stream.Next() & (numerics::SignMask(format) | numerics::MagnitudeMask(format));
  }
}

std::uint64_t CodeFor(ChannelKind kind, int width, std::size_t element, std::size_t elements,
                      std::size_t field, bool finite, ItemStream& stream) {
  const bool floating = kind == ChannelKind::kHalf || kind == ChannelKind::kFloat;
  const Format format = kind == ChannelKind::kHalf ? Format::kHalf : Format::kFloat;
  if (floating && finite) return CalmNumber(format, stream);
  if (width < 32 && std::uint64_t{1} << width <= elements) {
    return Permuted(element, width, field * 131);
  }
  if (floating) return AnyNumber(format, stream);
  const std::uint64_t ends[] = {0,
                                1,
                                Ones(width),
                                Ones(width) - 1,
                                Ones(width - 1),
                                Ones(width - 1) + 1,
                                Ones(width - 1) + 2,
                                Ones(width) / 3};
  return stream.Below(3) == 0 ? ends[stream.Below(std::size(ends))] : stream.Next() & Ones(width);
}

// A number that is written to a normalized channel of `width` bits: codes, ties between codes, what
// is out of range, subnormal, and random.
float NormalizedInput(bool has_sign, int width, ItemStream& stream) {
  const auto last = static_cast<double>(Ones(has_sign ? width - 1 : width));
  const double sign = has_sign && stream.Coin() ? -1 : 1;
  constexpr float kSpecial[] = {
      0.0F,   -0.0F,    1.0F,     -1.0F, 2.0F,           -2.0F,         0x1p-149F,  1e30F,
      -1e30F, 0x1p-30F, -0x1p-9F, 0.5F,  0x1.fffffep-1F, 0x1.000002p0F, 0.0031308F, 0.04045F};
  switch (stream.Below(5)) {
    case 0:
      return kSpecial[stream.Below(std::size(kSpecial))];
    case 1:
      return static_cast<float>(sign * static_cast<double>(stream.Below(Ones(width))) / last);
    case 2:
      return static_cast<float>(sign * (static_cast<double>(stream.Below(Ones(width - 1))) + 0.5) /
                                last);
    default:
      return static_cast<float>(sign * (stream.Unit() * 1.1 - 0.05));
  }
}

// A float that is written to a channel of float or half: the numbers of half, ties between them,
// what overflows and what is subnormal there.
std::uint64_t FloatInput(bool half, ItemStream& stream) {
  if (!half || stream.Below(3) == 0) return AnyNumber(Format::kFloat, stream);
  // An exponent of half's range or a little more, and few bits behind those of half.
  const auto exponent = static_cast<std::uint64_t>(127 + stream.Between(-27, 17));
  constexpr std::uint32_t kTails[] = {0, 0x1000, 0x0FFF, 0x1001, 0x1FFF, 1};
  const std::uint64_t sign = stream.Coin() ? 0x80000000U : 0;
  return sign | exponent << 23 | (stream.Below(1024) << 13) |
         kTails[stream.Below(std::size(kTails))];
}

}  // namespace

std::vector<std::byte> Texels(const ImageRequest& request, bool finite, std::uint64_t key) {
  const auto layout = *numerics::image::LayoutOf(request.format);
  const auto bytes = static_cast<std::size_t>(layout.bytes);
  std::vector<std::byte> texels(TexelBytes(request));
  const std::size_t elements = texels.size() / bytes;
  const ChannelKind kind = KindOf(request.format.type);
  for (std::size_t e = 0; e < elements; ++e) {
    ItemStream stream(key, e);
    std::byte* element = texels.data() + e * bytes;
    // Bits of no channel are anything.
    for (std::size_t b = 0; b < bytes; ++b) element[b] = static_cast<std::byte>(stream.Next());
    for (std::size_t f = 0; f < static_cast<std::size_t>(layout.fields); ++f) {
      const ChannelField field = layout.field[f];
      WriteField(element, field, CodeFor(kind, field.width, e, elements, f, finite, stream));
    }
  }
  return texels;
}

FourWords ColorFor(const ImageRequest& request, std::size_t number, std::uint64_t key) {
  ItemStream stream(key ^ 0x5bd1e995, number);
  const auto layout = *numerics::image::LayoutOf(request.format);
  const ChannelKind kind = KindOf(request.format.type);
  int width = 8;
  for (int f = 0; f < layout.fields; ++f) {
    width = std::max<int>(width, layout.field[static_cast<std::size_t>(f)].width);
  }
  FourWords color = {};
  for (std::uint32_t& component : color) {
    switch (kind) {
      case ChannelKind::kUnorm:
      case ChannelKind::kSnorm:
        component = std::bit_cast<std::uint32_t>(
            NormalizedInput(kind == ChannelKind::kSnorm, width, stream));
        break;
      case ChannelKind::kHalf:
      case ChannelKind::kFloat:
        component = static_cast<std::uint32_t>(FloatInput(kind == ChannelKind::kHalf, stream));
        break;
      case ChannelKind::kSigned:
      case ChannelKind::kUnsigned: {
        const std::uint64_t ends[] = {0,          1,          Ones(width), Ones(width - 1),
                                      0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,  Ones(width - 1) + 1};
        component = static_cast<std::uint32_t>(stream.Coin() ? ends[stream.Below(std::size(ends))]
                                                             : stream.Next() >> stream.Below(32));
      }
    }
  }
  return color;
}

}  // namespace assay::oracle
