#define ASSAY_VECTOR_SET_NAMESPACE avx512
#include "numerics/image/column_read.inc"
