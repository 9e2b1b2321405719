#include "oracle/images/suite.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "numerics/image/encode.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::image::AddressMode;
using numerics::image::ChannelKind;
using numerics::image::ChannelType;
using numerics::image::Color;
using numerics::image::DataType;
using numerics::image::FilterMode;
using numerics::image::ImageFormat;

constexpr float kEpsilon = 0x1p-23F;
constexpr float kLeastNormal = 0x1p-126F;
constexpr float kMove = 0.1F;

float FloatOf(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

bool IsSubnormalFloat(float value) { return value != 0 && std::fabs(value) < kLeastNormal; }

bool IsNormalized(ImageFormat format) {
  const ChannelKind kind = KindOf(format.type);
  return kind == ChannelKind::kUnorm || kind == ChannelKind::kSnorm;
}

float AbsoluteError(const ImageRequest& request) {
  if (!request.sampled || request.sampler.filter == FilterMode::kNearest) return 0;
  using enum ChannelType;
  struct Row {
    ChannelType type;
    float error;
  };
  constexpr Row kRows[] = {{kSnormInt8, 1.0F / 127},      {kUnormInt8, 1.0F / 255},
                           {kSnormInt16, 1.0F / 32767},   {kUnormInt16, 1.0F / 65535},
                           {kUnormShort565, 1.0F / 31},   {kUnormShort555, 1.0F / 31},
                           {kUnormInt10X6, 1.0F / 1023},  {kUnormInt12X4, 1.0F / 4095},
                           {kUnormInt14X2, 1.0F / 16383}, {kFloat, kLeastNormal}};
  const auto* const row = std::ranges::find(kRows, request.format.type, &Row::type);
  return row == std::end(kRows) ? 0 : row->error;
}

float RelativeError(const ImageRequest& request) {
  const bool linear = request.sampled && request.sampler.filter == FilterMode::kLinear;
  float error = 0;
  if (IsNormalized(request.format)) error = 2 * kEpsilon;
  if (linear || (request.sampled && request.sampler.normalized)) error = 0x1p-7F;
  return error + 2 * kEpsilon;
}

// In units of a code, as the suite maps a linear value back.
double SrgbCode(float linear) {
  const double c = std::isnan(linear) ? 0.0 : std::clamp(static_cast<double>(linear), 0.0, 1.0);
  const double mapped = c < 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 5.0 / 12.0) - 0.055;
  return mapped * 255;
}

}  // namespace

SuiteJudge::SuiteJudge(const ImageRequest& request, const std::byte* texels, bool is_gpu)
    : request_(request),
      view_(ViewOf(request, texels)),
      reader_(view_, request.sampler, request.type),
      is_gpu_(is_gpu),
      dimensions_(DimensionsOf(request.shape)),
      relative_(RelativeError(request)),
      absolute_(AbsoluteError(request)) {}

float SuiteJudge::Unnormalized(float s, float offset, long size) const {
  const auto extent = static_cast<float>(size);
  if (!request_.sampler.normalized) return s;
  if (request_.sampler.address == AddressMode::kRepeat) {
    float u = (s - std::floor(s)) * extent;
    if (offset != 0) {
      u += offset;
      if (u > extent) u -= extent;
      if (u < 0) u += extent;
    }
    return u;
  }
  if (request_.sampler.address == AddressMode::kMirroredRepeat) {
    const float folded = std::fabs(s - 2.0F * std::rint(s * 0.5F)) * extent;
    if (offset == 0) return folded;
    float moved = folded + offset;
    if (moved > extent) moved = extent - (moved - extent);
    return std::fabs(moved);
  }
  return s * extent + offset;
}

// The texel of floor(u) by the addressing mode; -1 and `size` are outside.
long SuiteJudge::Addressed(float u, long size) const {
  const auto i = static_cast<long>(std::floor(u));
  switch (request_.sampler.address) {
    case AddressMode::kClampToEdge:
    case AddressMode::kMirroredRepeat:
      return std::clamp(i, 0L, size - 1);
    case AddressMode::kClamp:
      return std::clamp(i, -1L, size);
    case AddressMode::kRepeat:
      return i < 0 ? i + size : i >= size ? i - size : i;
    case AddressMode::kNone:
      return i;
  }
  return i;
}

long SuiteJudge::LayerOf(const FourWords& at) const {
  const std::uint32_t bits = at[static_cast<std::size_t>(dimensions_)];
  const long last = static_cast<long>(request_.layers) - 1;
  if (request_.integers) return std::clamp<long>(static_cast<std::int32_t>(bits), 0, last);
  return static_cast<long>(std::clamp(std::rint(FloatOf(bits)), 0.0F, static_cast<float>(last)));
}

bool SuiteJudge::Element(const Place& place, bool flush, std::array<float, 4>* value) const {
  std::array<std::int32_t, 4> at = {};
  const auto axes = static_cast<std::size_t>(dimensions_) + (IsArray(request_.shape) ? 1 : 0);
  bool inside = true;
  for (std::size_t d = 0; d < axes; ++d) {
    const bool layer = d == static_cast<std::size_t>(dimensions_);
    const long size =
        layer ? static_cast<long>(request_.layers) : static_cast<long>(request_.size[d]);
    inside = inside && place[d] >= 0 && place[d] < size;
    at[d] = static_cast<std::int32_t>(place[d]);
  }
  if (!inside) {
    *value = {0, 0, 0, static_cast<float>(numerics::image::BorderAlpha(request_.format.order))};
    return true;
  }
  const Color color = reader_.ReadUnsampled(at).color;
  for (std::size_t c = 0; c < 4; ++c) {
    float component = FloatOf(color[c]);
    if (!std::isfinite(component)) return false;
    if (flush && IsSubnormalFloat(component)) component = std::copysign(0.0F, component);
    (*value)[c] = component;
  }
  return true;
}

std::optional<SuiteJudge::Place> SuiteJudge::PlaceOf(const FourWords& at,
                                                     std::span<const float> offsets) const {
  Place place = {};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) {
    const auto size = static_cast<long>(request_.size[d]);
    if (request_.integers) {
      // Addressed takes floats; integers of the suite are small.
      const auto i = static_cast<long>(static_cast<std::int32_t>(at[d]));
      if (std::labs(i) > 1L << 20) return std::nullopt;
      place[d] = request_.sampled ? Addressed(static_cast<float>(i), size) : i;
    } else {
      place[d] = Addressed(Unnormalized(FloatOf(at[d]), offsets[d], size), size);
    }
  }
  if (IsArray(request_.shape)) place[static_cast<std::size_t>(dimensions_)] = LayerOf(at);
  return place;
}

bool SuiteJudge::Nearest(const FourWords& at, std::span<const float> offsets, bool flush,
                         Sample* sample) const {
  const auto place = PlaceOf(at, offsets);
  if (!place || !Element(*place, flush, &sample->value)) return false;
  for (std::size_t c = 0; c < 4; ++c) {
    sample->largest[c] = std::fabs(sample->value[c]);
    sample->subnormal = sample->subnormal || IsSubnormalFloat(sample->value[c]);
  }
  return true;
}

bool SuiteJudge::Linear(const FourWords& at, bool flush, Sample* sample) const {
  std::array<std::array<long, 2>, 3> taps = {};
  std::array<float, 3> fraction = {};
  const auto dimensions = static_cast<std::size_t>(dimensions_);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto size = static_cast<long>(request_.size[d]);
    const float lower = Unnormalized(FloatOf(at[d]), 0, size) - 0.5F;
    taps[d] = {Addressed(lower, size), Addressed(std::floor(lower) + 1, size)};
    fraction[d] = lower - std::floor(lower);
  }
  std::array<double, 4> sum = {};
  for (std::size_t corner = 0; corner < std::size_t{1} << dimensions; ++corner) {
    Place place = {};
    double weight = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::size_t upper = corner >> d & 1;
      place[d] = taps[d][upper];
      weight *=
          upper != 0 ? static_cast<double>(fraction[d]) : 1.0 - static_cast<double>(fraction[d]);
    }
    if (IsArray(request_.shape)) place[dimensions] = LayerOf(at);
    std::array<float, 4> value;
    if (!Element(place, flush, &value)) return false;
    for (std::size_t c = 0; c < 4; ++c) {
      sum[c] += static_cast<double>(value[c]) * weight;
      sample->largest[c] = std::max(sample->largest[c], std::fabs(value[c]));
      sample->subnormal = sample->subnormal || IsSubnormalFloat(value[c]);
    }
  }
  for (std::size_t c = 0; c < 4; ++c) {
    sample->value[c] = static_cast<float>(sum[c]);
    if (flush && IsSubnormalFloat(sample->value[c])) sample->value[c] = 0;
  }
  return true;
}

bool SuiteJudge::Agrees(const Sample& sample, bool flush, const Color& color) const {
  const bool srgb = IsSrgb(request_.format.order);
  const std::size_t components =
      request_.format.order == numerics::image::ChannelOrder::kDepth ? 1 : 4;
  for (std::size_t c = 0; c < components; ++c) {
    const float answer = FloatOf(color[c]), expected = sample.value[c];
    float error = std::fabs(answer - expected), most = 0.5F;
    if (srgb) {
      if (c < 3) error = static_cast<float>(std::fabs(SrgbCode(answer) - SrgbCode(expected)));
    } else {
      most = std::max(relative_ * sample.largest[c], kLeastNormal);
    }
    if (error < absolute_) error = 0;
    if (flush) most += 4 * kLeastNormal;
    if (!(error <= most)) return false;
  }
  return true;
}

bool SuiteJudge::SameIntegers(const Place& place, const Color& color) const {
  std::array<std::int32_t, 4> at = {};
  const auto axes = static_cast<std::size_t>(dimensions_) + (IsArray(request_.shape) ? 1 : 0);
  for (std::size_t d = 0; d < axes; ++d) {
    const bool layer = d == static_cast<std::size_t>(dimensions_);
    if (!layer && (place[d] < 0 || place[d] >= static_cast<long>(request_.size[d]))) {
      return color == Color{0, 0, 0,
                            static_cast<numerics::Bits>(
                                numerics::image::BorderAlpha(request_.format.order))};
    }
    at[d] = static_cast<std::int32_t>(place[d]);
  }
  return reader_.ReadUnsampled(at).color == color;
}

// `use` with every move of the coordinates until it accepts.
template <typename Use>
std::optional<bool> SuiteJudge::ForOffsets(bool moved, const Use& use) const {
  constexpr float kMoves[] = {0.0F, -kMove, kMove};
  const int moves = moved ? 3 : 1;
  int all = 1;
  for (int d = 0; d < dimensions_; ++d) all *= moves;
  std::optional<bool> accepted;
  for (int k = 0; k < all; ++k) {
    const float offsets[] = {kMoves[k % moves], kMoves[k / moves % moves],
                             kMoves[k / moves / moves % moves]};
    accepted = use(std::span<const float>(offsets));
    if (!accepted || *accepted) return accepted;
  }
  return accepted;
}

std::optional<bool> SuiteJudge::AcceptsRead(const FourWords& at, const Color& color) const {
  const bool nearest = !request_.sampled || request_.sampler.filter == FilterMode::kNearest;
  const bool normalized = request_.sampled && request_.sampler.normalized;
  if (!IsFloating(request_.type)) {
    return ForOffsets(normalized && is_gpu_,
                      [&](std::span<const float> offsets) -> std::optional<bool> {
                        const auto place = PlaceOf(at, offsets);
                        if (!place) return std::nullopt;
                        return SameIntegers(*place, color);
                      });
  }
  return ForOffsets(
      nearest && normalized, [&](std::span<const float> offsets) -> std::optional<bool> {
        for (const bool flush : {false, true}) {
          Sample sample;
          const bool asked =
              nearest ? Nearest(at, offsets, flush, &sample) : Linear(at, flush, &sample);
          if (!asked) return std::nullopt;
          if (Agrees(sample, flush, color)) return true;
          if (!flush && !sample.subnormal) return false;
        }
        return false;
      });
}

namespace {

// 0.6 of a code from the infinitely precise one; of sRGB in double as the suite has it.
bool AcceptsCode(double exact, double code) { return std::fabs(exact - code) <= 0.6; }

constexpr std::uint64_t CodeMask(int width) { return ~std::uint64_t{0} >> (64 - width); }

bool AcceptsFloating(std::uint64_t stored, std::uint64_t expected, Format format) {
  if (stored == expected) return true;
  if (IsNan(format, stored) && IsNan(format, expected)) return true;
  if (IsSubnormal(format, expected) && IsZero(format, stored)) return true;
  return IsZero(format, stored) && IsZero(format, expected);
}

}  // namespace

bool SuiteAcceptsWrite(ImageFormat format, DataType type, const FourWords& color,
                       const std::byte* element, bool toward_zero) {
  const auto layout = *numerics::image::LayoutOf(format);
  for (std::size_t f = 0; f < static_cast<std::size_t>(layout.fields); ++f) {
    const numerics::image::ChannelField field = layout.field[f];
    const std::uint64_t stored = ReadField(element, field);
    const std::uint32_t input = color[field.component];
    const auto value = static_cast<double>(FloatOf(input));
    switch (KindOf(format.type)) {
      case ChannelKind::kUnorm: {
        const auto last = static_cast<double>((std::uint64_t{1} << field.width) - 1);
        if (IsSrgb(format.order) && field.component != 3) {
          if (!AcceptsCode(SrgbCode(FloatOf(input)), static_cast<double>(stored))) return false;
        } else if (!AcceptsCode(std::clamp(value * last, 0.0, last), static_cast<double>(stored))) {
          return false;
        }
        break;
      }
      case ChannelKind::kSnorm: {
        const auto last = static_cast<double>((std::uint64_t{1} << (field.width - 1)) - 1);
        const auto code = static_cast<double>(numerics::image::SignExtend(stored, field.width));
        // The formula of the specification saturates at the type's end, the suite at -1.
        if (value * last < -last - 0.5 && code == -last - 1) break;
        if (!AcceptsCode(std::clamp(value * last, -last, last), code)) return false;
        break;
      }
      case ChannelKind::kHalf: {
        const numerics::Bits expected =
            IsNan(Format::kFloat, input) ? numerics::QuietNan(Format::kHalf)
            : !IsFinite(Format::kFloat, input)
                ? numerics::Infinity(Format::kHalf) | (value < 0 ? 0x8000U : 0U)
                : numerics::image::RoundTo(
                      numerics::image::ValueOf(Format::kFloat, input), Format::kHalf,
                      toward_zero ? numerics::Rounding::kRtz : numerics::Rounding::kRte);
        if (!AcceptsFloating(stored, expected, Format::kHalf)) return false;
        break;
      }
      case ChannelKind::kFloat:
        if (!AcceptsFloating(stored, input, Format::kFloat)) return false;
        break;
      case ChannelKind::kSigned:
      case ChannelKind::kUnsigned:
        if (stored != (EncodeField(format, field, input, type) & CodeMask(field.width)))
          return false;
    }
  }
  return true;
}

}  // namespace assay::oracle
