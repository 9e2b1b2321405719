// Load buffering: relaxed loads that later operations of the same work-item may overtake.
//
// Nothing orders a relaxed load before a later relaxed operation of its work-item on another object
// that does not depend on it (OpenCL API 3.3.6.3): another work-item may see the later one first,
// and the load may read what follows from that.  In a run with choices such a load may therefore be
// executed later than it stands in the program.  What depends on it is not: no operation is
// executed before its operands are known, so no value comes out of thin air.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "frontend/module.h"
#include "interp/program/program.h"

namespace assay::interp {

// An atomic operation: the block that it ends, and its object.
struct PlacedOperation {
  std::uint32_t block = 0;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

class Overtaking {
 public:
  Overtaking(const Program& program, const frontend::Module& module);

  // Whether there are any.
  bool IsEmpty() const { return needed_.empty(); }
  // Whether the instruction that ends the block is such a load.
  bool Has(std::uint32_t block) const { return needed_.contains(block); }
  // Whether the block after the load is to be executed again when the load has been: it stores the
  // result, at an address that does not depend on it. Then it is the only block that is not needed.
  bool IsRepeated(std::uint32_t load) const { return repeated_.contains(load); }
  // Whether the load must have been executed before the block is: the block, or one that a
  // work-item may come to from there before its next atomic operation, uses the result, ends in
  // another instruction than an atomic operation, or accesses memory.
  bool IsNeeded(std::uint32_t load, std::uint32_t block) const;
  // Whether an atomic operation to which the work-item has come may be executed before the load. It
  // may not if it orders others, or if the objects overlap (coherence).
  bool MayPass(const PlacedOperation& load, const PlacedOperation& later) const;
  // The block after the atomic operation.
  std::uint32_t After(std::uint32_t block) const { return program_.blocks[block].targets[0]; }

 private:
  std::vector<bool> FindNeeded(std::uint32_t load) const;
  bool MayRepeat(const FlatBlock& block, const FlatSync& load) const;
  bool Needs(const FlatBlock& block, const FlatSync& load) const;
  bool Touches(const FlatInstruction& in, const FlatSync& load) const;

  const Program& program_;
  const frontend::Module& module_;
  std::map<std::uint32_t, std::vector<bool>> needed_;  // by the load's block, by block
  std::set<std::uint32_t> repeated_;                   // of these loads
};

}  // namespace assay::interp
