#include "oracle/jobs/job_in_child.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "base/in_child.h"
#include "base/limits.h"

namespace assay::oracle {
namespace {

void BeQuiet() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO), ::dup2(nowhere, STDOUT_FILENO);
  ::setenv("POCL_KERNEL_CACHE", "0", 0);
}

std::string Answer(const Expected<JobOutcome>& outcome) {
  base::Packed out;
  out.Add(std::uint64_t{outcome ? 1u : 0u});
  if (!outcome) {
    out.Add(static_cast<std::uint64_t>(outcome.error().kind));
    out.Add(outcome.error().message);
    return out.bytes();
  }
  out.Add(outcome->device);
  out.Add(outcome->driver);
  for (const bool one :
       {outcome->is_embedded, outcome->keeps_subnormal_floats, outcome->keeps_subnormal_halfs}) {
    out.Add(std::uint64_t{one});
  }
  out.Add(std::uint64_t{outcome->buffers.size()});
  for (const auto& bytes : outcome->buffers) out.Add(base::BytesOf(bytes));
  out.Add(std::uint64_t{outcome->left_out.size()});
  for (const LeftOutLaunch& one : outcome->left_out) {
    out.Add(std::uint64_t{one.launch});
    out.Add(one.kernel);
    out.Add(one.why);
  }
  return out.bytes();
}

}  // namespace

Expected<JobOutcome> RunJobInChild(const interp::Job& job, const std::string& platform,
                                   const JobChild& child) {
  const auto budget = base::Budget::Start({.seconds = child.seconds});
  const auto work = [&] {
    if (child.is_quiet) BeQuiet();
    return Answer(RunJobOnOpenCl(job, platform));
  };
  const auto packed = base::InChild(budget, std::string(child.what), work, child.stop);
  if (!packed) return tl::unexpected(packed.error());
  base::Packed in(*packed);
  if (in.Number() == 0) {
    const auto kind = static_cast<ErrorKind>(in.Number());
    return Fail(kind, in.Text());
  }
  JobOutcome outcome;
  outcome.device = in.Text();
  outcome.driver = in.Text();
  outcome.is_embedded = in.Number() != 0;
  outcome.keeps_subnormal_floats = in.Number() != 0;
  outcome.keeps_subnormal_halfs = in.Number() != 0;
  outcome.buffers.resize(in.Number());
  for (auto& bytes : outcome.buffers) bytes = base::ItemsOf<std::byte>(in.Text());
  outcome.left_out.resize(in.Number());
  for (LeftOutLaunch& one : outcome.left_out) {
    one.launch = in.Number();
    one.kernel = in.Text();
    one.why = in.Text();
  }
  return outcome;
}

}  // namespace assay::oracle
