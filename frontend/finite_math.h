// -cl-finite-math-only in the module: compilers write the promise beside some instructions only.
#pragma once

#include <string>

namespace assay::frontend {

// The module's bytes with "no NaN, no infinity" (FPFastMathMode) beside all operators and built-in
// functions of floating-point numbers, which the option is about (OpenCL API, "Optimization
// Options").  What only moves values, and conversions, have none.
std::string WithFiniteMath(std::string bytes);

}  // namespace assay::frontend
