#include "tools/hunt/driver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "base/in_child.h"
#include "base/limits.h"
#include "oracle/jobs/job_on_opencl.h"
#include "tools/hunt/execute.h"
#include "tools/hunt/program_job.h"

namespace assay::tools {

Expected<DriverAnswer> RunOnDriver(const interp::Job& job, const std::string& platform,
                                   double timeout) {
  const auto budget = base::Budget::Start({.seconds = timeout});
  const auto packed = base::InChild(budget, "a program on the driver", [&] {
    // Its compiler's warnings are about text that nobody wrote.
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO), ::dup2(nowhere, STDOUT_FILENO);
    // PoCL keeps what it compiles; none of this comes again.
    ::setenv("POCL_KERNEL_CACHE", "0", 0);
    base::Packed out;
    const auto outcome = oracle::RunJobOnOpenCl(job, platform);
    out.Add(std::uint64_t{outcome ? 1u : 0u});
    if (!outcome) {
      out.Add(static_cast<std::uint64_t>(outcome.error().kind));
      out.Add(outcome.error().message);
      return out.bytes();
    }
    out.Add(outcome->device);
    out.Add(outcome->driver);
    for (const bool one :
         {outcome->keeps_subnormal_floats, outcome->keeps_subnormal_halfs, outcome->is_embedded}) {
      out.Add(std::uint64_t{one});
    }
    out.Add(std::uint64_t{outcome->buffers.size()});
    for (const auto& bytes : outcome->buffers) out.Add(base::BytesOf(bytes));
    out.Add(std::uint64_t{outcome->left_out.size()});
    for (const oracle::LeftOutLaunch& one : outcome->left_out) {
      out.Add(std::uint64_t{one.launch});
      out.Add(one.why);
    }
    return out.bytes();
  });
  // Its process ended without an answer.
  if (!packed) return Fail(ErrorKind::kInternal, packed.error().message);
  base::Packed in(*packed);
  if (in.Number() == 0) {
    const auto kind = static_cast<ErrorKind>(in.Number());
    return Fail(kind, in.Text());
  }
  DriverAnswer answer;
  answer.device = in.Text();
  answer.driver = in.Text();
  answer.keeps_subnormal_floats = in.Number() != 0;
  answer.keeps_subnormal_halves = in.Number() != 0;
  answer.is_embedded = in.Number() != 0;
  answer.buffers.resize(in.Number());
  for (auto& bytes : answer.buffers) bytes = base::ItemsOf<std::byte>(in.Text());
  for (std::uint64_t left = in.Number(); left > 0; --left) {
    const std::size_t launch = in.Number();
    answer.left_out[launch] = in.Text();
  }
  return answer;
}

Expected<HuntProbe> ProbeDevice(const std::string& platform, double timeout) {
  auto folder = base::TemporaryFolder::Make();
  if (!folder) return tl::unexpected(folder.error());
  const std::string path = folder->File("probe.cl");
  constexpr std::string_view kMacros[] = {
      "cl_khr_fp64",          "__opencl_c_work_group_collective_functions", "cl_khr_subgroups",
      "__opencl_c_subgroups", "__opencl_c_generic_address_space",           "cl_khr_fp16",
      "__IMAGE_SUPPORT__"};
  std::string text = "kernel void probe(global uint* out) {\n";
  for (std::size_t i = 0; i < std::size(kMacros); ++i) {
    text += fmt::format("#ifdef {}\n  out[{}] = 1;\n#endif\n", kMacros[i], i);
  }
  text += fmt::format("#ifdef cles_khr_int64\n#endif\n  out[{}] = __OPENCL_C_VERSION__;\n}}\n",
                      std::size(kMacros));
  if (auto written = base::WriteFileAtomically(path, text); !written)
    return tl::unexpected(written.error());
  Error last{ErrorKind::kDevice, ""};
  for (const std::string standard : {"CL3.0", "CL2.0", "CL1.2"}) {
    interp::Job job = EmptyJob(path, standard, "");
    job.buffers.push_back(BufferOfZeros("out", "uint", std::size(kMacros) + 1));
    interp::JobLaunch launch;
    launch.kernel = "probe";
    const std::uint64_t one[] = {1};
    launch.range = *interp::MakeRange(one, one, {});
    launch.arguments.emplace_back(interp::JobBufferUse{0, 0});
    job.launches.push_back(std::move(launch));
    const auto answer = RunOnDriver(job, platform, timeout);
    if (!answer) {
      last = answer.error();
      if (last.kind == ErrorKind::kUsage) break;
      continue;
    }
    std::vector<std::uint32_t> has(std::size(kMacros) + 1);
    std::memcpy(has.data(), answer->buffers.at(0).data(), has.size() * sizeof has[0]);
    HuntProbe probe;
    probe.name = answer->device;
    probe.driver = answer->driver;
    probe.device.standard = standard;
    const bool is_2 = standard == "CL2.0";  // where these are no options
    probe.device.has_doubles = has[0] != 0;
    probe.device.has_collectives = has[1] != 0 || is_2;
    probe.device.has_subgroups = (has[2] != 0 || has[3] != 0) && standard != "CL1.2";
    probe.device.has_generic = has[4] != 0 || is_2;
    probe.device.has_halves = has[5] != 0;
    probe.device.keeps_subnormal_floats = answer->keeps_subnormal_floats;
    probe.device.keeps_subnormal_halves = answer->keeps_subnormal_halves;
    probe.device.is_embedded = answer->is_embedded;
    probe.device.has_images = has[6] != 0 && !answer->is_embedded;
    return probe;
  }
  if (last.kind == ErrorKind::kInternal) last.kind = ErrorKind::kDevice;
  return tl::unexpected(last);
}

}  // namespace assay::tools
