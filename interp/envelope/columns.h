// Ranges of all lanes of a batch at once: arithmetic on float and double, where all values are
// finite and none is subnormal.
#pragma once

#include "interp/envelope/options.h"
#include "interp/execute/batch.h"

namespace assay::interp {

// False: it has done nothing, and every lane is looked at by itself.  `is_wide`: whether an operand
// is no point.
bool ComputeColumns(Batch& batch, const EnvelopeStep& step, bool is_wide,
                    const EnvelopeOptions& options);

// The operands and results as columns of kMaxLanes elements.
struct EnvelopeColumns {
  static constexpr int kMost = 4;
  const void* low[kMost] = {};
  const void* high[kMost] = {};
  bool wide[kMost] = {};
  std::uint32_t lanes = 64;
  bool flushes = false;
  void* result_low = nullptr;
  void* result_high = nullptr;
  std::uint8_t* tags = nullptr;
  bool any = false;  // a result is no point
};

// False where a lane has a special value.
using ColumnFunction = bool (*)(EnvelopeColumns* columns);
// Null where the operation has none.
struct EnvelopeColumnFunctions {
  ColumnFunction (*find)(Opcode opcode, Kind kind);
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
