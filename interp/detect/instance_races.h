// Data races between a launch and the kernels that it enqueues, and between these: two accesses to
// the same bytes of global memory, at least one of them a store, not both atomic, by
// kernel-instances that nothing orders (OpenCL API 3.3.6.5, ordering rules of commands).
//
// Work-items of one instance are the affair of Races, whose last accesses to each cell are taken
// here when the instance has ended.  What is not the last access, and what lies between instances
// that synchronise by acquires and releases, is not seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/execute/device_queues.h"
#include "interp/execute/launch_state.h"
#include "interp/rules/finding.h"

namespace assay::interp {

class InstanceRaces {
 public:
  explicit InstanceRaces(const DeviceQueues* queues) : queues_(*queues) {}

  // The launch has ended.
  void Add(const LaunchState& launch, std::vector<Finding>* findings);

 private:
  struct Record {
    KeptAccess access;
    std::uint32_t instance = 0;
  };
  struct Cell {  // places in records_, one more
    std::uint32_t write = 0;
    std::uint32_t read[2] = {0, 0};
  };
  struct Column {
    std::uint32_t granule = 0;
    std::vector<Cell> cells;
  };
  // What a kernel has: both, or one side, which orders what another instance's other side follows.
  struct Sides {
    bool acquires = false;
    bool releases = false;
  };
  struct Name {
    std::string text;
    Sides sides;
  };

  static Sides SidesOf(const Program& program);
  static void Refine(Column* column, std::uint32_t granule);
  bool AreOrdered(const Record& earlier, const LaunchState& launch) const;
  void Tell(const LaunchState& launch, const Record& earlier, const KeptAccess& access,
            std::vector<Finding>* findings);
  static void Put(Cell* cell, std::uint32_t record, bool writes);

  const DeviceQueues& queues_;
  std::vector<Record> records_;
  std::unordered_map<std::uint32_t, Column> columns_;  // by region
  std::unordered_map<std::uint32_t, Name> names_;      // by instance
  // What was told: the two instructions.
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> told_;
};

// A finding at an instruction of the module.
Finding FindingAt(const frontend::Module& module, Rule rule, std::uint32_t origin);

}  // namespace assay::interp
