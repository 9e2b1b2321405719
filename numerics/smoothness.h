// What is certain of a function of one real number over a short interval: how well a polynomial
// follows it, and where the places of its values on the grid repeat.
#pragma once

#include <optional>

#include "numerics/functions.h"

namespace assay::numerics {

// The function is analytic in the disc |z - center| < radius of the complex plane, and its
// magnitude is at most `bound` there.
struct Disc {
  double radius = 0;
  double bound = 0;
};

// A disc around an operand that is finite and not zero; `value` is the function's value there, off
// by at most a thousandth of it. Nothing: the function has no disc there, or none is stated. The
// bounds follow from the functions' definitions; smoothness.cc has each.
std::optional<Disc> DiscAround(Function function, double center, double value);

// Operands of one sign, `first` the smaller in magnitude. Whether the certified fast path of float
// results places the values of all operands between them alike: beside, at or beyond the same
// number, or as many numbers off from the operand itself; none of them has a value (NaN), all are
// poles, or the specification leaves all open.
bool IsPlateau(Function function, double first, double last);

}  // namespace assay::numerics
