// A device under test: it computes built-ins and answers with bits.
//
// Implementations: OpenCL through the ICD loader, a C math library, a process on a pipe, a file of
// recorded answers, the interpreter, and (device_process) one of the first two in a child process,
// so that a driver that crashes or hangs does not end the run.  The sweep does not know the
// implementations.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/evaluate.h"
#include "numerics/operation.h"
#include "oracle/devices/library_names.h"
#include "oracle/inputs/column.h"
#include "oracle/judge/device_description.h"
#include "oracle/judge/limits.h"

namespace assay::oracle {

// One function in one format, in every requested vector width: one program on an OpenCL device.
struct TaskSpec {
  numerics::Operation operation;
  std::vector<int> widths = {1};  // of 1, 2, 3, 4, 8, 16; geometric functions: {1}
  MathMode math = MathMode::kDefault;
  std::string build_options;  // appended to the options of the math mode
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceDescription& Description() const = 0;

  // Makes the device ready for one task (compiles its kernels); replaces the previous task.
  // kUnsupported: it has no such function or format.  kDevice: the build failed; the message
  // carries the build log.
  virtual Expected<void> Prepare(const TaskSpec& task) = 0;

  // Answers `count` items in one of the task's widths.  A vector of width w holds items i*w ..
  // i*w+w-1; the last vector may be partial and is padded by the device.  The outputs hold poison
  // on entry (see Column). A device with its own memory puts guard zones before and behind each
  // result there; a changed guard zone is kDevice.
  virtual Expected<void> Run(int width, std::span<const numerics::ConstColumn> inputs,
                             std::span<const Column> outputs, std::size_t count) = 0;
  // The same for a repeated request, to compare the answers; a recording does not keep it.
  virtual Expected<void> RunAgain(int width, std::span<const numerics::ConstColumn> inputs,
                                  std::span<const Column> outputs, std::size_t count) {
    return Run(width, inputs, outputs, count);
  }

  // Ends the task.  kDevice: the device sent data without a request, so it is unknown which data
  // were answers.
  virtual Expected<void> EndTask() { return {}; }

  // Side effects of the device since the last call, one sentence each, without the function's name:
  // "changes the floating-point environment: flush-to-zero". Reports repeat them.
  virtual std::vector<std::string> TakeNotes() { return {}; }

  // The widths in which an operation can be requested (a recording may have fewer for some
  // operations).
  virtual std::vector<int> WidthsFor(const numerics::Operation&) const {
    return Description().widths;
  }

  // A recording knows its own inputs: the columns of the prepared task and their number.
  virtual std::optional<std::size_t> RecordedCount() const { return std::nullopt; }
  virtual Expected<void> RecordedInputs(std::span<const Column>) const { return {}; }

  // Warnings about all verdicts of the device, one sentence each: a recording without a seal.
  virtual std::vector<std::string> Caveats() const { return {}; }
  // Called after the last Run.  Files of the device (a recording) are complete only after this has
  // succeeded.
  virtual Expected<void> Finish() { return {}; }
};

// How an OpenCL device is given programs.
enum class ProgramForm : std::uint8_t {
  kSource,  // OpenCL C, by clCreateProgramWithSource
  kSpirv,   // SPIR-V, by clCreateProgramWithIL
};
// "source", "spirv": as on the command line.
std::string_view ProgramFormName(ProgramForm form);
std::optional<ProgramForm> ProgramFormFromName(std::string_view name);

struct OpenClOptions {
  // Neighbouring tasks share no program, for drivers that die over one of them.
  bool one_program_a_task = false;
  // Nothing: source, or SPIR-V where the device declares no compiler and takes SPIR-V.
  std::optional<ProgramForm> program;
};

// Factories; each fails with a message that names the remedy.

// `selector`: "PLATFORM[:INDEX]", a case-insensitive substring of the platform's name; empty: the
// first platform that has a device.  In-process: a crash of the driver is a crash here.
Expected<std::unique_ptr<Device>> OpenOpenCl(const std::string& selector,
                                             const OpenClOptions& options = {});
// A shared object with the C names, or `names`: sinf, sin, ...  `rounding` is set in the host
// around calls.
Expected<std::unique_ptr<Device>> OpenLibrary(const std::string& path, numerics::Rounding rounding,
                                              const SymbolNames& names = {});

// How long a device in a child process may stay silent, in seconds, before it is ended: while it
// starts or prepares a task, and while it answers.  `stop`: set when the run is interrupted; the
// device then has a moment to finish its request.
struct Patience {
  double prepare_seconds = 120;
  double answer_seconds = 120;
  const std::atomic<bool>* stop = nullptr;

  static Patience Of(double seconds) {
    return {.prepare_seconds = seconds, .answer_seconds = seconds};
  }
};
// A child process that speaks docs/pipe-protocol.md on its stdin and stdout.
Expected<std::unique_ptr<Device>> OpenPipe(const std::string& command, const Patience& patience);
Expected<std::unique_ptr<Device>> OpenRecorded(const std::string& path);

// Runs `assay serve ARGS...` in a child process, with shared memory for the columns.  `validate`
// uses it for OpenCL, for libraries and for the interpreter, which assay-run serves.  A child that
// dies or stays silent for too long gives kDevice and is started again at the next Prepare.
Expected<std::unique_ptr<Device>> OpenServed(const std::vector<std::string>& serve_args,
                                             const Patience& patience,
                                             const std::string& executable = "/proc/self/exe");
// The other side: serves `device` on two file descriptors until the parent closes them.
Expected<void> Serve(Device& device, int in_fd, int out_fd);
// Reports to the parent why the device cannot be opened.
Expected<void> ServeFailure(const Error& error, int out_fd);
// Reserves stdin and stdout for the protocol: from here on, output of a driver goes to stderr.
// Must be called before anything is opened.
struct ServeDescriptors {
  int in = -1;
  int out = -1;
};
Expected<ServeDescriptors> TakeServeDescriptors();

}  // namespace assay::oracle
