// Points on a line between floating-point numbers: exact, then rounded once.  The contents of
// buffers are described with them (docs/cli.md, "Jobs"), so they must be the same everywhere.
#pragma once

#include <cstdint>

#include "numerics/format.h"

namespace assay::numerics {

// start + index * step, rounded to nearest even; start and step must be finite.
Bits PointOnLine(Format format, Bits start, Bits step, std::uint64_t index);

// low + (high - low) * numerator / 2^53, rounded to nearest even; low and high must be finite and
// the numerator below 2^53.
Bits PointBetween(Format format, Bits low, Bits high, std::uint64_t numerator);

}  // namespace assay::numerics
