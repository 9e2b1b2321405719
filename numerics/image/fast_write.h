// The bytes of EncodeTexel at the speed of an interpreter.
//
// A float times 2^n - 1 is exact in double up to n = 29, so one rounding of the clamped product is
// the preferred result.  For sRGB the floats are known where the nearest code changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "numerics/image/encode.h"

namespace assay::numerics::image {

// Writes of one type to elements of one format.  Thread-safe.
class FastWriter {
 public:
  FastWriter(ImageFormat format, DataType type);

  // What EncodeTexel stores.
  void Write(const Color& color, std::byte* element) const;

 private:
  std::uint64_t Encode(ChannelField field, Bits value) const;
  double Value(Bits value) const;

  ImageFormat format_;
  DataType type_;
  ElementLayout layout_;
  ChannelKind kind_;
  bool defined_;
};

}  // namespace assay::numerics::image
