#include "interp/execute/interleaved.h"

#include "interp/program/handlers.h"
#include "numerics/for_vector_sets.h"

namespace assay::interp {

ASSAY_DECLARE_FOR_VECTOR_SETS(Handler FindInterleavedHandler(const InterleavedAccess& access);)

Handler FindInterleavedHandler(const InterleavedAccess& access) {
  ASSAY_RETURN_FOR_VECTOR_SET(numerics::ChosenVectorSet(), FindInterleavedHandler(access));
}

}  // namespace assay::interp
