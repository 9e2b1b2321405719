// `assay run --envelope --observed`: who is accused, and who is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "frontend/opencl_c.h"
#include "oracle/testing/device_columns.h"
#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using oracle::TestPath;
using testing::HasSubstr;
using testing::Not;

class CommandObservedTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  }
  static std::string Write(const std::string& name, const std::string& text) {
    const std::string path = TestPath(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  // What a device left in argument 0.
  template <typename T>
  static Finished Observe(const std::string& kernel, const std::string& arguments,
                          const std::vector<T>& left) {
    const std::string observed =
        Write("left.bin",
              std::string(reinterpret_cast<const char*>(left.data()), left.size() * sizeof(T)));
    return Shell("{assay} run " + Write("kernel.cl", kernel) + " " + arguments +
                 " --envelope --observed 0=" + observed);
  }
};

constexpr char kFirstOnly[] =
    "kernel void k(global float* o) { if (get_global_id(0) == 0) o[0] = 1.0f; }\n";

TEST_F(CommandObservedTest, UndefinedElementsMayBeAnything) {
  const std::string arguments = "-g 2 -a 'float[4]=uninitialized'";
  const Finished right = Observe<float>(kFirstOnly, arguments, {1, 77, 3, 1e30f});
  EXPECT_EQ(right.exit_code, 0) << right.output;
  EXPECT_THAT(right.output, HasSubstr("3 elements are undefined and may be anything: [1] to [3]"));
  // The others are judged.
  const Finished wrong = Observe<float>(kFirstOnly, arguments, {2, 77, 3, 1e30f});
  EXPECT_EQ(wrong.exit_code, 1) << wrong.output;
  EXPECT_THAT(wrong.output, HasSubstr("1 value outside of the envelope; the first: [0] is 2"));
}

TEST_F(CommandObservedTest, WhatIsDefinedIsJudgedByValues) {
  const Finished wrong = Observe<float>(kFirstOnly, "-g 2 -a 'float[4]=0'", {1, 77, 0, 1e30f});
  EXPECT_EQ(wrong.exit_code, 1) << wrong.output;
  EXPECT_THAT(wrong.output, HasSubstr("2 values outside of the envelope"));
  EXPECT_THAT(wrong.output, Not(HasSubstr("undefined")));
}

TEST_F(CommandObservedTest, NothingIsAccusedAfterARace) {
  const std::string kernel = "kernel void k(global int* o) { o[0] = get_global_id(0); }\n";
  const Finished raced = Observe<int>(kernel, "-g 4 -l 1 -a 'int[1]=0'", {77});
  EXPECT_EQ(raced.exit_code, 1) << raced.output;
  EXPECT_THAT(raced.output, HasSubstr("error[race-"));
  EXPECT_THAT(raced.output, HasSubstr("a device may leave anything"));
  EXPECT_THAT(raced.output, Not(HasSubstr("outside of the envelope")));
  const Finished alone = Observe<int>(kernel, "-g 1 -a 'int[1]=0'", {77});
  EXPECT_THAT(alone.output, HasSubstr("1 value outside of the envelope"));
}

// Products that overflow together, but in no order of their sum.
TEST_F(CommandObservedTest, SumsOfOppositeProductsAreKnown) {
  const std::string kernel =
      "kernel void k(global float* o, float2 a, float2 b) { o[0] = dot(a, b); }\n";
  const std::string opposite =
      "-g 1 -a 'float[1]=0' -a 'float2=0x1.8p64,0x1p64' -a 'float2=0x1p63,-0x1p63'";
  EXPECT_EQ(Observe<float>(kernel, opposite, {0x1p126f}).exit_code, 0);
  EXPECT_EQ(Observe<float>(kernel, opposite, {__builtin_nanf("")}).exit_code, 1);
  const std::string same =
      "-g 1 -a 'float[1]=0' -a 'float2=0x1.8p64,0x1p64' -a 'float2=0x1p63,0x1p63'";
  EXPECT_EQ(Observe<float>(kernel, same, {__builtin_nanf("")}).exit_code, 0);
  const Finished said = Observe<float>(kernel, same, {__builtin_inff()});
  EXPECT_THAT(said.output, HasSubstr("overflows in some order"));
}

// What nothing is known of is told by values, and not by their bytes.
TEST_F(CommandObservedTest, UnknownValuesAreNamedOnce) {
  const Finished shown = Shell("{assay} run " +
                               Write("open.cl",
                                     "kernel void k(global float4* o) { o[0] = "
                                     "native_sin(o[0]); }\n") +
                               " -g 1 -a 'float4[1]=1' --envelope --print 0");
  EXPECT_THAT(shown.output, HasSubstr("  [0].s0: anything\n  [0].s1: anything\n"
                                      "  [0].s2: anything\n  [0].s3: anything\nassay: "));
}

// A value of another kind is no value of the parameter.
TEST_F(CommandObservedTest, ValuesHaveTheParametersTypes) {
  const std::string kernel =
      Write("values.cl",
            "kernel void k(global int* o, int n, float2 f, uchar c) { o[0] = n + f.x + c; }\n");
  const auto run = [&](const std::string& values) {
    return Shell("{assay} run " + kernel + " -g 1 -a 'int[1]=0' " + values);
  };
  EXPECT_EQ(run("-a int=3 -a 'float2=1,2' -a uchar=1").exit_code, 0);
  EXPECT_EQ(run("-a uint=3 -a 'float2=1,2' -a char=1").exit_code, 0);
  EXPECT_EQ(run("-a 'bytes(03000000)' -a 'float2=1,2' -a char=1").exit_code, 0);
  for (const char* wrong :
       {"-a float=16 -a 'float2=1,2' -a uchar=1", "-a int=3 -a double=1 -a uchar=1",
        "-a int=3 -a 'int2=1,2' -a uchar=1"}) {
    const Finished refused = run(wrong);
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_THAT(refused.output, HasSubstr("and kernel k takes ")) << wrong;
  }
}

// The same in a job's file.
TEST_F(CommandObservedTest, ValuesOfJobsHaveTheParametersTypes) {
  const std::string kernel =
      Write("values.cl", "kernel void k(global int* o, int n) { o[0] = n; }\n");
  const std::string module = kernel.substr(kernel.rfind('/') + 1);
  const auto run = [&](const std::string& value) {
    return Shell(
        "{assay} run --print o --job " +
        Write("job.json",
              R"({"module": ")" + module +
                  R"(", "buffers": {"o": {"type": "int", "count": 1, )"
                  R"("init": {"fill": 0}}}, "launches": [{"kernel": "k", "global": 1, "args": )"
                  R"([{"buffer": "o"}, )" +
                  value + "]}]}"));
  };
  EXPECT_EQ(run(R"({"scalar": {"type": "int", "value": 16}})").exit_code, 0);
  EXPECT_EQ(run(R"({"scalar": {"type": "uint", "value": 16}})").exit_code, 0);
  EXPECT_EQ(run(R"({"bytes": "00008041"})").exit_code, 0);
  const Finished refused = run(R"({"scalar": {"type": "float", "value": 16}})");
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_THAT(refused.output,
              HasSubstr("argument 1 is a number of type float, and kernel k takes int n there"));
}

// What nothing wrote has no value, whatever is there.
TEST_F(CommandObservedTest, ElementsThatNothingWroteAreNamed) {
  const std::string kernel =
      Write("some.cl",
            "kernel void k(global const float* in, global float* out, global char* same) {\n"
            "  int i = get_global_id(0);\n"
            "  if (in[i] == 0) return;\n"
            "  out[i] = in[i];\n"
            "}\n");
  const std::string command = "{assay} run " + kernel +
                              " -g 8 -a 'float[8]=0,1,0,0,0,0,2,0' -a 'float[8]=uninitialized' "
                              "-a 'char[1]=0' --print 1";
  const Finished shown = Shell(command);
  EXPECT_EQ(shown.exit_code, 0) << shown.output;
  EXPECT_THAT(shown.output, HasSubstr("  0: never written\n  1: 1 (0x3f800000)\n"
                                      "  2: never written\n"));
  EXPECT_THAT(shown.output, HasSubstr("note: 6 of 8 elements of 'out' were never written; the "
                                      "first is element 0\n"));
  const Finished json = Shell(command + " --json -");
  EXPECT_THAT(json.output, HasSubstr("\"never_written\": {\n    \"elements\": 6,\n"));
  // Who has given a content, or follows no definedness, is told nothing.
  const std::string given = "{assay} run " + kernel +
                            " -g 8 -a 'float[8]=0,1,0,0,0,0,2,0' -a 'float[8]=0' -a 'char[1]=0'";
  EXPECT_THAT(Shell(given + " --print 1").output, Not(HasSubstr("never written")));
  EXPECT_THAT(Shell(command + " --detect none").output, Not(HasSubstr("never written")));
}

}  // namespace
}  // namespace assay::tools
