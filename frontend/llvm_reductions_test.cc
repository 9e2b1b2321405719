#include "frontend/llvm_reductions.h"

#include <gtest/gtest.h>

#include "frontend/opencl_c.h"

namespace assay::frontend {
namespace {

TEST(LlvmReductions, BecomeOneOperationAfterTheOther) {
  EXPECT_EQ(WithoutReductions(
                "  %7 = tail call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %6), !dbg !5\n"
                "declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>) #4\n"),
            "  %assay.part.7.0 = extractelement <4 x i32> %6, i32 0, !dbg !5\n"
            "  %assay.part.7.1 = extractelement <4 x i32> %6, i32 1, !dbg !5\n"
            "  %assay.part.7.2 = extractelement <4 x i32> %6, i32 2, !dbg !5\n"
            "  %assay.part.7.3 = extractelement <4 x i32> %6, i32 3, !dbg !5\n"
            "  %assay.reduced.7.1 = add i32 %assay.part.7.0, %assay.part.7.1, !dbg !5\n"
            "  %assay.reduced.7.2 = add i32 %assay.reduced.7.1, %assay.part.7.2, !dbg !5\n"
            "  %7 = add i32 %assay.reduced.7.2, %assay.part.7.3, !dbg !5\n");
  EXPECT_EQ(WithoutReductions("  %m = call i8 @llvm.vector.reduce.umin.v2i8(<2 x i8> %v)\n"),
            "  %assay.part.m.0 = extractelement <2 x i8> %v, i32 0\n"
            "  %assay.part.m.1 = extractelement <2 x i8> %v, i32 1\n"
            "  %assay.compared.m.1 = icmp ult i8 %assay.part.m.0, %assay.part.m.1\n"
            "  %m = select i1 %assay.compared.m.1, i8 %assay.part.m.0, i8 %assay.part.m.1\n");
}

TEST(LlvmReductions, OfFloatsStay) {
  for (const char* text :
       {"", "  %1 = call float @llvm.vector.reduce.fadd.v4f32(float 0.0, <4 x float> %v)\n",
        "declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)\n",
        "!1 = !{!\"@llvm.vector.reduce.sum\"}\n"}) {
    EXPECT_EQ(WithoutReductions(text), text);
  }
}

// clang-15 adds the elements of a vector, and clang-22 must not be needed.
TEST(LlvmReductions, SumsCompile) {
  if (!HasCompiler(Compiler::kClang15)) GTEST_SKIP() << "the compiler is not installed";
  const auto result = CompileSource(
      "uint sum(uint x, short y) {\n  uint r = x;\n  double a[7];\n"
      "  for (uint i = 0; i < 7u; ++i) a[i] = (double)(int)((x + i * 53u) & 0xffu);\n"
      "  for (private double *e = a, *p = e + 7; p != e;) {\n"
      "    --p;\n    r += (uint)(as_ulong(*p) >> 32);\n    if (y < 0) *p = 33.375;\n  }\n"
      "  return r;\n}\nkernel void k(global uint* o) { o[1] = sum(o[0], (short)o[2]); }\n",
      "sums.cl", "", {.compiler = Compiler::kClang15, .build_options = "-O2"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->messages, "");
}

}  // namespace
}  // namespace assay::frontend
