// What the branches on the way to a block say of the integers there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interp/lower/dominators.h"
#include "interp/program/ir.h"

namespace assay::interp {

class IndexBounds {
 public:
  explicit IndexBounds(const Graph& graph);

  const Dominators& flow() const { return flow_; }

  // The largest that an integer can be wherever the block is executed, because branches lead there
  // only with smaller ones: less than half of what its kind can say, so that it is the same with
  // and without a sign. None: they say nothing of it.
  std::optional<std::uint64_t> LargestByBranch(Value value, std::uint32_t block) const;
  // The same, also from how the integer was computed (LargestOf in interp/lower/offsets.h).
  std::optional<std::uint64_t> LargestIn(Value value, std::uint32_t block) const;

 private:
  // "a < b" or "a <= b".
  struct Relation {
    Value a = kNoValue;
    Value b = kNoValue;
    bool is_signed = false;
    bool or_equal = false;
  };

  const IrInstruction* Definition(Value value) const;
  std::optional<std::uint64_t> Constant(Value value) const;
  std::uint64_t Half(Value value) const;
  template <typename Use>
  void EachRelation(std::uint32_t block, const Use& use) const;
  std::optional<Relation> RelationOf(Value condition, bool holds) const;
  bool IsNotNegative(Value value, std::uint32_t block) const;
  bool IsStep(Value counter, Value next) const;

  const Graph& graph_;
  const Dominators flow_;
  std::vector<const Phi*> phi_;  // by value
};

}  // namespace assay::interp
