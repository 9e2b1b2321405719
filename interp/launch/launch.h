// Executing kernels: what a host program does, as values.
//
//   Expected<std::unique_ptr<Session>> session = Session::Create(module, options);
//   Expected<Address> buffer = (*session)->memory().Allocate(...);
//   Expected<LaunchResult> result = (*session)->Launch({.kernel = "saxpy", ...});
//
// A launch is a pure function of the module, the memory before it, the arguments and the options:
// its result has the same bits with any number of threads and any batch width, unless the kernel's
// behaviour is undefined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "frontend/module.h"
#include "interp/program/memory.h"
#include "interp/rules/detector.h"
#include "interp/rules/finding.h"
#include "numerics/operation.h"
#include "numerics/rounding.h"

namespace assay::interp {

// The index space of a launch (OpenCL API 3.2.1).
struct NdRange {
  int dimensions = 1;
  std::array<std::uint64_t, 3> global = {1, 1, 1};
  // Nothing: chosen here (see ChooseLocalSize).  The last group of a dimension may be smaller.
  std::optional<std::array<std::uint64_t, 3>> local;
  std::array<std::uint64_t, 3> offset = {0, 0, 0};
};

class DebugHook;

// Arguments of a kernel.
struct BytesArgument {
  std::vector<std::byte> bytes;  // of the parameter's type, in its memory layout
};
struct BufferArgument {
  Address address = 0;  // of an allocation, or inside one; 0 is a null pointer
};
struct LocalArgument {
  std::uint64_t bytes = 0;
};
using Argument = std::variant<BytesArgument, BufferArgument, LocalArgument>;

enum class ParameterKind : std::uint8_t {
  kValue,     // BytesArgument
  kByVal,     // BytesArgument: a structure behind a pointer decorated ByVal
  kGlobal,    // BufferArgument
  kConstant,  // BufferArgument
  kLocal,     // LocalArgument
};

struct ParameterInfo {
  ParameterKind kind = ParameterKind::kValue;
  std::string name;             // "" where the module does not say
  std::string type;             // as frontend::TypeTable::Describe
  std::uint64_t bytes = 0;      // of a BytesArgument
  std::uint64_t alignment = 1;  // that the type of what a pointer points to wants
};

struct KernelInfo {
  std::string name;
  std::vector<ParameterInfo> parameters;
  std::optional<std::array<std::uint32_t, 3>> required_local_size;
};

struct SessionOptions {
  // What is watched for beside memory safety; nothing is paid for the others.
  DetectorSet detectors;
  int batch_width = 64;              // work-items that are executed together: 1 to 64
  std::uint64_t placement_seed = 0;  // at which multiples of their alignment objects begin (Memory)
  numerics::Rounding rounding = numerics::Rounding::kRte;
  // The module was compiled with -cl-unsafe-math-optimizations: pow and its like are undefined in
  // more places (OpenCL C 7.4, table 68), which the module itself does not show.
  bool unsafe_math = false;
  // Before OpenCL 3.1 only atomic operations of the same scope could have an inclusive scope
  // (OpenCL API 3.3.5).
  bool needs_same_scope = false;
  bool flush_to_zero = false;                         // of subnormal operands and results
  bool records_math = false;                          // into LaunchResult::math_records
  std::uint64_t max_memory = std::uint64_t{8} << 30;  // bytes in allocations and for execution
  // Of everything that is done here, the memory of the whole process included: kDevice before a
  // kernel runs, LaunchEnd::kTimeLimit or kMemoryLimit while it does.
  base::Budget budget;
  std::uint32_t max_call_depth = 1024;
  // A kernel that would have more instructions than about these keeps calls
  // (interp/import/call_plan.h). 0: wherever that is possible, for tests.
  std::uint32_t max_expanded = std::uint32_t{1} << 18;
  std::uint64_t max_code = std::uint64_t{1} << 22;  // instructions after calls are expanded
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

struct LaunchRequest {
  std::string kernel;
  NdRange range;
  std::vector<Argument> arguments;
  LaunchOptions options;
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

struct LaunchResult {
  LaunchEnd end = LaunchEnd::kCompleted;
  std::string message;             // a sentence where it did not complete
  std::vector<Finding> findings;   // in the order of work-groups
  std::string output;              // printf's
  std::uint64_t instructions = 0;  // of SPIR-V, over all work-items
  // By opcode, if asked for: "OpIAdd", "OpExtInst sin".
  std::map<std::string, std::uint64_t> instruction_counts;
  double cpu_seconds = 0;                               // of all threads
  std::array<std::uint64_t, 3> local_size = {1, 1, 1};  // that was used
  int threads = 1;                                      // that were used
  bool has_conflicts = false;   // under detectors: threads' groups met; found out by running again
  std::vector<Choice> choices;  // if asked for
  std::vector<MathRecord> math_records;  // by work-item, each one's in its order
};

// A module with its program-scope variables in a memory of its own.
class Session {
 public:
  // kUsage for a module that cannot be executed.  What a kernel needs that is not executed is told
  // where the kernel is asked for.
  static Expected<std::unique_ptr<Session>> Create(std::shared_ptr<const frontend::Module> module,
                                                   const SessionOptions& options = {});
  ~Session();

  const frontend::Module& module() const;
  Memory& memory();
  std::vector<std::string> KernelNames() const;
  // kUsage, with the kernels that there are, for a name that is not there; kUnsupported, by name,
  // for a kernel that needs what is not executed.
  Expected<KernelInfo> FindKernel(std::string_view name) const;
  // Whether the kernel can be executed: the error that a launch of it would give, whatever its
  // arguments are.
  Expected<void> CheckKernel(std::string_view name) const;
  // kUsage for arguments or an index space that do not fit the kernel.
  Expected<LaunchResult> Launch(const LaunchRequest& request);

  struct State;

 private:
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The work-group size where the caller leaves it open: it divides the index space where that gives
// groups of a useful size, and is a multiple of the batch width otherwise.
std::array<std::uint64_t, 3> ChooseLocalSize(const NdRange& range);

}  // namespace assay::interp
