#define ASSAY_INSTRUCTION_SET_NAMESPACE avx2
#include "interp/detect/atomic_rows.inc"
