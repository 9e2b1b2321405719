#include "oracle/devices/kernel_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace assay::oracle
