#include "interp/execute/interleaved.h"

#include "interp/program/handlers.h"
#include "numerics/vector_set.h"

namespace assay::interp {

namespace sse2 {
Handler FindInterleavedHandler(const InterleavedAccess& access);
}
namespace avx2 {
Handler FindInterleavedHandler(const InterleavedAccess& access);
}
namespace avx512 {
Handler FindInterleavedHandler(const InterleavedAccess& access);
}

Handler FindInterleavedHandler(const InterleavedAccess& access) {
  switch (numerics::ChosenVectorSet()) {
    case numerics::VectorSet::kAvx512:
      return avx512::FindInterleavedHandler(access);
    case numerics::VectorSet::kAvx2:
      return avx2::FindInterleavedHandler(access);
    default:
      return sse2::FindInterleavedHandler(access);
  }
}

}  // namespace assay::interp
