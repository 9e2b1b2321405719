#include "frontend/private_globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/testing_modules.h"
#include "frontend/validate.h"

namespace assay::frontend {
namespace {

using ::testing::HasSubstr;

Binary Loaded(std::string_view text) {
  auto binary = LoadText(text, "m.spvasm");
  EXPECT_TRUE(binary) << binary.error().message;
  return *binary;
}

// Two kernels that read a variable of the module's level in private memory.
constexpr std::string_view kTwoKernels = R"(; SPIR-V
; Version: 1.2
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %start
OpEntryPoint Kernel %g "g" %start
OpDecorate %start Alignment 4
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%seven = OpConstant %uint 7
%P_uint = OpTypePointer Function %uint
%G_uint = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %G_uint
%start = OpVariable %P_uint Function %seven
%f = OpFunction %void None %type
%p = OpFunctionParameter %G_uint
%f0 = OpLabel
%x = OpLoad %uint %start Aligned 4
OpStore %p %x Aligned 4
OpReturn
OpFunctionEnd
%g = OpFunction %void None %type
%q = OpFunctionParameter %G_uint
%g0 = OpLabel
OpBranch %g1
%g1 = OpLabel
%y = OpLoad %uint %start Aligned 4
OpStore %q %y Aligned 4
OpReturn
OpFunctionEnd
)";

TEST(PrivateGlobals, MoveIntoTheFunctionsThatUseThem) {
  const Binary before = Loaded(kTwoKernels);
  const auto refused = Validate(before, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("storage class outside of a function"));

  const std::vector<Word> words = WithoutPrivateGlobals(before);
  const auto after = LoadWords(words, "m.spv");
  ASSERT_TRUE(after) << after.error().message;
  const auto valid = Validate(*after, {});
  EXPECT_TRUE(valid) << valid.error().message;
  int variables = 0;
  bool in_function = false;
  ForEachInstruction(after->words, [&](std::size_t, std::span<const Word> instruction) {
    const auto opcode = static_cast<Op>(instruction[0] & 0xffff);
    if (opcode == Op::kFunction) in_function = true;
    if (opcode != Op::kVariable) return;
    EXPECT_TRUE(in_function);
    EXPECT_EQ(instruction.size(), 5u) << "with its start value";
    ++variables;
  });
  EXPECT_EQ(variables, 2);
}

TEST(PrivateGlobals, OtherModulesStay) {
  std::string text(kTwoKernels);
  text.replace(text.find("OpTypePointer Function"), 22, "OpTypePointer UniformConstant");
  text.replace(text.find("OpVariable %P_uint Function"), 27, "OpVariable %P_uint UniformConstant");
  EXPECT_TRUE(WithoutPrivateGlobals(Loaded(text)).empty());
}

}  // namespace
}  // namespace assay::frontend
