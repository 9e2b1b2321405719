// Handles GMP and MPFR running out of memory.
#pragma once

namespace assay::numerics {

// From here on they throw std::bad_alloc; by themselves they would end the process.  To be called
// before the first number is made.
void ThrowWhereMemoryEnds();

}  // namespace assay::numerics
