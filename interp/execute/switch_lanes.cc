#include "interp/execute/switch_lanes.h"

#include "numerics/vector_set.h"

namespace assay::interp {

#define DECLARE(set)                                                                   \
  namespace set {                                                                      \
  void ListSwitchLanes(const Batch& batch, std::uint32_t offset, std::uint32_t lowest, \
                       std::size_t count, std::uint64_t lanes, std::uint64_t* found);  \
  }
DECLARE(sse2)
DECLARE(avx2)
DECLARE(avx512)
#undef DECLARE

SwitchLanes FindSwitchLanes() {
  switch (numerics::ChosenVectorSet()) {
    case numerics::VectorSet::kAvx512:
      return &avx512::ListSwitchLanes;
    case numerics::VectorSet::kAvx2:
      return &avx2::ListSwitchLanes;
    default:
      return &sse2::ListSwitchLanes;
  }
}

}  // namespace assay::interp
