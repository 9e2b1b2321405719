// The points where a function's behaviour changes, found to the last bit: overflow, underflow, the
// edges of the domain, the argument from which sin(x) rounds to x or erf(x) to 1.
#pragma once

#include <optional>
#include <vector>

#include "numerics/operation.h"
#include "oracle/inputs/number_range.h"

namespace assay::oracle {

// Flattened argument tuples around every change of class that a grid of `grid` points along one
// operand at a time shows, bisected by the exact evaluation; at most `most` changes.  Built-ins of
// one to three scalar operands; empty for others.  With a range, all floating-point operands of the
// grid lie in it; the neighbours of a change at its end may lie outside.
std::vector<numerics::Bits> FindBoundaries(const numerics::Operation& operation, int grid,
                                           std::size_t most,
                                           const std::optional<NumberRange>& range = {});

}  // namespace assay::oracle
