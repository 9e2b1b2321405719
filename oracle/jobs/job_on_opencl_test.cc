// Against PoCL, which `./dev setup` installs; skipped where there is no such platform.
#include "oracle/jobs/job_on_opencl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace assay::oracle {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kSource = R"(
kernel void first(read_only image2d_t image, global uint* out) {
  out[0] = 1 + get_image_width(image);
}
kernel void second(global uint* in, global uint* out) { out[0] = in[0] + 10; }
)";

// PoCL supports CL_RGBA with CL_UNORM_INT8, and not CL_LUMINANCE.
constexpr std::string_view kGood =
    R"({"shape": "2d", "size": [4, 1], "order": "CL_RGBA", "type": "CL_UNORM_INT8", "init": {"fill": [0, 0, 0, 0]}})";
constexpr std::string_view kBad =
    R"({"shape": "2d", "size": [4, 1], "order": "CL_LUMINANCE", "type": "CL_UNORM_INT8", "init": {"hex": "01020304"}})";

std::string BufferNamed(const std::string& name) {
  return "\"" + name + R"(": {"type": "uint", "count": 1, "init": {"fill": 0}})";
}

class LeftOutTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("assay_job_on_opencl_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "kernels.cl") << kSource;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Two launches of `first` with images of their own, then `second`, which adds to what the one of
  // `bad` wrote.
  Expected<JobOutcome> Run(const std::string& bad, bool with_good) const {
    std::string launches = R"(
        {"kernel": "first", "global": [1], "args": [{"image": "bad"}, {"buffer": "left"}]},
        {"kernel": "second", "global": [1], "args": [{"buffer": "left"}, {"buffer": "sum"}]})";
    if (with_good) {
      launches =
          R"({"kernel": "first", "global": [1], "args": [{"image": "good"}, {"buffer": "made"}]},)" +
          launches;
    }
    const std::string text = R"({"module": "kernels.cl", "buffers": {)" + BufferNamed("made") +
                             ", " + BufferNamed("left") + ", " + BufferNamed("sum") +
                             R"(}, "images": {"good": )" + std::string(kGood) + R"(, "bad": )" +
                             bad + R"(}, "launches": [)" + launches + "]}";
    std::ofstream(folder_ / "job.json") << text;
    const auto job = interp::LoadJob((folder_ / "job.json").string());
    if (!job) return tl::unexpected<Error>(job.error());
    names_.clear();
    for (const interp::JobBuffer& buffer : job->buffers) names_.push_back(buffer.name);
    return RunJobOnOpenCl(*job, "portable computing");
  }
  static bool NoPocl(const Expected<JobOutcome>& outcome) {
    return !outcome && (outcome.error().kind == ErrorKind::kUsage ||
                        outcome.error().message.starts_with("no OpenCL"));
  }
  std::size_t Place(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
  }
  std::uint32_t Word(const JobOutcome& outcome, const std::string& name) const {
    std::uint32_t word = 0;
    std::memcpy(&word, outcome.buffers.at(Place(name)).data(), sizeof word);
    return word;
  }

  std::filesystem::path folder_;
  mutable std::vector<std::string> names_;
};

TEST_F(LeftOutTest, NoneWhereAllFormatsAreSupported) {
  const auto outcome = Run(std::string(kGood), true);
  if (NoPocl(outcome)) GTEST_SKIP() << "no PoCL here: apt install pocl-opencl-icd";
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_THAT(outcome->left_out, IsEmpty());
  EXPECT_EQ(Word(*outcome, "made"), 5u);
  EXPECT_EQ(Word(*outcome, "sum"), 15u);
}

TEST_F(LeftOutTest, WhatNeedsAnUnsupportedFormatAndWhatUsesItsResults) {
  const auto outcome = Run(std::string(kBad), true);
  if (NoPocl(outcome)) GTEST_SKIP() << "no PoCL here: apt install pocl-opencl-icd";
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->left_out.size(), 2u);
  EXPECT_EQ(outcome->left_out[0].launch, 1u);
  EXPECT_EQ(outcome->left_out[0].kernel, "first");
  EXPECT_THAT(outcome->left_out[0].why, HasSubstr("CL_LUMINANCE CL_UNORM_INT8: not supported"));
  EXPECT_EQ(outcome->left_out[1].launch, 2u);
  EXPECT_THAT(outcome->left_out[1].why, HasSubstr("buffer 'left'"));
  EXPECT_EQ(Word(*outcome, "made"), 5u);
  EXPECT_TRUE(outcome->complete.at(Place("made")));
  EXPECT_FALSE(outcome->complete.at(Place("left")));
  EXPECT_FALSE(outcome->complete.at(Place("sum")));
}

TEST_F(LeftOutTest, AllIsAnError) {
  const auto outcome = Run(std::string(kBad), false);
  if (NoPocl(outcome)) GTEST_SKIP() << "no PoCL here: apt install pocl-opencl-icd";
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(outcome.error().message, HasSubstr("can run no launch of the job"));
}

// A driver gets its options as one string, and PoCL splits it at every space.
TEST(JobOnOpenClTest, FoldersHaveAnyName) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("assay job on \"opencl\" \xc3\xa0 'test'." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "ten.h") << "#define TEN 10\n";
  std::ofstream(folder / "ten.cl") << "#include \"ten.h\"\n"
                                      "kernel void ten(global uint* out) { out[0] = TEN; }\n";
  std::ofstream(folder / "job.json")
      << R"({"module": "ten.cl", "buffers": {)" << BufferNamed("out")
      << R"(}, "launches": [{"kernel": "ten", "global": [1], "args": [{"buffer": "out"}]}]})";
  const auto job = interp::LoadJob((folder / "job.json").string());
  ASSERT_TRUE(job) << job.error().message;
  const auto outcome = RunJobOnOpenCl(*job, "portable computing");
  std::filesystem::remove_all(folder);
  if (!outcome && (outcome.error().kind == ErrorKind::kUsage ||
                   outcome.error().message.starts_with("no OpenCL"))) {
    GTEST_SKIP() << "no PoCL here: apt install pocl-opencl-icd";
  }
  ASSERT_TRUE(outcome) << outcome.error().message;
  std::uint32_t ten = 0;
  ASSERT_EQ(outcome->buffers.at(0).size(), sizeof ten);
  std::memcpy(&ten, outcome->buffers[0].data(), sizeof ten);
  EXPECT_EQ(ten, 10u);
}

}  // namespace
}  // namespace assay::oracle
