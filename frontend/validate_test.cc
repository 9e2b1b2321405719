// What validation costs, and what it keeps.
#include "frontend/validate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <spirv-tools/libspirv.hpp>

#include "base/build_id.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A module with a constant for each name; the validator refuses the sum of the last two.
Binary Named(const std::vector<std::string>& names, bool is_valid = false) {
  constexpr std::size_t kFirst = 10;
  std::string text(kPreamble);
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("OpName %{} \"{}\"\n", kFirst + i, names[i]);
  }
  text += "%1 = OpTypeVoid\n%2 = OpTypeInt 32 0\n%3 = OpTypeFunction %1\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("%{} = OpConstant %2 {}\n", kFirst + i, i);
  }
  const std::size_t last = kFirst + names.size() - 1;
  text += fmt::format(
      "%4 = OpFunction %1 None %3\n%5 = OpLabel\n%6 = {} %2 %{} %{}\nOpReturn\nOpFunctionEnd\n",
      is_valid ? "OpIAdd" : "OpFAdd", last - 1, last);
  auto binary = LoadText(text, "named.spvasm");
  EXPECT_TRUE(binary) << binary.error().message;
  return *binary;
}

// What SPIRV-Tools says with names that it makes itself.
std::string OwnMessage(const Binary& binary) {
  std::string result;
  spvtools::SpirvTools tools(SPV_ENV_OPENCL_2_2);
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
        if (result.empty()) result = message;
      });
  EXPECT_FALSE(tools.Validate(binary.words));
  return result;
}

TEST(Validate, NamesIdsAsTheValidatorDoes) {
  for (const std::vector<std::string>& names : {std::vector<std::string>{"a", "b"},
                                                {"a", "a", "a"},
                                                {"a.b", "a_b", "a_b_0", "a b"},
                                                {"x_0", "x", "x", "x_1", "x"},
                                                {"uint", "void"},
                                                {"", "", ""},
                                                {"12", "_", "\xc3\xa4"}}) {
    const Binary binary = Named(names);
    const auto result = Validate(binary);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr(OwnMessage(binary)));
  }
}

// It is no fault of the user's.
TEST(Validate, NamesTheCompilerThatWroteIt) {
  Binary binary = Named({"a", "b"});
  EXPECT_EQ(Validate(binary).error().kind, ErrorKind::kUsage);
  binary.compiler = "clang-22";
  const auto result = Validate(binary);
  EXPECT_EQ(result.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(result.error().message, HasSubstr("clang-22 writes invalid SPIR-V for it"));
}

// By trying all numbers for each name this takes hours.
TEST(Validate, AHundredThousandEqualNames) {
  const Binary binary = Named(std::vector<std::string>(100'000, "retval"));
  const auto result = Validate(binary);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("%retval_99997 %retval_99998"));
}

// What llvm-spirv-15 makes of an optimized function: two merges for each loop, one block that is
// the merge block of several, blocks in LLVM's order, and a cast in front of a variable.
TEST(Validate, AcceptsLlvmsControlFlow) {
  const std::string text = std::string(kPreamble) + R"(
%1 = OpTypeVoid
%2 = OpTypeInt 32 0
%3 = OpTypePointer Function %2
%4 = OpTypePointer CrossWorkgroup %2
%5 = OpTypeInt 8 0
%6 = OpTypePointer CrossWorkgroup %5
%7 = OpTypeBool
%8 = OpConstant %2 0
%9 = OpConstant %2 1
%10 = OpTypeFunction %1 %4 %2
%11 = OpFunction %1 None %10
%12 = OpFunctionParameter %4
%13 = OpFunctionParameter %2
%14 = OpLabel
%15 = OpBitcast %6 %12
%16 = OpVariable %3 Function
OpStore %16 %13
OpBranch %20
%30 = OpLabel
OpBranch %40
%20 = OpLabel
%21 = OpPhi %2 %8 %14 %22 %20
%22 = OpIAdd %2 %21 %9
OpLoopMerge %30 %20 DontUnroll
OpLoopMerge %30 %20 DontUnroll
%23 = OpULessThan %7 %22 %13
OpBranchConditional %23 %20 %30
%50 = OpLabel
OpStore %12 %41
OpReturn
%40 = OpLabel
%41 = OpPhi %2 %22 %30 %42 %40
%42 = OpIAdd %2 %41 %9
OpLoopMerge %50 %40 DontUnroll
OpLoopMerge %50 %40 DontUnroll
%43 = OpULessThan %7 %42 %13
OpBranchConditional %43 %40 %50
OpFunctionEnd
)";
  const auto binary = LoadText(text, "optimized.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  const auto warnings = Validate(*binary);
  ASSERT_TRUE(warnings) << warnings.error().message;
  EXPECT_THAT(*warnings, Contains(HasSubstr("a merge block of several headers")));
  EXPECT_THAT(*warnings, Contains(HasSubstr("OpVariable behind other instructions")));
}

// llvm-spirv makes a variable where memmove stands, also in a loop.  It is known behind it only.
TEST(Validate, AcceptsVariablesInAnyBlock) {
  const std::string text = std::string(kPreamble) + R"(
%1 = OpTypeVoid
%2 = OpTypeInt 32 0
%3 = OpTypePointer Function %2
%4 = OpTypePointer CrossWorkgroup %2
%5 = OpTypeBool
%6 = OpConstantTrue %5
%7 = OpTypeFunction %1 %4
%10 = OpFunction %1 None %7
%11 = OpFunctionParameter %4
%12 = OpLabel
%13 = OpVariable %3 Function
OpBranch %14
%14 = OpLabel
%15 = OpLoad %2 %11
%16 = OpVariable %3 Function
OpStore %16 %15
OpBranchConditional %6 %14 %17
%17 = OpLabel
%18 = OpLoad %2 %16
OpStore %11 %18
OpReturn
OpFunctionEnd
%20 = OpFunction %1 None %7
%21 = OpFunctionParameter %4
%22 = OpLabel
OpBranch %23
%23 = OpLabel
%24 = OpVariable %3 Function
OpReturn
OpFunctionEnd
)";
  const auto binary = LoadText(text, "memmove.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  const auto warnings = Validate(*binary);
  ASSERT_TRUE(warnings) << warnings.error().message;
  EXPECT_THAT(*warnings, ElementsAre(HasSubstr("OpVariable behind other instructions")));
  const std::string branch = "OpBranch %14";
  std::string around = text;
  around.replace(text.find(branch), branch.size(), "OpBranchConditional %6 %14 %17");
  const auto skipped = LoadText(around, "skipped.spvasm");
  ASSERT_TRUE(skipped) << skipped.error().message;
  EXPECT_FALSE(Validate(*skipped));
}

// Children that were waited for have done something, if only to begin.
long WorkOfChildren() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_minflt;
}

class KeptValidation : public testing::Test {
 protected:
  KeptValidation() {
    const char* before = std::getenv("XDG_CACHE_HOME");
    if (before != nullptr) before_ = before;
    setenv("XDG_CACHE_HOME", scratch_.path().c_str(), 1);
  }
  ~KeptValidation() override {
    if (before_.empty()) {
      unsetenv("XDG_CACHE_HOME");
    } else {
      setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    }
  }
  bool AsksTheValidator(const Binary& binary) {
    const long before = WorkOfChildren();
    const auto result = Validate(binary);
    EXPECT_TRUE(result) << result.error().message;
    return WorkOfChildren() != before;
  }

  const ScratchFolder scratch_;
  std::string before_;
};

TEST_F(KeptValidation, ValidatesOnce) {
  if (base::OwnBuildId().empty()) GTEST_SKIP() << "linked without a build-id";
  Binary binary = Named(std::vector<std::string>(10'000, "i"), true);
  EXPECT_TRUE(AsksTheValidator(binary));
  EXPECT_FALSE(AsksTheValidator(binary));
  binary.name = "another.spvasm";
  EXPECT_TRUE(AsksTheValidator(binary)) << "the name stands in warnings";
  const Binary other = Named(std::vector<std::string>(10'001, "i"), true);
  EXPECT_TRUE(AsksTheValidator(other));
}

TEST_F(KeptValidation, OfOthersIsNotBelieved) {
  if (base::OwnBuildId().empty()) GTEST_SKIP() << "linked without a build-id";
  const Binary binary = Named(std::vector<std::string>(10'000, "i"), true);
  EXPECT_TRUE(AsksTheValidator(binary));
  int entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path() + "/assay")) {
    chmod(entry.path().c_str(), 0666);
    ++entries;
  }
  EXPECT_EQ(entries, 1);
  EXPECT_TRUE(AsksTheValidator(binary));
}

TEST_F(KeptValidation, IsOfValidModulesAlone) {
  const Binary binary = Named(std::vector<std::string>(10'000, "i"));
  for (int i = 0; i < 2; ++i) {
    const long before = WorkOfChildren();
    EXPECT_FALSE(Validate(binary));
    EXPECT_NE(WorkOfChildren(), before);
  }
}

}  // namespace
}  // namespace assay::frontend
