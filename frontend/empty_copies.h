// Copies of structures without members, which clang makes and SPIR-V does not have.
#pragma once

#include <string>

namespace assay::frontend {

// The module's bytes without OpCopyMemorySized of no bytes: its size must not be a constant zero,
// and such a copy does nothing.
std::string WithoutEmptyCopies(std::string bytes);

}  // namespace assay::frontend
