// The calls that a program that was lowered for a debugger makes while it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interp/rules/finding.h"

namespace assay::interp {

struct Batch;
struct FlatInstruction;
struct LaunchState;
class Worker;

// The handlers of markers read the members directly, so that a run between two places of interest
// costs little.  To stop a run, a call returns only when the run should continue.
class DebugHook {
 public:
  virtual ~DebugHook() = default;

  std::uint64_t time = 0;            // markers that were executed, in all launches: the run's clock
  std::uint64_t next_time = 0;       // from this time on every marker is reported
  std::vector<std::uint8_t> breaks;  // by marker: reported at any time
  bool watches = false;              // accesses are reported
  bool shadows = false;              // programs report operations; set before the first launch

  virtual void Begin(LaunchState* launch, std::span<const std::unique_ptr<Worker>> workers) = 0;
  // Before the instruction of a marker; `previous` is the work-item's last one, or kNoMarker.
  virtual void Reached(Batch& batch, std::uint32_t marker, std::uint32_t previous) = 0;
  // Before an access, by its place in DebugTable::accesses.
  virtual void Accesses(Batch& batch, std::uint32_t access) = 0;
  // After an operation, by its place in DebugTable::operations.  Moves at the end of a block, and
  // operations that wait for others, are reported before they are executed.
  virtual void Computed(Batch& batch, std::uint32_t operation) = 0;
  // A new finding.
  virtual void Found(const Batch& batch, const Finding& finding) = 0;
  virtual void End() = 0;
};

}  // namespace assay::interp
