// convert_T, vload_half and vstore_half (OpenCL C 6.4.3 and 6.15.7) with integer arithmetic only.
//
// The exact value of a conversion is the operand's; only its place on the destination's grid must
// be found.  Neither MPFR nor the host's floating-point conversions are used.  So exhaustive sweeps
// over 2^32 sources take a few nanoseconds per item, and tests can compare with MPFR as an
// independent reference.
#pragma once

#include <cstddef>
#include <optional>

#include "numerics/exact.h"
#include "numerics/format.h"
#include "numerics/operation.h"
#include "numerics/rounding.h"

namespace assay::numerics {

// `value`: bits of `from`, zero-extended.  To a floating-point type: the operand located on the
// destination's grid, not yet rounded, whatever the suffix.  To an integer type: kInteger, rounded
// under `suffix` (rtz where absent), sign-extended for signed types and zero-extended for unsigned
// ones.  Out of range is decided on the operand, before rounding, as 6.4.3.3 words it: without
// `saturate` a floating-point operand beyond the destination's range, or NaN, is kUnspecified and
// an integer one wraps; with it the value is clamped and NaN gives zero.
Exact ConvertExact(ScalarType from, ScalarType to, Bits value, bool saturate,
                   std::optional<Rounding> suffix);

// The converted value as an element of `to`: zero-extended bits, rounded under `rounding` in both
// directions.  NaN gives the canonical NaN; a result that the specification does not define is
// zero.
Bits Convert(ScalarType from, ScalarType to, Bits value, Rounding rounding, bool saturate);

// Elements [begin, end) of `in`, an array of operation.from, for any kind but kBuiltin.
// out[0] belongs to element `begin`.
void ConvertBatch(const Operation& operation, const void* in, std::size_t begin, std::size_t end,
                  Exact* out);

}  // namespace assay::numerics
