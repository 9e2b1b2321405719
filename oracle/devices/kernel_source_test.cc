#include "oracle/devices/kernel_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "numerics/function.h"
#include "oracle/testing/all_operations.h"
#include "oracle/testing/device_columns.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::Rounding;
using numerics::ScalarType;
using testing::HasSubstr;
using testing::Not;

std::string Separate(const Operation& operation, int width) {
  const int widths[] = {width};
  return KernelSource({operation}, widths, KernelScheme::kSeparate);
}

TEST(KernelSourceTest, ScalarCall) {
  EXPECT_EQ(
      Separate(Operation::Builtin(Function::sin, Format::kFloat), 1),
      "kernel void assay_sin_float_w1(uint first, global const float* x0, global float* r0) {\n"
      "      size_t i = first + get_global_id(0);\n"
      "      float x = x0[i];\n"
      "      float r = sin(x);\n"
      "      r0[i] = r;\n"
      "}\n");
}

TEST(KernelSourceTest, VectorsOfThreeArePacked) {
  const std::string source = Separate(Operation::Builtin(Function::pow, Format::kDouble), 3);
  EXPECT_THAT(source, HasSubstr("double3 y = vload3(i, x1);"));
  EXPECT_THAT(source, HasSubstr("vstore3(r, i, r0);"));
}

TEST(KernelSourceTest, SecondResultsGoThroughAPrivateVariable) {
  const std::string source = Separate(Operation::Builtin(Function::remquo, Format::kFloat), 4);
  EXPECT_THAT(source, HasSubstr("int4 s;"));
  EXPECT_THAT(source, HasSubstr("float4 r = remquo(x, y, &s);"));
  EXPECT_THAT(source, HasSubstr("vstore4(s, i, r1);"));
}

TEST(KernelSourceTest, Operators) {
  EXPECT_EQ(CallText(Operation::Builtin(Function::mul_add, Format::kFloat), 2), "x * y + z");
  // The one has the type of the operand: no conversion takes part.
  EXPECT_EQ(CallText(Operation::Builtin(Function::recip_div, Format::kFloat), 4),
            "(float4)(1) / x");
}

TEST(KernelSourceTest, GeometricOperandsBringTheirWidth) {
  const std::string source = Separate(Operation::Builtin(Function::dot, Format::kFloat, 3), 1);
  EXPECT_THAT(source, HasSubstr("float3 x = vload3(i, x0);"));
  EXPECT_THAT(source, HasSubstr("float r = dot(x, y);"));
  EXPECT_THAT(source, HasSubstr("r0[i] = r;"));
}

TEST(KernelSourceTest, NanTakesTheUnsignedType) {
  const std::string source = Separate(Operation::Builtin(Function::nan, Format::kDouble), 2);
  EXPECT_THAT(source, HasSubstr("ulong2 x = vload2(i, x0);"));
}

TEST(KernelSourceTest, Conversions) {
  EXPECT_EQ(CallText(Operation::Convert(ScalarType::kFloat, ScalarType::kUchar, Rounding::kRtp,
                                        /*saturate=*/true),
                     8),
            "convert_uchar8_sat_rtp(x)");
  EXPECT_EQ(CallText(Operation::VstoreHalf(ScalarType::kDouble, Rounding::kRtn), 3),
            "vstore_half3_rtn(x, i, r0)");
  EXPECT_EQ(CallText(Operation::VloadHalf(), 1), "vload_half(i, x0)");
}

TEST(KernelSourceTest, ASwitchHoldsTheFamilyInAllWidths) {
  const int widths[] = {1, 16};
  const KernelFamily family = {
      Operation::Convert(ScalarType::kFloat, ScalarType::kInt),
      Operation::Convert(ScalarType::kFloat, ScalarType::kInt, Rounding::kRte, true)};
  const std::string source = KernelSource(family, widths, KernelScheme::kSwitched);
  EXPECT_THAT(source, HasSubstr("kernel void assay_convert_int_float(int which, uint first, "));
  EXPECT_THAT(source, HasSubstr("case 16: {\n      float16 x"));
  EXPECT_THAT(source, HasSubstr("case 33: {\n      float x"));
  EXPECT_EQ(SwitchValue(1, 1), 33);
}

TEST(KernelSourceTest, PragmasOnlyWhereAValueNeedsThem) {
  const int widths[] = {1};
  const KernelFamily doubles = {Operation::VstoreHalf(ScalarType::kDouble)};
  const KernelFamily halves = {Operation::Builtin(Function::sin, Format::kHalf)};
  const std::string of_doubles = ProgramSource({&doubles, 1}, widths, KernelScheme::kSeparate);
  EXPECT_THAT(of_doubles, HasSubstr("cl_khr_fp64"));
  EXPECT_THAT(of_doubles, Not(HasSubstr("cl_khr_fp16")));
  EXPECT_THAT(ProgramSource({&halves, 1}, widths, KernelScheme::kSeparate),
              HasSubstr("cl_khr_fp16"));
}

// What no device is needed for: each kernel as a compiler of OpenCL C reads it.
TEST(KernelSourceTest, EveryKernelCompiles) {
  if (std::system("command -v clang-15 >/dev/null") != 0) GTEST_SKIP() << "no clang-15 here";
  for (KernelScheme scheme : {KernelScheme::kSeparate, KernelScheme::kSwitched}) {
    for (const bool geometric : {false, true}) {
      std::vector<KernelFamily> families;
      std::vector<int> widths;
      for (const Operation& operation : AllOperations()) {
        // OpenCL C has no bfloat16 to compute with.
        if (ComputesWith(operation, ScalarType::kBfloat16)) continue;
        if ((WidthsOf(operation).size() == 1) != geometric) continue;
        families.push_back({operation});
        widths = WidthsOf(operation);
      }
      EXPECT_GT(families.size(), geometric ? 40u : 1000u);
      const std::string source = TestPath("every_kernel.cl"), log = TestPath("every_kernel.log");
      std::ofstream(source) << ProgramSource(families, widths, scheme);
      const std::string command =
          "clang-15 -x cl -cl-std=CL3.0 -target spir64-unknown-unknown -fsyntax-only "
          "-Wno-everything '" +
          source + "' 2>'" + log + "'";
      const int status = std::system(command.c_str());
      std::stringstream said;
      said << std::ifstream(log).rdbuf();
      EXPECT_EQ(status, 0) << said.str().substr(0, 4000);
    }
  }
}

}  // namespace
}  // namespace assay::oracle
