// Pipe functions (OpenCL C 6.15.18; SPIR-V OpReadPipe to OpGroupCommitWritePipe).
//
// Each is executed by one work-item, or by one for its group or sub-group, at a time.  A
// reservation takes its packets when it is made, so packets of one kind are in the order of
// reservations and single accesses; those that were written can be read when they, and all before
// them, are committed.  Room is free again when packets, and all before them, were read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interp/execute/pipe_records.h"
#include "interp/execute/running_batch.h"
#include "interp/execute/watch.h"
#include "interp/program/pipe_object.h"
#include "interp/rules/finding.h"

namespace assay::interp {

class Pipes {
 public:
  explicit Pipes(Worker* worker);

  struct Outcome {
    std::uint64_t value = 0;  // 0 or all ones; a reservation; a number
    bool changed = false;     // whether the pipe, or memory, may have changed
  };
  // The lane executes the instruction, whose first operands are those of opcodes.def; `first` is
  // the place of the first among the instruction's.
  Outcome Execute(RunningBatch& running, int lane, const FlatSync& sync, const PipeCall& call);
  // One for all of them; all get the result.
  void ExecuteTogether(std::span<const SubgroupPart> parts, const FlatSync& sync,
                       const PipeCall& call);

 private:
  // An instruction that is executed.
  struct Call {
    RunningBatch& running;
    int lane;
    const FlatSync& sync;
    const PipeCall& call;
    Address pipe = 0;
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 0;
    std::uint64_t Operand(std::size_t i) const;
  };

  Outcome ExecuteOn(const Call& call, PipeObject pipe);
  Outcome Single(const Call& call, PipeObject pipe);
  Outcome Reserved(const Call& call, PipeObject pipe);
  Outcome Reserve(const Call& call, PipeObject pipe);
  Outcome Commit(const Call& call, PipeObject pipe);
  bool Transfer(const Call& call, PipeObject pipe, std::uint64_t position);
  void LeaveUndefined(const Call& call, PipeObject pipe, std::uint64_t position);
  bool HasFittingPackets(const Call& call, const PipeHeader& header);
  void UseEnd(const Call& call, PipeObject* pipe);
  PipeReservation* Find(const Call& call, std::uint64_t id);
  void Report(const Call& call, Rule rule, const std::string& message,
              std::vector<std::string> history = {});
  bool ProgramReserves(bool writes) const;

  Worker& worker_;
};

// Of a launch that has ended: reservations that were not committed.
std::vector<Finding> FindUncommitted(const LaunchState& launch);

}  // namespace assay::interp
