#include "frontend/newer_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

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

// Whatever the assembler takes: older ones know numbers, newer ones names.
TEST(NewerText, TakesTheOperandsOfNewerEnumerants) {
  for (const std::string_view control : {"3", "InvalidateAfterReadINTEL"}) {
    const auto binary =
        LoadText(fmt::format("OpCapability Kernel\nOpCapability CacheControlsINTEL\n"
                             "OpExtension \"SPV_INTEL_cache_controls\"\n"
                             "OpMemoryModel Physical64 OpenCL\n"
                             "OpExecutionMode %f MaximumRegistersINTEL 128\n"
                             "OpDecorate %p CacheControlLoadINTEL 1 {}\n"
                             "%void = OpTypeVoid\n",
                             control),
                 "cache");
    ASSERT_TRUE(binary) << binary.error().message;
    const std::vector<Word> decoration = Last(*binary, Op::kDecorate);
    ASSERT_EQ(decoration.size(), 5u);
    EXPECT_THAT((std::vector<Word>{decoration[2], decoration[3], decoration[4]}),
                ElementsAre(6442u, 1u, 3u));
    const std::vector<Word> mode = Last(*binary, Op::kExecutionMode);
    ASSERT_EQ(mode.size(), 4u);
    EXPECT_THAT((std::vector<Word>{mode[2], mode[3]}), ElementsAre(6461u, 128u));
  }
}

TEST(NewerText, TakesANamedLimitOfRegistersByNameAndNumber) {
  for (const std::string_view limit : {"0", "AutoINTEL"}) {
    const auto binary =
        LoadText(fmt::format("OpCapability Kernel\nOpCapability RegisterLimitsINTEL\n"
                             "OpExtension \"SPV_INTEL_maximum_registers\"\n"
                             "OpMemoryModel Physical64 OpenCL\n"
                             "OpExecutionMode %f NamedMaximumRegistersINTEL {}\n"
                             "%void = OpTypeVoid\n",
                             limit),
                 "registers");
    ASSERT_TRUE(binary) << binary.error().message;
    const std::vector<Word> mode = Last(*binary, Op::kExecutionMode);
    ASSERT_EQ(mode.size(), 4u);
    EXPECT_THAT((std::vector<Word>{mode[2], mode[3]}), ElementsAre(6463u, 0u));
  }
}

// Some headers gave it a result.
TEST(NewerText, TakesTheContinuationOfACompositeWithoutAResult) {
  const auto binary =
      LoadText(std::string(kHead) +
                   "%uint = OpTypeInt 32 0\n%pair = OpTypeStruct %uint %uint\n"
                   "%n = OpConstant %uint 4\n%f = OpFunction %void None %type\n%l = OpLabel\n"
                   "%both = OpCompositeConstruct %pair %n\nOpCompositeConstructContinuedINTEL %n\n"
                   "OpReturn\nOpFunctionEnd\n",
               "long");
  ASSERT_TRUE(binary) << binary.error().message;
  EXPECT_EQ(Last(*binary, Op{6096}).size(), 2u);
}

TEST(NewerText, NamesWhatIsNotExecuted) {
  const auto error_of = [](std::string_view line) {
    const auto binary = LoadText(std::string(kHead) + std::string(line), "new.spvasm");
    return binary ? Error{ErrorKind::kInternal, "accepted"} : binary.error();
  };
  if (!FindRegistryName(Op{6231})) GTEST_SKIP() << "SPIRV-Headers have it";
  for (const std::string_view line :
       {"OpSubgroup2DBlockPrefetchINTEL %a\n", "OpCapability Subgroup2DBlockIOINTEL\n"}) {
    const Error error = error_of(line);
    EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
    EXPECT_THAT(error.message, HasSubstr("new.spvasm: line 9"));
    EXPECT_THAT(error.message,
                HasSubstr("of SPV_INTEL_2d_block_io, is not executed; compile without it"));
  }
  EXPECT_EQ(error_of("OpNothing\n").kind, ErrorKind::kUsage);
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
