// Blocks of OCP Microscaling Formats 1.0: up to 32 elements of a small format with one scale of
// E8M0.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numerics/small_float/convert.h"

namespace assay::numerics::small_float {

inline constexpr std::size_t kMxBlock = 32;

struct MxBlock {
  Bits scale = 0;  // of E8M0
  std::vector<Bits> elements;
};

// Clause 6.3: the scale is the largest power of two of the magnitudes, divided by that of the
// element format; each number divided by it is rounded to the format and saturates.  The clause
// leaves open what becomes of infinity and NaN: here the scale is NaN, and the elements are zeros.
// A block of zeros has the smallest scale.
MxBlock ToMxBlock(const Format& element, std::span<const Number> numbers,
                  const Conversion& rounding = {});

// Clause 6.1: the scale times each element; all are NaN if the scale is.
std::vector<Number> FromMxBlock(const Format& element, Bits scale, std::span<const Bits> elements);

// An element format of the standard: e5m2, e4m3, e3m2, e2m3, e2m1.  (MXINT8 is none of the table.)
bool IsMxElement(const Format& format);

}  // namespace assay::numerics::small_float
