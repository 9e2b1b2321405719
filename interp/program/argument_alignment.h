// How the buffers of a kernel's pointer parameters are aligned.
#pragma once

#include <cstdint>

#include "frontend/module.h"

namespace assay::interp {

// What an argument of a kernel must be a multiple of by the type that its parameter points to; 1:
// any address, and where it is no pointer.
std::uint64_t ArgumentAlignment(const frontend::Module& module,
                                const frontend::Parameter& parameter);

}  // namespace assay::interp
