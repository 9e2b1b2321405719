#include "frontend/device_macros.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/run_tool.h"
#include "frontend/decode.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

using ::testing::HasSubstr;

bool Has(std::span<const std::string_view> list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

// A new clang may announce what nobody has looked at.
TEST(DeviceMacros, EveryFeatureThatClangAnnouncesIsInATable) {
  for (const char* clang : {"clang-15", "clang-22"}) {
    if (base::FindProgram(clang).empty()) continue;
    for (const char* standard : {"-cl-std=CL1.2", "-cl-std=CL3.0"}) {
      const auto listed =
          base::RunTool({clang, "-x", "cl", standard, "--target=spir64-unknown-unknown", "-Xclang",
                         "-finclude-default-header", "-dM", "-E", "/dev/null"},
                        60, std::size_t{1} << 22);
      ASSERT_TRUE(listed) << listed.error().message;
      ASSERT_EQ(listed->exit_status, 0) << listed->output;
      int macros = 0;
      std::istringstream lines(listed->output);
      for (std::string define, name, rest; lines >> define >> name && std::getline(lines, rest);) {
        if (!name.starts_with("cl_") && !name.starts_with("__opencl_c_") &&
            !name.starts_with("__cl_clang") && name != "__opencl_c_ext_image_raw10_raw12") {
          continue;
        }
        ++macros;
        EXPECT_NE(Has(ExecutedMacros(), name), Has(MissingMacros(), name)) << clang << ' ' << name;
      }
      EXPECT_GT(macros, 20) << clang;
    }
  }
}

class DeviceMacrosOf : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    if (!HasCompiler(GetParam())) GTEST_SKIP() << "the compiler is not installed (./dev setup)";
  }
  std::string Messages(const std::string& source, const std::string& build_options = "") {
    const auto made = CompileSource(source + "kernel void k(global int* p) { *p = 1; }\n", "m.cl",
                                    "", {.compiler = GetParam(), .build_options = build_options});
    return made ? made->messages : made.error().message;
  }
  const ScratchFolder scratch_;
};

TEST_P(DeviceMacrosOf, NoMacroAnnouncesARefusedFeature) {
  std::string source;
  for (const std::string_view macro : MissingMacros()) {
    source += fmt::format("#ifdef {0}\n#error {0}\n#endif\n", macro);
  }
  for (const char* macro : {"__opencl_c_int64", "cl_khr_fp64", "__opencl_c_generic_address_space",
                            "cl_ext_float_atomics"}) {
    source += fmt::format("#ifndef {0}\n#error {0}\n#endif\n", macro);
  }
  EXPECT_EQ(Messages(source, "-Wall -Wextra"), "");
}

TEST_P(DeviceMacrosOf, BothCompilersHaveTheNewerExtensions) {
  for (const char* standard : {"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"}) {
    EXPECT_EQ(
        Messages("#if !defined(cl_intel_subgroups_char) || !defined(cl_intel_subgroups_long)\n"
                 "#error\n#endif\n#ifndef cl_intel_required_subgroup_size\n#error\n#endif\n",
                 standard),
        "");
  }
  const std::string clock =
      "#if !defined(cl_khr_kernel_clock) || !defined(__opencl_c_kernel_clock_scope_device) || \\\n"
      "    !defined(__opencl_c_kernel_clock_scope_work_group) || \\\n"
      "    !defined(__opencl_c_kernel_clock_scope_sub_group)\n#error\n#endif\n";
  EXPECT_EQ(Messages(clock, "-cl-std=CL2.0"), "");
  EXPECT_EQ(Messages("#ifdef cl_khr_kernel_clock\n#error\n#endif\n", "-cl-std=CL1.2"), "");
  if (!HasCompiler(Compiler::kClang22)) return;
  const auto made = CompileSource(
      "kernel void k(global ulong* p) { p[0] = clock_read_device(); p[1] = clock_read_work_group();"
      " p[2] = clock_read_sub_group(); p[3] = clock_read_hilo_device().x; }\n",
      "clock.cl", "", {.compiler = GetParam(), .build_options = "-cl-std=CL3.0"});
  ASSERT_TRUE(made) << made.error().message;
  int reads = 0;
  ForEachInstruction(made->binary.words, [&](std::size_t, std::span<const Word> words) {
    reads += OpcodeOf(words[0]) == Op::kReadClockKHR ? 1 : 0;
  });
  EXPECT_EQ(reads, 4);
}

// OpenCL C 6.15.15.5 (get_image_channel_data_type); 0x10E0 is CL_UNORM_INT_101010_2 of the API.
TEST_P(DeviceMacrosOf, ChannelTypesOfVersion30) {
  EXPECT_EQ(Messages("#if CLK_UNORM_INT_101010_2 != 0x10E0\n#error\n#endif\n", "-cl-std=CL3.0"),
            "");
  EXPECT_EQ(Messages("#ifdef CLK_UNORM_INT_101010_2\n#error\n#endif\n", "-cl-std=CL1.2"), "");
}

TEST_P(DeviceMacrosOf, AnOptionThatNamesAMacroWins) {
  const std::string asks = "#ifdef __opencl_c_ext_image_raw10_raw12\n#warning raw\n#endif\n";
  EXPECT_EQ(Messages(asks), "");
  EXPECT_THAT(Messages(asks, "-D__opencl_c_ext_image_raw10_raw12=1"), HasSubstr("warning: raw"));
  EXPECT_EQ(Messages(asks, "-DNO__opencl_c_ext_image_raw10_raw12=1"), "");
  const std::string extension = "#ifdef cl_khr_subgroups\n#warning subgroups\n#endif\n";
  EXPECT_THAT(Messages(extension, "-cl-ext=+cl_khr_subgroups"), HasSubstr("warning: subgroups"));
}

TEST_P(DeviceMacrosOf, TheVersionIsThatOfTheDevice) {
  EXPECT_EQ(Messages("#if __OPENCL_VERSION__ != 300\n#error\n#endif\n"), "");
  EXPECT_EQ(Messages("#if __OPENCL_VERSION__ != 300\n#error\n#endif\n", "-cl-std=CL1.1"), "");
  EXPECT_EQ(Messages("#if __OPENCL_VERSION__ != 120\n#error\n#endif\n", "-D__OPENCL_VERSION__=120"),
            "");
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DeviceMacrosOf);
INSTANTIATE_TEST_SUITE_P(Installed, DeviceMacrosOf, testing::ValuesIn(InstalledCompilers()));

}  // namespace
}  // namespace assay::frontend
