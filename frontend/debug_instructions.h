// Finds the debug information in a binary, and removes it.
#pragma once

#include <span>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

class DebugInstructions {
 public:
  // The words of a Binary, which must outlive this.
  explicit DebugInstructions(const std::vector<Word>& words);

  // Whether it is an OpExtInst of a set that has nothing but debug information.
  bool Has(std::span<const Word> instruction) const;
  // A copy of the words; nothing else uses the results that are left out.
  std::vector<Word> Without() const;

 private:
  const std::vector<Word>& words_;
  std::vector<ExtendedSet> sets_;  // by id of the import
};

}  // namespace assay::frontend
