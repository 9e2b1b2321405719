// Exact evaluation of the built-ins.  Internal to numerics; callers use evaluate.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "numerics/exact.h"
#include "numerics/operation.h"

namespace assay::numerics {

// The body of the function's row in functions.def.  The clauses of edge_cases.h are the caller's.
void EvaluateBody(const Operation& operation, std::span<const Bits> args, std::span<Exact> results);

// Does EvaluateBody compute in MPFR, or read the results off the operands' bits?
bool NeedsMpfr(const Operation& operation);

// The results to so many significant decimal digits ("1.2345e+00"); empty for a result that is read
// off the bits and so is the number that Exact holds.
std::vector<std::string> DecimalDigits(const Operation& operation, std::span<const Bits> args,
                                       int digits);

}  // namespace assay::numerics
