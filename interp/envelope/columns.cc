#include "interp/envelope/columns.h"

#include "numerics/vector_set.h"

namespace assay::interp {

namespace {

const EnvelopeColumnSet& Chosen() {
  switch (numerics::ChosenVectorSet()) {
    case numerics::VectorSet::kAvx512:
      return avx512::EnvelopeColumnSetOf();
    case numerics::VectorSet::kAvx2:
      return avx2::EnvelopeColumnSetOf();
    case numerics::VectorSet::kSse2:
      break;
  }
  return sse2::EnvelopeColumnSetOf();
}

}  // namespace

const EnvelopeColumnSet& Columns() {
  static const EnvelopeColumnSet& set = Chosen();
  return set;
}

}  // namespace assay::interp
