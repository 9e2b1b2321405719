#define ASSAY_INSTRUCTION_SET_NAMESPACE avx2
#define ASSAY_INSTRUCTION_SET_TEXT "avx2"
#include "interp/execute/handlers_vector.inc"
