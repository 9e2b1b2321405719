// Executes work-groups of a launch on one thread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "frontend/module.h"
#include "interp/execute/batch.h"
#include "interp/execute/launch_options.h"
#include "interp/execute/pointer_view.h"
#include "interp/execute/race_view.h"
#include "interp/execute/spin_watch.h"
#include "interp/execute/watch.h"
#include "interp/rules/finding.h"
#include "numerics/rounded.h"

namespace assay::interp {

// The state that all threads of a launch share.
class ChoiceSource;

struct LaunchState {
  const frontend::Module* module = nullptr;
  const Program* program = nullptr;
  Memory* memory = nullptr;
  const Watches* watches = nullptr;  // makes the detectors
  NdRange range;
  std::array<std::uint64_t, 3> local = {1, 1, 1};  // of a group that is not at an edge
  std::array<std::uint64_t, 3> groups = {1, 1, 1};
  std::vector<std::vector<std::byte>> parameters;  // bytes of each kernel parameter
  // Objects of the work-group: reserved addresses and how large they are.
  struct LocalObject {
    Address address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  // in the group's local memory
  };
  std::vector<LocalObject> local_objects;
  std::uint64_t local_bytes = 0;
  LaunchOptions options;
  std::byte undefined_byte{};  // the byte that undefined values consist of
  bool is_parallel = false;    // several threads run groups
  std::vector<std::unique_ptr<numerics::RoundedEvaluator>> evaluators;  // beside math_calls
  // The instructions that declare the module's objects, by address.
  std::unordered_map<Address, std::uint32_t> declarations;
  std::unordered_set<Address> constant_buffers;  // that no parameter has as global memory
  std::vector<bool> written_places;              // regions that stores and atomics may reach
  ChoiceSource* choices = nullptr;               // if it is set, it decides the order of work-items
  // Shared by workers that take turns.
  std::shared_ptr<DefinednessWatch> definedness;
  std::shared_ptr<RaceWatch> races;
  PointerRecords pointers;

  std::atomic<std::uint64_t> next_group{0};
  std::vector<std::uint32_t> hands;  // LaunchOptions::deal: the thread that gets each group
  std::atomic<std::uint64_t> instructions{0};
  std::atomic<std::uint64_t> output_bytes{0};  // that are kept
  std::atomic<bool> stop{false};
  std::chrono::steady_clock::time_point deadline;
  base::Budget budget;
  std::mutex mutex;  // of what follows
  LaunchEnd end = LaunchEnd::kCompleted;
  std::string message;
  std::uint64_t next_output = 0;  // the group whose output is written next
  std::map<std::uint64_t, std::string> waiting_output;
  std::string output;

  std::uint64_t GroupCount() const { return groups[0] * groups[1] * groups[2]; }
  // The three-dimensional id of a group, from its linear id.
  std::array<std::uint64_t, 3> GroupId(std::uint64_t group) const {
    return {group % groups[0], group / groups[0] % groups[1], group / (groups[0] * groups[1])};
  }
  void Stop(LaunchEnd why, std::string text);
  bool IsOverLimit() const {
    return options.max_instructions != 0 && instructions > options.max_instructions;
  }
  void StopAtLimit();
};

// Work-items that will execute a block next.
struct Standing {
  std::uint32_t block = 0;
  std::uint64_t lanes = 0;
};
// Adds lanes that will execute the block next; the list stays ordered by block.
void Insert(std::vector<Standing>* standing, std::uint32_t block, std::uint64_t lanes);

// A batch with its control flow: `ready` lanes can continue, the first block first; `parked` lanes
// wait at the instruction that ends their block.
struct RunningBatch {
  Batch batch;
  std::vector<Standing> ready;
  std::vector<Standing> parked;
  std::uint64_t alive = 0;  // lanes that have not returned
  std::uint64_t first = 0;  // linear local id of lane 0
  bool last_first = false;  // the last of `ready` run next
  std::vector<std::uint32_t> events;
  std::unique_ptr<RestrictRecords> restricts;
  // Records of undefined bits: of the registers, by register, of private variables.
  std::unique_ptr<std::byte[], void (*)(void*)> undefined{nullptr, nullptr};
  std::unique_ptr<std::byte[], void (*)(std::byte*)> memory{nullptr, nullptr};
};

// Of registers and private variables together.
std::uint64_t BatchBytes(const Program& program);

// One thread's part in a launch.
class Worker {
 public:
  explicit Worker(LaunchState* launch, std::uint32_t number = 0);
  ~Worker();
  // Runs groups until there are none left or the launch stops.
  void Run();

  // The same in steps, for a Scheduler:
  struct Waiting {           // a work-item before an instruction that takes turns
    std::uint64_t item = 0;  // linear local id
    RunningBatch* running = nullptr;
    int lane = 0;
    std::uint32_t block = 0;
  };
  struct TurnResult {
    std::uint64_t value = 0;  // what an atomic operation returned
    bool changed = false;     // whether it changed memory
  };
  void BeginTurns();
  void EndTurns();
  void TakeCounts();  // of instructions, into the launch's
  bool BeginGroup(std::uint64_t group);
  // False when every work-item of the group has returned, or the launch stops.
  bool RunUntilWaiting();
  void EndGroup();
  void CollectWaiting(std::vector<Waiting>* waiting) const;
  TurnResult TakeTurn(const Waiting& waiting);
  void ReportLivelock(const Waiting& waiting);
  std::uint64_t group() const { return group_; }

  // For a debugger: the batches of the group that runs, and where their work-items are.
  std::span<RunningBatch* const> current() const { return current_; }
  std::span<const std::unique_ptr<RunningBatch>> batches() const { return batches_; }
  std::array<std::uint64_t, 3> GlobalIdOf(std::uint64_t group, std::uint64_t item) const;
  std::span<const std::byte> local_memory() const { return local_memory_; }

  // Findings of this thread, by rule and place.
  struct Found {
    Finding finding;
    std::uint64_t group = 0;
    std::size_t number = 0;  // in the order in which they were found
  };
  using Findings = std::map<std::pair<std::string, std::uint32_t>, Found>;
  const Findings& findings() const { return findings_; }
  const std::vector<std::uint64_t>& block_counts() const { return block_counts_; }
  double cpu_seconds() const { return cpu_seconds_; }

  // For handlers and detectors: reports an error of `lane`.
  void Report(const Batch& batch, std::uint32_t place, int lane, FindingClass finding_class,
              const std::string& rule, const std::string& message,
              std::vector<std::string> history = {}, std::string object = "");
  // Whether the rule was reported before at this place; then its count is increased.
  bool CountAgain(const std::string& rule, std::uint32_t place);
  std::byte* Resolve(Batch& batch, const FlatInstruction& instruction, int lane, Address address,
                     std::uint64_t bytes, AccessKind kind);
  LaunchState& launch() const { return launch_; }
  DefinednessWatch* definedness() const { return definedness_.get(); }
  RaceWatch* races() const { return races_.get(); }
  std::span<const Region> regions() const { return regions_; }
  std::uint64_t group_items() const { return group_items_; }  // its work-items
  // Whether several work-items can access the region, at least one with a store.
  bool IsShared(const Region& region) const;
  bool IsVolatile(std::uint32_t place) const;
  // For texts: "reduce.cl:14:9: %31 = OpLoad ...", "(3,0,0)" of global ids.
  std::string DescribePlace(std::uint32_t place) const;
  std::string DescribeInstruction(std::uint32_t origin) const;
  std::string DescribeItem(std::uint64_t group, std::uint64_t linear_local_id) const;
  std::vector<std::string> DescribeObject(const Region* region) const;
  void ForgetEvents();
  // Records stored values that may be addresses of private or local objects; `offset` is that of
  // the value in the access.
  void StoredPointers(Batch& batch, const FlatInstruction& instruction, std::uint32_t value,
                      std::uint32_t bytes, std::uint64_t offset);
  void LoadedPointers(Batch& batch, const FlatInstruction& instruction, std::uint32_t result,
                      std::uint32_t bytes, std::uint64_t offset);
  // An access where restrict pointers share an object with others.
  void AccessedBesideRestrict(Batch& batch, const FlatInstruction& instruction, std::uint32_t parts,
                              std::uint64_t part_bytes, bool writes);
  // A copy from memory to memory, where RestrictRecords are kept.
  void CopiedBesideRestrict(Batch& batch, std::uint32_t place, int lane, Address target,
                            Address source, std::uint64_t bytes);
  void Record(MathRecord record);
  std::vector<MathRecord>& math_records() { return math_records_; }
  // Counts extra work of an instruction, so that a time limit is noticed soon.
  void Spend(std::uint64_t work) {
    fuel_ -= static_cast<std::int64_t>(std::min(work, std::uint64_t{1} << 40));
  }
  bool MayGoOn() { return fuel_ >= 0 || CheckLimits(); }

 private:
  void RunGroup(std::uint64_t group);
  void RunAlone();
  void CloseGroup();
  bool CanGoOn() const;
  // kWatched: under detectors.
  template <bool kWatched>
  bool RunBatch(RunningBatch& running);
  bool Run(RunningBatch& running) {
    return program_.detectors.IsEmpty() ? RunBatch<false>(running) : RunBatch<true>(running);
  }
  bool Watch(RunningBatch* running);
  void WatchPointers();
  struct Accessed {  // by one work-item
    const Region* region = nullptr;
    Address address = 0;
    std::uint64_t bytes = 0;
    bool writes = false;
  };
  std::string DescribeAccess(const Accessed& access) const;
  bool BreaksRestrict(const Accessed& access, std::uint16_t mine);
  bool AccessedInCalls(Batch& batch, std::uint32_t place, int lane, const Accessed& access,
                       bool is_source);
  void ReportRestrict(Batch& batch, std::uint32_t place, int lane, const Accessed& access,
                      const RestrictUse& use, std::uint32_t other);
  void Prepare(RunningBatch& running, std::uint64_t first, std::uint64_t count);
  RunningBatch* BatchAt(std::size_t index);  // null: the launch stops
  void FillBuiltIn(RunningBatch& running, const InputRegister& input, std::uint64_t count);
  bool CheckLimits();
  void Activate(RunningBatch& running, std::uint64_t lanes);
  void LeaveFunction(RunningBatch* running, const FlatBlock& block, std::uint64_t lanes);
  // The calls around the instruction at the site that the lane executes.
  std::vector<std::uint32_t> CallsTo(const Batch& batch, std::uint32_t site, int lane) const;

  // Instructions at which work-items wait (sync.cc).
  bool Release(std::span<RunningBatch*> batches);
  void ReleaseOrdered(std::span<RunningBatch*> batches, std::uint32_t block);
  void ReleaseCollective(std::span<RunningBatch*> batches, std::uint32_t block);
  void ExecuteAtomic(RunningBatch& running, int lane, const FlatSync& sync);
  void WatchSpin(RunningBatch& running, int lane, const FlatSync& sync,
                 const SpinWatch::Turn& turn);
  void ExecuteOrdered(RunningBatch& running, int lane, std::uint32_t block);
  std::size_t ChooseVersion(Batch& batch, int lane, const AtomicCall& call, Address address,
                            const std::byte* bytes, std::uint32_t size);
  void ExecutePrintf(RunningBatch& running, int lane, const FlatSync& sync);
  void ExecuteGroup(std::span<RunningBatch*> batches, std::uint32_t block, const FlatSync& sync);
  std::optional<std::uint64_t> BroadcastSource(const RunningBatch& running, int lane,
                                               const FlatSync& sync, std::size_t parts);
  void ExecuteAsyncCopy(RunningBatch& running, int lane, const FlatSync& sync, std::uint64_t event);
  void WaitForEvents(RunningBatch& running, int lane, const FlatSync& sync);
  void UseOperands(RunningBatch& running, std::uint64_t lanes, const FlatSync& sync);
  std::uint64_t ReadLane(const RunningBatch& running, std::uint32_t offset, Kind kind,
                         int lane) const;
  void WriteLane(RunningBatch& running, std::uint32_t offset, Kind kind, int lane,
                 std::uint64_t bits) const;
  std::string ReadText(RunningBatch& running, const FlatSync& sync, int lane, Address address);
  void WriteOutput();
  void FlushOutput(std::uint64_t group);

  LaunchState& launch_;
  const std::uint32_t number_;  // of the thread
  const Program& program_;
  std::vector<Region> regions_;
  std::vector<std::unique_ptr<RunningBatch>> batches_;
  std::vector<std::byte> local_memory_;
  std::vector<std::byte> local_undefined_;  // its record, if undefined values are watched for
  std::vector<std::unique_ptr<RegionShadow>> local_shadows_;
  std::shared_ptr<DefinednessWatch> definedness_;
  std::shared_ptr<RaceWatch> races_;
  RaceView race_view_;
  TurnResult last_turn_;
  std::uint64_t idle_turns_ = 0;
  SpinWatch spins_;
  unsigned saved_control_ = 0;
  double begin_seconds_ = 0;
  std::vector<RunningBatch*> current_;  // batches of the group, if work-items wait for others
  std::unique_ptr<GroupWatch> groups_;
  PointerView pointer_view_;
  bool watches_pointers_ = false;
  std::unordered_map<Address, StoredPointer> local_pointers_;  // in the group's local memory
  std::vector<std::uint64_t> block_counts_;                    // lanes that ran each block
  std::vector<std::uint64_t> turns_;                           // by sync: when it was released last
  std::uint64_t turn_ = 0;
  std::uint64_t events_ = 0;
  Findings findings_;
  std::vector<MathRecord> math_records_;
  std::string output_;              // of the group
  std::size_t written_output_ = 0;  // of it, by WriteOutput
  std::uint64_t group_ = 0;
  std::array<std::uint64_t, 3> group_id_ = {0, 0, 0};
  std::array<std::uint64_t, 3> group_size_ = {1, 1, 1};
  std::uint64_t group_items_ = 1;
  std::int64_t fuel_ = 0;
  std::uint64_t used_ = 0;
  bool after_undefined_behavior_ = false;
  double cpu_seconds_ = 0;
};

// One work-item's atomic operation on `bytes` in memory; returns the value before it.
std::uint64_t ApplyAtomic(frontend::Op opcode, Kind kind, std::byte* bytes, std::uint64_t operand,
                          std::uint64_t comparand);

}  // namespace assay::interp
