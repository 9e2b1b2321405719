#include "tools/hunt/probe.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/file.h"
#include "base/run_tool.h"
#include "oracle/jobs/job_in_child.h"
#include "tools/bisect/subject.h"
#include "tools/hunt/program_job.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {

Expected<HuntProbe> ProbeDevice(const std::string& platform, double timeout) {
  auto folder = base::TemporaryFolder::Make();
  if (!folder) return tl::unexpected(folder.error());
  const std::string path = folder->File("probe.cl");
  constexpr std::string_view kMacros[] = {"cl_khr_fp64",
                                          "__opencl_c_work_group_collective_functions",
                                          "cl_khr_subgroups",
                                          "__opencl_c_subgroups",
                                          "__opencl_c_generic_address_space",
                                          "cl_khr_fp16",
                                          "__IMAGE_SUPPORT__",
                                          "__opencl_c_device_enqueue",
                                          "__opencl_c_pipes"};
  std::string text = "kernel void probe(global uint* out) {\n";
  for (std::size_t i = 0; i < std::size(kMacros); ++i) {
    text += fmt::format("#ifdef {}\n  out[{}] = 1;\n#endif\n", kMacros[i], i);
  }
  text += fmt::format("  out[{}] = __OPENCL_C_VERSION__;\n}}\n", std::size(kMacros));
  if (auto written = base::WriteFileAtomically(path, text); !written)
    return tl::unexpected(written.error());
  Error last{ErrorKind::kDevice, ""};
  for (const std::string standard : {"CL3.0", "CL2.0", "CL1.2"}) {
    interp::Job job = EmptyJob(path, standard, "");
    job.buffers.push_back(ZeroBuffer("out", "uint", std::size(kMacros) + 1));
    interp::JobLaunch launch;
    launch.kernel = "probe";
    const std::uint64_t one[] = {1};
    launch.range = *interp::MakeRange(one, one, {});
    launch.arguments.emplace_back(interp::JobBufferUse{0, 0});
    job.launches.push_back(std::move(launch));
    const auto answer = oracle::RunJobInChild(job, platform,
                                              {.seconds = timeout,
                                               .what = "a program on the driver",
                                               .is_quiet = true,
                                               .stop = &g_interrupted});
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
    probe.device.keeps_subnormal_halves = answer->keeps_subnormal_halfs;
    probe.device.is_embedded = answer->is_embedded;
    probe.device.has_blocks = has[7] != 0 || is_2;
    probe.device.has_pipes = has[8] != 0 || is_2;
    probe.device.has_images = has[6] != 0 && !answer->is_embedded;
    return probe;
  }
  if (last.kind == ErrorKind::kInternal) last.kind = ErrorKind::kDevice;
  return tl::unexpected(last);
}

}  // namespace assay::tools
