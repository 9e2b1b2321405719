#include "interp/envelope/image_taps.h"

#include <algorithm>
#include <cmath>

namespace assay::interp {

namespace ni = numerics::image;

using numerics::Format;
using oracle::Range;

namespace {

constexpr std::int64_t kMostTaps = 64;
constexpr double kFarthest = 0x1p30;    // beyond, float tells no elements apart
constexpr double kNearestSlack = 0.25;  // elements
constexpr double kRelativeSlack = 0x1p-20;

struct Interval {
  double low = 0, high = 0;
};

std::optional<Interval> IntegersOf(const Range& range) {
  if (range.kind != Range::Kind::kPoint && range.kind != Range::Kind::kIntegers) {
    return std::nullopt;
  }
  const auto low = static_cast<std::int32_t>(range.low);
  const auto high = static_cast<std::int32_t>(range.high);
  if (low > high) return std::nullopt;
  return Interval{static_cast<double>(low), static_cast<double>(high)};
}

std::optional<Interval> NumbersOf(const Range& range) {
  if (range.kind != Range::Kind::kPoint && range.kind != Range::Kind::kNumbers) {
    return std::nullopt;
  }
  const auto value = [](numerics::Bits bits) { return numerics::ToDouble(Format::kFloat, bits); };
  if (!numerics::IsFinite(Format::kFloat, range.low) ||
      !numerics::IsFinite(Format::kFloat, range.high)) {
    return std::nullopt;
  }
  Interval numbers = {value(range.low), value(range.high)};
  // A device may take a subnormal coordinate for zero (7.5.3).
  constexpr double kLeast = 0x1p-126;
  if (std::fabs(numbers.low) < kLeast) numbers.low = std::min(numbers.low, 0.0);
  if (std::fabs(numbers.high) < kLeast) numbers.high = std::max(numbers.high, 0.0);
  return numbers;
}

ImageTaps::Axis Between(double low, double high) {
  const auto first = static_cast<std::int64_t>(std::floor(low));
  return {.first = first, .count = static_cast<std::int64_t>(std::floor(high)) - first + 1};
}

double SlackOf(const Interval& u) {
  return (std::max(std::fabs(u.low), std::fabs(u.high)) + 1) * kRelativeSlack;
}

ImageTaps::Axis AxisOf(const ni::Sampler& sampler, std::int64_t size, const Interval& at) {
  const double scale = sampler.normalized ? static_cast<double>(size) : 1;
  const Interval u = {at.low * scale, at.high * scale};
  if (sampler.filter == ni::FilterMode::kNearest) {
    const double slack = ni::IsExactSampler(sampler) ? 0 : kNearestSlack + SlackOf(u);
    return Between(u.low - slack, u.high + slack);
  }
  const double slack = SlackOf(u);
  if (u.low == u.high) {
    const double lower = u.low - 0.5, first = std::floor(lower);
    return {.first = static_cast<std::int64_t>(first),
            .count = 2,
            .weight = lower - first,
            .slack = slack};
  }
  ImageTaps::Axis axis = Between(u.low - 0.5 - slack, u.high - 0.5 + slack);
  ++axis.count;
  return axis;
}

bool TakeLayers(const ni::ImageView& view, bool clamps, const Interval& at, ImageTaps* taps) {
  double first = std::rint(at.low), last = std::rint(at.high);
  const auto most = static_cast<double>(view.layers - 1);
  if (clamps) {
    first = std::clamp(first, 0.0, most);
    last = std::clamp(last, 0.0, most);
  }
  if (first < 0 || last > most) return false;
  taps->first_layer = static_cast<std::int64_t>(first);
  taps->layers = static_cast<std::int64_t>(last) - taps->first_layer + 1;
  return true;
}

}  // namespace

std::optional<ImageTaps> FindTaps(const ni::ImageView& view, const ni::Sampler* sampler,
                                  bool integers, std::span<const Range> at) {
  ImageTaps taps;
  const auto dimensions = static_cast<std::size_t>(view.dimensions);
  if (at.size() < dimensions + (view.arrayed ? 1 : 0)) return std::nullopt;
  taps.is_linear = sampler != nullptr && sampler->filter == ni::FilterMode::kLinear;
  taps.is_weighted = taps.is_linear;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < dimensions + (view.arrayed ? 1 : 0); ++i) {
    const auto numbers = integers ? IntegersOf(at[i]) : NumbersOf(at[i]);
    if (!numbers) return std::nullopt;
    if (i == dimensions) {
      if (!TakeLayers(view, sampler != nullptr, *numbers, &taps)) return std::nullopt;
      count *= taps.layers;
      if (count > kMostTaps) return std::nullopt;
      break;
    }
    const double scale =
        sampler != nullptr && sampler->normalized ? static_cast<double>(view.size[i]) : 1;
    const double farthest = std::max(std::fabs(numbers->low), std::fabs(numbers->high)) * scale;
    if (farthest > kFarthest && !integers) return std::nullopt;
    taps.axes[i] = sampler == nullptr ? Between(numbers->low, numbers->high)
                                      : AxisOf(*sampler, view.size[i], *numbers);
    taps.is_weighted = taps.is_weighted && numbers->low == numbers->high;
    count = taps.axes[i].count > kMostTaps ? kMostTaps + 1 : count * taps.axes[i].count;
    if (count > kMostTaps) return std::nullopt;
  }
  taps.is_weighted = taps.is_weighted && taps.layers == 1;
  return taps;
}

std::int64_t Addressed(ni::AddressMode mode, std::int64_t size, std::int64_t element) {
  switch (mode) {
    case ni::AddressMode::kNone:
    case ni::AddressMode::kClamp:
      return element < 0 || element >= size ? -1 : element;
    case ni::AddressMode::kClampToEdge:
      return std::clamp<std::int64_t>(element, 0, size - 1);
    case ni::AddressMode::kRepeat:
      return (element % size + size) % size;
    case ni::AddressMode::kMirroredRepeat: {
      const std::int64_t inside = (element % (2 * size) + 2 * size) % (2 * size);
      return inside < size ? inside : 2 * size - 1 - inside;
    }
  }
  return -1;
}

}  // namespace assay::interp
