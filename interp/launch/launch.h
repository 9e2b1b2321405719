// Executes kernels: the operations of a host program, as values.
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
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/expected.h"
#include "frontend/module.h"
#include "interp/execute/accessed_bytes.h"
#include "interp/execute/launch_options.h"
#include "interp/lower/session_options.h"
#include "interp/program/image.h"
#include "interp/program/memory.h"
#include "interp/rules/finding.h"

namespace assay::interp {

struct EnvelopeRecord;

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
struct ImageArgument {
  Address address = 0;  // ImageBytes(image) bytes that begin there are the image
  ImageDescriptor image;
};
struct SamplerArgument {
  SamplerDescriptor sampler;
};
// A device queue that the host created: 0 is the default one.
struct QueueArgument {
  std::uint32_t queue = 0;
};
struct PipeArgument {
  Address address = 0;  // of a pipe (interp/program/pipe_object.h)
};
using Argument = std::variant<BytesArgument, BufferArgument, LocalArgument, ImageArgument,
                              SamplerArgument, QueueArgument, PipeArgument>;

enum class ParameterKind : std::uint8_t {
  kValue,     // BytesArgument
  kByVal,     // BytesArgument: a structure behind a pointer decorated ByVal
  kGlobal,    // BufferArgument
  kConstant,  // BufferArgument
  kLocal,     // LocalArgument
  kImage,     // ImageArgument
  kSampler,   // SamplerArgument
  kQueue,     // QueueArgument, or a null BufferArgument: CLK_NULL_QUEUE
  kPipe,      // PipeArgument
};

struct ParameterInfo {
  ParameterKind kind = ParameterKind::kValue;
  std::string name;             // "" if the module has no name for it
  std::string type;             // as frontend::TypeTable::Describe
  std::uint64_t bytes = 0;      // of a BytesArgument
  std::uint64_t alignment = 1;  // that the pointed-to type requires
  ImageType image;              // of an ImageArgument
};

struct KernelInfo {
  std::string name;
  std::vector<ParameterInfo> parameters;
  std::optional<std::array<std::uint32_t, 3>> required_local_size;
  std::optional<std::uint32_t> required_subgroups;  // in a work-group: SubgroupsPerWorkgroup
  std::optional<std::uint32_t> required_subgroup_size;
};

struct LaunchRequest {
  std::string kernel;
  NdRange range;
  std::vector<Argument> arguments;
  LaunchOptions options;
  // With the race detector: which bytes of its arguments the launch accessed, and of the objects at
  // these addresses, into LaunchResult::accesses.
  bool keep_accesses = false;
  std::vector<Address> also_reached;
  // The run is one of a complete exploration: its choices are those of execution_graph.h, and
  // LaunchResult::execution says what it came to.
  bool explores = false;
};

// What a run of a complete exploration executed.
struct LaunchExecution {
  // Another run has the same execution, or has it without a round of a loop that waits: this one
  // was ended, and what it came to says nothing.
  bool is_given_up = false;
  std::vector<std::uint64_t> signature;  // two executions are the same if these are
  // Work-items whose loops had gone round without a change went on, in one order of all possible
  // ones.
  bool went_on_waiting = false;
};

struct LaunchResult {
  LaunchEnd end = LaunchEnd::kCompleted;
  std::string message;             // a sentence, if the launch did not complete
  std::vector<Finding> findings;   // in the order of work-groups
  std::string output;              // printf's
  std::uint64_t instructions = 0;  // of SPIR-V, over all work-items
  // By opcode, if asked for: "OpIAdd", "OpExtInst sin".
  std::map<std::string, std::uint64_t> instruction_counts;
  double cpu_seconds = 0;                               // of all threads
  std::array<std::uint64_t, 3> local_size = {1, 1, 1};  // that was used
  int threads = 1;                                      // that were used
  bool has_conflicts =
      false;  // with detectors: groups on different threads conflicted; found by a second run
  std::vector<Choice> choices;  // if asked for
  // Of a LaunchRequest that explores; nothing: the kernel is none that can be explored completely.
  std::optional<LaunchExecution> execution;
  // If asked for; not those of kernels that it enqueued, nor atomic ones.
  std::vector<AccessedBytes> accesses;
  std::vector<MathRecord> math_records;  // by work-item, each in program order
};

// A module with its own memory, which has the program-scope variables.
class Session {
 public:
  // kUsage for a module that cannot be executed.  If a kernel needs a feature that is not executed,
  // the error comes when the kernel is requested.
  static Expected<std::unique_ptr<Session>> Create(std::shared_ptr<const frontend::Module> module,
                                                   const SessionOptions& options = {});
  // Among the objects of a memory that sessions share, as the programs of a context do.  Only one
  // of them may launch or be made or ended at a time.
  static Expected<std::unique_ptr<Session>> CreateIn(std::shared_ptr<Memory> memory,
                                                     std::shared_ptr<const frontend::Module> module,
                                                     const SessionOptions& options = {});
  ~Session();

  const frontend::Module& module() const;
  Memory& memory();
  // With SessionOptions::envelope, after launches: what other devices may have left of the object
  // at the address (null: what the run left), and whether the path of a work-item was open.
  const EnvelopeRecord* EnvelopeOf(Address address) const;
  bool IsUndecided() const;
  std::vector<std::string> KernelNames() const;
  // Of a program-scope variable in global or constant memory; empty for any other id.  Not while a
  // kernel runs.
  std::span<std::byte> VariableBytes(frontend::Id variable);
  // kUsage, with the names of the kernels, for an unknown name; kUnsupported for a kernel that
  // needs a feature that is not executed.
  Expected<KernelInfo> FindKernel(std::string_view name) const;
  // Whether the kernel can be executed: the error that every launch of it would return, independent
  // of its arguments.
  Expected<void> CheckKernel(std::string_view name) const;
  // kUsage for arguments or an index space that do not fit the kernel.
  Expected<LaunchResult> Launch(const LaunchRequest& request);

  struct State;

 private:
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace assay::interp
