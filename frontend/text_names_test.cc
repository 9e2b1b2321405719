#include "frontend/text_names.h"

#include <gtest/gtest.h>

#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

constexpr const char* kText = R"(; %comment = OpNot
OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical32 OpenCL
OpSource OpenCL_C 102000
OpSourceExtension "\" OpName ; %quoted = OpLabel"
%nothing = OpTypeVoid
%12 = OpTypeInt 32 0
%five = OpConstant %12 5 %six = OpConstant %12 6
%sum = OpSpecConstantOp %12 IAdd %five %six
)";

TEST(TextNames, AreThoseOfTheResults) {
  const auto binary = LoadText(kText, "names.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  const auto module = BuildModule(*binary);
  ASSERT_TRUE(module) << module.error().message;
  std::vector<std::string> names;
  for (const Instruction& instruction : (*module)->instructions) {
    if (instruction.result != 0) names.emplace_back((*module)->NameOf(instruction.result));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"nothing", "", "five", "six", "sum"}));
}

// A module that names ids itself stays as it is.
TEST(TextNames, AreNotAddedToOpName) {
  const std::string named =
      "OpCapability Kernel\nOpName %a \"b\"\n%a = OpTypeVoid\n%c = OpTypeBool\n";
  const auto binary = LoadText(named, "names.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  EXPECT_EQ(WithTextNames(named, binary->words), binary->words);
}

// What the text leaves open is not guessed.
TEST(TextNames, AreNoneWhereTheWordsAreOthers) {
  const std::string text = "OpCapability Kernel\nOpName %a \"b\"\n%a = OpTypeVoid\n";
  const auto words = LoadText(text, "names.spvasm")->words;
  EXPECT_FALSE(ReadTextNames(text, words).empty());
  EXPECT_TRUE(ReadTextNames(text + "OpNop\n", words).empty());
  EXPECT_TRUE(ReadTextNames("OpCapability Kernel\n", words).empty());
  EXPECT_TRUE(ReadTextNames("", words).empty());
}

}  // namespace
}  // namespace assay::frontend
