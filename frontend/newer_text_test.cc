#include "frontend/newer_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/decode.h"
#include "frontend/loader.h"

namespace assay::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kHead =
    "OpCapability Kernel\nOpCapability Addresses\nOpCapability FMAKHR\n"
    "OpMemoryModel Physical64 OpenCL\n%float = OpTypeFloat 32\n%one = OpConstant %float 1\n"
    "%void = OpTypeVoid\n%type = OpTypeFunction %void\n";

// The last instruction with the opcode.
std::vector<Word> Last(const Binary& binary, Op opcode) {
  std::vector<Word> found;
  ForEachInstruction(binary.words, [&](std::size_t, std::span<const Word> words) {
    if (OpcodeOf(words[0]) == opcode) found.assign(words.begin(), words.end());
  });
  return found;
}

// The numbers are those of the SPIR-V registry.
TEST(NewerText, EncodesInstructionsThatTheAssemblerDoesNotKnow) {
  const std::string text = std::string(kHead) +
                           "%f = OpFunction %void None %type\n%l = OpLabel\n"
                           "%r = OpFmaKHR %float %one %one %one ; a comment\nOpReturn\n"
                           "OpFunctionEnd\n";
  const auto binary = LoadText(text, "fma.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  const std::vector<Word> words = Last(*binary, Op{4427});
  ASSERT_EQ(words.size(), 6u);
  EXPECT_EQ(words[0], 6u << 16 | 4427u);
  EXPECT_EQ(words[3], words[4]);
  EXPECT_EQ(words[4], words[5]);
  EXPECT_TRUE(Last(*binary, Op::kNop).empty());
  EXPECT_THAT(Last(*binary, Op::kCapability), ElementsAre(2u << 16 | 17u, 6030u));
}

TEST(NewerText, KeepsAnOpNopOfTheText) {
  const auto binary = LoadText(std::string(kHead) +
                                   "%f = OpFunction %void None %type\n%l = OpLabel\nOpNop\n"
                                   "%r = OpFmaKHR %float %one %one %one\nOpReturn\nOpFunctionEnd\n",
                               "fma.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  EXPECT_THAT(Last(*binary, Op::kNop), ElementsAre(1u << 16));
}

TEST(NewerText, TakesConstantsOfAnEncodedFloatAsBits) {
  const auto binary = LoadText(
      std::string(kHead) + "%bf = OpTypeFloat 16 BFloat16KHR\n%c = OpConstant %bf 0x3fc0\n", "bf");
  ASSERT_TRUE(binary) << binary.error().message;
  const std::vector<Word> type = Last(*binary, Op::kTypeFloat);
  ASSERT_EQ(type.size(), 4u);
  EXPECT_THAT((std::vector<Word>{type[2], type[3]}), ElementsAre(16u, 0u));
  EXPECT_EQ(Last(*binary, Op::kConstant).at(3), 0x3fc0u);
}

TEST(NewerText, TakesOperandsByTheirNames) {
  const auto binary =
      LoadText(std::string(kHead) +
                   "%uint = OpTypeInt 32 0\n%p = OpTypePointer CrossWorkgroup %uint\n"
                   "%q = OpConstantNull %p\n%n = OpConstant %uint 4\n"
                   "%f = OpFunction %void None %type\n%l = OpLabel\n"
                   "OpSubgroupBlockPrefetchINTEL %q %n Aligned|Nontemporal 8\n"
                   "OpReturn\nOpFunctionEnd\n",
               "prefetch");
  ASSERT_TRUE(binary) << binary.error().message;
  const std::vector<Word> words = Last(*binary, Op{6221});
  ASSERT_EQ(words.size(), 5u);
  EXPECT_EQ(words[3], 6u);  // Aligned is 2, Nontemporal 4
  EXPECT_EQ(words[4], 8u);
}

TEST(NewerText, LeavesErrorsToTheAssembler) {
  const auto binary = LoadText(std::string(kHead) + "%r = OpFmaKHR %float one\n", "bad.spvasm");
  ASSERT_FALSE(binary);
  EXPECT_THAT(binary.error().message, HasSubstr("bad.spvasm: line 9"));
}

TEST(NewerText, ChangesNoOtherText) {
  EXPECT_EQ(WithNewerAsWords(kHead.substr(0, 44)), kHead.substr(0, 44));
}

}  // namespace
}  // namespace assay::frontend
