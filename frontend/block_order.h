// Orders blocks so that each comes after its dominators, as SPIR-V 2.16 requires.
#pragma once

#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// A copy of a Binary's words with the blocks of every function in reverse post-order; unreachable
// blocks come last.  Some generators write other orders, which change no meaning.
std::vector<Word> WithBlocksInOrder(const std::vector<Word>& words);

}  // namespace assay::frontend
