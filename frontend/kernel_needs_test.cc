#include "frontend/kernel_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A module with the kernels "plain", which needs nothing, and "k", whose body is given.
std::shared_ptr<const Module> WithKernel(std::string_view head, std::string_view types,
                                         std::string_view body) {
  const std::string text = fmt::format(R"(OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
{}
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %plain "plain"
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%f = OpTypeFunction %void
{}
%plain = OpFunction %void None %f
%p0 = OpLabel
OpReturn
OpFunctionEnd
%helper = OpFunction %void None %f
%h0 = OpLabel
{}
OpReturn
OpFunctionEnd
%k = OpFunction %void None %f
%k0 = OpLabel
%call = OpFunctionCall %void %helper
OpReturn
OpFunctionEnd
)",
                                       head, types, body);
  const auto binary = LoadText(text, "m.spvasm");
  EXPECT_TRUE(binary) << binary.error().message;
  auto module = BuildModule(*binary);
  EXPECT_TRUE(module) << module.error().message;
  return *module;
}

// What is told of "k"; "plain" must never be refused.
std::string Refusal(std::string_view head, std::string_view types, std::string_view body) {
  const auto module = WithKernel(head, types, body);
  const KernelNeeds needs(*module);
  EXPECT_TRUE(needs.Check(*module->FindKernel("plain")));
  const auto good = needs.Check(*module->FindKernel("k"));
  if (good) return "runs";
  EXPECT_EQ(good.error().kind, ErrorKind::kUnsupported);
  return good.error().message;
}

TEST(KernelNeeds, InstructionsAreRefusedByTheirCapability) {
  const char* head =
      "OpCapability VariableLengthArrayINTEL\nOpExtension \"SPV_INTEL_variable_length_array\"\n";
  const char* types = "%ptr = OpTypePointer Function %uint\n";
  EXPECT_THAT(Refusal(head, types, "%x = OpSaveMemoryINTEL %ptr\n"),
              AllOf(HasSubstr("kernel k"),
                    HasSubstr("OpSaveMemoryINTEL is not supported: variable length arrays")));
  EXPECT_EQ(Refusal(head, types, ""), "runs") << "a capability that no kernel uses";
}

TEST(KernelNeeds, InstructionSetsAreRefusedWhereTheyAreUsed) {
  const char* head = "%set = OpExtInstImport \"GLSL.std.450\"\n";
  const char* types = "%float = OpTypeFloat 32\n%one = OpConstant %float 1\n";
  EXPECT_THAT(Refusal(head, types, "%x = OpExtInst %float %set Sqrt %one\n"),
              HasSubstr("extended instruction set GLSL.std.450 is not supported"));
  EXPECT_EQ(Refusal(head, types, ""), "runs");
}

TEST(KernelNeeds, ExecutionModesAreTheKernels) {
  const auto module = LoadText(R"(OpCapability Addresses
OpCapability Kernel
OpCapability FPGAKernelAttributesINTEL
OpExtension "SPV_INTEL_kernel_attributes"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpExecutionMode %k NumSIMDWorkitemsINTEL 4
%void = OpTypeVoid
%f = OpTypeFunction %void
%k = OpFunction %void None %f
%k0 = OpLabel
OpReturn
OpFunctionEnd
)",
                               "m.spvasm");
  ASSERT_TRUE(module) << module.error().message;
  const auto built = BuildModule(*module);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_THAT(KernelNeeds(**built).Check((*built)->entry_points[0]).error().message,
              HasSubstr("NumSIMDWorkitemsINTEL"));
}

}  // namespace
}  // namespace assay::frontend
