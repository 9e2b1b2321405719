#include "numerics/double_truncated.h"

#include "numerics/fast_path_llvm_libc.h"
#include "numerics/function.h"

namespace assay::numerics {

// By the theorem of Lindemann and Weierstrass exp of an algebraic number other than 0, and so log
// of one other than 1, is transcendental.
TruncatedDouble FindTruncatedDouble(Function function) {
  if (function == Function::exp) return {.function = &libc::exp, .exact_at = 0};
  if (function == Function::log) {
    return {.function = &libc::log, .needs_positive = true, .exact_at = 1};
  }
  return {};
}

}  // namespace assay::numerics
