// Relaxed loads to which work-items have come, and which are executed later: see
// interp/execute/overtaking.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interp/execute/execute.h"
#include "interp/execute/overtaking.h"

namespace assay::interp {

// The object of the atomic operation at which the work-item stands.
PlacedOperation OperationAt(const Program& program, const Worker::Waiting& waiting);

class DeferredLoads {
 public:
  struct Load {
    Worker* worker = nullptr;
    Worker::Waiting waiting;  // as it came to the load
    std::uint64_t item = 0;   // group << 32 | linear local id
    PlacedOperation operation;
    std::uint64_t number = 0;  // the loads of a work-item in its order
  };

  DeferredLoads(const Program& program, const Overtaking& overtaking)
      : program_(program), overtaking_(overtaking) {}

  const std::vector<Load>& loads() const { return loads_; }
  bool IsEmpty() const { return loads_.empty() && held_.empty() && repeating_.empty(); }
  // Whether the load at which a work-item stands may be deferred.
  bool MayDefer(std::uint64_t item, const Worker::Waiting& waiting) const;
  // The work-item goes on without it.
  void Defer(Worker* worker, std::uint64_t item, const Worker::Waiting& waiting);
  // Whether what the work-item waits for may not be executed before its deferred loads.
  bool HoldUp(std::uint64_t item, const Worker::Waiting& waiting) const;
  // Lets work-items go on that have executed again what comes after a load. Returns whether there
  // were some.
  bool LetGo();
  // After a turn of the work-item: it waits where it is if what follows needs one of its loads.
  void Hold(std::uint64_t item, const Worker::Waiting& waiting);
  TurnResult Execute(std::size_t load);

 private:
  struct Held {
    std::uint64_t item = 0;
    std::uint32_t block = 0;  // it has executed what ends this block
  };
  bool NeedsOne(std::uint64_t item, std::uint32_t block) const;

  const Program& program_;
  const Overtaking& overtaking_;
  std::vector<Load> loads_;
  std::vector<Held> held_;
  std::vector<Worker::Waiting> repeating_;  // they have executed what ends this block
  std::uint64_t count_ = 0;
};

}  // namespace assay::interp
