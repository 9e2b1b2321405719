// How much a thread may do until it looks at the limits again.
//
// All that a thread does spends fuel, and it looks at the clock each time that some is gone: a
// turn, a meeting of work-items or a slow instruction costs as much more as it may take longer.  So
// --timeout, Ctrl-C and a limit on memory hold in every loop of a kernel.  Whose turn is next hangs
// on fuel, too, and must be the same in every run; so what is spent for the clock alone
// (SpendTime) has no part in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "interp/execute/launch_state.h"

namespace assay::interp {

class Fuel {
 public:
  explicit Fuel(LaunchState* launch) : share_(std::make_unique<Share>(Share{*launch})) {}

  // Counts work that an instruction does beyond its own, so that a limit on time is met soon.
  void Spend(std::uint64_t work) {
    left_ -= static_cast<std::int64_t>(std::min(work, std::uint64_t{1} << 40));
  }
  // The same, but it gives nobody another turn.
  void SpendTime(std::uint64_t work) {
    left_ -= static_cast<std::int64_t>(work);
    share_->left += static_cast<std::int64_t>(work);
  }
  // Counts instructions, which cost something beside themselves.
  void Count(std::uint64_t instructions, std::uint64_t cost) {
    left_ -= static_cast<std::int64_t>(instructions + cost);
    used_ += instructions;
  }
  bool IsSpent() const { return left_ < 0; }
  // False: the launch is to stop.
  bool MayGoOn() { return !IsSpent() || CheckLimits(); }
  bool CheckLimits();
  // The same inside of an instruction that takes long: nobody else gets a turn for it.
  bool MayGoOnInside();
  // After CheckLimits: the thread has used its share, and others have their turn.
  bool GivesWay() const { return share_->gives_way; }
  // Adds what was counted to the launch's instructions.
  void TakeCounts();

 private:
  // What only a look at the limits needs.
  struct Share {
    LaunchState& launch;
    std::int64_t given = 0;  // what Fuel::left_ was after the last look
    std::int64_t left = 0;   // what was left then until others have their turn
    bool gives_way = false;
  };
  void BeginShare();
  void LookAtTime();

  std::unique_ptr<Share> share_;
  std::int64_t left_ = 0;  // until the next look
  std::uint64_t used_ = 0;
};

}  // namespace assay::interp
