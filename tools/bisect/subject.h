// The launch that is bisected, and jobs of kernels that are made of its kernel.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/run_tool.h"
#include "frontend/module.h"
#include "interp/job/job.h"
#include "tools/bisect/c_kernel.h"
#include "tools/judge/capture.h"
#include "tools/run/options.h"

namespace assay::tools {

class Subject {
 public:
  // A job, or the description of a capture; its launch and module.
  static Expected<Subject> Load(const std::string& path, double seconds,
                                const std::string& max_memory);

  // A job that is there, with the options that it was described by.
  static Expected<Subject> Of(interp::Job job, RunOptions options);

  // All launches of the job, or the one that is kept.
  const interp::Job& job() const { return job_; }
  // The job up to a launch, and that launch alone, with the memory that it had.
  interp::Job First(std::size_t launches) const;
  Expected<void> Keep(std::size_t launch, std::vector<std::vector<std::byte>> memory);

  const interp::JobLaunch& launch() const { return job_.launches[0]; }
  const std::string& kernel() const { return launch().kernel; }
  const frontend::Module& module() const { return *module_; }
  // Build options for assay's compiler, by which it defines what a captured device defines.
  const std::string& macros() const { return macros_; }
  // An expression: the linear number of a work-item in the launch; the reverse.
  std::string Item() const;
  std::array<std::uint64_t, 3> GlobalId(std::uint64_t item) const;
  std::uint64_t Items() const;

  // The launch with another text.  The arguments are those of `parameters`, then `more`, which may
  // use `buffers` by their places behind those of the job.
  Expected<interp::Job> With(const CKernel& kernel, std::vector<interp::JobBuffer> buffers,
                             std::vector<interp::JobArgument> more) const;
  // A job of this text alone.
  Expected<interp::Job> Alone(const std::string& text, std::vector<interp::JobBuffer> buffers,
                              interp::JobLaunch launch) const;

 private:
  explicit Subject(base::TemporaryFolder folder) : folder_(std::move(folder)) {}
  static Expected<Subject> Make(interp::Job job, const RunOptions& options, const Capture* capture);
  Expected<std::string> WriteText(const std::string& text) const;

  base::TemporaryFolder folder_;
  interp::Job job_;
  std::shared_ptr<const frontend::Module> module_;
  std::string build_options_;  // those that are about how to compute
  std::string macros_;
  mutable int texts_ = 0;
};

// A buffer of zeros.
interp::JobBuffer ZeroBuffer(const std::string& name, const std::string& type, std::uint64_t count);
interp::JobArgument ScalarArgument(std::uint64_t value, std::uint32_t bytes);

}  // namespace assay::tools
