#define ASSAY_VECTOR_SET_NAMESPACE avx2
#include "numerics/image/column_read.inc"
