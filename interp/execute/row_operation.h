// Computes a row of interp/program/operations.def for one scalar, as a handler does for the lanes
// of a batch.
#pragma once

#include <cstdint>
#include <span>

#include "interp/program/opcode.h"
#include "interp/program/scalar.h"

namespace assay::interp {

// Of a row that takes the kind (Takes) and as many operands as it has (OperandCount); the result is
// the bits of the row's, 0 or 1 of a comparison.
std::uint64_t ComputeRow(Opcode opcode, Kind kind, std::span<const std::uint64_t> operands);

}  // namespace assay::interp
