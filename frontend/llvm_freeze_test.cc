#include "frontend/llvm_freeze.h"

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

TEST(LlvmFreeze, BecomesASelectionOfTheSameValue) {
  EXPECT_EQ(WithoutFreeze("  %6 = freeze i32 %5\n"), "  %6 = select i1 true, i32 %5, i32 %5\n");
  EXPECT_EQ(WithoutFreeze("  %w.fr = freeze <2 x i32> <i32 1, i32 undef>, !dbg !12\n"),
            "  %w.fr = select i1 true, <2 x i32> <i32 1, i32 undef>, <2 x i32> <i32 1, i32 undef>, "
            "!dbg !12\n");
}

TEST(LlvmFreeze, OtherLinesStay) {
  for (const char* text : {"", "  %1 = add i32 %freeze, 1\n  ret void",
                           "!1 = !DIString(name: \"  %6 = freeze i32\")\n",
                           "@s = constant [9 x i8] c\"= freeze \\00\"\n"}) {
    EXPECT_EQ(WithoutFreeze(text), text);
  }
}

}  // namespace
}  // namespace assay::frontend
