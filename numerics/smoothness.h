// What is certain of a function of one real number over a short interval: how well a polynomial
// follows it, and where the places of its values on the grid repeat.
#pragma once

#include <optional>

#include "numerics/shape.h"

namespace assay::numerics {

// A disc around an operand that is finite and not zero; `value` is the function's value there, off
// by at most a thousandth of it. Nothing: the function has no disc there, or none is stated. The
// bounds follow from the functions' definitions (functions.def, smoothness.cc).
std::optional<Disc> DiscAround(Function function, double center, double value);

// Operands of one sign, `first` the smaller in magnitude. Whether the certified fast path of float
// results places the values of all operands between them alike: beside, at or beyond the same
// number, or as many numbers off from the operand itself; none of them has a value (NaN), all are
// poles, or the specification leaves all open.
bool IsPlateau(Function function, double first, double last);

}  // namespace assay::numerics
