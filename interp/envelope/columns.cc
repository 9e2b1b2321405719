#include "interp/envelope/columns.h"

#include "numerics/for_vector_sets.h"

namespace assay::interp {

const EnvelopeColumnSet& ColumnsOf(numerics::VectorSet set) {
  ASSAY_RETURN_FOR_VECTOR_SET(set, EnvelopeColumnSetOf());
}

const EnvelopeColumnSet& Columns() {
  static const EnvelopeColumnSet& set = ColumnsOf(numerics::ChosenVectorSet());
  return set;
}

}  // namespace assay::interp
