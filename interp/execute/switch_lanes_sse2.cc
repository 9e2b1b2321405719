#define ASSAY_INSTRUCTION_SET_NAMESPACE sse2
#include "interp/execute/switch_lanes.inc"
