// Sixteen reads of an image at once, by vector instructions; a part of fast_read.h.
//
// The operations on doubles are those of FastReader, in the same order, so that the same errors
// bound them.  A read that doubles do not decide, or that the text leaves undefined, is left to
// FastReader: its bit in the answer is 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "numerics/image/format.h"
#include "numerics/image/sampler.h"
#include "numerics/vector_set.h"

namespace assay::numerics::image {

inline constexpr int kReadLanes = 16;

// Coordinates by component: kReadLanes floats or integers each.  What follows the components of the
// image may be null.
struct CoordinateColumns {
  bool integers = false;
  bool sampled = true;  // false: integers, and outside of the image nothing is defined
  std::array<const std::uint32_t*, 4> at = {};
};

// Results by component: bits of floats, or integers.
struct ColorColumns {
  alignas(64) std::uint32_t component[4][kReadLanes];
};

// What a read needs of image, sampler and type, as plain numbers: the code that uses them is
// compiled for instructions that the rest of the program must not have.
struct ReadPlan {
  // What a component is.
  struct Source {
    bool is_field = false;
    ChannelKind kind = ChannelKind::kUnorm;
    bool srgb = false;
    std::uint32_t constant = 0;  // no field: the bits of 0 or 1
    std::uint32_t border = 0;    // the bits outside of the image
    std::uint32_t word = 0;      // of 32 bits, in the element
    std::uint32_t shift = 0;
    std::uint32_t width = 32;
    double divisor = 1;
    double border_numerator = 0;  // border times divisor, as a number
  };

  const std::byte* data = nullptr;
  int dimensions = 2;
  bool arrayed = false;
  bool normalized = false;
  bool linear = false;
  AddressMode address = AddressMode::kNone;
  std::array<std::int32_t, 3> size = {1, 1, 1};
  std::int32_t layers = 1;
  std::array<std::uint32_t, 3> pitch =
      {};                 // bytes from column to column, row to row, slice to slice
  int element_bytes = 0;  // 1, 2, 4, 8 or 16
  std::array<Source, 4> source;
  // The linear values of the sRGB codes; null where the image has none.
  const std::uint64_t* srgb_float = nullptr;  // their bits
  const double* srgb_double = nullptr;
};

// Writes the results of the reads that are decided and returns them as a mask; the other results
// are anything.  The processor rounds to nearest even and does not flush.
using ColumnRead = std::uint32_t (*)(const ReadPlan& plan, const CoordinateColumns& coordinates,
                                     ColorColumns* color);

// As it is compiled for these instructions.
ColumnRead ColumnReadOf(VectorSet set);

}  // namespace assay::numerics::image
