// Atomic and work-group operations on values as bits.
#pragma once

#include <cstdint>
#include <span>

#include "frontend/grammar.h"
#include "interp/program/scalar.h"

namespace assay::interp {

// Replaces each work-item's value (in the order of linear local ids) by its result: of OpGroupAll,
// OpGroupAny, or a reduction or scan.  Floating-point sums are added up in that order.
void ApplyGroupOperation(frontend::Op opcode, frontend::GroupOperation operation, Kind kind,
                         std::span<std::uint64_t> values);

}  // namespace assay::interp
