#define ASSAY_INSTRUCTION_SET_NAMESPACE sse2
#include "interp/detect/atomic_rows.inc"
