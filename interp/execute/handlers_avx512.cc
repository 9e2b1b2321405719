#define ASSAY_INSTRUCTION_SET_NAMESPACE avx512
#define ASSAY_INSTRUCTION_SET_TEXT "avx512"
#include "interp/execute/handlers_vector.inc"
