// The memory that one thread's work-items see: the launch's objects, and local ones of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "interp/execute/launch_state.h"
#include "interp/program/memory.h"

namespace assay::interp {

class WorkerMemory {
 public:
  explicit WorkerMemory(const LaunchState& launch);

  // The local objects of the group, or of so many in the batch, have no values yet.
  void BeginGroups(std::uint64_t groups);
  // Marks local objects in which everything is defined (Region::is_defined): nothing becomes
  // undefined again before the next group begins.
  void FindDefined();
  std::span<const Region> regions() const { return regions_; }
  std::span<const std::byte> local() const { return local_; }

 private:
  const LaunchState& launch_;
  std::vector<Region> regions_;
  std::vector<std::byte> local_;
  std::vector<std::byte> undefined_;  // beside it, where undefined values are watched for
  std::vector<std::unique_ptr<RegionShadow>> shadows_;
  std::vector<std::size_t> watched_;  // regions that have one of these
};

}  // namespace assay::interp
