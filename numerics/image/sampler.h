// Samplers, images in memory, and the elements that a read selects with their exact weights.
//
// OpenCL C chapter 8 and env/image_addressing_and_filtering.asciidoc, "Addressing and Filter
// Modes", evaluated in exact arithmetic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numerics/format.h"
#include "numerics/image/format.h"
#include "numerics/image/rational.h"
#include "numerics/image/undefined.h"

namespace assay::numerics::image {

// The numbers are SPIR-V's Sampler Addressing Mode.
enum class AddressMode : std::uint8_t { kNone, kClampToEdge, kClamp, kRepeat, kMirroredRepeat };
// SPIR-V's Sampler Filter Mode.
enum class FilterMode : std::uint8_t { kNearest, kLinear };

struct Sampler {
  AddressMode address = AddressMode::kClamp;
  FilterMode filter = FilterMode::kNearest;
  bool normalized = false;
  friend bool operator==(const Sampler&, const Sampler&) = default;
};

// Unnormalized, nearest, and none of the repeating modes: "computed without any loss of precision";
// the text defines the precision of no other sampler.  The same ones take integer coordinates.
constexpr bool IsExactSampler(const Sampler& sampler) {
  return !sampler.normalized && sampler.filter == FilterMode::kNearest &&
         sampler.address <= AddressMode::kClamp;
}

// One level of an image in memory.  A 1D buffer image is 1D.
struct ImageView {
  ImageFormat format;
  int dimensions = 2;  // 1 to 3; of an array those of one layer
  bool arrayed = false;
  std::array<std::int64_t, 3> size = {1, 1,
                                      1};  // width, height, depth in elements; 1 where not used
  std::int64_t layers = 1;
  std::size_t row_pitch = 0;    // bytes from row to row
  std::size_t slice_pitch = 0;  // bytes from layer to layer, or from slice to slice of a 3D image
  const std::byte* data = nullptr;
};

// An image whose rows and slices follow each other without gaps.
ImageView TightView(ImageFormat format, int dimensions, bool arrayed,
                    std::array<std::int64_t, 3> size, std::int64_t layers, const std::byte* data);

struct Location {
  std::array<std::int64_t, 3> at = {};  // column, row, slice; 0 where not used
  std::int64_t layer = 0;
  friend auto operator<=>(const Location&, const Location&) = default;
};

bool IsInside(const ImageView& view, const Location& location);
// The element's bytes; the location is inside.
const std::byte* ElementAt(const ImageView& view, const Location& location);

// The operand of a read: 32-bit integers or floats in the order of the instruction: x; x, layer; x,
// y; x, y, layer; x, y, z.  What follows is ignored.
struct Coordinates {
  bool integers = false;
  std::array<Bits, 4> at = {};
};

// One element that takes part, perhaps with weight 0 (it is selected all the same: an INF there
// makes the read undefined).  Outside the image it is the border.
struct Tap {
  Location location;
  bool inside = true;
  Rational weight = 1;
};

struct Taps {
  Undefined undefined = Undefined::kNo;
  // 1, 2, 4 or 8; the first dimension changes fastest.  Empty where no formula can be evaluated;
  // with kCoordinateBeyondInt those of integers without bounds, with kOutside those of the
  // formulas.
  std::vector<Tap> taps;
};

Taps SelectTaps(const ImageView& view, const Sampler& sampler, const Coordinates& coordinates);

// The location of a read without a sampler or of a write: integers, undefined outside
// (8.4, 6.15.15.3).
struct Place {
  Undefined undefined = Undefined::kNo;
  Location location;
};
Place SelectPlace(const ImageView& view, const std::array<std::int32_t, 4>& coordinates);

// ---- One dimension: for SelectTaps and for the enclosure of what floats can give
// -----------------

// The elements that one coordinate selects: i0 and i1 with weights 1 - a and a, or one (a == 0 and
// i1 == i0 for a nearest filter).  Index -1 and `size` are outside with CLAMP.
struct AxisTaps {
  std::int64_t i0 = 0, i1 = 0;
  Rational a = 0;
};

// Locates `u`, the unnormalized coordinate for the modes that clamp (8.2), (s - floor(s)) * w for
// REPEAT and |s - 2 rint(s / 2)| * w for MIRRORED_REPEAT.
AxisTaps LocateNearest(AddressMode address, std::int64_t size, const Rational& u);
// `lower`: u - 0.5; `a`: frac of it.
AxisTaps LocateLinear(AddressMode address, std::int64_t size, const Rational& lower,
                      const Rational& a);
// clamp(rint(index), 0, layers - 1).
std::int64_t LocateLayer(std::int64_t layers, const Rational& index);

}  // namespace assay::numerics::image
