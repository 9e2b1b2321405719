// Null constants that clang-22 writes with too many operands.
//
// The more often a kernel names the null event (async_work_group_copy(..., 0)), the more words its
// OpConstantNull has: each is the type once more.
#pragma once

#include <string>

namespace assay::frontend {

// The module's bytes without those words; others stay, for the loader to refuse.
std::string WithPlainNulls(std::string bytes);

}  // namespace assay::frontend
