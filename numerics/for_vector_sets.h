// What is compiled once for each set of vector instructions: a file FILE.inc, which CMake's
// assay_vector_sets names, in the namespace ASSAY_VECTOR_SET_NAMESPACE.  Only the .cc file that
// chooses one of them includes this.
#pragma once

#include <cstdlib>

#include "numerics/vector_set.h"
#include "vector_sets.h"  // the build makes it: kCompiledVectorSets

// Declares for each set what its file defines: ASSAY_DECLARE_FOR_VECTOR_SETS(extern const
// ColumnRead kRead;)
#define ASSAY_DECLARE_FOR_VECTOR_SETS(...) \
  namespace sse2 {                         \
  __VA_ARGS__                              \
  }                                        \
  namespace avx2 {                         \
  __VA_ARGS__                              \
  }                                        \
  namespace avx512 {                       \
  __VA_ARGS__                              \
  }

#define ASSAY_RETURN_IF_VECTOR_SET(chosen, set, ...)                   \
  if constexpr (::assay::kCompiledVectorSets[static_cast<int>(set)]) { \
    if (chosen == set) return __VA_ARGS__;                             \
  }

// Returns that of one set: sse2::NAME, avx2::NAME or avx512::NAME.  Ends the program where that set
// is not compiled (HasVectorSet).
#define ASSAY_RETURN_FOR_VECTOR_SET(chosen, ...)                                                   \
  do {                                                                                             \
    ASSAY_RETURN_IF_VECTOR_SET(chosen, ::assay::numerics::VectorSet::kAvx512, avx512::__VA_ARGS__) \
    ASSAY_RETURN_IF_VECTOR_SET(chosen, ::assay::numerics::VectorSet::kAvx2, avx2::__VA_ARGS__)     \
    ASSAY_RETURN_IF_VECTOR_SET(chosen, ::assay::numerics::VectorSet::kSse2, sse2::__VA_ARGS__)     \
    std::abort();                                                                                  \
  } while (false)
