#define ASSAY_INSTRUCTION_SET_NAMESPACE avx512
#include "interp/execute/race_rows.inc"
