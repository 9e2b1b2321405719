#include "frontend/llvm_widths.h"

#include <gtest/gtest.h>

#include "frontend/opencl_c.h"

namespace assay::frontend {
namespace {

TEST(LlvmWidths, SwitchesOverFewBits) {
  EXPECT_EQ(WithPlainWidths("  %trunc = trunc i64 %call to i2, !dbg !7\n"
                            "  switch i2 %trunc, label %no [\n    i2 0, label %a\n"
                            "    i2 -2, label %b\n  ], !dbg !8\n"),
            "  %assay.wide.trunc = trunc i64 %call to i8, !dbg !7\n"
            "  %trunc = and i8 %assay.wide.trunc, 3, !dbg !7\n"
            "  switch i8 %trunc, label %no [\n    i8 0, label %a\n"
            "    i8 2, label %b\n  ], !dbg !8\n");
}

TEST(LlvmWidths, ProductsOfWideNumbers) {
  EXPECT_EQ(WithPlainWidths("  %5 = zext i32 %4 to i33\n  %6 = mul nuw i33 %5, -3\n"
                            "  %7 = lshr exact i33 %6, 1\n  %8 = trunc i33 %7 to i32\n"),
            "  %5 = zext i32 %4 to i64\n  %assay.wide.6 = mul i64 %5, 8589934589\n"
            "  %6 = and i64 %assay.wide.6, 8589934591\n"
            "  %7 = lshr i64 %6, 1\n  %8 = trunc i64 %7 to i32\n");
}

TEST(LlvmWidths, OtherInstructions) {
  const std::pair<const char*, const char*> cases[] = {
      {"  %1 = trunc i8 %x to i3\n", "  %1 = and i8 %x, 7\n"},
      {"  %1 = trunc i8 %x to i1\n", "  %1 = trunc i8 %x to i1\n"},
      {"  %1 = trunc i3 %x to i2\n", "  %1 = and i8 %x, 3\n"},
      {"  %1 = zext i3 %x to i8\n", "  %1 = or i8 %x, 0\n"},
      {"  %1 = zext i3 %x to i32\n", "  %1 = zext i8 %x to i32\n"},
      {"  %1 = icmp ult i4 %x, -1\n", "  %1 = icmp ult i8 %x, 15\n"},
      {"  %1 = phi i4 [ -8, %a ], [ %y, %b ], !dbg !3\n",
       "  %1 = phi i8 [ 8, %a ], [ %y, %b ], !dbg !3\n"},
      {"  %1 = select i1 %c, i4 %x, i4 -1\n", "  %1 = select i1 %c, i8 %x, i8 15\n"},
      {"  %1 = xor i9 %x, -1\n", "  %1 = xor i16 %x, 511\n"},
      {"  call void @llvm.dbg.value(metadata i3 %x, metadata !1, metadata !2), !dbg !3\n",
       "  call void @llvm.dbg.value(metadata i8 %x, metadata !1, metadata !2), !dbg !3\n"},
  };
  for (const auto& [ir, wide] : cases) EXPECT_EQ(WithPlainWidths(ir), wide);
}

TEST(LlvmWidths, WhatNobodyKnowsStays) {
  for (const char* text :
       {"", "  %i33 = add i32 %i3, 1\n", "!1 = !DILocalVariable(name: \"i3\")\n", "i13:\n",
        "  %1 = icmp slt i4 %x, 2\n", "  %1 = load i24, ptr %p\n  %2 = trunc i24 %1 to i3\n",
        "  %1 = and <4 x i3> %x, %y\n", "  %1 = add i3 %x, undef\n", "  %1 = add i128 %x, 1\n",
        "define i3 @f(i3 %x) {\n", "  %1 = sext i3 %x to i32\n"}) {
    EXPECT_EQ(WithPlainWidths(text), text);
  }
}

// clang-15 makes i2 and i4 of these, and clang-22 must not be needed.
TEST(LlvmWidths, OptimizedSwitchesCompile) {
  if (!HasCompiler(Compiler::kClang15)) GTEST_SKIP() << "the compiler is not installed";
  const auto result = CompileSource(
      "kernel void k(global uint* o) {\n"
      "  uint x = get_global_id(0), r = 0;\n"
      "  switch (x & 3u) { case 0: r = 7; case 1: r += 5; break; case 2: r = o[3]; }\n"
      "  switch (o[9] % 9u) { case 8: r ^= o[1]; break; case 3: r += 3; break; case 1: r = 2; }\n"
      "  o[x] = r;\n}\n",
      "widths.cl", "", {.compiler = Compiler::kClang15, .build_options = "-O2"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->messages, "");
}

}  // namespace
}  // namespace assay::frontend
