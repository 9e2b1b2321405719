#include "numerics/double_path.h"

#include "numerics/fast_path.h"
#include "numerics/vector_set.h"

namespace assay::numerics {

namespace double_plain {
const FastPath* FindPath(Function function, int result);
DoubleFunction FindFunction(Function function, int result);
DoubleBatch FindBatch(Function function, int result);
DoubleBatch FindPairBatch(Function function);
bool IsExact(Function function, int result);
}  // namespace double_plain
namespace double_fused {
const FastPath* FindPath(Function function, int result);
DoubleFunction FindFunction(Function function, int result);
DoubleBatch FindBatch(Function function, int result);
DoubleBatch FindPairBatch(Function function);
bool IsExact(Function function, int result);
}  // namespace double_fused

namespace {
// The better set of vector instructions has fma.  The results are the same.
bool IsFused() { return ChosenVectorSet() != VectorSet::kSse2; }
}  // namespace

const FastPath* FindDoublePath(Function function, int result) {
  return IsFused() ? double_fused::FindPath(function, result)
                   : double_plain::FindPath(function, result);
}

DoubleFunction FindDoubleFunction(Function function, int result) {
  return IsFused() ? double_fused::FindFunction(function, result)
                   : double_plain::FindFunction(function, result);
}

DoubleBatch FindDoubleBatch(Function function, int result) {
  return IsFused() ? double_fused::FindBatch(function, result)
                   : double_plain::FindBatch(function, result);
}

DoubleBatch FindDoublePairBatch(Function function) {
  return IsFused() ? double_fused::FindPairBatch(function) : double_plain::FindPairBatch(function);
}

bool IsExactDouble(Function function, int result) {
  return double_plain::IsExact(function, result);
}

}  // namespace assay::numerics
