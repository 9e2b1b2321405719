// Programs and kernels.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "driver/objects/memory.h"
#include "driver/objects/queue.h"
#include "driver/report/finding.h"
#include "frontend/kernel_info.h"
#include "frontend/module.h"
#include "interp/launch/launch.h"

namespace assay::driver {

// What a build made: kernels that can be launched.  Immutable but for its session.
class Executable {
 public:
  // Describes the kernels of a module; the error is the build's.
  static Expected<std::shared_ptr<Executable>> Make(std::shared_ptr<const frontend::Module> module,
                                                    std::weak_ptr<interp::Memory> memory);
  ~Executable();

  struct KernelEntry {
    interp::KernelInfo info;
    frontend::KernelInfo declaration;  // as it is written
    std::string refusal;               // why it cannot be executed here; "" if it can
    bool uses_default_queue = false;   // it or what it enqueues calls get_default_queue
    // MaxWorkgroupSizeINTEL: of each dimension.
    std::optional<std::array<std::uint32_t, 3>> max_local_size = {};
  };

  std::shared_ptr<const frontend::Module> module;
  std::string name;                         // of the program: "program 3"
  std::vector<ProgramSource> sources;       // what it was compiled from, for findings
  std::vector<frontend::Word> words;        // the module
  frontend::Specialization specialization;  // that it was built with
  std::map<std::string, KernelEntry> kernels;
  std::uint64_t global_bytes = 0;  // of program-scope variables
  std::uint64_t local_bytes = 0;   // of local variables of all kernels
  // All work-groups have the same size: OpenCL C 1.x, or -cl-uniform-work-group-size.
  bool needs_uniform_groups = false;
  bool unsafe_math = false;            // -cl-unsafe-math-optimizations, -cl-fast-relaxed-math
  std::uint32_t SubgroupSize() const;  // of kernels that require none

  // In the context's memory.  For the thread that executes a command.
  Expected<interp::Session*> OpenSession();

 private:
  std::weak_ptr<interp::Memory> memory_;
  std::shared_ptr<std::unique_ptr<interp::Session>> session_ =
      std::make_shared<std::unique_ptr<interp::Session>>();
};

enum class ProgramOrigin : std::uint8_t { kSource, kIl, kBinary, kLinked, kBuiltIn };

class Program : public Object {
 public:
  static constexpr Kind kKind = Kind::kProgram;
  Program(Context* in, ProgramOrigin from);
  ~Program() override;

  Ref<Context> context;
  ProgramOrigin origin;
  std::vector<Ref<Device>> devices;
  std::string source;                        // of all strings together
  std::vector<ProgramSource> compiled_from;  // with headers; of a linked program, of all its parts
  std::vector<std::byte> il;                 // as given
  std::map<cl_uint, std::vector<std::byte>> specialization;
  // The result of the last build, compilation or link.
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string options;
  bool has_argument_info =
      true;  // for clGetKernelArgInfo; of a linked program: all its parts have it
  std::string log;
  std::vector<frontend::Word> words;  // SPIR-V: compiled, a library, or an executable
  std::shared_ptr<Executable> executable;
  std::uint32_t kernels = 0;  // kernel objects of it
};

struct LocalSize {
  std::uint64_t bytes = 0;
};
struct SvmPointer {
  std::uint64_t address = 0;
};
// A kernel's argument, as it was set.
using KernelArgument = std::variant<std::monostate, std::vector<std::byte>, LocalSize, SvmPointer,
                                    Weak<Memory>, Weak<Sampler>, Weak<Queue>>;

// What calls set of a kernel.
struct KernelState {
  std::vector<KernelArgument> arguments;  // one a parameter
  // clSetKernelExecInfo: CL_KERNEL_EXEC_INFO_SVM_PTRS, _USM_PTRS_INTEL, _DEVICE_PTRS_EXT and
  // _SVM_INDIRECT_ACCESS_KHR.
  std::vector<void*> svm_pointers;
  std::vector<void*> usm_pointers;
  std::vector<cl_ulong> device_pointers;
  bool reaches_all_svm = false;
  // CL_KERNEL_EXEC_INFO_INDIRECT_*_ACCESS_INTEL: a bit for each SvmType.
  std::uint32_t reached_usm_types = 0;
};

class Kernel : public Object, public KernelState {
 public:
  static constexpr Kind kKind = Kind::kKernel;
  Kernel(Program* of, std::shared_ptr<Executable> built, std::string name);
  ~Kernel() override;

  const interp::KernelInfo& info() const { return executable->kernels.at(name).info; }

  Ref<Program> program;
  std::shared_ptr<Executable> executable;
  std::string name;
};

// A name for messages and debug information: "program-1f2e3d4c.cl" by its text, so that the same
// text has the same name in every run.
std::string NameOfSource(const std::string& source);

// How many launches were enqueued in this process.
std::uint64_t LaunchCount();

// The kernel with its arguments as they are now, for a range that was checked: fills the
// submission's work, what it uses, and what is done when it is enqueued.
void PrepareLaunch(Kernel* kernel, Queue* queue, const interp::NdRange& range,
                   Submission* submission);

}  // namespace assay::driver
