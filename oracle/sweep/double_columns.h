// Answers of double functions measured in one pass of vector instructions, compiled for each set of
// them. Internal to the sweep.
#pragma once

#include <cstddef>

#include "numerics/double_path.h"
#include "numerics/vector_set.h"
#include "oracle/sweep/statistics.h"

namespace assay::oracle {

// Values as numerics/double_path.h has them, and answers to the same operands.
struct DoubleTask {
  const double* high;
  const double* low;
  const double* doubt;
  const double* scale;
  const double* observed;
  const double* known;  // an item with a smaller error is not the worst of its places
  double limit;         // with a smaller error it is accepted
};

// The errors in ulp of the items that need no reference: they may not be refused, are not near a
// threshold, and not the worst of their places; kOpenError for others.
inline constexpr double kOpenError = -2;
using DoubleColumns = void (*)(const DoubleTask& task, std::size_t count, double* errors);
DoubleColumns DoubleColumnsOf(numerics::VectorSet set);

}  // namespace assay::oracle
