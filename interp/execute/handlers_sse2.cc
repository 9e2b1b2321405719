#define ASSAY_INSTRUCTION_SET_NAMESPACE sse2
#define ASSAY_INSTRUCTION_SET_TEXT "sse2"
#include "interp/execute/handlers_vector.inc"
