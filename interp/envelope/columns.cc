#include "interp/envelope/columns.h"

#include "numerics/for_vector_sets.h"

namespace assay::interp {

namespace {

const EnvelopeColumnSet& Chosen() {
  ASSAY_RETURN_FOR_VECTOR_SET(numerics::ChosenVectorSet(), EnvelopeColumnSetOf());
}

}  // namespace

const EnvelopeColumnSet& Columns() {
  static const EnvelopeColumnSet& set = Chosen();
  return set;
}

}  // namespace assay::interp
