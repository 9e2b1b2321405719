#define ASSAY_VECTOR_SET_NAMESPACE avx512
#include "numerics/geometric_doubles.inc"
