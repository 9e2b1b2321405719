#define ASSAY_VECTOR_SET_NAMESPACE avx512
#include "oracle/sweep/double_columns.inc"
