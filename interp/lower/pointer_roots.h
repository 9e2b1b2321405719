// Finds on which variable or parameter a pointer is based, as far as this is certain.  Internal to
// lowering.
#pragma once

#include <unordered_set>
#include <vector>

#include "interp/import/import.h"

namespace assay::interp {

// For a graph whose values and phis stay as they are.
class PointerRoots {
 public:
  explicit PointerRoots(const ImportedKernel& kernel);

  // Where an address may come from; empty: nothing is certain.  A walk ends at the values of
  // `stops` (PointerRoot::Kind::kStop).  Nothing is certain where something else than a pointer
  // that the address was made of, an index or a condition, is marked in `doubtful`.
  std::vector<PointerRoot> Of(Value address, const std::unordered_set<Value>& stops = {},
                              const std::vector<bool>& doubtful = {}) const;

 private:
  template <typename Push>
  bool Step(Value value, const std::vector<bool>& doubtful, const Push& push,
            std::vector<PointerRoot>* roots) const;

  const ImportedKernel& kernel_;
  const Graph& graph_;
  std::vector<const Phi*> phi_;
};

}  // namespace assay::interp
