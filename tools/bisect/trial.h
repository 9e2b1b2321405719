// One kernel, executed by the interpreter and by an OpenCL driver, and compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/expected.h"
#include "interp/envelope/memory_envelope.h"
#include "interp/job/job.h"
#include "tools/run/report.h"

namespace assay::tools {

// A value that conforming devices do not have.
struct Violation {
  std::size_t buffer = 0;  // of the job
  interp::OpenScalar scalar;
  std::string text;  // "[3] is 0.5 (0x3f000000), allowed is 0.7 (...) to 0.71 (...), 7 steps"
};

struct TrialOutcome {
  std::vector<std::vector<std::byte>> observed;  // by buffer of the job
  std::vector<interp::HostBytes> expected;
  // Of an exact run with detectors: a 1 for each undefined bit; nothing where all is defined.
  std::vector<std::vector<std::byte>> undefined;
  std::map<std::size_t, interp::EnvelopeRecord> records;  // of an envelope run, if there was one
  std::vector<Violation> violations;                      // the first of each buffer
  std::vector<std::string> findings;                      // of the detectors, where they were on
  bool is_undecided = false;   // a value that may differ decides where the kernel goes
  std::string open;            // why violations are no faults; "": they are
  std::uint64_t unknown = 0;   // values that differ, and of which nothing is known
  bool images_differ = false;  // images cannot be compared
  // Why no violation does not mean that all is allowed; "": it does.
  std::string Doubt() const;
};

// The bytes of one buffer that count; all others do not.
struct Focus {
  std::string buffer;
  std::uint64_t first = 0, end = 0;
};

// What is the same for all trials.  Each run of the driver is a process of its own.
class Trials {
 public:
  // Once g_interrupted is set, all of them fail.
  Trials(std::string platform, double seconds, std::string max_memory)
      : platform_(std::move(platform)), seconds_(seconds), max_memory_(std::move(max_memory)) {}

  // The content of the buffers after the job on the driver.
  Expected<std::vector<std::vector<std::byte>>> Drive(const interp::Job& job);
  // Both; with the detectors the kernel is executed once more.
  Expected<TrialOutcome> Run(const interp::Job& job, bool with_detectors,
                             const Focus* focus = nullptr);
  // By the interpreter alone: its buffers.
  Expected<std::vector<interp::HostBytes>> Interpret(const interp::Job& job);

  // Jobs that execute far more instructions than those before fail: a kernel without a statement
  // may have no end.
  void LimitInstructions() { max_instructions_ = 4 * most_instructions_ + 100000; }

  // Build options for jobs of a file, which assay's compiler needs and the driver does not.
  void Define(const std::string& macros) { macros_ = macros; }

  // Of the device, once Drive was called.
  const std::string& device() const { return device_; }
  const std::string& driver() const { return driver_; }
  int runs() const { return runs_; }  // of the driver

 private:
  Expected<RunReport> Execute(const interp::Job& given, bool with_detectors, bool with_envelope,
                              std::map<std::size_t, interp::EnvelopeRecord>* records,
                              std::vector<std::vector<std::byte>>* undefined);

  std::string platform_;
  double seconds_;
  std::string max_memory_;
  std::string device_, driver_, macros_;
  interp::EnvelopeOptions envelope_;
  int runs_ = 0;
  std::uint64_t most_instructions_ = 0, max_instructions_ = 0;
};

}  // namespace assay::tools
