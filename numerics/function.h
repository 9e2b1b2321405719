// The built-ins by name, for files that name some: a new row of functions.def rebuilds these alone.
#pragma once

#include <cstdint>

#include "numerics/functions.h"

namespace assay::numerics {

// Enumerators are the specification's names.
enum class Function : std::uint16_t {
#define ASSAY_FUNCTION(id, ...) id,
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
};

}  // namespace assay::numerics
