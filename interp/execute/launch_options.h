// The options of a launch beside its kernel and arguments, and the ways in which it can end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "numerics/operation.h"

namespace assay::interp {

class DebugHook;

// The index space of a launch (OpenCL API 3.2.1).
struct NdRange {
  int dimensions = 1;
  std::array<std::uint64_t, 3> global = {1, 1, 1};
  // Nothing: ChooseLocalSize chooses it.  The last group of a dimension may be smaller.
  std::optional<std::array<std::uint64_t, 3>> local;
  std::array<std::uint64_t, 3> offset = {0, 0, 0};
};

// The work-group size if the caller gives none.  It divides the index space if that gives groups of
// a useful size; otherwise it is a multiple of the batch width.
std::array<std::uint64_t, 3> ChooseLocalSize(const NdRange& range);
// Who makes progress while others spin (OpenCL API 3.2.2).
enum class ForwardProgress : std::uint8_t {
  kUnstated,   // everyone does, and what counts on it is told (item-progress)
  kNone,       // neither the work-items of a sub-group nor the sub-groups of a work-group
  kSubgroup,   // the sub-groups of a work-group, each in lock step
  kWorkItem,   // everyone
  kWorkGroup,  // everyone, and work-groups run at the same time
};
// "none", "sub-group", "work-item", "work-group"; "" if it is not stated.
std::string_view ForwardProgressName(ForwardProgress progress);
std::optional<ForwardProgress> ForwardProgressFromName(std::string_view name);

// One answer of the choice source.
struct Choice {
  std::uint32_t options = 1;  // number of possible answers
  std::uint32_t chosen = 0;
  bool operator==(const Choice&) const = default;
};

// One evaluation of a built-in or operator whose result may differ on another device (OpenCL C
// 7.4).
struct MathRecord {
  numerics::Operation operation;
  std::uint32_t instruction = 0;  // place in Module::instructions
  std::uint64_t group = 0;        // linear
  std::uint64_t item = 0;         // linear local id
  std::vector<numerics::Bits> args;
  std::vector<numerics::Bits> results;
};

struct LaunchProgress {
  std::uint64_t instructions = 0;  // executed
  std::uint64_t groups_begun = 0;
  std::uint64_t groups = 0;
};

struct LaunchOptions {
  int threads = 0;  // 0: one a core
  // Seed of the choice source: it decides how undefined values read and, if it is not 0, in which
  // order work-items take turns and which values relaxed loads read.
  std::uint64_t seed = 0;
  ForwardProgress forward_progress = ForwardProgress::kUnstated;
  // The first choices, before those of the seed: to repeat a recorded run, or for one run of a
  // systematic search.  If there are any, work-items take turns as with a seed.
  std::vector<std::uint32_t> choices;
  bool record_choices = false;         // into LaunchResult::choices
  std::uint64_t max_instructions = 0;  // over all work-items; 0: no limit
  double timeout_seconds = 0;          // 0: none
  std::size_t max_findings = 100;      // distinct findings; the run ends when there are more
  std::size_t max_math_records = std::size_t{1} << 18;  // per launch; more end it with kMemoryLimit
  bool count_instructions = false;
  // Threads of the host may execute atomic operations on the same memory while the launch runs
  // (OpenCL API, CL_MEM_SVM_ATOMICS).
  bool has_host_atomics = false;
  // Threads of the host may access memory of the kernel's arguments while the launch runs: what it
  // changed cannot be put back, to begin again, without losing what they changed.
  bool is_shared = false;
  // Commands that a device queue holds; 0: there is no default queue.
  std::uint32_t device_queue_size = 16384;
  // ... that queues 1, 2, ... hold; others hold as many as the default queue does.
  std::vector<std::uint32_t> queue_sizes;
  std::uint32_t max_children = 65536;  // kernels that are enqueued by a launch and its children
  // For tests: if it is not 0, it decides which thread gets which work-groups, and the threads run
  // one after the other.  So the effect of threads on a result is reproducible.
  std::uint64_t deal = 0;
  // Receives pieces of printf's output in the order of work-groups; if empty, the output is kept in
  // LaunchResult::output.
  std::function<void(std::string_view)> output;
  // Called now and then; the run ends when it returns true.
  std::function<bool()> should_stop;
  // Called now and then, by any thread that executes the kernel, with the progress of the launch.
  std::function<void(const LaunchProgress&)> progress;
  // If it is set, a program lowered for a debugger is executed, one work-item at a time, and
  // reports to it.
  DebugHook* debug = nullptr;
};

enum class LaunchEnd : std::uint8_t {
  kCompleted,
  kInstructionLimit,
  kTimeLimit,
  kMemoryLimit,
  kStopped,  // should_stop returned true
  kFindingLimit,
  kDeadlock,  // work-items wait for an event that cannot happen
};
std::string_view LaunchEndName(LaunchEnd end);  // "completed", "instruction-limit", ...

}  // namespace assay::interp
