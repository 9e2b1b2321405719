// A job on the interpreter, in this process: what a test compares with what the job expects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/expected.h"
#include "frontend/module.h"
#include "interp/job/job.h"
#include "interp/launch/launch.h"
#include "interp/rules/finding.h"

namespace assay::testsuites {

struct InterpreterOutcome {
  std::vector<std::vector<std::byte>> buffers;  // as Job::buffers, after the last launch
  std::vector<interp::Finding> findings;        // of all launches
  std::string output;                           // printf's
  // By opcode, if launch_options asks for them.
  std::map<std::string, std::uint64_t> instruction_counts;
  // The first launch that did not complete, in words; empty where all did.
  std::string stopped;
};

// Runs the job's launches in order in a session of their own.
Expected<InterpreterOutcome> RunJob(const interp::Job& job,
                                    const std::shared_ptr<const frontend::Module>& module,
                                    const interp::SessionOptions& session_options,
                                    const interp::LaunchOptions& launch_options);

}  // namespace assay::testsuites
