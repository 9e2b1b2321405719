#include "numerics/image/column_read.h"

#include "numerics/for_vector_sets.h"

namespace assay::numerics::image {

ASSAY_DECLARE_FOR_VECTOR_SETS(extern const ColumnRead kRead;)

ColumnRead ColumnReadOf(VectorSet set) { ASSAY_RETURN_FOR_VECTOR_SET(set, kRead); }

}  // namespace assay::numerics::image
