#define ASSAY_VECTOR_SET_NAMESPACE avx2
#include "numerics/geometric_doubles.inc"
