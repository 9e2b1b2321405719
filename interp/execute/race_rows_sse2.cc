#define ASSAY_INSTRUCTION_SET_NAMESPACE sse2
#include "interp/execute/race_rows.inc"
