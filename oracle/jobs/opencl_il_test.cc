#include "oracle/jobs/opencl_il.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/testing_modules.h"
#include "oracle/jobs/job_on_opencl.h"

namespace assay::oracle {
namespace {

using testing::HasSubstr;

TEST(SpecializationConstantBytesTest, IsThatOfItsType) {
  const auto module = frontend::LoadText(frontend::WithPreamble(R"(
OpDecorate %truth SpecId 3
OpDecorate %small SpecId 7
OpDecorate %large SpecId 8
OpDecorate %number SpecId 9
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%truth = OpSpecConstantFalse %bool
%small = OpSpecConstant %uchar 1
%large = OpSpecConstant %ulong 1
%number = OpSpecConstant %float 1
%plain = OpConstant %float 2
)"),
                                         "constants.spvasm");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(SpecializationConstantBytes(*module, 3), 1u);
  EXPECT_EQ(SpecializationConstantBytes(*module, 7), 1u);
  EXPECT_EQ(SpecializationConstantBytes(*module, 8), 8u);
  EXPECT_EQ(SpecializationConstantBytes(*module, 9), 4u);
  EXPECT_EQ(SpecializationConstantBytes(*module, 4), 0u);
}

TEST(ImageParametersTest, AreThoseOfKernelsWithTheirAccess) {
  const auto module = frontend::LoadText(R"(
OpCapability Addresses
OpCapability Kernel
OpCapability ImageBasic
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %copy "copy"
OpEntryPoint Kernel %copy "again"
OpEntryPoint Kernel %change "change"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%read = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%written = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
%both = OpTypeImage %void 2D 0 0 0 0 Unknown ReadWrite
%copy_t = OpTypeFunction %void %uint %read %written
%change_t = OpTypeFunction %void %both
%helper_t = OpTypeFunction %void %read
%helper = OpFunction %void None %helper_t
%h0 = OpFunctionParameter %read
%h = OpLabel
OpReturn
OpFunctionEnd
%copy = OpFunction %void None %copy_t
%c0 = OpFunctionParameter %uint
%c1 = OpFunctionParameter %read
%c2 = OpFunctionParameter %written
%c = OpLabel
OpReturn
OpFunctionEnd
%change = OpFunction %void None %change_t
%d0 = OpFunctionParameter %both
%d = OpLabel
OpReturn
OpFunctionEnd
)",
                                         "images.spvasm");
  ASSERT_TRUE(module) << module.error().message;
  using frontend::AccessQualifier;
  const ImageParameters expected = {{{"copy", 1}, AccessQualifier::kReadOnly},
                                    {{"copy", 2}, AccessQualifier::kWriteOnly},
                                    {{"again", 1}, AccessQualifier::kReadOnly},
                                    {{"again", 2}, AccessQualifier::kWriteOnly},
                                    {{"change", 0}, AccessQualifier::kReadWrite}};
  EXPECT_EQ(ImageParametersOf(*module), expected);
}

// Debian's PoCL takes SPIR-V from 6 on.
TEST(JobOnOpenClTest, SaysThatADeviceTakesNoSpirv) {
  const auto job =
      interp::LoadJob(ASSAY_SOURCE_DIR "/testsuites/opcodes/constants/specialization.json");
  ASSERT_TRUE(job) << job.error().message;
  const auto outcome = RunJobOnOpenCl(*job, "portable computing");
  if (outcome) GTEST_SKIP() << "PoCL takes SPIR-V here";
  if (outcome.error().kind == ErrorKind::kUsage ||
      outcome.error().message.starts_with("no OpenCL")) {
    GTEST_SKIP() << "no PoCL here: apt install pocl-opencl-icd";
  }
  EXPECT_EQ(outcome.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(outcome.error().message, HasSubstr("takes no SPIR-V"));
}

}  // namespace
}  // namespace assay::oracle
