// What the driver says of itself, and the errors that its calls give.
#include "testsuites/hostile/icd/icd_testing.h"

namespace assay::hostile {
namespace {

class HostileWords : public HostileDriverTest {};
TEST_P(HostileWords, AreReported) { Check(GetParam()); }

const std::string kResources = "failed with CL_OUT_OF_RESOURCES (-5)";

const Case kErrors[] = {
    {"ClCreateContext", "error@context", VALIDATE("exp"), 4, {"clCreateContext " + kResources}},
    {"ClCreateCommandQueue",
     "error@queue",
     VALIDATE("exp"),
     4,
     {"clCreateCommandQueue " + kResources}},
    {"ClCreateProgramWithSource", "error@source", VALIDATE("exp"), 4, {"CL_OUT_OF_RESOURCES (-5)"}},
    {"ClBuildProgram", "error@build", VALIDATE("exp"), 4, {"the driver did not like it"}},
    {"ClCreateKernel", "error@kernel", VALIDATE("exp"), 4, {"clCreateKernel(\"assay_exp_float\")"}},
    {"ClSetKernelArg", "error@arg", VALIDATE("exp"), 4, {"clSetKernelArg " + kResources}},
    {"ClCreateBuffer", "error@buffer", VALIDATE("exp"), 4, {"clCreateBuffer " + kResources}},
    {"ClEnqueueWriteBuffer",
     "error@write",
     VALIDATE("exp"),
     4,
     {"clEnqueueWriteBuffer " + kResources}},
    {"ClEnqueueNDRangeKernel",
     "error@launch",
     VALIDATE("exp"),
     4,
     {"clEnqueueNDRangeKernel " + kResources}},
    {"ClEnqueueReadBuffer",
     "error@read",
     VALIDATE("exp"),
     4,
     {"clEnqueueReadBuffer " + kResources}},
    {"ClEnqueueMapBuffer", "error@map", VALIDATE("exp"), 4, {"clEnqueueMapBuffer " + kResources}},
    {"ClEnqueueUnmapMemObject",
     "error@unmap",
     VALIDATE("exp"),
     4,
     {"clEnqueueUnmapMemObject " + kResources}},
    {"ClFinish", "error@finish", VALIDATE("exp"), 4, {"clFinish " + kResources}},
    {"ClGetDeviceIDs", "error@devices", VALIDATE("exp"), 4, {"clGetDeviceIDs " + kResources}},
    {"LaunchesAfterThree",
     "error_after@launch:3",
     VALIDATE("exp"),
     4,
     {"clEnqueueNDRangeKernel " + kResources}},
    {"NoContext",
     "null_context",
     VALIDATE("exp"),
     4,
     {"clCreateContext gave neither an object nor an error"}},
    {"NoQueue", "null_queue", VALIDATE("exp"), 4, {"clCreateCommandQueue gave neither an object"}},
    {"NoProgram",
     "null_program",
     VALIDATE("exp"),
     4,
     {"clCreateProgramWithSource gave neither an object"}},
    {"NoKernel", "null_kernel", VALIDATE("exp"), 4, {"clCreateKernel gave neither an object"}},
    {"NoBuffer", "null_buffer", VALIDATE("exp"), 4, {"clCreateBuffer gave neither an object"}},
    {"AnEmptyProgram",
     "empty_program",
     VALIDATE("exp"),
     4,
     {"CL_INVALID_PROGRAM_EXECUTABLE (-45)"}},
    {"AKernelWithoutItsLastParameter",
     "lose_parameter",
     VALIDATE("exp"),
     4,
     {"CL_INVALID_ARG_INDEX (-49)"}},
    {"ALongLog", "no_build,long_log", VALIDATE("exp"), 4, {"did not build", "more bytes]"}},
    {"AHugeLog",
     "no_build,huge_log",
     VALIDATE("exp"),
     4,
     {"did not build", "says that the log has"}},
    {"NoLog", "no_build,no_log", VALIDATE("exp"), 4, {"did not build"}},
    {"AWildLog", "no_build,wild_log", VALIDATE("exp"), 4, {"\\x1b[2Jerror \\xff\\xfe: 0 fail"}},
};
INSTANTIATE_TEST_SUITE_P(Errors, HostileWords, testing::ValuesIn(kErrors), NameOf);

const Case kObjects[] = {
    {"NoDevices", "no_devices", VALIDATE("exp"), 2, {"has no device"}},
    {"TooManyDevices",
     "many_devices",
     VALIDATE("exp"),
     4,
     {"clGetDeviceIDs says that there are 4000000000"}},
    {"FewerDevicesAMomentLater", "fewer_devices", VALIDATE("exp"), 0, {"1 pass"}},
    {"ANullDevice", "null_device", VALIDATE("exp"), 4, {"clGetDeviceIDs gave a null device"}},
    {"NoComputeUnits",
     "zero@CL_DEVICE_MAX_COMPUTE_UNITS",
     "devices",
     4,
     {"(CL_DEVICE_MAX_COMPUTE_UNITS) gave 0"}},
    {"FourBillionComputeUnits",
     "ones@CL_DEVICE_MAX_COMPUTE_UNITS",
     "devices",
     4,
     {"(CL_DEVICE_MAX_COMPUTE_UNITS) gave 4294967295"}},
    {"NoRoundingMode",
     "zero@CL_DEVICE_SINGLE_FP_CONFIG",
     VALIDATE("exp"),
     4,
     {"(CL_DEVICE_SINGLE_FP_CONFIG) gave 0x0"}},
    {"ANameWithoutItsEnd",
     "no_nul@CL_DEVICE_NAME",
     "devices",
     0,
     {"Hostile device (assay's tests)"}},
    {"ANameThatIsNoUtf8",
     "bytes@CL_DEVICE_NAME",
     "devices --json",
     0,
     {"Hostile device \\\\xff\\\\xfe\\\\xc3("}},
    {"ANameThatCommandsTheTerminal",
     "escape@CL_DEVICE_NAME",
     "devices",
     0,
     {"\\x1b[2J\\x0d\\x0a0 fail"}},
    {"APlatformThatCommandsTheTerminal",
     "escape@CL_PLATFORM_NAME",
     VALIDATE("exp"),
     0,
     {"\\x1b[2J\\x0d\\x0a0 fail"}},
    {"AProfileThatIsNone", "escape@CL_DEVICE_PROFILE", "devices", 4, {"(CL_DEVICE_PROFILE) gave"}},
    {"HangsInAnInfo",
     "hang@info",
     "devices --timeout 2",
     4,
     {"platform number 0", "did not answer within 2 s", "also:"}},
    {"HangsWhileItIsLoaded",
     "hang@load",
     "devices --timeout 2",
     4,
     {"a driver that it loads", "did not answer within 2 s", "OCL_ICD_VENDORS", "also:"}},
    {"CrashesInAnInfo",
     "segv@info",
     "devices",
     4,
     {"platform number 0", "was killed by signal 11", "also:"}},
    {"CrashesWhileItIsLoaded", "segv@load", "devices", 4, {"was killed by signal 11", "also:"}},
    {"ExitsInAnInfo", "exit@info", "devices", 4, {"ended with exit status 0", "also:"}},
    {"ExitsWhileItIsLoaded",
     "quick_exit@load",
     "devices",
     4,
     {"ended with exit status 0", "also:"}},
    {"PrintsWhileItIsAsked", "print@info", "devices", 0, {"--opencl 'Hostile platform:0'"}},
    {"FloodsWhileItIsAsked", "flood_stdout@info", "devices", 0, {"--opencl 'Hostile platform:0'"}},
    {"FloodsForever",
     "flood_forever@info",
     "devices --timeout 2",
     4,
     {"did not answer within 2 s"}},
    {"ForksWhileItIsAsked", "fork@info", "devices", 0, {"--opencl 'Hostile platform:0'"}},
    {"CrashesWhenItIsUnloaded", "segv@unload", "devices", 0, {"--opencl 'Hostile platform:0'"}},
    {"HangsWhenItIsUnloaded", "hang@unload", "devices", 0, {"--opencl 'Hostile platform:0'"}},
    {"HasNoPlatform",
     "no_platforms",
     "devices",
     0,
     {"shows no platform, although each registered driver loads", "hostile.icd"}},
};
INSTANTIATE_TEST_SUITE_P(Objects, HostileWords, testing::ValuesIn(kObjects), NameOf);

// Every question that decides how a device is judged, answered in every way that is no answer.
struct Query {
  std::string_view name;
  bool text = true;
};
void PrintTo(const Query& query, std::ostream* out) { *out << query.name; }

class HostileQuery : public testing::TestWithParam<Query> {
 protected:
  void SetUp() override {
    if (!HasLoader()) GTEST_SKIP() << "no OpenCL loader: apt install ocl-icd-libopencl1";
  }
  // What `validate` and `devices` have to say, and that both end with 4.
  static void Expect(std::string_view fault, const std::string& why) {
    const std::string name(GetParam().name);
    const bool platform = name.starts_with("CL_PLATFORM");
    const std::string call = platform ? "clGetPlatformInfo(" : "clGetDeviceInfo(";
    const std::string faults = fmt::format("{}@{}", fault, name);
    for (const char* command : {"devices", VALIDATE("exp")}) {
      Check({"", faults, command, 4, {call + name + ") " + why}});
    }
  }
};

TEST_P(HostileQuery, ThatFails) { Expect("fail", "failed with CL_OUT_OF_RESOURCES (-5)"); }
TEST_P(HostileQuery, ThatIsNotKnown) {
  if (GetParam().name == "CL_DEVICE_HOST_UNIFIED_MEMORY") GTEST_SKIP() << "deprecated by 2.0";
  Expect("unknown", "failed with CL_INVALID_VALUE (-30)");
}
TEST_P(HostileQuery, ThatGivesNothing) { Expect("empty", "gave 0 bytes"); }
TEST_P(HostileQuery, ThatIsTooShort) {
  if (GetParam().text) GTEST_SKIP() << "a text may be short";
  Expect("short", "gave ");
}
TEST_P(HostileQuery, ThatIsTooLong) {
  if (!GetParam().text) {
    Expect("huge", "gave 4611686018427387904 bytes instead of");
  } else {
    Expect("huge", "says that its answer has 4611686018427387904 bytes");
    Expect("large", "says that its answer has 10485761 bytes");
  }
}
TEST_P(HostileQuery, ThatGrows) {
  if (!GetParam().text) GTEST_SKIP() << "a number has its size";
  Expect("grow", "failed with CL_INVALID_VALUE (-30)");
}

constexpr Query kQueries[] = {
    {"CL_DEVICE_NAME"},
    {"CL_DEVICE_VENDOR"},
    {"CL_DEVICE_VERSION"},
    {"CL_DRIVER_VERSION"},
    {"CL_DEVICE_OPENCL_C_VERSION"},
    {"CL_DEVICE_PROFILE"},
    {"CL_DEVICE_EXTENSIONS"},
    {"CL_DEVICE_SINGLE_FP_CONFIG", false},
    {"CL_DEVICE_DOUBLE_FP_CONFIG", false},
    {"CL_DEVICE_HALF_FP_CONFIG", false},
    {"CL_DEVICE_MAX_COMPUTE_UNITS", false},
    {"CL_DEVICE_TYPE", false},
    {"CL_DEVICE_HOST_UNIFIED_MEMORY", false},
};
INSTANTIATE_TEST_SUITE_P(Device, HostileQuery, testing::ValuesIn(kQueries),
                         [](const testing::TestParamInfo<Query>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace assay::hostile
