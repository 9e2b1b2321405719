// Work-items that are few in their batch for a long time, as in a long loop that only they are in.
//
// Where nobody waits for anybody, they need not be executed beside the others of their group.  They
// are put aside, with those of other batches that stand before the same loop, and go on when they
// are about as many as a batch has.  Only before a loop that is in no other one: those in whose
// loop the others are, too, would leave them with fewer and fewer.  The launch's results are the
// same, because the order of work-items that do not wait is nobody's to know (OpenCL API 3.2.2).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interp/execute/batches.h"
#include "interp/execute/running_batch.h"

namespace assay::interp {

// Whether work-items of the program may be put aside. Under detectors a launch in which some are
// may have to be made again: only where nothing orders work-items, and there are loops that few may
// be in.
bool MayLeaveGroups(const Program& program);

class Stragglers {
 public:
  // `group` is the one that the worker runs.
  Stragglers(const LaunchState& launch, const GroupPosition* group, Batches* batches);

  // From now on work-items are put aside, if the program allows it; or no more.
  void Begin() { is_on_ = may_be_on_; }
  void End() { is_on_ = false; }
  bool IsOn() const { return is_on_; }
  // Tells of a block that `count` lanes execute next; true: they were put aside instead.
  bool Take(RunningBatch& running, std::uint32_t block, std::uint64_t lanes, std::uint64_t count) {
    ++running.blocks;
    if (count > kFew || !is_on_) {
      running.lonely_blocks = 0;
      return false;
    }
    ++running.lonely_blocks;
    return program_.blocks[block].is_loop && PutAside(running, block, lanes, count);
  }
  // Those that had been put aside before the block have executed so many.
  void Executed(std::uint32_t block, std::uint64_t blocks) { is_long_[block] = blocks > patience_; }

  // Those that were put aside.
  std::span<RunningBatch* const> batches() const { return aside_; }
  bool HasSome() const {
    return std::ranges::any_of(aside_, [](const RunningBatch* one) { return one->alive != 0; });
  }
  // They need not wait for more.
  static bool AreMany(const RunningBatch& aside) {
    return !aside.has_begun && CountLanes(aside.alive) >= kEnough;
  }

 private:
  static constexpr std::uint64_t kFew = 8;
  static constexpr std::uint64_t kEnough = 48;
  static constexpr std::size_t kMostBatches = 8;
  // More would leave the processor's cache.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 18;

  bool PutAside(RunningBatch& running, std::uint32_t block, std::uint64_t lanes,
                std::uint64_t count);
  RunningBatch* BatchFor(std::uint32_t block, std::uint64_t count);
  void Move(const RunningBatch& from, std::uint64_t lanes, RunningBatch* to, int first) const;

  const Program& program_;
  const GroupPosition& group_;
  Batches& batches_;
  bool may_be_on_ = false;
  bool is_on_ = false;
  // Blocks that few lanes execute before they are put aside: it costs about as much.
  std::uint64_t patience_ = 0;
  std::vector<bool> is_long_;  // by block: who stood there had at least as many to execute
  std::vector<RunningBatch*> aside_;
};

}  // namespace assay::interp
