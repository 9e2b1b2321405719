// What watches one thread's work-items beside their execution: the interfaces of watch.h, as far as
// the program is watched.
#pragma once

#include <cstdint>
#include <memory>

#include "interp/execute/launch_state.h"
#include "interp/execute/race_view.h"
#include "interp/execute/running_batch.h"
#include "interp/execute/watch.h"

namespace assay::interp {

class Watchers {
 public:
  // Of a worker that can say what its memory is.
  Watchers(LaunchState* launch, Worker* worker);

  // Gives a new batch the records that they keep beside it; false if the launch is to stop.
  bool Watch(RunningBatch* running);
  // With so many groups from this one on in a batch.
  void BeginGroup(std::uint64_t group, std::uint64_t groups);
  void EndGroup();
  // Other work-items take the batch's place.
  void BeginBatch(RunningBatch& running);
  // Operands of an instruction that work-items wait at decide something; its results are defined.
  // Those from `first` on.
  void UseOperands(RunningBatch& running, std::uint64_t lanes, const FlatSync& sync,
                   std::size_t first = 0);

  DefinednessWatch* definedness() const { return definedness_.get(); }
  RaceWatch* races() const { return races_.get(); }
  PointerWatch* pointers() const { return pointers_.get(); }
  EnvelopeWatch* envelope() const { return envelope_.get(); }
  ImprecisionSource* imprecision() const { return imprecision_.get(); }
  GroupWatch& groups() const { return *groups_; }
  RaceView* race_view() { return &race_view_; }

 private:
  LaunchState& launch_;
  const Program& program_;
  std::unique_ptr<GroupWatch> groups_;
  std::shared_ptr<DefinednessWatch> definedness_;
  std::shared_ptr<RaceWatch> races_;
  RaceView race_view_;
  std::unique_ptr<PointerWatch> pointers_;
  std::unique_ptr<EnvelopeWatch> envelope_;
  std::unique_ptr<ImprecisionSource> imprecision_;
};

}  // namespace assay::interp
