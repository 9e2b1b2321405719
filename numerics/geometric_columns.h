// Geometric functions of float and double, sixteen items at once, by vector instructions; a part of
// rounded.h.
//
// Products of two floats are exact in double, those of doubles are pairs of doubles. What the sums,
// roots and quotients behind them can be off is bounded, and where both ends of that interval round
// to the same float it is the correctly rounded result. All other items are left open.
#pragma once

#include <array>
#include <cstdint>

#include "numerics/functions.h"
#include "numerics/vector_set.h"

namespace assay::numerics {

inline constexpr int kGeometricLanes = 16;

// Operands and results by component: sixteen floats each. Returns the items that are decided, as a
// mask; the results of the others are anything. The processor rounds to nearest even and does not
// flush.
using GeometricColumns = std::uint32_t (*)(const float* const* arguments, float* const* results);

// For vectors of `components`, as it is compiled for these instructions; null for other functions.
GeometricColumns GeometricColumnsOf(Function function, int components, VectorSet set);

// The same for doubles. Null, too, where the processor has no instruction for fma.
using GeometricDoubles = std::uint32_t (*)(const double* const* arguments, double* const* results);
GeometricDoubles GeometricDoublesOf(Function function, int components, VectorSet set);

}  // namespace assay::numerics
