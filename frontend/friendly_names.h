// Names of ids, made unique in one pass.
#pragma once

#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// A copy of a Binary's words in which every OpName says the name that SPIRV-Tools' messages have
// for its id: letters, digits and underscores alone, and a number behind a name that stands there
// before. SPIRV-Tools finds these numbers by trying all of them, for each name from 0 on: hours for
// a compiler's module with 100,000 times "retval".  With this copy it tries once for each name.
std::vector<Word> WithFriendlyNames(const std::vector<Word>& words);

}  // namespace assay::frontend
