// Computes a row of interp/program/operations.def for one scalar, as a handler does for the lanes
// of a batch.
#pragma once

#include <cstdint>
#include <span>

#include "interp/program/opcode.h"
#include "interp/program/scalar.h"

namespace assay::interp {

// The row must take the kind (Takes) and this number of operands (OperandCount). Returns the bits
// of the result; 0 or 1 for a comparison.
std::uint64_t ComputeRow(Opcode opcode, Kind kind, std::span<const std::uint64_t> operands);

}  // namespace assay::interp
