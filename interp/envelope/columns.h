// Ranges of all lanes of a batch at once: arithmetic on float and double, where all values are
// finite and none is subnormal.
#pragma once

#include "interp/envelope/options.h"
#include "interp/execute/batch.h"
#include "numerics/operation.h"

namespace assay::interp {

// The active lanes for which it has done nothing, each of which is looked at by itself; 0: none. If
// there are some, it has done nothing for the others, either.  `is_wide`: whether an operand is no
// point.
std::uint64_t ComputeColumns(Batch& batch, const EnvelopeStep& step, bool is_wide,
                             const EnvelopeOptions& options);

// The same for rsqrt, sqrt and div of floats, whose results may err by `ulp`, a multiple of a half.
std::uint64_t ComputeMathColumns(Batch& batch, const EnvelopeStep& step,
                                 numerics::Function function, double ulp,
                                 const EnvelopeOptions& options);

// The operands and results as columns of kMaxLanes elements.
struct EnvelopeColumns {
  static constexpr int kMost = 4;
  const void* low[kMost] = {};
  const void* high[kMost] = {};
  bool wide[kMost] = {};
  std::uint8_t wide_lanes[kMaxLanes] = {};  // not 0: an operand is no point there
  std::uint32_t lanes = 64;
  std::uint64_t active = 0;  // lanes of which special values count
  bool flushes = false;
  std::uint64_t error = 0;  // of a function's result, in 2^-29 ulp
  void* result_low = nullptr;
  void* result_high = nullptr;
  std::uint8_t* tags = nullptr;
  bool any = false;           // a result is no point
  std::uint64_t special = 0;  // lanes that have a special value
};

// False where a lane has a special value: then it has done nothing.
using ColumnFunction = bool (*)(EnvelopeColumns* columns);
// Null where the operation has none.
struct EnvelopeColumnFunctions {
  ColumnFunction (*find)(Opcode opcode, Kind kind);
  ColumnFunction (*find_math)(numerics::Function function);
};
namespace sse2 {
const EnvelopeColumnFunctions& EnvelopeFunctions();
}
namespace avx2 {
const EnvelopeColumnFunctions& EnvelopeFunctions();
}
namespace avx512 {
const EnvelopeColumnFunctions& EnvelopeFunctions();
}

}  // namespace assay::interp
