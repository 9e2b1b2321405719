#include "frontend/machine_match.h"

#include <gtest/gtest.h>

#include "frontend/decode.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

constexpr std::string_view kFunction = R"(%b = OpLabel
%v = OpVariable %pointer Function
%sum = OpIAdd %uint %u %u
OpStore %v %sum Aligned 4
OpBranchConditional %c %left %right
%right = OpLabel
%chosen = OpSelect %uint %c %u %sum
OpBranch %left
%left = OpLabel
OpReturn
OpFunctionEnd
)";

const std::string kDump = R"(# Machine code for function f: IsSSA
bb.1:
  %20:type = OpTypeInt 32, 0
  %30:type = OpFunction %1:type, 0, %2:type
  %31:iid = OpFunctionParameter %3:type
  %32:iid = OpFunctionParameter %20:type
  OpName %30:type, 102
  %33:pid = OpVariable %4:type, 7
  %50:pid = OpVariable %4:type, 4
  %60:iid = OpFunction %1:type, 0, %2:type
  %61:iid = OpFunctionParameter %3:type
  %70:iid = OpUndef %20:type
  DBG_VALUE %32:iid, $noreg, !"u", !DIExpression()
  %34:iid = nsw OpIAddS %20:type, %32:iid, %32:iid
  OpStore %33:pid, %34:iid, 2, 4
  OpBranchConditional %31:iid, %bb.4, %bb.2
bb.2:
  %35:iid = OpSelectSISCond %20:type, %31:iid, %32:iid, %34:iid
  OpBranch %bb.4
bb.4:
  OpReturn
# End machine code for function f.
)";

struct Matched {
  Binary binary;
  std::optional<MachineMatch> match;
};

Matched Match(std::string dump, std::string_view function = kFunction) {
  auto binary = LoadText(
      WithPreamble("%void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n"
                   "%pointer = OpTypePointer Function %uint\n"
                   "%type = OpTypeFunction %void %bool %uint\n%f = OpFunction %void None %type\n"
                   "%c = OpFunctionParameter %bool\n%u = OpFunctionParameter %uint\n") +
          std::string(function),
      "test.spvasm");
  EXPECT_TRUE(binary) << binary.error().message;
  std::size_t begin = 0;
  ForEachInstruction(binary->words, [&](std::size_t place, std::span<const Word> instruction) {
    if (OpcodeOf(instruction[0]) == Op::kFunction) begin = place;
  });
  const auto machine = ParseMachineFunction(dump);
  EXPECT_TRUE(machine) << dump;
  auto match = MatchMachineFunction(*machine, std::span(binary->words).subspan(begin));
  return {std::move(*binary), std::move(match)};
}

std::string With(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MachineMatch, PairsInstructionsAndRegisters) {
  const auto [binary, match] = Match(kDump);
  ASSERT_TRUE(match);
  constexpr auto kNone = MachineMatch::kNone;
  EXPECT_EQ(match->sources, (std::vector<std::uint32_t>{1, 2, 3, kNone, 5, 11, 12, 13, kNone, 14,
                                                        15, kNone, 16, kNone}));
  EXPECT_NE(match->ids.at(34), match->ids.at(32));
  EXPECT_FALSE(match->ids.contains(50)) << "a variable of the module";
  EXPECT_FALSE(match->ids.contains(61)) << "a parameter of a function that is only declared";
}

TEST(MachineMatch, RefusesDifferentFunctions) {
  // Another operation, class, result, register, block, order; one more or one less.
  EXPECT_FALSE(Match(With(kDump, "OpIAddS", "OpISubS")).match);
  EXPECT_FALSE(Match(With(kDump, "OpIAddS", "OpIAddCarryS")).match);
  EXPECT_FALSE(Match(With(kDump, "%34:iid = nsw OpIAddS", "OpIAddS")).match);
  EXPECT_FALSE(Match(With(kDump, "%32:iid, %34:iid\n", "%34:iid, %34:iid\n")).match);
  EXPECT_FALSE(Match(With(kDump, "%bb.4, %bb.2", "%bb.2, %bb.4")).match);
  EXPECT_FALSE(Match(With(kDump, "OpBranch %bb.4", "OpBranch %bb.9")).match);
  EXPECT_FALSE(Match(With(kDump, "bb.4:\n", "")).match);
  EXPECT_FALSE(Match(With(kDump, "  OpStore %33:pid, %34:iid, 2, 4\n", "")).match);
  EXPECT_FALSE(Match(With(kDump, "  OpReturn\n", "  OpReturn\n  OpReturn\n")).match);
  EXPECT_FALSE(Match(With(kDump, "  OpReturn\n", "")).match);
  EXPECT_FALSE(
      Match(With(kDump,
                 "bb.2:\n  %35:iid = OpSelectSISCond %20:type, %31:iid, %32:iid, "
                 "%34:iid\n",
                 "  %35:iid = OpSelectSISCond %20:type, %31:iid, %32:iid, %34:iid\nbb.2:\n"))
          .match);
}

}  // namespace
}  // namespace assay::frontend
