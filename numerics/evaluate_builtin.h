// Exact evaluation of the built-ins.  Internal to numerics; callers use evaluate.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "numerics/exact.h"
#include "numerics/operation.h"
#include "numerics/real.h"

namespace assay::numerics {

// How true the fractions of places are.  Whoever compares them with a tolerance needs not more of
// double than 2^-26 gaps, which takes MPFR three quarters of the time.  All else is the same: on
// which side of grid points and midpoints a value lies is certain in both.
enum class Fractions : std::uint8_t {
  kFine,    // as exact.h says
  kCoarse,  // of double 2^-26
};

// The body of the function's row in functions.def.  The clauses of edge_cases.h are the caller's.
void EvaluateBody(const Operation& operation, std::span<const Bits> args, std::span<Exact> results,
                  Fractions fractions = Fractions::kFine);

// EvaluateExact of evaluate.h.
void EvaluateExact(const Operation& operation, std::span<const Bits> args, std::span<Exact> results,
                   Fractions fractions);

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
