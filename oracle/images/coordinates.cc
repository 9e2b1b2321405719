// Coordinates of reads with a sampler.
#include <algorithm>
#include <bit>
#include <cmath>

#include "oracle/images/cases.h"
#include "oracle/inputs/random.h"

namespace assay::oracle {
namespace {

using numerics::image::AddressMode;
using numerics::image::FilterMode;

std::uint32_t BitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }

// The coordinates of one axis, as floats.
struct AxisDraw {
  const ImageRequest& request;
  double size;

  float FromTexels(double u) const {
    return static_cast<float>(request.sampler.normalized ? u / size : u);
  }
  bool Repeats() const { return request.sampler.address >= AddressMode::kRepeat; }

  // Texels' edges and centres, and what lies beside them.
  float Edge(ItemStream& stream) const {
    const auto texel = static_cast<double>(stream.Between(-2, static_cast<int>(size) + 2));
    float u = FromTexels(texel + 0.5 * static_cast<double>(stream.Below(2)));
    switch (stream.Below(4)) {
      case 0:
        u = std::nextafterf(u, -INFINITY);
        break;
      case 1:
        u = std::nextafterf(u, INFINITY);
        break;
      default:
        break;
    }
    return u;
  }
  float Ends(ItemStream& stream) const {
    const double ends[] = {0, 0.5, size - 0.5, size, -0.5, size + 0.5, -1, size + 1};
    const float u = FromTexels(ends[stream.Below(std::size(ends))]);
    return stream.Coin() ? u : std::nextafterf(u, stream.Coin() ? -INFINITY : INFINITY);
  }
  // Zeros, subnormal numbers, the smallest normal ones, and numbers far outside.
  float Special(ItemStream& stream) const {
    constexpr float kSpecial[] = {
        0.0F,       -0.0F,          0x1p-149F, -0x1p-149F, 0x1.fffffcp-127F, 0x1p-126F,
        -0x1p-126F, 0x1p-60F,       -0x1p-25F, 0x1p20F,    -0x1p20F,         0x1p24F,
        -0x1p24F,   0x1.fffffep30F, -0x1p30F,  1000.5F,    -1000.5F};
    return kSpecial[stream.Below(std::size(kSpecial))];
  }
  // Periods of the modes that repeat, also half ones, where a mirrored image turns.
  float Period(ItemStream& stream) const {
    const double s = stream.Coin() ? stream.Unit() : 0.5 * static_cast<double>(stream.Below(3));
    constexpr int kFar[] = {1, 2, 3, 7, 100, 1 << 12, 1 << 20};
    const int far = kFar[stream.Below(std::size(kFar))];
    return static_cast<float>(s + (stream.Coin() ? far : -far));
  }
  float Draw(ItemStream& stream) const {
    switch (stream.Below(8)) {
      case 0:
        return Ends(stream);
      case 1:
      case 2:
        return Edge(stream);
      case 3:
        return Special(stream);
      case 4:
        if (Repeats()) return Period(stream);
        [[fallthrough]];
      case 5:
        return FromTexels((stream.Unit() * 2 - 0.5) * size);
      default:
        return FromTexels(stream.Unit() * size);
    }
  }
};

// The index of a layer: "clamp(rint(w), 0, layers - 1)" (OpenCL C 8.4).
float DrawLayer(ItemStream& stream, std::uint32_t layers) {
  const int half = stream.Between(-3, 2 * static_cast<int>(layers) + 3);
  const float w = 0.5F * static_cast<float>(half);
  switch (stream.Below(4)) {
    case 0:
      return std::nextafterf(w, stream.Coin() ? -INFINITY : INFINITY);
    case 1:
      return stream.Coin() ? 0x1p20F : -0x1p20F;
    default:
      return w;
  }
}

std::uint32_t DrawInteger(ItemStream& stream, std::uint32_t size) {
  const int last = static_cast<int>(size) - 1;
  const int special[] = {0, last, -1, last + 1, INT32_MIN, INT32_MAX, -1000, last + 1000};
  if (stream.Below(3) == 0) {
    return static_cast<std::uint32_t>(special[stream.Below(std::size(special))]);
  }
  return static_cast<std::uint32_t>(stream.Between(-3, last + 3));
}

FourWords DrawAny(ItemStream& stream, const ImageRequest& request) {
  FourWords at = {};
  const auto dimensions = static_cast<std::size_t>(DimensionsOf(request.shape));
  // One axis is anything; the others are inside the image in two thirds of the cases, so that what
  // is seen is not always the border.
  const std::size_t free = stream.Below(dimensions);
  const bool calm = stream.Below(3) != 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (request.integers) {
      at[d] = calm && d != free ? static_cast<std::uint32_t>(stream.Below(request.size[d]))
                                : DrawInteger(stream, request.size[d]);
      continue;
    }
    const AxisDraw axis{request, static_cast<double>(request.size[d])};
    at[d] =
        BitsOf(calm && d != free ? axis.FromTexels(stream.Unit() * axis.size) : axis.Draw(stream));
  }
  if (IsArray(request.shape)) {
    at[dimensions] = request.integers ? DrawInteger(stream, request.layers)
                                      : BitsOf(DrawLayer(stream, request.layers));
  }
  return at;
}

// As test_conformance/images/kernel_read_write/test_common.cpp makes them: a texel up to 10 beside
// the one that it stands for, plus one of eight fractions.
FourWords DrawLikeSuite(ItemStream& stream, const ImageRequest& request) {
  constexpr float kFractions[] = {0.0F, 0x1p-30F, 0.25F,          0.3F, 0.5F - 0x1p-25F,
                                  0.5F, 0.9F,     1.0F - 0x1p-24F};
  float fraction = kFractions[stream.Below(std::size(kFractions))];
  if (stream.Coin()) fraction = -fraction;
  FourWords at = {};
  const auto dimensions = static_cast<std::size_t>(DimensionsOf(request.shape));
  const std::size_t all = dimensions + (IsArray(request.shape) ? 1 : 0);
  for (std::size_t d = 0; d < all; ++d) {
    const bool layer = d == dimensions;
    const std::uint32_t size = layer ? request.layers : request.size[d];
    // The suite stands for every texel once; here the first and the last one more often.
    std::uint64_t near = stream.Below(size);
    if (stream.Below(3) == 0) near = stream.Coin() ? 0 : size - 1;
    const int texel = static_cast<int>(near) + stream.Between(-10, 10);
    if (request.integers) {
      at[d] = static_cast<std::uint32_t>(texel);
      continue;
    }
    double u = static_cast<float>(static_cast<double>(d == 1 ? -fraction : fraction) + texel);
    if (request.sampler.address == AddressMode::kNone) {
      u = std::min(std::max(u, 0.0), static_cast<double>(size) - 1.0);
    }
    if (request.sampler.normalized && !layer) u /= static_cast<double>(size);
    at[d] = BitsOf(static_cast<float>(u));
  }
  return at;
}

// Without an addressing mode a read outside is undefined, also one that rounding brings there:
// where the text defines no precision, the coordinates keep away from the ends.
bool FarFromEnds(const ImageRequest& request, const FourWords& at) {
  constexpr double kMargin = 0x1p-8;
  const double least = kMargin + (request.sampler.filter == FilterMode::kLinear ? 0.5 : 0.0);
  for (std::size_t d = 0; d < static_cast<std::size_t>(DimensionsOf(request.shape)); ++d) {
    const auto size = static_cast<double>(request.size[d]);
    double u = static_cast<double>(std::bit_cast<float>(at[d]));
    if (request.sampler.normalized) u *= size;
    if (!(u >= least && u <= size - least)) return false;
  }
  return true;
}

}  // namespace

void AddCoordinates(std::size_t count, std::uint64_t key, ImageCase* asked) {
  const ImageRequest& request = asked->request;
  const numerics::image::ImageView view = ViewOf(request, asked->texels.data());
  const bool guarded =
      request.sampler.address == AddressMode::kNone && !IsExactSampler(request.sampler);
  // Some draws are undefined and not asked; never so many that this does not end.
  const std::size_t most = 16 * count;
  for (std::size_t item = 0; item < most && asked->at.size() < count; ++item) {
    ItemStream stream(key, item);
    const bool like_suite = item % 2 == 0;
    const FourWords at = like_suite ? DrawLikeSuite(stream, request) : DrawAny(stream, request);
    if (guarded && !FarFromEnds(request, at)) continue;
    const auto taps = SelectTaps(view, request.sampler, CoordinatesOf(request, at));
    if (taps.undefined != numerics::image::Undefined::kNo) continue;
    asked->at.push_back(at);
    asked->like_suite.push_back(like_suite);
  }
}

}  // namespace assay::oracle
