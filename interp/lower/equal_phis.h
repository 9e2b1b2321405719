// Phis that stand for a value that is there already.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/import/import.h"

namespace assay::interp {

// Values that others take the place of.
class Replacements {
 public:
  explicit Replacements(const Graph& graph) : graph_(graph) {}

  void Replace(Value value, Value by);
  Value Find(Value value);
  // In phis, conditions and operands.
  void ReplaceIn(Graph* graph);

 private:
  const Graph& graph_;
  std::vector<Value> by_;
};

// A phi of one value, beside itself, is that value; then others may be.
void RemoveTrivialPhis(Graph* graph, Replacements* replacements);

}  // namespace assay::interp
