#include "oracle/devices/opencl_il.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/testing_modules.h"
#include "oracle/devices/job_on_opencl.h"

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

// Debian's PoCL is built without SPIR-V.
TEST(JobOnOpenClTest, SaysThatADeviceTakesNoSpirv) {
  const auto job =
      interp::LoadJob(ASSAY_SOURCE_DIR "/testsuites/opcodes/constants/specialization.json");
  ASSERT_TRUE(job) << job.error().message;
  const auto outcome = RunJobOnOpenCl(*job, "portable computing");
  ASSERT_FALSE(outcome);
  if (outcome.error().kind == ErrorKind::kUsage ||
      outcome.error().message.starts_with("no OpenCL")) {
    GTEST_SKIP() << "no PoCL here: apt install pocl-opencl-icd";
  }
  EXPECT_EQ(outcome.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(outcome.error().message, HasSubstr("takes no SPIR-V"));
}

}  // namespace
}  // namespace assay::oracle
