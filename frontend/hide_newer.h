// A copy of a module without what SPIRV-Tools does not know.
#pragma once

#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// How much of newer_grammar.json a module uses.
enum class Newer { kNone, kHidden, kDeclarations };

// Takes out what SPIRV-Tools does not know.
Newer HideNewer(std::vector<Word>* words);

}  // namespace assay::frontend
