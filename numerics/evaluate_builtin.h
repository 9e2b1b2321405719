// Exact evaluation of the built-ins.  Internal to numerics; callers use evaluate.h.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "numerics/exact.h"
#include "numerics/operation.h"
#include "numerics/real.h"

namespace assay::numerics {

// The body of the function's row in functions.def.  The clauses of edge_cases.h are the caller's.
void EvaluateBody(const Operation& operation, std::span<const Bits> args, std::span<Exact> results);

// Does EvaluateBody compute in MPFR, or read the results off the operands' bits?
bool NeedsMpfr(const Operation& operation);

// Hands out every result that is computed to at least `precision` bits, within kValueError units in
// the last place of the number that `sink` gets.  Results that are read off the bits, that the body
// knows without a computation, or that are not numbers are not handed out or not finite.
inline constexpr int kValueError = 4;
using ValueSink = std::function<void(int result, mpfr_srcptr value)>;
void EvaluateValues(const Operation& operation, std::span<const Bits> args, mpfr_prec_t precision,
                    const ValueSink& sink);

// The results to so many significant decimal digits ("1.2345e+00"); empty for a result that is read
// off the bits and so is the number that Exact holds.
std::vector<std::string> DecimalDigits(const Operation& operation, std::span<const Bits> args,
                                       int digits);

}  // namespace assay::numerics
