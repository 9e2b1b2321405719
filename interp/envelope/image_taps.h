// Which elements of an image conforming devices may select for a read.
//
// Reads without a sampler, and through samplers with unnormalized coordinates and a nearest filter,
// select one element (OpenCL C 8.4, 8.2: "without any loss of precision").  Of all other samplers
// the precision of the computation is not defined (8.2).  Here a nearest filter of normalized
// coordinates takes the element that the formula selects where the coordinate is a quarter of an
// element or more away from all others, and else any of those: the conformance tests move the
// coordinate by a tenth.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "numerics/image/sampler.h"
#include "oracle/judge/range.h"

namespace assay::interp {

struct ImageTaps {
  // The elements of one dimension, before the addressing mode: first, first + 1, ...
  struct Axis {
    std::int64_t first = 0;
    std::int64_t count = 1;
    // Of a linear filter of a coordinate that is known: of the second one.
    double weight = 0;
    double slack = 0;  // the error of the weight, of arithmetic in float
  };
  std::array<Axis, 3> axes;
  std::int64_t first_layer = 0, layers = 1;
  bool is_linear = false;
  bool is_weighted = false;  // two elements in each dimension, with these weights
};

// `at`: the coordinates, which are numbers, or integers of 32 bits.  Nothing where there are too
// many elements, or where a coordinate is no number.
std::optional<ImageTaps> FindTaps(const numerics::image::ImageView& view,
                                  const numerics::image::Sampler* sampler, bool integers,
                                  std::span<const oracle::Range> at);

// The element in a dimension of `size` that the addressing mode makes of one; -1: outside.
std::int64_t Addressed(numerics::image::AddressMode mode, std::int64_t size, std::int64_t element);

}  // namespace assay::interp
