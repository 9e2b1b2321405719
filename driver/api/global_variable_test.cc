#include <cstdint>
#include <vector>

#include "driver/testing/host.h"

namespace assay::driver {
namespace {

using WriteVariable = cl_int (*)(cl_command_queue, cl_program, const char*, cl_bool, std::size_t,
                                 std::size_t, const void*, cl_uint, const cl_event*, cl_event*);
using ReadVariable = cl_int (*)(cl_command_queue, cl_program, const char*, cl_bool, std::size_t,
                                std::size_t, void*, cl_uint, const cl_event*, cl_event*);

TEST(GlobalVariable, TheHostWritesAndReadsItByName) {
  Host host;
  const auto write = FindFunction<WriteVariable>("clEnqueueWriteGlobalVariableINTEL");
  const auto read = FindFunction<ReadVariable>("clEnqueueReadGlobalVariableINTEL");
  const cl_program program = host.Build(
      "global int table[4] = {1, 2, 3, 4};\n"
      "kernel void twice() { table[get_global_id(0)] *= 2; }\n",
      "-cl-std=CL3.0");
  std::int32_t values[4] = {};
  const auto get = [&] {
    return read(host.queue, program, "table", CL_TRUE, 16, 0, values, 0, nullptr, nullptr);
  };
  ASSERT_EQ(get(), CL_SUCCESS);
  EXPECT_EQ(values[3], 4);
  const std::int32_t given[] = {10, 20};
  ASSERT_EQ(write(host.queue, program, "table", CL_TRUE, 8, 4, given, 0, nullptr, nullptr),
            CL_SUCCESS);
  const std::size_t items = 4;
  ASSERT_EQ(Api().clEnqueueNDRangeKernel(host.queue, host.MakeKernel(program, "twice"), 1, nullptr,
                                         &items, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(get(), CL_SUCCESS);
  EXPECT_EQ(std::vector<std::int32_t>(values, values + 4),
            (std::vector<std::int32_t>{2, 20, 40, 8}));
  EXPECT_EQ(read(host.queue, program, "other", CL_TRUE, 4, 0, values, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(read(host.queue, program, "table", CL_TRUE, 4, 13, values, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(write(host.queue, program, "table", CL_TRUE, 4, 0, nullptr, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
}

}  // namespace
}  // namespace assay::driver
