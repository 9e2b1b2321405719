#include "numerics/double_path.h"

#include "numerics/fast_path.h"
#include "numerics/vector_set.h"

namespace assay::numerics {

namespace double_plain {
const FastPath* FindPath(Function function, int result);
}
namespace double_fused {
const FastPath* FindPath(Function function, int result);
}

const FastPath* FindDoublePath(Function function, int result) {
  // The better set of vector instructions has fma.  The results are the same.
  return ChosenVectorSet() == VectorSet::kSse2 ? double_plain::FindPath(function, result)
                                               : double_fused::FindPath(function, result);
}

}  // namespace assay::numerics
