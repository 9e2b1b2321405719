// Runs the work-groups of a launch in turns on one thread, in the order that a choice source gives.
//
// A work-item runs until it returns or waits.  Turns change only at operations whose order other
// work-items can observe: atomic operations, printf and barriers.  Plain accesses need no turns: if
// the order of two of them matters, there is a data race, which is found in any order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "interp/execute/choice.h"
#include "interp/execute/execute.h"

namespace assay::interp {

class Scheduler {
 public:
  // The groups of the workers run at the same time.
  Scheduler(LaunchState* launch, std::span<const std::unique_ptr<Worker>> workers,
            ChoiceSource* choices);
  void Run();

 private:
  struct Task {
    Worker* worker = nullptr;
    Worker::Waiting waiting;
    std::uint64_t item = 0;               // group << 32 | linear local id
    std::vector<Worker::Waiting> others;  // who have the turn, too
  };
  // The operation of a work-item in its last turn.  If it repeats the same one, it is waiting.
  struct Turn {
    std::uint32_t block = 0xffffffff;
    std::uint64_t result = 0;
    std::uint64_t time = 0;
    bool idle = false;
  };

  bool Fill();
  void Collect();
  bool Step();
  bool LetGo();
  std::size_t Pick();

  LaunchState& launch_;
  std::span<const std::unique_ptr<Worker>> workers_;
  ChoiceSource& choices_;
  std::vector<bool> busy_;
  std::vector<Task> tasks_;
  std::unordered_map<std::uint64_t, Turn> turns_;
  std::uint64_t last_item_ = ~std::uint64_t{0};
  std::uint64_t time_ = 0;
  std::uint64_t idle_steps_ = 0;
};

}  // namespace assay::interp
