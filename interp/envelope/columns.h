// Ranges of all lanes of a batch at once: arithmetic on float and double, where all values are
// finite and none is subnormal that may be flushed.  A set of lanes is a number whose bit i is
// lane i.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interp/program/opcode.h"
#include "interp/program/scalar.h"
#include "numerics/operation.h"
#include "numerics/vector_set.h"

namespace assay::numerics {
struct FastPath;
}

namespace assay::interp {

// The operands and results of an operation, as columns with an element for each lane.  A result's
// columns may be those of an operand.
struct EnvelopeColumns {
  static constexpr std::uint32_t kMost = 8, kMostResults = 4;
  // Of the operands: the run's values, the ends of ranges, and the lanes that have a range.
  const std::byte* value[kMost];
  const std::byte* low[kMost];
  const std::byte* high[kMost];
  std::uint64_t wide[kMost];
  std::uint32_t count = 64;                  // elements, a multiple of 16
  std::uint64_t lanes = 0;                   // that are computed
  std::uint64_t keep = 0;                    // of which the result keeps the ends that it has
  std::uint64_t error = 0;                   // of a function's result, in 2^-29 ulp
  double absolute = 0;                       // the same, where that is not in ulp
  const numerics::FastPath* path = nullptr;  // of a function that is computed by it
  std::byte* result_low[kMostResults];
  std::byte* result_high[kMostResults];

  // Made: the lanes for which it has done nothing, because a value is special; those of which no
  // limit says anything; and of each result those where it is a range.  Of a comparison: that may
  // be true and may be false.
  std::uint64_t special = 0;
  std::uint64_t open = 0;
  std::uint64_t made[kMostResults];
};
using EnvelopeFunction = void (*)(EnvelopeColumns* columns);

// For each set of operands that have ranges in some lane (operand i is bit i); null: where it is
// that set, every device has the run's result.
using EnvelopeFunctions = const EnvelopeFunction*;

struct EnvelopeColumnSet {
  // Null where there are none.  `flushes`: subnormal values are special.
  EnvelopeFunctions (*find)(Opcode opcode, Kind kind, bool flushes);
  // Conversions between kinds of floating-point numbers, to nearest.
  EnvelopeFunctions (*find_conversion)(Kind from, Kind to, bool flushes);
  // Integers of floating-point numbers, toward zero.
  EnvelopeFunctions (*find_truncation)(Kind from, Kind to, bool is_signed, bool flushes);
  // Functions of floats, or of vectors of so many, whose results may err by EnvelopeColumns::error
  // or, `is_absolute`, by EnvelopeColumns::absolute.
  EnvelopeFunction (*find_math)(numerics::Function function, int components, bool is_absolute,
                                bool flushes);
  // Elements of `bytes` bytes of some lanes.
  void (*move)(std::byte* to, const std::byte* from, std::uint32_t bytes, std::uint32_t count,
               std::uint64_t lanes);
  // The lanes whose value, and `shift`, is at most `limit`.
  std::uint64_t (*inside)(const std::uint64_t* values, std::uint32_t count, std::uint64_t shift,
                          std::uint64_t limit);
};
// The same as EnvelopeColumnSet::find_math for functions of double whose results may err by
// EnvelopeColumns::error, which is in whole ulp here.
EnvelopeFunction FindDoubleEnds(numerics::Function function);

// The same for a function of floats that has a fast path, EnvelopeColumns::path, and a number of
// operands; of one operand also where that is a range, if the function grows or falls everywhere.
EnvelopeFunction FindPathEnds(numerics::Function function, std::uint32_t operands);

// That of a set of vector instructions which this processor and this build have (HasVectorSet).
const EnvelopeColumnSet& ColumnsOf(numerics::VectorSet set);

// That of the processor's best set of vector instructions.
const EnvelopeColumnSet& Columns();

namespace sse2 {
const EnvelopeColumnSet& EnvelopeColumnSetOf();
}
namespace avx2 {
const EnvelopeColumnSet& EnvelopeColumnSetOf();
}
namespace avx512 {
const EnvelopeColumnSet& EnvelopeColumnSetOf();
}

}  // namespace assay::interp
