#include "numerics/image/column_read.h"

namespace assay::numerics::image {

namespace sse2 {
extern const ColumnRead kRead;
}
namespace avx2 {
extern const ColumnRead kRead;
}
namespace avx512 {
extern const ColumnRead kRead;
}

ColumnRead ColumnReadOf(VectorSet set) {
  switch (set) {
    case VectorSet::kAvx512:
      return avx512::kRead;
    case VectorSet::kAvx2:
      return avx2::kRead;
    default:
      return sse2::kRead;
  }
}

}  // namespace assay::numerics::image
