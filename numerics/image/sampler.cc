#include "numerics/image/sampler.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace assay::numerics::image {
namespace {

constexpr std::int64_t kIntMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();

// An integer of any size as int64; beyond 2^40 all are as far outside as each other.
std::int64_t Bounded(const mpz_class& integer) {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  if (integer > kFar) return kFar;
  if (integer < -kFar) return -kFar;
  return mpz_get_si(integer.get_mpz_t());
}

// The table "Addressing modes to generate texel location".
std::int64_t Address(AddressMode mode, std::int64_t size, std::int64_t coordinate) {
  if (mode == AddressMode::kClampToEdge) return std::clamp<std::int64_t>(coordinate, 0, size - 1);
  if (mode == AddressMode::kClamp) return std::clamp<std::int64_t>(coordinate, -1, size);
  return coordinate;
}

// What the filter works on: u of the modes that clamp, and of REPEAT and MIRRORED_REPEAT.
Rational Unnormalize(const Sampler& sampler, std::int64_t size, const Rational& s) {
  const Rational width(static_cast<long>(size));
  if (sampler.address == AddressMode::kRepeat) return (s - Floor(s)) * width;
  if (sampler.address == AddressMode::kMirroredRepeat) {
    return abs(s - 2 * NearestInteger(s / 2)) * width;
  }
  return sampler.normalized ? Rational(s * width) : s;
}

Rational RoundedToFloat(const Rational& value) {
  const Bits bits = RoundTo(value, Format::kFloat, Rounding::kRte);
  return IsFinite(Format::kFloat, bits) ? ValueOf(Format::kFloat, bits) : value;
}

// Whether each step is rounded to float, to nearest even, as devices and their tests do it: the
// text leaves the precision of normalized coordinates open (8.2).  No coordinate below 1 is rounded
// up to the size, so a nearest filter reads outside where the exact product is outside.  A linear
// one could select an element outside that the exact product does not; with NONE that would be
// undefined.
bool RoundsSteps(const Sampler& sampler) {
  return sampler.normalized &&
         (sampler.filter == FilterMode::kNearest || sampler.address != AddressMode::kNone);
}

// Unnormalize in float.  The mirrored distance needs no rounding.
Rational UnnormalizeInFloat(const Sampler& sampler, std::int64_t size, const Rational& s) {
  Rational part = s;
  if (sampler.address == AddressMode::kRepeat) part = RoundedToFloat(s - Floor(s));
  if (sampler.address == AddressMode::kMirroredRepeat) part = abs(s - 2 * NearestInteger(s / 2));
  return RoundedToFloat(part * Rational(static_cast<long>(size)));
}

// One dimension; `beyond`: (int)floor() does not fit.
AxisTaps LocateAxis(const Sampler& sampler, std::int64_t size, const Rational& s, bool* beyond) {
  Rational u = Unnormalize(sampler, size, s);
  const bool linear = sampler.filter == FilterMode::kLinear;
  const Rational half = linear ? Ratio(1, 2) : Rational(0);
  const mpz_class floor = Floor(u - half);
  *beyond = floor < kIntMin || floor > (linear ? kIntMax - 1 : kIntMax);
  const bool rounds = RoundsSteps(sampler);
  if (rounds) u = UnnormalizeInFloat(sampler, size, s);
  if (!linear) return LocateNearest(sampler.address, size, u);
  const Rational lower = rounds ? RoundedToFloat(u - half) : Rational(u - half);
  const Rational a = lower - Floor(lower);
  return LocateLinear(sampler.address, size, lower, rounds ? RoundedToFloat(a) : a);
}

Undefined CheckSampler(const Sampler& sampler, const Coordinates& coordinates) {
  if (sampler.address >= AddressMode::kRepeat && !sampler.normalized) {
    return Undefined::kRepeatUnnormalized;
  }
  if (coordinates.integers && !IsExactSampler(sampler)) return Undefined::kIntegerCoordinate;
  return Undefined::kNo;
}

int CoordinateCount(const ImageView& view) { return view.dimensions + (view.arrayed ? 1 : 0); }

bool AreFinite(const ImageView& view, const Coordinates& coordinates) {
  if (coordinates.integers) return true;
  for (int c = 0; c < CoordinateCount(view); ++c) {
    if (!IsFinite(Format::kFloat, coordinates.at[static_cast<std::size_t>(c)])) return false;
  }
  return true;
}

Rational CoordinateValue(const Coordinates& coordinates, int c) {
  const Bits bits = coordinates.at[static_cast<std::size_t>(c)];
  if (coordinates.integers) return Rational(static_cast<std::int32_t>(bits));
  return ValueOf(Format::kFloat, bits);
}

// The products of the weights of each dimension, the first one fastest.
void MakeTaps(const ImageView& view, const std::array<AxisTaps, 3>& axes, bool linear,
              std::int64_t layer, std::vector<Tap>* taps) {
  const int count = linear ? 1 << view.dimensions : 1;
  for (int choice = 0; choice < count; ++choice) {
    Tap tap;
    tap.location.layer = layer;
    for (std::size_t d = 0; d < static_cast<std::size_t>(view.dimensions); ++d) {
      const bool second = (choice >> d & 1) != 0;
      tap.location.at[d] = second ? axes[d].i1 : axes[d].i0;
      if (linear) tap.weight *= second ? axes[d].a : Rational(1 - axes[d].a);
    }
    tap.inside = IsInside(view, tap.location);
    taps->push_back(std::move(tap));
  }
}

}  // namespace

ImageView TightView(ImageFormat format, int dimensions, bool arrayed,
                    std::array<std::int64_t, 3> size, std::int64_t layers, const std::byte* data) {
  ImageView view = {.format = format,
                    .dimensions = dimensions,
                    .arrayed = arrayed,
                    .size = size,
                    .layers = layers,
                    .data = data};
  const auto bytes = static_cast<std::size_t>(LayoutOf(format)->bytes);
  view.row_pitch = bytes * static_cast<std::size_t>(size[0]);
  view.slice_pitch = view.row_pitch * static_cast<std::size_t>(size[1]);
  return view;
}

bool IsInside(const ImageView& view, const Location& location) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(view.dimensions); ++d) {
    if (location.at[d] < 0 || location.at[d] >= view.size[d]) return false;
  }
  return location.layer >= 0 && location.layer < view.layers;
}

const std::byte* ElementAt(const ImageView& view, const Location& location) {
  const auto bytes = static_cast<std::size_t>(LayoutOf(view.format)->bytes);
  const auto slice = static_cast<std::size_t>(location.at[2] + location.layer);
  return view.data + static_cast<std::size_t>(location.at[0]) * bytes +
         static_cast<std::size_t>(location.at[1]) * view.row_pitch + slice * view.slice_pitch;
}

AxisTaps LocateNearest(AddressMode address, std::int64_t size, const Rational& u) {
  std::int64_t i = Bounded(Floor(u));
  if (address == AddressMode::kRepeat) {
    if (i > size - 1) i -= size;
  } else if (address == AddressMode::kMirroredRepeat) {
    i = std::min(i, size - 1);
  } else {
    i = Address(address, size, i);
  }
  return {.i0 = i, .i1 = i};
}

AxisTaps LocateLinear(AddressMode address, std::int64_t size, const Rational& lower,
                      const Rational& a) {
  AxisTaps taps = {.i0 = Bounded(Floor(lower)), .a = a};
  taps.i1 = taps.i0 + 1;
  if (address == AddressMode::kRepeat) {
    if (taps.i0 < 0) taps.i0 += size;
    if (taps.i1 > size - 1) taps.i1 -= size;
  } else if (address == AddressMode::kMirroredRepeat) {
    taps.i0 = std::max<std::int64_t>(taps.i0, 0);
    taps.i1 = std::min(taps.i1, size - 1);
  } else {
    taps.i0 = Address(address, size, taps.i0);
    taps.i1 = Address(address, size, taps.i1);
  }
  return taps;
}

std::int64_t LocateLayer(std::int64_t layers, const Rational& index) {
  return std::clamp<std::int64_t>(Bounded(NearestInteger(index)), 0, layers - 1);
}

Taps SelectTaps(const ImageView& view, const Sampler& sampler, const Coordinates& coordinates) {
  Taps result = {.undefined = CheckSampler(sampler, coordinates)};
  if (result.undefined != Undefined::kNo) return result;
  if (!AreFinite(view, coordinates)) {
    result.undefined = Undefined::kCoordinateNotFinite;
    return result;
  }
  std::array<AxisTaps, 3> axes;
  bool beyond = false;
  for (int d = 0; d < view.dimensions; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    bool axis_beyond = false;
    axes[axis] =
        LocateAxis(sampler, view.size[axis], CoordinateValue(coordinates, d), &axis_beyond);
    beyond |= axis_beyond;
  }
  const std::int64_t layer =
      view.arrayed ? LocateLayer(view.layers, CoordinateValue(coordinates, view.dimensions)) : 0;
  MakeTaps(view, axes, sampler.filter == FilterMode::kLinear, layer, &result.taps);
  if (beyond) {
    result.undefined = Undefined::kCoordinateBeyondInt;
  } else if (sampler.address == AddressMode::kNone &&
             !std::all_of(result.taps.begin(), result.taps.end(),
                          [](const Tap& tap) { return tap.inside; })) {
    result.undefined = Undefined::kOutside;
  }
  return result;
}

Place SelectPlace(const ImageView& view, const std::array<std::int32_t, 4>& coordinates) {
  Place place;
  for (std::size_t d = 0; d < static_cast<std::size_t>(view.dimensions); ++d) {
    place.location.at[d] = coordinates[d];
    if (coordinates[d] < 0 || coordinates[d] >= view.size[d]) place.undefined = Undefined::kOutside;
  }
  if (view.arrayed) {
    place.location.layer = coordinates[static_cast<std::size_t>(view.dimensions)];
    if (place.location.layer < 0 || place.location.layer >= view.layers) {
      place.undefined = Undefined::kLayerOutside;
    }
  }
  return place;
}

}  // namespace assay::numerics::image
