// What the work-items of one thread print.
#pragma once

#include <cstdint>
#include <string>

#include "interp/execute/launch_state.h"
#include "interp/execute/running_batch.h"

namespace assay::interp {

class PrintfOutput {
 public:
  explicit PrintfOutput(Worker* worker);

  // One work-item's printf.
  void Print(RunningBatch& running, int lane, const FlatSync& sync);
  // The group has ended, or the launch stops.
  void Flush(std::uint64_t group);

 private:
  std::string ReadText(RunningBatch& running, const FlatSync& sync, int lane, Address address);
  // __devicelib_assert_fail was called.
  void ReportAssert(RunningBatch& running, int lane, const FlatSync& sync, const PrintfCall& call);
  void Write();

  Worker& worker_;
  LaunchState& launch_;
  const Program& program_;
  std::string text_;         // of the group
  std::size_t written_ = 0;  // of it, by Write
};

}  // namespace assay::interp
