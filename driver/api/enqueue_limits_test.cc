// Limits that a kernel has for its range (SPV_INTEL_kernel_attributes).
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "driver/testing/host.h"

namespace assay::driver {
namespace {

std::uint32_t First(std::uint32_t opcode, std::uint32_t words) { return words << 16 | opcode; }

// A kernel "k" that does nothing, with MaxWorkgroupSizeINTEL 8 2 1.
std::vector<std::uint32_t> LimitedKernel() {
  std::vector<std::uint32_t> words = {
      0x07230203, 0x00010000, 0, 5, 0, First(17, 2), 4, First(17, 2), 6, First(17, 2), 5892};
  constexpr std::string_view kExtension = "SPV_INTEL_kernel_attributes";
  std::vector<std::uint32_t> name(kExtension.size() / 4 + 1);
  std::memcpy(name.data(), kExtension.data(), kExtension.size());
  words.push_back(First(10, 1 + static_cast<std::uint32_t>(name.size())));
  words.insert(words.end(), name.begin(), name.end());
  const std::uint32_t rest[] = {First(14, 3),
                                2,
                                2,  // OpMemoryModel Physical64 OpenCL
                                First(15, 4),
                                6,
                                1,
                                'k',  // OpEntryPoint Kernel %1 "k"
                                First(16, 6),
                                1,
                                5893,
                                8,
                                2,
                                1,  // OpExecutionMode %1 MaxWorkgroupSizeINTEL 8 2 1
                                First(19, 2),
                                2,  // %2 = OpTypeVoid
                                First(33, 3),
                                3,
                                2,  // %3 = OpTypeFunction %2
                                First(54, 5),
                                2,
                                1,
                                0,
                                3,  // %1 = OpFunction %2 None %3
                                First(248, 2),
                                4,
                                First(253, 1),
                                First(56, 1)};
  words.insert(words.end(), std::begin(rest), std::end(rest));
  return words;
}

TEST(EnqueueLimits, AWorkGroupIsNotLargerThanTheKernelTakes) {
  Host host;
  const auto words = LimitedKernel();
  cl_int code = -1;
  host.programs.push_back(Api().clCreateProgramWithIL(host.context, words.data(),
                                                      words.size() * sizeof words[0], &code));
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(Api().clBuildProgram(host.programs.back(), 1, &host.device, "", nullptr, nullptr),
            CL_SUCCESS)
      << host.Log(host.programs.back());
  const cl_kernel kernel = host.MakeKernel(host.programs.back(), "k");
  std::size_t most = 0;
  ASSERT_EQ(Api().clGetKernelWorkGroupInfo(kernel, host.device, CL_KERNEL_WORK_GROUP_SIZE,
                                           sizeof most, &most, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(most, 16u);
  const auto run = [&](std::vector<std::size_t> local) {
    const std::size_t global[] = {16, 16};
    return Api().clEnqueueNDRangeKernel(host.queue, kernel, 2, nullptr, global,
                                        local.empty() ? nullptr : local.data(), 0, nullptr,
                                        nullptr);
  };
  EXPECT_EQ(run({8, 2}), CL_SUCCESS);
  EXPECT_EQ(run({}), CL_SUCCESS);
  EXPECT_EQ(run({16, 1}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(run({2, 4}), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(Api().clFinish(host.queue), CL_SUCCESS);
}

}  // namespace
}  // namespace assay::driver
