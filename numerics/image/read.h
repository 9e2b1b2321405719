// Reading an image: the exact result rounded once, and what the precision of float arithmetic
// allows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "numerics/image/sampler.h"
#include "numerics/image/texel.h"
#include "numerics/image/undefined.h"
#include "numerics/rounding.h"

namespace assay::numerics::image {

// The answer of one read.  Where it is not defined, the color is still a fixed one: for
// kCoordinateBeyondInt and kOutside that of the formulas over all integers with the border outside,
// for kHalfOfFloat the rounded value, else zeros.
struct ReadResult {
  Undefined undefined = Undefined::kNo;
  Color color = {};
};

// read_image{f,h,i,ui}(image, sampler, coordinates): taps and weights in exact arithmetic
// (sampler.h), their sum rounded once.  A sum of zero is +0, but -0 where every tap is -0.
ReadResult ReadSampled(const ImageView& view, const Sampler& sampler,
                       const Coordinates& coordinates, DataType type,
                       Rounding rounding = Rounding::kRte);

// read_image{f,h,i,ui}(image, coordinates) (6.15.15.3).
ReadResult ReadUnsampled(const ImageView& view, const std::array<std::int32_t, 4>& coordinates,
                         DataType type, Rounding rounding = Rounding::kRte);

// One term of a weighted sum, and the sum rounded once.  Every component is finite.
struct WeightedComponent {
  Rational weight;
  ExactComponent component;
};
Bits RoundSum(std::span<const WeightedComponent> terms, Format format, Rounding rounding);

// Image or border.
ExactTexel TexelOfTap(const ImageView& view, const Tap& tap);

// ---- Mipmaps (cl_khr_mipmap_image)
// ----------------------------------------------------------------

// The text has no formula for them but these: a level is half as large, rounded down; the level of
// detail is clamped to the sampler's limits; NEAREST takes "the nearest mipmap level", LINEAR "a
// weighted average of the two mipmap levels nearest".  What it leaves open is taken from the
// section "Scale Factor and Level-of-Detail" of the OpenGL 4.6 specification, to which it refers
// for shared textures: a tie takes the lower level, and the average has the weights 1 - frac and
// frac.
struct MipFilter {
  FilterMode mode = FilterMode::kNearest;  // CL_SAMPLER_MIP_FILTER_MODE_KHR
  float lod_min = 0;
  float lod_max = 0x1.fffffep127F;
};

// A side of the image `level` levels above the largest ("half the size of the previous level,
// rounded down"); the last levels of a side of 1 stay there.
constexpr std::int64_t MipSize(std::int64_t side, int level) {
  return side >> level > 1 ? side >> level : 1;
}

// The level of detail of a read with gradients, by the same section: log2 of the larger one of the
// lengths of the two gradients in texels of the base level, rounded to float once; -INF where both
// are 0, NaN where one has an INF or NaN.  A gradient has one component for each dimension; of an
// array those of a layer. `normalized` as in the sampler: the gradients are in its coordinates.
float LevelOfDetail(const ImageView& base, bool normalized, std::span<const float> gradient_x,
                    std::span<const float> gradient_y);

struct MipLevels {
  Undefined undefined = Undefined::kNo;
  int first = 0, second = 0;
  Rational weight = 0;  // of the second
};
MipLevels SelectLevels(int levels, const MipFilter& filter, float lod);

// read_image*(image, sampler, coordinates, lod).  `levels` has the largest first.
ReadResult ReadMipmapped(std::span<const ImageView> levels, const Sampler& sampler,
                         const MipFilter& filter, const Coordinates& coordinates, float lod,
                         DataType type, Rounding rounding = Rounding::kRte);

}  // namespace assay::numerics::image
