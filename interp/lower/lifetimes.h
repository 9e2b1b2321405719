// Whether private variables in memory are certainly alive.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/lower/dominators.h"
#include "interp/lower/interleave.h"
#include "interp/program/ir.h"

namespace assay::interp {

// Of interleaved variables, by their places in Graph::variables.
class Lifetimes {
 public:
  Lifetimes(const Graph& graph, const Interleaving& interleaving);

  // Its lifetime has begun in the block or on every way to it, and does not end.
  bool HasBegun(std::uint32_t variable, std::uint32_t block, const Dominators& flow) const;

 private:
  std::uint32_t VariableOf(const IrInstruction& instruction) const;
  bool IsLast(const IrBlock& block, std::uint32_t variable) const;

  const Graph& graph_;
  const Interleaving& interleaving_;
  std::vector<bool> may_end_;  // somewhere its lifetime ends, and the kernel goes on
  std::vector<std::vector<std::uint32_t>> begins_;  // blocks
};

}  // namespace assay::interp
