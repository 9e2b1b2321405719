#define ASSAY_VECTOR_SET_NAMESPACE sse2
#include "numerics/geometric_doubles.inc"
