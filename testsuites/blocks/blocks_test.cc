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
  // 3 where clang-15 ends itself, and only clang-22 says what is wrong.
  const bool by_clang22 = run.output.find("clang-22 was tried next") != std::string::npos;
  EXPECT_EQ(run.exit_code, by_clang22 ? 3 : 2) << run.output;
  EXPECT_THAT(run.output, testing::HasSubstr(wanted));
}

INSTANTIATE_TEST_SUITE_P(Page, IllegalBlocks, testing::ValuesIn(Programs()),
                         [](const auto& tested) { return tested.param; });

// What the chapters allow, with what it computes, in any order.
class LegalBlocks : public testing::TestWithParam<const char*> {};

TEST_P(LegalBlocks, Run) {
  const std::string job =
      std::string(ASSAY_SOURCE_DIR) + "/testsuites/blocks/legal/" + GetParam() + ".json";
  for (const char* options : {"", " --width 1", " --width 7 --threads 3", " --many-seeds 16"}) {
    const tools::Finished run = tools::Shell("{assay} run --job '" + job + "'" + options);
    EXPECT_EQ(run.exit_code, 0) << run.output;
  }
}

INSTANTIATE_TEST_SUITE_P(Page, LegalBlocks, testing::Values("blocks", "enqueue"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace assay::testsuites
