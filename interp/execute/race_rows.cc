#include "interp/execute/race_rows.h"

#include "numerics/for_vector_sets.h"

namespace assay::interp {

ASSAY_DECLARE_FOR_VECTOR_SETS(bool LookAtAtomics(const AtomicRows& rows, const Address* addresses,
                                                 std::uint64_t lanes, std::uint64_t* unlike);
                              bool AreCellsSettled(const std::uint32_t* cells, const CellRows& rows,
                                                   const RaceOrder& order);
                              void TakeCells(std::uint32_t* cells, const CellRows& rows,
                                             std::uint32_t mine);)

LookAtAtomicRow FindLookAtAtomicRow() {
  ASSAY_RETURN_FOR_VECTOR_SET(numerics::ChosenVectorSet(), LookAtAtomics);
}
AreRowsSettled FindAreRowsSettled() {
  ASSAY_RETURN_FOR_VECTOR_SET(numerics::ChosenVectorSet(), AreCellsSettled);
}
TakeRows FindTakeRows() { ASSAY_RETURN_FOR_VECTOR_SET(numerics::ChosenVectorSet(), TakeCells); }

}  // namespace assay::interp
