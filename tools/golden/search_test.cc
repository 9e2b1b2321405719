// assay golden search as its users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

class GoldenSearch : public testing::Test {
 protected:
  GoldenSearch() {
    folder_ = testing::TempDir() + "golden_search_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  ~GoldenSearch() override { std::filesystem::remove_all(folder_); }

  Finished Search(const std::string& arguments) const {
    return Shell("{assay} golden search --threads 2 " + arguments);
  }

  std::string folder_;
};

TEST_F(GoldenSearch, WritesATableAFunctionAndFormat) {
  const Finished run =
      Search("exp hypot --formats half,float --sampled --samples 4096 --out " + folder_);
  EXPECT_EQ(run.exit_code, 0) << run.output;
  for (const char* name : {"exp.half", "exp.float", "hypot.half", "hypot.float"}) {
    const std::string table = Contents(folder_ + "/" + name + ".tsv");
    EXPECT_THAT(table, HasSubstr("\n# command: assay golden search ")) << name;
    EXPECT_THAT(table, HasSubstr("\tmidpoint\tsampled\t-\n")) << name;
  }
}

TEST_F(GoldenSearch, TablesSayTheCommandThatMakesThemAgain) {
  ASSERT_EQ(
      Search("pow --formats float --samples 9999 --seed 7 --top 8 --out " + folder_).exit_code, 0);
  const std::string path = folder_ + "/pow.float.tsv", table = Contents(path);
  const std::string prefix = "# command: assay ";
  const std::size_t begin = table.find(prefix) + prefix.size();
  const std::string command = table.substr(begin, table.find('\n', begin) - begin);
  std::filesystem::remove(path);
  EXPECT_EQ(Shell("{assay} " + command + " --out " + folder_).exit_code, 0);
  EXPECT_EQ(Contents(path), table);
}

TEST_F(GoldenSearch, ResumesBySkippingFinishedTables) {
  ASSERT_EQ(Search("sqrt --formats half --out " + folder_).exit_code, 0);
  EXPECT_THAT(Search("sqrt cbrt --formats half --resume --out " + folder_).output,
              testing::AllOf(HasSubstr("cbrt"), Not(HasSubstr("sqrt"))));
  // Another command makes another table.
  EXPECT_THAT(Search("sqrt --formats half --top 8 --resume --out " + folder_).output,
              HasSubstr("sqrt"));
}

TEST_F(GoldenSearch, WritesJson) {
  std::filesystem::create_directories(folder_);
  const std::string file = folder_ + "/found.json";
  EXPECT_EQ(Search("exp --formats half --top 4 --json " + file).exit_code, 0);
  const nlohmann::json json = Json(file);
  EXPECT_EQ(json["schema"], "assay-golden-search/1");
  EXPECT_EQ(json["tables"][0]["function"], "exp");
  EXPECT_EQ(json["tables"][0]["cases"][0]["kind"], "midpoint");
  EXPECT_LT(json["tables"][0]["cases"][0]["log2_distance"], -10);
}

TEST_F(GoldenSearch, RefusesUnsupportedTasks) {
  const auto expect = [&](const std::string& arguments, int code, const std::string& message) {
    const Finished run = Search(arguments);
    EXPECT_EQ(run.exit_code, code) << arguments << "\n" << run.output;
    EXPECT_THAT(run.output, HasSubstr(message)) << arguments;
  };
  const std::string out = " --out " + folder_;
  expect("exp", 2, "give --out DIR");
  expect("exp --resume --json -", 2, "give --out DIR");
  expect("expp" + out, 2, "exp");
  expect("exp --formats quad" + out, 2, "unknown format 'quad'");
  expect("exp --top 0" + out, 2, "--top");
  expect("exp --formats half --published /nonexistent" + out, 2, "/nonexistent");
  expect("exp --formats half --out /proc/nothing", 2, "--out '/proc/nothing'");
  expect("floor" + out, 3, "no hard cases");
  expect("native_sin --formats float" + out, 3, "hard cases of sin");
}

}  // namespace
}  // namespace assay::tools
