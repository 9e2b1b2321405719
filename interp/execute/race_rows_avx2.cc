#define ASSAY_INSTRUCTION_SET_NAMESPACE avx2
#include "interp/execute/race_rows.inc"
