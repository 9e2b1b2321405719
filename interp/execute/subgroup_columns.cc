#include "interp/execute/subgroup_columns.h"

#include "numerics/vector_set.h"

namespace assay::interp {

namespace sse2 {
extern const ColumnFunctions kColumnFunctions;
}
namespace avx2 {
extern const ColumnFunctions kColumnFunctions;
}
namespace avx512 {
extern const ColumnFunctions kColumnFunctions;
}

namespace {

const ColumnFunctions& Choose() {
  switch (numerics::ChosenVectorSet()) {
    case numerics::VectorSet::kAvx512:
      return avx512::kColumnFunctions;
    case numerics::VectorSet::kAvx2:
      return avx2::kColumnFunctions;
    default:
      return sse2::kColumnFunctions;
  }
}

}  // namespace

const ColumnFunctions& ChosenColumnFunctions() {
  static const ColumnFunctions& chosen = Choose();
  return chosen;
}

}  // namespace assay::interp
