// Debug information that leads back to itself.  testsuites/hostile/debug has more of it, for the
// whole debugger.
#include "frontend/debug_endless.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/debug_records.h"
#include "frontend/debug_types.h"
#include "frontend/module.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

class EndlessRecords : public testing::Test {
 protected:
  // A kernel with these records beside some of its own; ids are those that names have in the text.
  void Load(const std::string& records) {
    const std::string text =
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
        "%1 = OpExtInstImport \"OpenCL.DebugInfo.100\"\n"
        "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %2 \"k\"\n"
        "%3 = OpString \"name\"\n"
        "%4 = OpTypeVoid\n%5 = OpTypeFunction %4\n%6 = OpTypeInt 64 0\n"
        "%7 = OpConstant %6 4\n%8 = OpConstant %6 32\n%9 = OpConstant %6 0\n"
        "%10 = OpConstant %6 128\n%11 = OpConstant %6 9223372036854775807\n"
        "%12 = OpExtInst %4 %1 DebugInfoNone\n%13 = OpExtInst %4 %1 DebugSource %3\n"
        "%14 = OpExtInst %4 %1 DebugCompilationUnit 65536 5 %13 OpenCL_C\n"
        "%15 = OpExtInst %4 %1 DebugTypeBasic %3 %8 Signed\n"
        "%16 = OpExtInst %4 %1 DebugTypeFunction None %12\n"
        "%17 = OpExtInst %4 %1 DebugFunction %3 %16 %13 1 0 %14 %3 FlagIsDefinition 1 %2 %12\n" +
        records + "%2 = OpFunction %4 None %5\n%18 = OpLabel\nOpReturn\nOpFunctionEnd\n";
    const auto binary = LoadText(text, "test.spvasm");
    ASSERT_TRUE(binary) << binary.error().message;
    const auto module = BuildModule(*binary);
    ASSERT_TRUE(module) << module.error().message;
    module_ = *module;
  }
  static std::string Record(int id, const std::string& rest) {
    return fmt::format("%{} = OpExtInst %4 %1 {}\n", id, rest);
  }
  static std::string Block(int id, int parent) {
    return Record(id, fmt::format("DebugLexicalBlock %13 1 1 %{}", parent));
  }
  static std::string Member(int id, int type, int parent, int offset = 9) {
    return Record(id, fmt::format("DebugTypeMember %3 %{} %13 1 0 %{} %{} %8 FlagIsPublic", type,
                                  parent, offset));
  }
  static std::string Structure(int id, const std::string& members) {
    return Record(id,
                  "DebugTypeComposite %3 Structure %13 1 0 %14 %12 %10 FlagIsPublic " + members);
  }

  std::shared_ptr<const Module> module_;
};

TEST_F(EndlessRecords, AreNoScopes) {
  Load(Block(20, 20) + Block(21, 22) + Block(22, 21) + Block(23, 17) + Block(24, 23));
  EXPECT_TRUE(module_->debug_info.left_out.contains(20));
  EXPECT_FALSE(IsInsideScope(*module_, 20, 17));
  EXPECT_EQ(ScopeDepth(*module_, 20), 0);
  EXPECT_TRUE(SourceFramesAt(*module_, {.line = 1, .scope = 20}).empty());
  EXPECT_TRUE(SourceFramesAt(*module_, {.line = 1, .scope = 21}).empty());
  EXPECT_TRUE(IsInsideScope(*module_, 24, 17));
  EXPECT_EQ(ScopeDepth(*module_, 24), 2);
  ASSERT_EQ(SourceFramesAt(*module_, {.line = 1, .scope = 24}).size(), 1u);
}

TEST_F(EndlessRecords, AreNoScopesThatAreTooDeep) {
  std::string blocks = Block(100, 17);
  for (int i = 1; i < 100000; ++i) blocks += Block(100 + i, 99 + i);
  Load(blocks);
  EXPECT_LE(ScopeDepth(*module_, 100099), static_cast<int>(kMostDebugDepth));
  EXPECT_TRUE(IsInsideScope(*module_, 150, 17));
}

TEST_F(EndlessRecords, AreNoCalls) {
  Load(Record(20, "DebugInlinedAt 7 %17 %20") + Record(21, "DebugInlinedAt 7 %17 %22") +
       Record(22, "DebugInlinedAt 8 %17"));
  EXPECT_EQ(SourceFramesAt(*module_, {.line = 1, .scope = 17, .inlined_at = 20}).size(), 1u);
  const auto frames = SourceFramesAt(*module_, {.line = 1, .scope = 17, .inlined_at = 21});
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[2].location.line, 8u);
}

TEST_F(EndlessRecords, AreNoTypes) {
  Load(Record(20, "DebugTypeArray %20 %7") + Record(21, "DebugTypedef %3 %22 %13 1 0 %14") +
       Record(22, "DebugTypePointer %21 CrossWorkgroup None") + Structure(23, "%24 %25 %26") +
       Member(24, 23, 23) + Member(25, 15, 23) +
       Record(27, "DebugTypePointer %23 CrossWorkgroup None") + Member(26, 27, 23));
  SourceTypes types(*module_);
  EXPECT_EQ(types.OfDebug(20), 0u);
  EXPECT_LT(types.At(types.OfDebug(21)).name.size(), 20u);
  const SourceType& node = types.At(types.OfDebug(23));
  ASSERT_EQ(node.members.size(), 2u);  // without itself
  EXPECT_EQ(types.At(node.members[0].type).kind, SourceKind::kSigned);
  // A pointer to itself is what lists are made of.
  EXPECT_EQ(types.At(node.members[1].type).element, types.OfDebug(23));
}

TEST_F(EndlessRecords, LeaveNothingOutWhereThereAreNone) {
  Load(Block(20, 17) + Record(21, "DebugTypeArray %15 %7") + Record(22, "DebugTypeArray %21 %7"));
  EXPECT_TRUE(module_->debug_info.left_out.empty());
  SourceTypes types(*module_);
  EXPECT_EQ(types.At(types.OfDebug(22)).bytes, 64u);
}

TEST_F(EndlessRecords, AndSizesThatCannotBe) {
  Load(Record(20, "DebugTypeArray %15 %11") + Record(21, "DebugTypeArray %15 %11 %11") +
       Record(22, "DebugTypeVector %15 5") + Record(23, "DebugTypeBasic %3 %10 Signed") +
       Record(24, "DebugTypeArray %12 %11") + Structure(25, "%26 %27") + Member(26, 15, 25, 11) +
       Member(27, 15, 25, 8));
  SourceTypes types(*module_);
  for (const Id id : {20u, 21u, 22u, 23u}) EXPECT_EQ(types.OfDebug(id), 0u) << id;
  EXPECT_EQ(types.At(types.OfDebug(24)).count, 0u);
  const SourceType& whole = types.At(types.OfDebug(25));
  ASSERT_EQ(whole.members.size(), 1u);  // the other one lies beyond it
  EXPECT_EQ(whole.members[0].offset, 4u);
  // Deeper than any type: arrays of arrays, as `@` makes them.
  TypeRef deep = types.Scalar(SourceKind::kSigned, 32);
  int depth = 0;
  while (deep != 0 && depth < 1000) {
    deep = types.ArrayOf(deep, 1);
    ++depth;
  }
  EXPECT_LE(depth, static_cast<int>(kMostTypeDepth));
}

TEST(DebugNames, AreCut) {
  EXPECT_EQ(CutName("name"), "name");
  EXPECT_EQ(CutName(std::string(kMostNameBytes, 'n')).size(), kMostNameBytes);
  EXPECT_EQ(CutName(std::string(1 << 20, 'n')).size(), kMostNameBytes + 3);
  std::string euro = std::string(kMostNameBytes - 1, 'n') + "\xe2\x82\xac";
  EXPECT_EQ(CutName(euro), std::string(kMostNameBytes - 1, 'n') + "...");
}

}  // namespace
}  // namespace assay::frontend
