// A machine on which not every work-item makes progress by itself (OpenCL API 3.2.2 and
// "Independent Forward Progress" of its glossary): "one work-item in a sub-group may be completely
// blocked (starved) if a different work-item in the same sub-group enters a spin loop".
//
// While a work-item of a sub-group stands at a loop that only an atomic operation's result ends
// (FlatSync::spins), the others of the sub-group get no turn, unless they spin, too. Without
// progress of sub-groups nobody of the work-group does. If nothing changes any more, the machine
// hangs. Here those that it held up go on then, and the hang is told when the loop has ended,
// because only then they were the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interp/execute/running_batch.h"
#include "interp/rules/rule.h"

namespace assay::interp {

class LockStep {
 public:
  explicit LockStep(Worker* worker);

  bool is_on() const { return is_on_; }
  // Turns in lock step are a sub-group's.
  std::uint64_t SubgroupOf(std::uint64_t item) const { return item / subgroup_size_; }
  void BeginGroup();
  void EndGroup();
  // Everyone of the group waits or has returned: sees who spins.
  void Look(std::span<RunningBatch* const> batches);
  // Of the lanes that wait for their turn at a block those that may have it.
  std::uint64_t Free(const RunningBatch& running, const Standing& standing) const;
  // How many turns that change nothing are a hang: a loop may end by itself, too. Where the hang of
  // one sub-group is known, that of the next one costs no patience.
  std::uint64_t Patience(std::uint64_t usual) const { return has_hung_ ? usual >> 8 : usual; }
  bool holds() const { return is_on_ && holds_; }
  // Nothing changes any more. Those that went on before were not needed, then; somebody else whom
  // others held up goes on. LetGo is false if there is nobody.
  void Withdraw() { hangs_.clear(); }
  bool LetGo(std::span<RunningBatch* const> batches);

 private:
  struct Place {
    RunningBatch* running = nullptr;
    int lane = 0;
    std::uint32_t block = 0;
    std::uint64_t item = 0;
    bool spins = false;
  };
  // A hang that is told if letting go was what it needed.
  struct Hang {
    Place spinner;
    Rule rule{};
    std::string message;
    std::vector<std::string> history;
  };

  std::vector<Place> Places(std::span<RunningBatch* const> batches) const;
  bool IsHeldBySubgroup(std::uint64_t item) const;
  bool IsHeldByGroup() const { return spins_in_group_ && holds_groups_ && !group_let_go_; }
  void Remember(const Place& spinner, const Place& held, Rule rule);
  void Tell(const Hang& hang);
  static bool StillStands(const Place& place);

  Worker& worker_;
  const bool is_on_;
  const bool holds_groups_;  // sub-groups make no progress by themselves, either
  const std::uint64_t subgroup_size_;
  bool holds_ = false;
  bool has_hung_ = false;
  bool spins_in_group_ = false;
  bool group_let_go_ = false;
  std::vector<bool> spins_;   // by sub-group
  std::vector<bool> let_go_;  // ... whose work-items all go on from now on
  std::vector<Hang> hangs_;
};

}  // namespace assay::interp
