#include "tools/judge/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/run_tool.h"

namespace assay::tools {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr LoaderNames kBoth = {.plain = true, .versioned = true};

TEST(JudgeProcessesTest, EachReasonHasItsWords) {
  EXPECT_THAT(WhyNothingIsCaptured({}, {}),
              HasSubstr("there is no libOpenCL.so and no libOpenCL.so.1"));
  EXPECT_THAT(WhyNothingIsCaptured({}, {.versioned = true}),
              AllOf(HasSubstr("no layer was loaded"), HasSubstr("libOpenCL.so is not there")));
  EXPECT_THAT(WhyNothingIsCaptured({}, kBoth),
              AllOf(HasSubstr("no layer was loaded"), Not(HasSubstr("not there"))));
  EXPECT_EQ(WhyNothingIsCaptured({{.process = 1}}, {}),
            "no launch was captured: nothing was launched");
  EXPECT_THAT(WhyNothingIsCaptured({{.process = 1, .context = true, .launch = true}}, kBoth),
              HasSubstr("none of their launches was chosen"));
  EXPECT_THAT(
      WhyNothingIsCaptured({{.process = 1, .build_failed = "error -11", .context = true}}, kBoth),
      HasSubstr("a build failed: error -11"));
  EXPECT_THAT(WhyNothingIsCaptured({{.process = 1}, {.process = 2, .other_type = "gpu"}}, kBoth),
              AllOf(HasSubstr("only devices of type gpu"), HasSubstr("--device-type gpu")));
  EXPECT_THAT(WhyNothingIsCaptured(
                  {{.process = 1, .unseen_loader = "/x/libOpenCL-1.so", .context = true}}, kBoth),
              AllOf(HasSubstr("a second ICD loader that knows no layers, /x/libOpenCL-1.so"),
                    Not(HasSubstr("nothing was launched"))));
  // It found another device.
  EXPECT_EQ(WhyNothingIsCaptured({{.process = 1, .other_type = "gpu", .context = true}}, kBoth),
            "no launch was captured: nothing was launched");
}

TEST(JudgeProcessesTest, FilesOfProcesses) {
  const auto folder = base::TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  std::ofstream(folder->File("12.process.json"))
      << R"({"schema": "assay-process/1", "process": 12, "program": "/bin/x",)"
      << R"( "other_type": "gpu"})";
  std::ofstream(folder->File("13.process.json")) << "{";
  std::ofstream(folder->File("14.json")) << R"({"schema": "assay-process/1", "process": 14})";
  const auto processes = ReadProcesses(folder->path());
  ASSERT_EQ(processes.size(), 1U);
  EXPECT_EQ(processes[0].process, 12U);
  EXPECT_EQ(processes[0].program, "/bin/x");
  EXPECT_EQ(processes[0].other_type, "gpu");
  EXPECT_FALSE(processes[0].launch);
}

}  // namespace
}  // namespace assay::tools
