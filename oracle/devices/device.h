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
#include <vector>

#include "base/expected.h"
#include "numerics/evaluate.h"
#include "numerics/operation.h"
#include "oracle/inputs/column.h"
#include "oracle/judge/device_description.h"
#include "oracle/judge/limits.h"

namespace assay::oracle {

// One function at one format, in every vector width asked for: one program on an OpenCL device.
struct TaskSpec {
  numerics::Operation operation;
  std::vector<int> widths = {1};  // of 1, 2, 3, 4, 8, 16; geometric functions: {1}
  MathMode math = MathMode::kDefault;
  std::string build_options;  // appended to what the math mode asks for
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceDescription& Description() const = 0;

  // Makes the device ready for one task (compiles its kernels); replaces the previous task.
  // kUnsupported: it has no such function or format.  kDevice: the build failed; the message
  // carries the build log.
  virtual Expected<void> Prepare(const TaskSpec& task) = 0;

  // Answers `count` items in one of the task's widths.  A vector of width w holds items
  // i*w .. i*w+w-1; the last vector may be partial and is padded by the device.  The outputs hold
  // poison on entry (see Column).  Where the device has memory of its own it puts guard zones
  // before and behind each result there, and a guard that was written is kDevice.
  virtual Expected<void> Run(int width, std::span<const numerics::ConstColumn> inputs,
                             std::span<const Column> outputs, std::size_t count) = 0;
  // The same, where what was asked before is asked once more to see what comes: a recording does
  // not keep it.
  virtual Expected<void> RunAgain(int width, std::span<const numerics::ConstColumn> inputs,
                                  std::span<const Column> outputs, std::size_t count) {
    return Run(width, inputs, outputs, count);
  }

  // No more is asked of the task.  kDevice: it said something that nobody asked for, and which of
  // its words were answers cannot be told.
  virtual Expected<void> EndTask() { return {}; }

  // What the device did beside answering since the last call, a sentence each without the
  // function's name: "changes the floating-point environment: flush-to-zero".  Reports repeat them.
  virtual std::vector<std::string> TakeNotes() { return {}; }

  // The widths in which it can be asked for an operation (a recording may have fewer for one).
  virtual std::vector<int> WidthsFor(const numerics::Operation&) const {
    return Description().widths;
  }

  // A recording knows its own inputs: the columns of the prepared task and their number.
  virtual std::optional<std::size_t> RecordedCount() const { return std::nullopt; }
  virtual Expected<void> RecordedInputs(std::span<const Column>) const { return {}; }

  // What a reader of all its verdicts should know, a sentence each: a recording without a seal.
  virtual std::vector<std::string> Caveats() const { return {}; }
  // After the last Run: what it keeps (a recording) is whole only once this succeeded.
  virtual Expected<void> Finish() { return {}; }
};

// Factories; each fails with a message that names the remedy.

// `selector`: "PLATFORM[:INDEX]", a case-insensitive substring of the platform's name; empty: the
// first platform that has a device.  In-process: a crash of the driver is a crash here.
// `one_program_a_task`: neighbouring tasks share no program, for drivers that die over one of them.
Expected<std::unique_ptr<Device>> OpenOpenCl(const std::string& selector,
                                             bool one_program_a_task = false);
// A shared object with the C names: sinf, sin, ...  `rounding` is set in the host around calls.
Expected<std::unique_ptr<Device>> OpenLibrary(const std::string& path, numerics::Rounding rounding);

// assay's own interpreter.  `rounding`: the mode that everything without one of its own rounds in.
Expected<std::unique_ptr<Device>> OpenInterpreter(numerics::Rounding rounding);

// How long a device in a child process may stay silent, in seconds, before it is ended: while it
// starts or prepares a task, and while it answers.  `stop`: set when the run is interrupted; the
// device is then given a moment to finish what it is at.
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

// `assay serve ARGS...` in a child process with shared memory for the columns: what `validate`
// uses for OpenCL and for libraries.  A child that dies or stays silent for too long gives kDevice
// and is started again at the next Prepare.
Expected<std::unique_ptr<Device>> OpenServed(const std::vector<std::string>& serve_args,
                                             const Patience& patience,
                                             const std::string& executable = "/proc/self/exe");
// The other side: serves `device` on two file descriptors until the parent closes them.
Expected<void> Serve(Device& device, int in_fd, int out_fd);
// Where the device cannot be opened: tells the parent why.
Expected<void> ServeFailure(const Error& error, int out_fd);
// Takes stdin and stdout for the protocol: what a driver prints goes to stderr from here on.  To be
// called before anything is opened.
struct ServeDescriptors {
  int in = -1;
  int out = -1;
};
Expected<ServeDescriptors> TakeServeDescriptors();

}  // namespace assay::oracle
