// What an instruction of a sub-group makes of its work-items' values, as bits (OpenCL C 6.15.20;
// SPIR-V 3.52.21, 3.52.24; SPV_KHR_subgroup_rotate, SPV_INTEL_subgroups).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interp/program/program.h"

namespace assay::interp {

// The work-items of one sub-group that execute an instruction together.
struct SubgroupItems {
  std::uint32_t max_size = 1;      // SubgroupMaxSize
  std::vector<std::uint32_t> ids;  // of those who take part, ascending
  bool is_whole = false;           // `ids` are 0, 1, 2 ...
  std::vector<int> place;          // by id: the place in `ids`; -1: does not take part

  void Clear(std::uint32_t size);
  void Add(std::uint32_t id);
};

// Of whole batches: rows of lanes, used again and again.
struct SubgroupBuffers {
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> extras;
  std::vector<std::uint64_t> results;
  std::vector<std::size_t> undefined;
};

// Where a result comes from that is another work-item's value as it is.
struct SubgroupSource {
  int item = -1;            // place in SubgroupItems::ids; -1: the result is undefined
  std::uint32_t value = 0;  // which of the values that it gives
};

// For SubgroupCall::Moves(): who gives the work-item at `place` its result.  `extras`: its row.
SubgroupSource SourceOf(const SubgroupCall& call, const SubgroupItems& items, std::size_t place,
                        std::span<const std::uint64_t> extras);

// For the others.  `values` and `results` have a row for each work-item: its parts, and what it
// gets.  Results that the specification leaves open are listed in `undefined`, by place.
void ApplySubgroup(const SubgroupCall& call, Kind kind, const SubgroupItems& items,
                   std::span<const std::uint64_t> values, std::span<const std::uint64_t> extras,
                   std::span<std::uint64_t> results, std::vector<std::size_t>* undefined);

}  // namespace assay::interp
