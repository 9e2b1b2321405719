#include "numerics/double_path.h"

#include "numerics/fast_path.h"
#include "numerics/vector_set.h"

namespace assay::numerics {

namespace double_plain {
const FastPath* FindPath(Function function, int result);
DoubleFunction FindFunction(Function function);
DoubleBatch FindBatch(Function function);
}  // namespace double_plain
namespace double_fused {
const FastPath* FindPath(Function function, int result);
DoubleFunction FindFunction(Function function);
DoubleBatch FindBatch(Function function);
}  // namespace double_fused

namespace {
// The better set of vector instructions has fma.  The results are the same.
bool IsFused() { return ChosenVectorSet() != VectorSet::kSse2; }
}  // namespace

const FastPath* FindDoublePath(Function function, int result) {
  return IsFused() ? double_fused::FindPath(function, result)
                   : double_plain::FindPath(function, result);
}

DoubleFunction FindDoubleFunction(Function function) {
  return IsFused() ? double_fused::FindFunction(function) : double_plain::FindFunction(function);
}

DoubleBatch FindDoubleBatch(Function function) {
  return IsFused() ? double_fused::FindBatch(function) : double_plain::FindBatch(function);
}

}  // namespace assay::numerics
