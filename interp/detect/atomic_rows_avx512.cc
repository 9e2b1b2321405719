#define ASSAY_INSTRUCTION_SET_NAMESPACE avx512
#include "interp/detect/atomic_rows.inc"
