#include "interp/execute/switch_lanes.h"

#include "numerics/for_vector_sets.h"

namespace assay::interp {

ASSAY_DECLARE_FOR_VECTOR_SETS(void ListSwitchLanes(const Batch& batch, std::uint32_t offset,
                                                   std::uint32_t lowest, std::size_t count,
                                                   std::uint64_t lanes, std::uint64_t* found);)

SwitchLanes FindSwitchLanes() {
  ASSAY_RETURN_FOR_VECTOR_SET(numerics::ChosenVectorSet(), ListSwitchLanes);
}

}  // namespace assay::interp
