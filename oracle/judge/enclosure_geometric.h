// Enclosures of dot, cross, length, distance and normalize over boxes, by interval arithmetic in
// doubles that is rounded outward.  Internal to enclosure.cc.
#pragma once

#include <cstddef>
#include <span>

#include "numerics/operation.h"
#include "oracle/judge/enclosure.h"
#include "oracle/judge/limits.h"

namespace assay::oracle {

// `box` are the operands of one item; result i is results[i * stride].
void EncloseGeometric(const numerics::Operation& operation, const Limit& limit,
                      std::span<const Range> box, std::span<Range> results, std::size_t stride);

}  // namespace assay::oracle
