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
  // Nothing: chosen here (see ChooseLocalSize).  The last group of a dimension may be smaller.
  std::optional<std::array<std::uint64_t, 3>> local;
  std::array<std::uint64_t, 3> offset = {0, 0, 0};
};

// One answer of the choice source: which of several ways a run went.
struct Choice {
  std::uint32_t options = 1;  // how many there were
  std::uint32_t chosen = 0;
  bool operator==(const Choice&) const = default;
};

// One evaluation of a built-in or operator that may err on another device (OpenCL C 7.4).
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
  // Of the choice source: what undefined values read as and, if it is not 0, in which order
  // work-items take their turns and which values relaxed loads see.
  std::uint64_t seed = 0;
  // Choices to make first, before the seed's: a recorded run again, or one of a systematic search.
  // Where there are some, work-items take turns as with a seed.
  std::vector<std::uint32_t> choices;
  bool record_choices = false;         // into LaunchResult::choices
  std::uint64_t max_instructions = 0;  // over all work-items; 0: no limit
  double timeout_seconds = 0;          // 0: none
  std::size_t max_findings = 100;      // distinct ones; the run ends when there are more
  std::size_t max_math_records = std::size_t{1} << 18;  // of a launch: kMemoryLimit beyond
  bool count_instructions = false;
  // For tests: if it is not 0 it says which thread gets which work-groups, and one thread's come
  // after another's, so that what threads can do to a result is a function of it.
  std::uint64_t deal = 0;
  // Pieces of printf's output in the order of work-groups; nothing: kept in LaunchResult::output.
  std::function<void(std::string_view)> output;
  // Asked now and then; the run ends when it says true.
  std::function<bool()> should_stop;
  // Told now and then, by any thread that executes the kernel, how far the launch is.
  std::function<void(const LaunchProgress&)> progress;
  // Runs a program that is lowered for a debugger, work-item by work-item, and tells it.
  DebugHook* debug = nullptr;
};

enum class LaunchEnd : std::uint8_t {
  kCompleted,
  kInstructionLimit,
  kTimeLimit,
  kMemoryLimit,
  kStopped,  // should_stop said so
  kFindingLimit,
  kDeadlock,  // work-items wait for what cannot happen
};
std::string_view LaunchEndName(LaunchEnd end);  // "completed", "instruction-limit", ...

}  // namespace assay::interp
