// Instructions that work-items execute one after the other: atomic operations and printf.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interp/execute/print.h"
#include "interp/execute/running_batch.h"
#include "interp/execute/spin_watch.h"

namespace assay::interp {

struct TurnResult {
  std::uint64_t value = 0;  // what an atomic operation returned
  bool changed = false;     // whether it changed memory
};

class OrderedInstructions {
 public:
  OrderedInstructions(Worker* worker, PrintfOutput* output);

  // The lane executes what ends the block.
  TurnResult Execute(RunningBatch& running, int lane, std::uint32_t block);
  // The lanes one after the other, the lowest first.  Returns whether one of them changed memory.
  bool ExecuteInTurn(RunningBatch& running, std::uint64_t lanes, std::uint32_t block);

 private:
  bool NothingWatches() const;
  bool ExecuteUnwatched(RunningBatch& running, std::uint64_t lanes, const FlatSync& sync);
  void ExecuteAtomic(RunningBatch& running, int lane, const FlatSync& sync);
  void ExecuteReadPipe(RunningBatch& running, int lane, const FlatSync& sync) {
    ExecutePipe(running, lane, sync);
  }
  void ExecuteWritePipe(RunningBatch& running, int lane, const FlatSync& sync) {
    ExecutePipe(running, lane, sync);
  }
  void ExecutePipe(RunningBatch& running, int lane, const FlatSync& sync);
  void ExecuteArriveBarrier(RunningBatch& running, int lane, const FlatSync& sync);
  void ExecutePrintf(RunningBatch& running, int lane, const FlatSync& sync);
  void ExecuteDeviceQueue(RunningBatch& running, int lane, const FlatSync& sync);
  void WatchSpin(RunningBatch& running, int lane, const FlatSync& sync,
                 const SpinWatch::Turn& turn);
  std::uint32_t ChoosePlace(const Batch& batch, int lane, const AtomicAttempt& attempt);

  Worker& worker_;
  PrintfOutput& output_;
  const Program& program_;
  SpinWatch spins_;
  TurnResult last_;
};

}  // namespace assay::interp
