// Keeps the places in the source that instructions have while SPIRV-Tools links modules. Its linker
// does not give OpLine and DebugScope the numbers that ids have in the result (2023.1, 2025.1), or
// leaves out DebugScope and gives OpLine a file that is none (2026).
#pragma once

#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

class LinkedPlaces {
 public:
  // A copy in which what names places in blocks is written as instructions of a set that the linker
  // does not know, so that it treats them like any other.  Those outside of blocks are left out.
  std::vector<Word> Hidden(const std::vector<Word>& words);
  // The linked words, with what `Hidden` has replaced.
  std::vector<Word> Restored(const std::vector<Word>& words) const;

 private:
  std::vector<std::vector<Word>> originals_;  // by the number of the instruction in that set
};

}  // namespace assay::frontend
