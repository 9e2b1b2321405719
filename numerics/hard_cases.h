// Operands at which rounding correctly is hardest, found by search; every one is verified by
// hard_cases_test.cc with MPFR.
#pragma once

#include <vector>

#include "numerics/format.h"
#include "numerics/functions.h"

namespace assay::numerics {

// Flattened argument tuples for the function (a half_ or native_ row: those of the function it
// computes); empty where none are kept.
std::vector<Bits> HardCases(Function function, Format format);

}  // namespace assay::numerics
