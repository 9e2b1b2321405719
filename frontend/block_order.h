// Orders of blocks and variables that SPIR-V requires (2.4, 2.16) and some generators do not keep.
// Their orders change no meaning.
#pragma once

#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// A copy of a Binary's words with the blocks of every function in reverse post-order, so that each
// comes after its dominators; unreachable blocks come last.
std::vector<Word> WithBlocksInOrder(const std::vector<Word>& words);

// ... with the variables of a function's first block in front of its other instructions.  For the
// validator alone: a variable of a later block, which may be used only behind it, is an undefined
// pointer there.
std::vector<Word> WithVariablesFirst(const std::vector<Word>& words);

// ... without OpLoopMerge and OpSelectionMerge, which kernels do not need.
std::vector<Word> WithoutMerges(const std::vector<Word>& words);

}  // namespace assay::frontend
