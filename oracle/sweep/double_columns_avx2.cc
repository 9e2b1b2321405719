#define ASSAY_VECTOR_SET_NAMESPACE avx2
#include "oracle/sweep/double_columns.inc"
