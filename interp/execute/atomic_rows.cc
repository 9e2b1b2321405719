#include "interp/execute/atomic_rows.h"

#include "numerics/vector_set.h"

namespace assay::interp {

#define DECLARE(set)                                                                        \
  namespace set {                                                                           \
  bool LookAtAtomics(const AtomicRows& rows, const Address* addresses, std::uint64_t lanes, \
                     std::uint64_t* unlike);                                                \
  }
DECLARE(sse2)
DECLARE(avx2)
DECLARE(avx512)
#undef DECLARE

LookAtAtomicRow FindLookAtAtomicRow() {
  switch (numerics::ChosenVectorSet()) {
    case numerics::VectorSet::kAvx512:
      return &avx512::LookAtAtomics;
    case numerics::VectorSet::kAvx2:
      return &avx2::LookAtAtomics;
    default:
      return &sse2::LookAtAtomics;
  }
}

}  // namespace assay::interp
