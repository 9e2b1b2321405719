#include "interp/execute/race_rows.h"

#include "numerics/vector_set.h"

namespace assay::interp {

#define DECLARE(set)                                                                              \
  namespace set {                                                                                 \
  bool LookAtAtomics(const AtomicRows& rows, const Address* addresses, std::uint64_t lanes,       \
                     std::uint64_t* unlike);                                                      \
  bool AreCellsSettled(const std::uint32_t* cells, const CellRows& rows, const RaceOrder& order); \
  void TakeCells(std::uint32_t* cells, const CellRows& rows, std::uint32_t mine);                 \
  }
DECLARE(sse2)
DECLARE(avx2)
DECLARE(avx512)
#undef DECLARE

namespace {

template <typename Function>
Function Choose(Function for_sse2, Function for_avx2, Function for_avx512) {
  switch (numerics::ChosenVectorSet()) {
    case numerics::VectorSet::kAvx512:
      return for_avx512;
    case numerics::VectorSet::kAvx2:
      return for_avx2;
    default:
      return for_sse2;
  }
}

}  // namespace

LookAtAtomicRow FindLookAtAtomicRow() {
  return Choose(&sse2::LookAtAtomics, &avx2::LookAtAtomics, &avx512::LookAtAtomics);
}
AreRowsSettled FindAreRowsSettled() {
  return Choose(&sse2::AreCellsSettled, &avx2::AreCellsSettled, &avx512::AreCellsSettled);
}
TakeRows FindTakeRows() { return Choose(&sse2::TakeCells, &avx2::TakeCells, &avx512::TakeCells); }

}  // namespace assay::interp
