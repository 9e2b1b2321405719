#include "frontend/llvm_dimensions.h"

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

TEST(LlvmDimensions, ThoseThatAreThereStay) {
  for (const char* text :
       {"", "  %c = call spir_func i64 @_Z13get_global_idj(i32 noundef 2) #3, !dbg !20\n",
        "declare spir_func i64 @_Z13get_global_idj(i32 noundef) local_unnamed_addr #1\n",
        "  %x = add i64 %y, 3\n", "  call void @f(i32 7)\n",
        "!1 = !DIString(name: \"  %1 = call i64 @_Z13get_global_idj(i32 7)\")\n"}) {
    EXPECT_EQ(WithGuardedDimensions(text), text);
  }
}

TEST(LlvmDimensions, InvalidConstantDimensionsGiveTheFunctionsDefault) {
  EXPECT_EQ(
      WithGuardedDimensions("  %c = call spir_func i64 @_Z13get_global_idj(i32 noundef 3) #3\n"),
      "  %c = select i1 true, i64 0, i64 0\n");
  EXPECT_EQ(WithGuardedDimensions(
                "  %9 = tail call spir_func i64 @_Z15get_global_sizej(i32 noundef -1) #3, !dbg "
                "!20\n"),
            "  %9 = select i1 true, i64 1, i64 1, !dbg !20\n");
}

TEST(LlvmDimensions, ComputedOnesAreCompared) {
  EXPECT_EQ(WithGuardedDimensions(
                "  %4 = call spir_func i64 @_Z14get_local_sizej(i32 noundef %0) #3, !dbg !20\n"),
            "  %assay.dimension.0.is = icmp ult i32 %0, 3, !dbg !20\n"
            "  %assay.dimension.0.of = select i1 %assay.dimension.0.is, i32 %0, i32 0, !dbg !20\n"
            "  %assay.dimension.0.in = call spir_func i64 @_Z14get_local_sizej(i32 noundef "
            "%assay.dimension.0.of) #3, !dbg !20\n"
            "  %4 = select i1 %assay.dimension.0.is, i64 %assay.dimension.0.in, i64 1, !dbg !20\n");
}

// A module of: %2 = a built-in variable's vector, and one instruction that takes part of it.
std::vector<Word> ModuleOf(std::vector<Word> last) {
  const auto first = [](Op opcode, Word count) { return count << 16 | static_cast<Word>(opcode); };
  std::vector<Word> words{0x07230203, 0x10200, 0, 9, 0};
  words.insert(words.end(),
               {first(Op::kDecorate, 4), 1, static_cast<Word>(Decoration::kBuiltIn), 28});
  words.insert(words.end(), {first(Op::kLoad, 4), 7, 2, 1});
  last[0] = last[0] << 16 | last[1];
  last.erase(last.begin() + 1);
  words.insert(words.end(), last.begin(), last.end());
  return words;
}

TEST(LlvmDimensions, ModulesThatTakeThem) {
  const auto extract = static_cast<Word>(Op::kCompositeExtract);
  const auto dynamic = static_cast<Word>(Op::kVectorExtractDynamic);
  EXPECT_FALSE(TakesAnyDimension(ModuleOf({5, extract, 7, 3, 2, 2})));
  EXPECT_TRUE(TakesAnyDimension(ModuleOf({5, extract, 7, 3, 2, 3})));
  EXPECT_TRUE(TakesAnyDimension(ModuleOf({5, dynamic, 7, 3, 2, 4})));
  EXPECT_FALSE(TakesAnyDimension(ModuleOf({5, dynamic, 7, 3, 5, 4})));  // of another vector
  EXPECT_FALSE(TakesAnyDimension({}));
}

}  // namespace
}  // namespace assay::frontend
