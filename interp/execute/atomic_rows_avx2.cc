#define ASSAY_INSTRUCTION_SET_NAMESPACE avx2
#include "interp/execute/atomic_rows.inc"
