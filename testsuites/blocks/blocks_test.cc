// Programs that the page on blocks forbids are refused (OpenCL C 6.12).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/testing/shell.h"

namespace assay::testsuites {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Programs() {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(ASSAY_SOURCE_DIR) / "testsuites/blocks/illegal")) {
    if (entry.path().extension() == ".cl") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class IllegalBlocks : public testing::TestWithParam<std::string> {};

TEST_P(IllegalBlocks, AreRefused) {
  const std::string path =
      std::string(ASSAY_SOURCE_DIR) + "/testsuites/blocks/illegal/" + GetParam() + ".cl";
  const std::string source = tools::Contents(path);
  constexpr std::string_view kBegin = "// refused: ";
  ASSERT_TRUE(source.starts_with(kBegin));
  const std::string wanted = source.substr(kBegin.size(), source.find('\n') - kBegin.size());
  ASSERT_GT(wanted.size(), 8u);
  const tools::Finished run =
      tools::Shell("{assay} run '" + path + "' -g 1 -a 'int[4]=0' -a 'int[4]=0'");
  EXPECT_EQ(run.exit_code, 2) << run.output;
  EXPECT_THAT(run.output, testing::HasSubstr(wanted));
}

INSTANTIATE_TEST_SUITE_P(Page, IllegalBlocks, testing::ValuesIn(Programs()),
                         [](const auto& tested) { return tested.param; });

// The examples of the chapter on enqueuing kernels, with what they compute, in any order.
TEST(LegalBlocks, Run) {
  const std::string job = std::string(ASSAY_SOURCE_DIR) + "/testsuites/blocks/legal/enqueue.json";
  for (const char* options : {"", " --width 1", " --width 7 --threads 3", " --many-seeds 16"}) {
    const tools::Finished run = tools::Shell("{assay} run --job '" + job + "'" + options);
    EXPECT_EQ(run.exit_code, 0) << run.output;
  }
}

}  // namespace
}  // namespace assay::testsuites
