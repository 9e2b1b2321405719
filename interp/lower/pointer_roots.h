// Finds on which variable or parameter a pointer is based, as far as this is certain.  Internal to
// lowering.
#pragma once

#include <unordered_set>
#include <vector>

#include "interp/import/import.h"

namespace assay::interp {

// The graph's values and phis must not change while this exists.
class PointerRoots {
 public:
  explicit PointerRoots(const ImportedKernel& kernel);

  // The possible roots of an address; empty: they are not certain.  The walk ends at the values of
  // `stops` (PointerRoot::Kind::kStop). The roots are not certain if an index or a condition from
  // which the address was computed is marked in `doubtful`.
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
