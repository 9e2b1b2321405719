// Golden vectors of a kernel: the content of a job's buffers before and after an exact run, and
// every evaluation of a built-in in which another device may differ, with the answers that it may
// give.
//
// If there are such evaluations, the file does not determine the buffers of another device, because
// a difference within a limit goes on through the kernel.  If there are none, only these buffers
// are right.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/module.h"
#include "interp/job/job.h"
#include "interp/launch/launch.h"

namespace assay::oracle {

inline constexpr std::string_view kGoldenJobSchema = "assay-golden-job/1";

struct GoldenSource {
  std::string path;  // from the job's folder
  std::string sha256;
};

struct GoldenLaunch {
  std::string kernel;
  interp::NdRange range;
  std::array<std::uint64_t, 3> local_size = {1, 1, 1};
  std::vector<interp::MathRecord> math;
};

struct GoldenJob {
  std::string tool, truth, command;
  std::string job;  // the job file, from the golden file's folder
  std::vector<GoldenSource> sources;
  const frontend::Module* module = nullptr;
  std::vector<GoldenLaunch> launches;
  std::vector<interp::JobBuffer> before, after;
  std::string output;  // printf's
};

// As JSON that ends in its SHA-256 (file.h). `threads`: 0 is one per core.
std::string EncodeGoldenJob(const GoldenJob& job, int threads);

// The job file that a content of this schema names; nothing: it is of another schema.
std::optional<std::string> JobOfGolden(std::string_view content);

}  // namespace assay::oracle
