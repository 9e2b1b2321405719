#include "frontend/llvm_constrained.h"

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

constexpr std::string_view kCall = "@llvm.experimental.constrained.";

std::string Plain(const std::string& before, const std::string& behind) {
  return WithoutConstrained(before + std::string(kCall) + behind);
}

TEST(LlvmConstrained, Arithmetic) {
  EXPECT_EQ(Plain("  %5 = call float ",
                  "fmul.f32(float %3, float 2.500000e+00, metadata !\"round.dynamic\", "
                  "metadata !\"fpexcept.ignore\") #4, !dbg !8, !fpmath !9\n"),
            "  %5 = fmul float %3, 2.500000e+00, !dbg !8, !fpmath !9\n");
  EXPECT_EQ(Plain("  %a.b = call fast <2 x float> ",
                  "fdiv.v2f32(<2 x float> <float 1.0, float 2.0>, <2 x float> %x, metadata "
                  "!\"round.dynamic\", metadata !\"fpexcept.ignore\") #4\n"),
            "  %a.b = fdiv fast <2 x float> <float 1.0, float 2.0>, %x\n");
}

TEST(LlvmConstrained, ComparisonsAndConversions) {
  EXPECT_EQ(Plain("  %5 = call <4 x i1> ",
                  "fcmps.v4f32(<4 x float> %1, <4 x float> %2, metadata !\"olt\", metadata "
                  "!\"fpexcept.ignore\") #4, !dbg !8\n"),
            "  %5 = fcmp olt <4 x float> %1, %2, !dbg !8\n");
  EXPECT_EQ(Plain("  %5 = call half ",
                  "fptrunc.f16.f32(float %1, metadata !\"round.dynamic\", metadata "
                  "!\"fpexcept.ignore\") #4\n"),
            "  %5 = fptrunc float %1 to half\n");
}

TEST(LlvmConstrained, IntrinsicsAndDeclarations) {
  EXPECT_EQ(Plain("  %5 = call float ",
                  "fmuladd.f32(float %1, float %2, float 1.0, metadata !\"round.dynamic\", "
                  "metadata !\"fpexcept.ignore\") #4\n"),
            "  %5 = call float @llvm.fmuladd.f32(float %1, float %2, float 1.0)\n");
  EXPECT_EQ(Plain("declare float ", "fmuladd.f32(float, float, float, metadata, metadata) #2\n"),
            "declare float @llvm.fmuladd.f32(float, float, float)\n");
  EXPECT_EQ(Plain("declare float ", "fmul.f32(float, float, metadata, metadata) #2\n"), "");
}

TEST(LlvmConstrained, OthersStay) {
  const std::string unknown =
      "  %5 = call float @llvm.experimental.constrained.sin.f32(float %1)\n";
  EXPECT_EQ(WithoutConstrained(unknown), unknown);
  EXPECT_EQ(WithoutConstrained("  ret void\n}"), "  ret void\n}");
}

}  // namespace
}  // namespace assay::frontend
