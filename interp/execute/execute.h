// Executes work-groups of a launch on one thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interp/execute/batches.h"
#include "interp/execute/fuel.h"
#include "interp/execute/images.h"
#include "interp/execute/launch_state.h"
#include "interp/execute/lockstep.h"
#include "interp/execute/ordered.h"
#include "interp/execute/partial_barriers.h"
#include "interp/execute/pipes.h"
#include "interp/execute/print.h"
#include "interp/execute/reporter.h"
#include "interp/execute/running_batch.h"
#include "interp/execute/stragglers.h"
#include "interp/execute/subgroup.h"
#include "interp/execute/sync.h"
#include "interp/execute/watchers.h"
#include "interp/execute/worker_memory.h"
#include "numerics/float_environment.h"

namespace assay::interp {

// One thread's part in a launch: which of its work-items go on.  What they see, print, find and
// execute together is its parts' affair.
class Worker {
 public:
  explicit Worker(LaunchState* launch, std::uint32_t number = 0);
  std::uint32_t number() const { return number_; }
  Additions& additions() { return additions_; }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Runs groups until there are none left or the launch stops.
  void Run();

  // The same in steps, for a Scheduler:
  struct Waiting {           // a work-item before an instruction that takes turns
    std::uint64_t item = 0;  // linear local id
    RunningBatch* running = nullptr;
    int lane = 0;
    std::uint32_t block = 0;
    // In lock step: those of a sub-group at one block have one turn.
    std::optional<std::uint64_t> subgroup;
  };
  void BeginTurns();
  void EndTurns();
  void TakeCounts() { fuel_.TakeCounts(); }  // of instructions, into the launch's
  bool BeginGroup(std::uint64_t group);
  // False when every work-item of the group has returned, or the launch stops.
  bool RunUntilWaiting();
  void EndGroup();
  void CollectWaiting(std::vector<Waiting>* waiting) const;
  TurnResult TakeTurn(const Waiting& waiting);
  void ReportLivelock(const Waiting& waiting);
  // Whether it may be in a loop that ends only when others have done something.
  bool MayWait(const Waiting& waiting) const {
    return program_.syncs[program_.blocks[waiting.block].sync].may_wait;
  }
  // Nothing changes any more: sub-groups go on without work-items that wait for something else.
  bool ReleaseStuckSubgroups() { return subgroups_.Release(current_, true); }
  LockStep& lockstep() { return lockstep_; }
  bool LetGo() { return lockstep_.LetGo(current_); }

  // Where it is.
  LaunchState& launch() const { return launch_; }
  const GroupPosition& position() const { return group_; }
  std::uint64_t group() const { return group_.number; }
  std::uint64_t group_items() const { return group_.items; }  // its work-items
  // The batches of the group that runs, where work-items wait for others, and all.
  std::span<RunningBatch* const> current() const { return current_; }
  std::span<const std::unique_ptr<RunningBatch>> batches() const { return batches_.all(); }
  std::array<std::uint64_t, 3> GlobalIdOf(std::uint64_t group, std::uint64_t item) const {
    return interp::GlobalIdOf(launch_, group, item);
  }
  std::span<const Region> regions() const { return memory_.regions(); }
  void FindDefined() { memory_.FindDefined(); }
  std::span<const std::byte> local_memory() const { return memory_.local(); }

  // What it came to.
  using Found = Reporter::Found;
  using Findings = Reporter::Findings;
  const Findings& findings() const { return reporter_.findings(); }
  const std::vector<std::uint64_t>& block_counts() const { return block_counts_; }
  std::vector<MathRecord>& math_records() { return math_records_; }
  double cpu_seconds() const { return cpu_seconds_; }

  Images& images() { return images_; }

  // What watches it.
  Watchers& watchers() { return watchers_; }
  DefinednessWatch* definedness() const { return watchers_.definedness(); }
  RaceWatch* races() const { return watchers_.races(); }
  PointerWatch* pointers() const { return watchers_.pointers(); }
  void ForgetEvents();

  // For handlers and detectors; see Reporter and Fuel.
  void Report(const Batch& batch, std::uint32_t place, int lane, Rule rule,
              const std::string& message, std::vector<std::string> history = {},
              std::string object = "") {
    reporter_.Report(batch, place, lane, rule, message, std::move(history), std::move(object));
  }
  bool CountAgain(Rule rule, std::uint32_t place, std::uint64_t times = 1) {
    return reporter_.CountAgain(rule, place, times);
  }
  std::string DescribePlace(std::uint32_t place) const { return reporter_.DescribePlace(place); }
  std::string DescribeInstruction(std::uint32_t origin) const {
    return reporter_.DescribeInstruction(origin);
  }
  std::string DescribeItem(std::uint64_t group, std::uint64_t linear_local_id) const {
    return reporter_.DescribeItem(group, linear_local_id);
  }
  std::vector<std::string> DescribeObject(const Region* region) const {
    return reporter_.DescribeObject(region);
  }
  // A load or store with the memory operand Volatile (SPIR-V 3.26).
  bool IsVolatile(std::uint32_t place) const;
  void Record(MathRecord record);
  Pipes& pipes() { return pipes_; }
  PartialBarriers& partial_barriers() { return partial_barriers_; }
  // So many lanes would have executed the block.
  void CountBlock(std::uint64_t block, std::uint64_t lanes) {
    block_counts_[block] += lanes;
    fuel_.Count(program_.blocks[block].counted * lanes, 0);
  }
  void Spend(std::uint64_t work) { fuel_.Spend(work); }
  // A turn or a meeting: what detectors do then, clocks of many work-items, may take long.
  void SpendMeeting() { fuel_.SpendTime(kMeetingCost); }
  bool MayGoOn() { return fuel_.MayGoOn(); }
  bool MayGoOnInside() { return fuel_.MayGoOnInside(); }

 private:
  // The clock is looked at every few meetings.
  static constexpr std::uint64_t kMeetingCost = std::uint64_t{1} << 13;

  void RunGroup(std::uint64_t group);
  void EnterGroup(std::uint64_t group, std::uint64_t groups = 1);
  void BeginMeetings();
  bool RunFirstTurns(std::uint64_t group);
  bool RunTurns();
  void RunAlone();
  bool RunStragglers(bool all);
  bool CanGoOn() const;
  // Whether work-items of another batch of the group may wait for those of one.
  bool HasSeveralBatches() const {
    return program_.has_sync && group_.items > static_cast<std::uint64_t>(program_.width);
  }
  enum class Mode : std::uint8_t {
    kPlain,
    kWatched,   // under detectors
    kScreened,  // under detectors, until some bit is undefined
    kEnvelope,  // with envelopes, and no detectors
  };
  template <Mode kMode>
  bool RunBatch(RunningBatch& running);
  template <Mode kMode>
  void ExecuteBlock(Batch& batch, const FlatBlock& block);
  std::uint32_t LeaveBlock(RunningBatch& running, const FlatBlock& block, Standing* now);
  bool Run(RunningBatch& running);
  // At a limit: names the loop that the block is in, in the limit's message (told_loop.cc).
  void TellLoop(std::uint32_t block);
  void LeaveFunction(RunningBatch* running, const FlatBlock& block, std::uint64_t lanes);
  void TakeSwitch(RunningBatch* running, const FlatBlock& block, std::uint64_t lanes);
  void Return(RunningBatch* running, const FlatBlock& block, std::uint64_t lanes);

  // Several groups at once (packing.cc).
  std::uint64_t AlikeGroups(std::uint64_t first, std::uint64_t most) const;
  void RunGroups(std::uint64_t first, std::uint64_t count);
  void RunAlike(std::uint64_t first, std::uint64_t count);
  std::uint64_t LanesOfGroup(std::uint64_t number) const;
  void ExecuteInGroups(RunningBatch& running, std::uint64_t lanes, std::uint32_t block);
  void WatchGroups(RunningBatch& running, std::uint64_t lanes, std::uint32_t block);
  void WatchBarriers(const RunningBatch& running, std::uint64_t lanes, const FlatSync& sync);
  void MeetInGroup(RunningBatch& running, std::uint32_t block, std::vector<Standing> waiting);
  std::uint64_t WaitInGroups(RunningBatch& running, const Standing& now, const FlatSync& sync);
  std::uint32_t ChooseInGroup(const RunningBatch& running, std::uint64_t number) const;
  bool ReleaseGroups(RunningBatch& running);
  void TellOfMissing(RunningBatch& running, std::uint64_t number, std::uint32_t block,
                     std::uint64_t here);

  // Work-items that wait (turns.cc).
  std::uint64_t Wait(RunningBatch& running, const FlatBlock& block, const Standing& now);
  bool Release(std::span<RunningBatch*> batches);
  void ReleaseOrdered(std::span<RunningBatch*> batches, std::uint32_t block);
  void RunShares();
  void RunHand();
  void RunWhole(std::uint64_t place);
  std::uint64_t GroupAt(std::uint64_t place) const;

  LaunchState& launch_;
  const std::uint32_t number_;  // of the thread
  const Program& program_;
  Additions additions_;
  GroupPosition group_;
  Fuel fuel_;
  Reporter reporter_;
  WorkerMemory memory_;
  Watchers watchers_;
  Batches batches_;
  Stragglers stragglers_;
  Images images_;
  PrintfOutput output_;
  OrderedInstructions ordered_;
  Collectives collectives_;
  Subgroups subgroups_;
  LockStep lockstep_;
  Pipes pipes_;
  PartialBarriers partial_barriers_;
  // Batches of the group, where work-items wait for others; maybe without those that have ended.
  std::vector<RunningBatch*> current_;
  std::vector<std::uint64_t> block_counts_;  // lanes that ran each block
  // Nobody watches how work-items wait for each other.
  const bool meets_at_once_;
  // Not all groups are of one size.
  const bool has_edges_;
  std::vector<std::uint64_t> turns_;  // by group of a batch and sync: when it was released last
  std::uint64_t turn_ = 0;
  // Of several groups at once: their lanes, and, by number, those that did not all come to one
  // instruction.
  std::uint64_t lanes_ = 0;
  std::uint64_t diverged_ = 0;
  std::uint64_t idle_turns_ = 0;  // since one changed something
  std::vector<MathRecord> math_records_;
  numerics::FloatEnvironment saved_environment_ = 0;
  double begin_seconds_ = 0;
  double cpu_seconds_ = 0;
};

// What a work-item's atomic operation makes of a value.  Bits above the kind's may be set.
std::uint64_t AfterAtomic(frontend::Op opcode, Kind kind, std::uint64_t old, std::uint64_t operand,
                          std::uint64_t comparand);
// One work-item's atomic operation on `bytes` in memory; returns the value before it.
std::uint64_t ApplyAtomic(frontend::Op opcode, Kind kind, std::byte* bytes, std::uint64_t operand,
                          std::uint64_t comparand);
// The same where other threads execute atomic operations on the bytes at the same time.  It is
// sequentially consistent, and is not atomic if the bytes are not aligned to their size.
std::uint64_t ApplySharedAtomic(frontend::Op opcode, Kind kind, std::byte* bytes,
                                std::uint64_t operand, std::uint64_t comparand);

}  // namespace assay::interp
