#define ASSAY_VECTOR_SET_NAMESPACE sse2
#include "numerics/image/column_read.inc"
