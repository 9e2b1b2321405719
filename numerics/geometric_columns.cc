#include "numerics/geometric_columns.h"

namespace assay::numerics {

namespace sse2 {
GeometricColumns FindGeometric(Function function, int components);
GeometricDoubles FindGeometricDoubles(Function function, int components);
}  // namespace sse2
namespace avx2 {
GeometricColumns FindGeometric(Function function, int components);
GeometricDoubles FindGeometricDoubles(Function function, int components);
}  // namespace avx2
namespace avx512 {
GeometricColumns FindGeometric(Function function, int components);
GeometricDoubles FindGeometricDoubles(Function function, int components);
}  // namespace avx512

GeometricColumns GeometricColumnsOf(Function function, int components, VectorSet set) {
  switch (set) {
    case VectorSet::kAvx512:
      return avx512::FindGeometric(function, components);
    case VectorSet::kAvx2:
      return avx2::FindGeometric(function, components);
    default:
      return sse2::FindGeometric(function, components);
  }
}

GeometricDoubles GeometricDoublesOf(Function function, int components, VectorSet set) {
  switch (set) {
    case VectorSet::kAvx512:
      return avx512::FindGeometricDoubles(function, components);
    case VectorSet::kAvx2:
      return avx2::FindGeometricDoubles(function, components);
    default:
      return sse2::FindGeometricDoubles(function, components);
  }
}

}  // namespace assay::numerics
