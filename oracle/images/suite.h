// What the conformance suite accepts of an image read or write: OpenCL-CTS, test_conformance/images
// and test_common/harness/imageHelpers.cpp, as of commit b8f8906c.
//
// - Every read is compared with the formulas of chapter 8 in float arithmetic (the weights of a
//   linear filter and their sum in double): sample_image_pixel_float_offset.
// - Nearest filter, unnormalized: a float answer may differ by 2^-22 (normalized formats, and for
//   the calculation itself) times the largest element that is read; integers must be equal.
// - Linear filter, or normalized coordinates: 2^-7 times the largest element, plus 2^-22
//   (get_max_relative_error: "we have picked a number"); and less than one code of a linear read is
//   no error (get_max_absolute_error: 1/255, 1/127, 1/65535, 1/32767, 1/31, 2^-126 of float).
// - Nearest filter, normalized: the coordinate may be moved by 0.1 of a texel in every direction
//   (NORM_OFFSET, testBase.h); of integer formats only on a GPU.
// - sRGB: half a code after the conversion back to sRGB, and alpha within 0.5
//   (test_common.cpp, test_read_image).
// - Flushed subnormal elements are accepted, with 4 * 2^-126 more.
// - Writes: |x - 255 c_sRGB(y)| <= 0.6, 0.6 of a code of normalized formats
//   (filter_rounding_errors), half in the one rounding mode that the device has, float but for NaN
//   and flushed subnormals exact, integers clamped.
// - Beyond the suite: the exact answer is always accepted (judge.cc).  At s = -2^-40 with REPEAT,
// the
//   last element by the text, the suite's s - floor(s) is 1 and selects the first.
// - It asks coordinates up to 10 texels and one of eight fractions beside a texel, and no INF and
//   NaN: other answers it does not judge.
#pragma once

#include <optional>
#include <span>

#include "numerics/image/fast_read.h"
#include "oracle/images/cases.h"

namespace assay::oracle {

class SuiteJudge {
 public:
  // Of reads; `texels` are the content, which must live on.
  SuiteJudge(const ImageRequest& request, const std::byte* texels, bool is_gpu);

  // Nothing: the suite does not ask this.
  std::optional<bool> AcceptsRead(const FourWords& at, const numerics::image::Color& color) const;

 private:
  struct Sample {
    std::array<float, 4> value = {}, largest = {};
    bool subnormal = false;  // an element is
  };
  using Place = std::array<long, 3>;  // column, row, slice or layer

  float Unnormalized(float s, float offset, long size) const;
  long Addressed(float u, long size) const;
  long LayerOf(const FourWords& at) const;
  // False for INF and NaN, which the suite does not have in its images.
  bool Element(const Place& place, bool flush, std::array<float, 4>* value) const;
  bool Nearest(const FourWords& at, std::span<const float> offsets, bool flush,
               Sample* sample) const;
  bool Linear(const FourWords& at, bool flush, Sample* sample) const;
  bool Agrees(const Sample& sample, bool flush, const numerics::image::Color& color) const;
  // Integers; true where the element at the place has these.
  bool SameIntegers(const Place& place, const numerics::image::Color& color) const;
  std::optional<Place> PlaceOf(const FourWords& at, std::span<const float> offsets) const;
  template <typename Use>
  std::optional<bool> ForOffsets(bool moved, const Use& use) const;

  ImageRequest request_;
  numerics::image::ImageView view_;
  numerics::image::FastReader reader_;
  bool is_gpu_;
  int dimensions_;
  float relative_, absolute_;
};

// The suite's view of an element that a write stored; `toward_zero`: the device rounds so to half.
bool SuiteAcceptsWrite(numerics::image::ImageFormat format, numerics::image::DataType type,
                       const FourWords& color, const std::byte* element, bool toward_zero);

}  // namespace assay::oracle
