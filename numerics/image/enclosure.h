// What a read may give where the text leaves precision open: the elements that may be selected and
// the weights that may be used, when the formulas of chapter 8 are evaluated in float.
//
// "For all other sampler combinations ... the relative error or precision of the addressing mode
// calculations and the image filter operation are not defined" (8.2): such a read cannot be wrong
// by the text, whatever it gives.  The enclosure here is the tightest that a device with float
// arithmetic keeps:
//
// - Each step of the formula as it is written (s - floor(s), times w, minus 0.5, frac) has as
// results the
//   exact value and its two float neighbours, and 0 for a subnormal one; the next step starts from
//   each of them.  So every rounding mode is in, any higher precision (its results lie between
//   those), and the contraction to a fused operation.  floor, rint, fabs, min, max and the integer
//   steps are exact.
// - Each pair of elements that results has the hull of its weights `a`.
// - A linear filter is linear in each of a, b, c: over a box of weights the smallest and largest
// sums are
//   at its corners, with the smallest and largest values that the conversion of each element
//   allows.
// - The sum of 2^d products of d weights and an element, with 1 - a rounded, has at most n = 2d +
// 2^d - 1
//   roundings on any path, in any order of evaluation: it is within ((1 + 2^-23)^n - 1) times the
//   sum of the magnitudes, for any rounding mode (Higham, Accuracy and Stability, 3.1), and 2^-126
//   for each operation where one may underflow.
#pragma once

#include <vector>

#include "numerics/image/read.h"

namespace assay::numerics::image {

struct AllowedRead {
  // Not kNo: the text leaves the answer open and every color conforms; `choices` has what can be
  // said.
  Undefined undefined = Undefined::kNo;
  // The text defines which element is read.  False: the choices are the enclosure above.
  bool precision_defined = true;
  // A color is allowed if one of the choices has all its components.
  std::vector<AllowedTexel> choices;

  bool Contains(const Color& color) const;
};

AllowedRead AllowedOfSampled(const ImageView& view, const Sampler& sampler,
                             const Coordinates& coordinates, DataType type);

AllowedRead AllowedOfUnsampled(const ImageView& view,
                               const std::array<std::int32_t, 4>& coordinates, DataType type);

// One pair of elements of one dimension, and the hull of the weights of the second one.
struct AxisChoice {
  std::int64_t i0 = 0, i1 = 0;
  Rational a_low = 0, a_high = 0;
  Rational smallest = 1;  // of the values of a and 1 - a that are not 0
};

// Every choice of one dimension, in the order of i0, i1.  `coordinate`: the bits of a finite float.
std::vector<AxisChoice> AxisChoices(const Sampler& sampler, std::int64_t size, Bits coordinate);

}  // namespace assay::numerics::image
