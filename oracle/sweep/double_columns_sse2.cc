#define ASSAY_VECTOR_SET_NAMESPACE sse2
#include "oracle/sweep/double_columns.inc"
