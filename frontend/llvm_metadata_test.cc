#include "frontend/llvm_metadata.h"

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

constexpr std::string_view kModule = R"(source_filename = "k.cl"
@k.tile = internal addrspace(3) global [4 x i32] undef, align 4, !dbg !0
@"odd name" = constant i32 7, !dbg !5, !other !6
@.str = constant [2 x i8] c"a\00"
define spir_func i32 @helper(i32 noundef %0) #0 !dbg !3 {
  ret i32 %0, !dbg !7
}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression(DW_OP_constu, 3))
!1 = distinct !DIGlobalVariable(name: "ti\22le, \\ (", scope: !2, line: 8, isLocal: true)
!2 = !{null, !6, !"text, with {", i32 8}
!3 = distinct !DISubprogram(name: "helper", spFlags: DISPFlagDefinition, line: 4)
!7 = !DILocation(line: 4, column: 16, scope: !3, inlinedAt: !1)
!4000000000 = !{}
!90 = !{}
)";

TEST(LlvmMetadata, FindsNodesAndTheirFields) {
  const LlvmMetadata metadata(kModule);
  EXPECT_EQ(metadata.SubprogramOf("helper"), 3u);
  EXPECT_FALSE(metadata.SubprogramOf("k"));
  EXPECT_EQ(metadata.globals().at("k.tile"), 0u);
  EXPECT_EQ(metadata.globals().at("odd name"), 5u);
  EXPECT_EQ(metadata.globals().size(), 2u);
  const auto location = metadata.Find(7);
  ASSERT_TRUE(location);
  EXPECT_TRUE(location->Is("DILocation"));
  EXPECT_EQ(location->Number("line"), 4);
  EXPECT_EQ(location->Number("column"), 16);
  EXPECT_EQ(location->Reference("scope"), 3u);
  EXPECT_EQ(location->Reference("inlinedAt"), 1u);
  EXPECT_FALSE(location->Reference("line"));
  EXPECT_EQ(location->Number("discriminator"), 0);
  EXPECT_EQ(metadata.Find(0)->Field("expr"), "!DIExpression(DW_OP_constu, 3)");
  EXPECT_EQ(LlvmNode(metadata.Find(0)->Field("expr")).Elements().size(), 2u);
}

TEST(LlvmMetadata, UnderstandsStringsAndTuples) {
  const LlvmMetadata metadata(kModule);
  EXPECT_EQ(metadata.Find(1)->Text("name"), "ti\"le, \\ (");
  EXPECT_EQ(metadata.Find(1)->Reference("scope"), 2u);
  const auto elements = metadata.Find(2)->Elements();
  ASSERT_EQ(elements.size(), 4u);
  EXPECT_EQ(elements[0], "null");
  EXPECT_EQ(elements[2], "!\"text, with {\"");
  EXPECT_TRUE(metadata.Find(2)->Is(""));
}

TEST(LlvmMetadata, ReturnsNoMissingNodes) {
  const LlvmMetadata metadata(kModule);
  EXPECT_FALSE(metadata.Find(4));
  EXPECT_FALSE(metadata.Find(90)) << "more than there are lines";
  EXPECT_FALSE(metadata.Find(4'000'000'000));
  EXPECT_EQ(LlvmMetadata("").size(), 0u);
  for (std::size_t end = 0; end <= kModule.size(); ++end) {
    const std::string cut(kModule.substr(0, end));
    const LlvmMetadata part(cut);
    for (std::uint32_t i = 0; i < part.size(); ++i) {
      if (const auto node = part.Find(i)) node->Text("name");
    }
  }
}

}  // namespace
}  // namespace assay::frontend
