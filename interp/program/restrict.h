// The parameters that are declared restrict.
#pragma once

#include "frontend/module.h"

namespace assay::interp {

// Whether a parameter is declared restrict.  The parameter for a result that is returned in memory
// is not, although compilers decorate it so.
bool IsRestrict(const frontend::Module& module, frontend::Id parameter);

}  // namespace assay::interp
