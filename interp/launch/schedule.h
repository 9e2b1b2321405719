// Runs the work-groups of a launch in turns on one thread, in the order that a choice source gives.
//
// A work-item runs until it returns or waits.  Turns change only at operations whose order other
// work-items can observe: atomic operations, printf and barriers.  Plain accesses need no turns: if
// the order of two of them matters, there is a data race, which is found in any order.
//
// Every schedule is fair, whoever chooses it.  A work-item that repeats itself, or has had many
// turns in a row, gives way unless it is chosen.  One that has waited through many turns while
// nothing changed is not chosen before others have changed something or wait like it, and then it
// sees the latest values: "Implementations should make atomic stores visible to atomic loads within
// a reasonable amount of time" (OpenCL API 3.3.6.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "interp/execute/choice.h"
#include "interp/execute/execute.h"
#include "interp/execute/execution_graph.h"
#include "interp/execute/overtaking.h"
#include "interp/launch/deferred_loads.h"
#include "interp/launch/launch.h"

namespace assay::interp {

class Scheduler {
 public:
  // The groups of the workers run at the same time.  `explores`: the run is one of a complete
  // exploration (execution_graph.h).
  Scheduler(LaunchState* launch, std::span<const std::unique_ptr<Worker>> workers,
            ChoiceSource* choices, bool explores);
  ~Scheduler();
  void Run();
  // Of an exploration.
  LaunchExecution Execution();

 private:
  // The operations of a work-item in its last turns.  If it repeats them, it is waiting.
  struct Turn {
    static constexpr std::size_t kLongest = 8;  // operations in a loop

    void Take(std::uint64_t operation, bool changed, bool may_wait);

    std::uint64_t time = 0;
    std::uint64_t changes = 0;  // changes_ after the last one
    std::uint32_t waits = 0;    // turns in which it may have waited, since something changed
    bool idle = false;
    // What it did, the last first; and how often in a row it did what it had done so long before.
    std::array<std::uint64_t, kLongest> past{};
    std::array<std::uint32_t, kLongest> repeats{};
  };
  struct Task {
    Worker* worker = nullptr;
    Worker::Waiting waiting;
    std::uint64_t item = 0;  // group << 32 | linear local id
    Turn* turn = nullptr;
    std::optional<std::size_t> load = std::nullopt;  // it is this one of the deferred loads
  };
  // In lock step, who has the turn of another work-item, too.
  struct Companion {
    std::uint64_t item = 0;  // the other
    Worker::Waiting waiting;
  };

  bool Fill();
  void Collect();
  void CollectKept();
  Task MakeTask(std::size_t worker, const Worker::Waiting& waiting);
  bool Step();
  bool LetGo();
  std::size_t Pick();
  TurnResult Take(const Task& task);

  // Of an exploration (explore.cc).
  std::uint64_t CountMeetings(const Worker& worker) const;
  bool DeferAll();
  bool IsLate(const Task& task) const;
  bool Reads(std::uint32_t block) const;
  std::size_t PickOldest();
  // Nothing: the run is given up.
  std::optional<std::size_t> PickEvent();
  void BeginEvent(const Task& task);
  bool HasWaited(const Task& task) const;

  LaunchState& launch_;
  std::span<const std::unique_ptr<Worker>> workers_;
  ChoiceSource& choices_;
  std::vector<bool> busy_;
  std::vector<std::size_t> by_group_;  // busy workers, in the order of their groups
  std::vector<Task> tasks_;
  std::vector<Companion> companions_;
  // Whether by_group_ and tasks_ hold, but for the workers that went on since then.
  bool keeps_tasks_ = false;
  std::vector<std::size_t> task_counts_;  // of each worker
  std::vector<bool> went_on_;
  std::vector<std::vector<Turn>> turns_;  // of each worker, by linear local id
  std::vector<std::size_t> options_;      // places in tasks_
  std::vector<Worker::Waiting> waiting_;
  std::uint64_t last_item_ = ~std::uint64_t{0};
  std::uint64_t turns_in_row_ = 0;  // of the last item
  std::uint64_t changes_ = 0;       // of memory
  std::uint64_t time_ = 0;
  std::uint64_t idle_steps_ = 0;
  const Overtaking overtaking_;
  DeferredLoads deferred_;
  std::unique_ptr<ExecutionGraph> graph_;      // of an exploration; else null
  std::vector<std::uint32_t> after_meetings_;  // blocks to which work-items come from a barrier
  std::map<std::uint64_t, ExecutionGraph::Load> events_;  // of deferred loads, by number
  bool is_given_up_ = false;
};

}  // namespace assay::interp
