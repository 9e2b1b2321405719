// Operations on integers, booleans and addresses of which only the ranges are known.
#pragma once

#include <cstdint>
#include <span>

#include "interp/program/opcode.h"
#include "interp/program/scalar.h"
#include "oracle/judge/enclosure.h"

namespace assay::interp {

// The number of values; 0: 2^64.
std::uint64_t CountOf(Kind kind, const oracle::Range& range);

// A row of operations.def on operands none of which is anything.  Few values are tried one by one;
// of many, additions, comparisons, minima, shifts and masks are known.
oracle::Range IntegerRow(Opcode opcode, Kind kind, std::span<const oracle::Range> operands);

// a + b * scale, modulo 2^64.
oracle::Range SumOfAddresses(const oracle::Range& a, const oracle::Range& b, std::uint64_t scale);

}  // namespace assay::interp
