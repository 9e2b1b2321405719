#include "interp/execute/subgroup_columns.h"

#include "numerics/for_vector_sets.h"

namespace assay::interp {

ASSAY_DECLARE_FOR_VECTOR_SETS(extern const ColumnFunctions kColumnFunctions;)

namespace {

const ColumnFunctions& Choose() {
  ASSAY_RETURN_FOR_VECTOR_SET(numerics::ChosenVectorSet(), kColumnFunctions);
}

}  // namespace

const ColumnFunctions& ChosenColumnFunctions() {
  static const ColumnFunctions& chosen = Choose();
  return chosen;
}

}  // namespace assay::interp
