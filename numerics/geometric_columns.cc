#include "numerics/geometric_columns.h"

#include "numerics/for_vector_sets.h"

namespace assay::numerics {

ASSAY_DECLARE_FOR_VECTOR_SETS(GeometricColumns FindGeometric(Function function, int components);
                              GeometricDoubles FindGeometricDoubles(Function function,
                                                                    int components);)

GeometricColumns GeometricColumnsOf(Function function, int components, VectorSet set) {
  ASSAY_RETURN_FOR_VECTOR_SET(set, FindGeometric(function, components));
}

GeometricDoubles GeometricDoublesOf(Function function, int components, VectorSet set) {
  ASSAY_RETURN_FOR_VECTOR_SET(set, FindGeometricDoubles(function, components));
}

}  // namespace assay::numerics
