// Instructions of whole sub-groups on the columns of a batch, without a row for each work-item: the
// same results as those of subgroup_operation.h, for the types and functions of most kernels.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "interp/execute/batch.h"

namespace assay::interp {

struct SubgroupColumns {
  const Batch& batch;
  const FlatSync& sync;
  const SubgroupCall& call;
  std::uint64_t lanes = 0;  // of whole sub-groups
  std::uint32_t size = 1;   // of a sub-group, not more than a batch has
};

// The lane from which each lane takes its value, and which of the values it gives; -1: its value is
// left open.
struct ColumnSources {
  std::array<std::int8_t, kMaxLanes> lane;
  std::array<std::uint8_t, kMaxLanes> value;
};

struct ColumnFunctions {
  // Whether each of the operands from `first` to before `end` is the same for all work-items of a
  // sub-group.
  bool (*are_uniform)(const SubgroupColumns& columns, std::uint32_t first, std::uint32_t end);
  // Reductions and scans. False: done row by row.
  bool (*combine)(const SubgroupColumns& columns);
  // Votes and ballots. False: done row by row.
  bool (*vote)(const SubgroupColumns& columns);
  // Moves values between lanes. `open` is what those get whose value is left open.
  void (*move)(const SubgroupColumns& columns, const ColumnSources& sources, std::uint64_t open);
};
// For the best instruction set of the processor, as ChosenInstructionSet says.
const ColumnFunctions& ChosenColumnFunctions();

// Calls `does` with the first lane and the number of lanes of each sub-group.
template <typename F>
void EachSubgroup(const SubgroupColumns& columns, const F& does) {
  for (std::uint32_t first = 0; first < columns.batch.lanes; first += columns.size) {
    if ((columns.lanes >> first & 1) == 0) continue;
    const auto count = static_cast<std::uint32_t>(std::countr_one(columns.lanes >> first));
    does(first, count < columns.size ? count : columns.size);
  }
}

}  // namespace assay::interp
