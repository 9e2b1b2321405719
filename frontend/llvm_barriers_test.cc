#include "frontend/llvm_barriers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr PlainBarriers kFirst = PlainBarriers::kComputed, kSecond = PlainBarriers::kForClang22;

TEST(LlvmBarriers, FlagsBecomeMemorySemantics) {
  EXPECT_EQ(WithPlainBarriers("  call spir_func void @_Z7barrierj(i32 noundef %12) #5, !dbg !49\n"
                              "declare dso_local spir_func void @_Z7barrierj(i32 noundef) #3\n",
                              kFirst),
            "  %assay.barrier.0.0 = and i32 %12, 3, !dbg !49\n"
            "  %assay.barrier.0.1 = shl i32 %assay.barrier.0.0, 8, !dbg !49\n"
            "  %assay.barrier.0.2 = and i32 %12, 4, !dbg !49\n"
            "  %assay.barrier.0.3 = shl i32 %assay.barrier.0.2, 9, !dbg !49\n"
            "  %assay.barrier.0.4 = or i32 %assay.barrier.0.1, %assay.barrier.0.3, !dbg !49\n"
            "  %assay.barrier.0.5 = or i32 %assay.barrier.0.4, 16, !dbg !49\n"
            "  call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, "
            "i32 %assay.barrier.0.5) #5, !dbg !49\n"
            "declare dso_local spir_func void @_Z7barrierj(i32 noundef) #3\n"
            "declare dso_local spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32) #3\n");
}

// What llvm-spirv-15 writes for constants; clang-22 knows neither function.
TEST(LlvmBarriers, ConstantsAreComputedHere) {
  EXPECT_THAT(WithPlainBarriers("  tail call spir_func void @_Z17sub_group_barrierj12memory_scope("
                                "i32 noundef 1, i32 noundef 2)\n",
                                kSecond),
              HasSubstr("  tail call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 3, i32 1, "
                        "i32 272)\n"));
  EXPECT_THAT(WithPlainBarriers("  call spir_func void @_Z14read_mem_fencej(i32 6)\n", kSecond),
              HasSubstr("@_Z21__spirv_MemoryBarrierjj(i32 2, i32 2562)"));
  EXPECT_THAT(WithPlainBarriers("  call void @_Z22atomic_work_item_fencej12memory_order12memory_"
                                "scope(i32 %f, i32 range(i32 0, 6) 3, i32 4)\n",
                                kSecond),
              HasSubstr("@_Z21__spirv_MemoryBarrierjj(i32 3, i32 %assay.barrier.0.5)"));
}

// Element i of a table is at i times the width of one.
TEST(LlvmBarriers, OrdersAndScopesAreLookedUp) {
  const std::string text = WithPlainBarriers(
      "  call void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 %o, i32 "
      "%s)\n",
      kFirst);
  // Scopes: 4, 2, 1, 0, 3.
  EXPECT_THAT(text, HasSubstr("lshr i32 196900, %assay.barrier.0.2\n"));
  // Orders: 0, 2, 2, 4, 8, 16.
  EXPECT_THAT(text, HasSubstr("lshr i32 545392704, %assay.barrier.0.7\n"));
}

TEST(LlvmBarriers, OtherLinesStay) {
  for (const std::string text :
       {"", "  call spir_func void @_Z7barrierj(i32 noundef 1) #5\n",
        "  call spir_func void @_Z7barrierj(i32 ptrtoint (ptr @x to i32))\n",
        "  call spir_func void @_Z8barriersj(i32 %1)\n",
        "  call void @\"a @_Z7barrierj(\"(i32 %1)\n",
        "declare spir_func void @_Z7barrierj(i32 noundef)\n",
        "!1 = !DIString(name: \"  call void @_Z7barrierj(i32 %1)\")\n",
        "  call spir_func void @_Z7barrierj(i32 %", "uselistorder i32 2, { 1, 0 }\n"}) {
    EXPECT_EQ(WithPlainBarriers(text, kFirst), text);
    EXPECT_FALSE(HasOtherBarriers(text, kFirst)) << text;
  }
}

TEST(LlvmBarriers, OrderOfUsesGoesWithTheUses) {
  const std::string text = WithPlainBarriers(
      "  call void @_Z7barrierj(i32 %x)\n  uselistorder i32 %x, { 1, 0 }\n", kFirst);
  EXPECT_THAT(text, Not(HasSubstr("uselistorder")));
}

}  // namespace
}  // namespace assay::frontend
