// Which phis can be in the register of what they take, so that nothing is moved.
#pragma once

#include <vector>

#include "interp/import/import.h"

namespace assay::interp {

// By value: another one that has the same register, always the same one of all that share it; a
// value by itself where it shares none. Two share one if neither is needed where the other one gets
// its value (Budimlic et al., PLDI 2002). Work-items that part do not disturb each other: what some
// of them compute, they write for themselves only.
//
// `local` has the values that are used where they are computed only, and have no register of their
// own; those that share one now are taken out of it. `is_watched`: as IsElementwise has it.
std::vector<Value> SharedRegisters(const ImportedKernel& kernel, bool is_watched,
                                   std::vector<bool>* local);

}  // namespace assay::interp
