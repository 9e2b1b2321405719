// Operations of operations.def and opcodes.def on ranges of values.
#pragma once

#include <cstdint>
#include <span>

#include "interp/program/opcode.h"
#include "interp/program/scalar.h"
#include "numerics/rounding.h"
#include "oracle/judge/enclosure.h"

namespace assay::interp {

// The type whose numbers a kind has; of integers the unsigned one.
numerics::ScalarType ScalarOf(Kind kind);

// The values of a range for an operation on another kind of the same width: the bits of numbers as
// integers, or the other way around.
oracle::Range AsKind(const oracle::Range& range, bool is_float, Kind kind);

// A row of operations.def on operands of its kind, of which at least one is no point.  `flushes`:
// subnormal operands and results may be taken for zeros.
oracle::Range RowRange(Opcode opcode, Kind kind, std::span<const oracle::Range> operands,
                       bool flushes);

// a * b + c with one rounding or with two.
oracle::Range ContractedRange(Kind kind, std::span<const oracle::Range> operands, bool flushes);

// a * b + c * d, of which either product may be part of one operation.
oracle::Range ContractedSum(Kind kind, std::span<const oracle::Range> operands, bool flushes);

// A conversion of opcodes.def.  `saturate` and `rounding` as kConvertExactly has them.
oracle::Range ConvertRange(numerics::ScalarType from, numerics::ScalarType to,
                           const oracle::Range& range, numerics::Rounding rounding, bool saturate,
                           bool flushes);

// A sum of products, which may be computed with one rounding or with two.
bool IsContraction(Opcode opcode);
// Arithmetic whose result may be a NaN or a number that is flushed, of operands that are neither.
bool MakesNumbers(Opcode opcode);

}  // namespace assay::interp
