// `assay explain`, and the options of `assay run` around findings, as users meet them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "frontend/opencl_c.h"
#include "interp/rules/rule.h"
#include "oracle/testing/device_columns.h"
#include "tools/shared/near_names.h"
#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using oracle::TestPath;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(CommandExplainTest, ARuleWithItsKernels) {
  const Finished finished = Shell("{assay} explain memory-out-of-bounds");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.output, HasSubstr("memory-out-of-bounds: access outside of its object\n"));
  EXPECT_THAT(finished.output, HasSubstr("  catalogue  UB-001\n"));
  EXPECT_THAT(finished.output, HasSubstr("\n    // run: -g 5 -a 'int[4]=0'\n    kernel void"));
  EXPECT_THAT(finished.output,
              HasSubstr("What assay says of it:\n\n    error[memory-out-of-bounds]"));
  EXPECT_THAT(finished.output, HasSubstr("\nPut right:\n\n    // run: "));
}

TEST(CommandExplainTest, RowsOfTheCatalogue) {
  const Finished two = Shell("{assay} explain UB-001");
  EXPECT_EQ(two.exit_code, 0);
  EXPECT_THAT(two.output, HasSubstr("memory-out-of-bounds: "));
  EXPECT_THAT(two.output, HasSubstr("memory-wild: "));
  const Finished none = Shell("{assay} explain UB-063");
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_THAT(none.output, HasSubstr("assay does not detect this: "));
}

TEST(CommandExplainTest, ARuleAboutCallsHasItsPrograms) {
  const Finished finished = Shell("{assay} explain host-svm-access");
  EXPECT_THAT(finished.output, HasSubstr("A host program that breaks it"));
  EXPECT_THAT(finished.output, Not(HasSubstr("does not find it yet")));
}

TEST(CommandExplainTest, TheListHasEveryRule) {
  const Finished finished = Shell("{assay} explain --list");
  EXPECT_EQ(finished.exit_code, 0);
  for (const interp::RuleRow& rule : interp::Rules()) {
    EXPECT_THAT(finished.output, HasSubstr("  " + std::string(rule.id) + " "));
  }
  const Finished json = Shell("{assay} explain --list --json -");
  const auto rules = nlohmann::json::parse(json.output, nullptr, false);
  ASSERT_TRUE(rules.is_object()) << json.output;
  EXPECT_EQ(rules["rules"].size(), interp::Rules().size());
  EXPECT_EQ(rules["rules"][0]["rule"], "memory-out-of-bounds");
  EXPECT_TRUE(rules["rules"][0]["detector"].is_null());
  EXPECT_THAT(rules["rules"][0]["fail"].get<std::string>(), HasSubstr("kernel void"));
}

TEST(CommandExplainTest, AnUnknownRuleIsAnErrorWithNearNames) {
  const Finished near = Shell("{assay} explain race-nonatomc");
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_THAT(near.output, HasSubstr("unknown rule 'race-nonatomc'; did you mean race-nonatomic?"));
  // What IsNamed takes is proposed, too: one of a family, the first word of an id.
  for (const auto& [name, meant] : {std::pair("raec", "race"),
                                    {"rcaes", "races"},
                                    {"barier", "barrier"},
                                    {"alignmet", "alignment"}}) {
    const Finished other = Shell(std::string("{assay} explain ") + name);
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_THAT(other.output, HasSubstr(std::string("did you mean ") + meant));
  }
  EXPECT_THAT(Shell("{assay} explain sin").output,
              HasSubstr("'sin' is a function and no rule: `assay list sin` shows its limits"));
  const Finished far = Shell("{assay} explain xyzzyxyzzy");
  EXPECT_EQ(far.exit_code, 2);
  EXPECT_THAT(far.output, HasSubstr("assay explain --list"));
  EXPECT_EQ(Shell("{assay} explain").exit_code, 2);
  EXPECT_EQ(Shell("{assay} explain --list memory-null").exit_code, 2);
}

TEST(NearNamesTest, LettersAndParts) {
  const std::vector<std::string_view> names = {"memory-null", "memory-wild", "race-scope"};
  EXPECT_THAT(NearNames("memory-nul", names), ElementsAre("memory-null", "memory-wild"));
  EXPECT_THAT(NearNames("scope", names), ElementsAre("race-scope"));
  // Two letters that changed places are one mistake.
  const std::vector<std::string_view> options = {"help", "html"};
  EXPECT_THAT(NearNames("htlm", options), ElementsAre("html"));
  EXPECT_THAT(NearNames("zzzzz", names), IsEmpty());
}

class FindingOptionsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
    module_ = TestPath("past.cl");
    Write("kernel void k(global int* out) {\n  out[get_global_id(0)] = 1;\n}\n");
    command_ = "{assay} run " + module_ + " -g 5 -a 'int[4]=0' ";
  }
  void Write(const std::string& text) { std::ofstream(module_) << text; }

  std::string module_;
  std::string command_;
};

TEST_F(FindingOptionsTest, TheReplayedCommandFindsTheSame) {
  const std::string json_path = TestPath("past.json");
  const Finished first = Shell(command_ + "--seed 3 --json " + json_path);
  EXPECT_EQ(first.exit_code, 1);
  const nlohmann::json json = Json(json_path);
  const std::string replay = json["findings"][0]["replay"];
  EXPECT_EQ(replay, "assay run " + module_ + " -g 5 -a 'int[4]=0' --seed 3");
  EXPECT_THAT(first.output, HasSubstr("  = replay: " + replay + "\n"));
  EXPECT_EQ(json["findings"][0]["catalogue"], nlohmann::json({"UB-001"}));
  EXPECT_THAT(json["findings"][0]["help"].get<std::string>(), HasSubstr("Guard the index"));
  const Finished again = Shell("{assay} run --replay " + json_path + " --json -  2>/dev/null");
  EXPECT_EQ(again.exit_code, 1);
  const auto repeated = nlohmann::json::parse(again.output, nullptr, false);
  EXPECT_EQ(repeated["findings"], json["findings"]);
  EXPECT_EQ(repeated["run"]["seed"], 3);
  Write("kernel void k(global int* out) {}\n");
  const Finished changed = Shell("{assay} run --replay " + json_path);
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.output, HasSubstr("is not what it was then"));
}

TEST_F(FindingOptionsTest, IgnoredFindingsAreCounted) {
  const std::string json_path = TestPath("ignored.json");
  const std::string file = module_.substr(module_.rfind('/') + 1);
  const Finished finished =
      Shell(command_ + "--ignore 'memory@" + file + ":2=on purpose' --ignore memory-null@" + file +
            " --json " + json_path);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(finished.output,
              HasSubstr("ignored (unsound) memory@" + file + ":2: 1 finding hidden (on purpose)\n" +
                        "ignored (unsound) memory-null@" + file + ": unused\n"));
  EXPECT_THAT(finished.output, HasSubstr("; unsound: --ignore memory@" + file + ":2, "));
  const nlohmann::json json = Json(json_path);
  EXPECT_TRUE(json["findings"].empty());
  EXPECT_EQ(json["ignored"][0]["findings"], 1);
  EXPECT_EQ(json["ignored"][0]["reason"], "on purpose");
  EXPECT_EQ(json["unsound"].size(), 2u);
}

TEST_F(FindingOptionsTest, SeedsPlaceObjects) {
  Write(
      "kernel void k(global uint* out) {\n  char bytes[16];\n"
      "  *(uint*)(bytes + 3) = (ulong)out & 0xffff;\n  out[0] = *(uint*)(bytes + 3);\n"
      "  out[1] = (ulong)bytes & 0xffff;\n}\n");
  const std::string described = module_ + " -g 1 -a 'uint[2]=0' --print 0 ";
  EXPECT_EQ(Shell("{assay} run " + described).exit_code, 0) << "by luck";
  const Finished both = Shell("{assay} run " + described + "--many-seeds 2");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_THAT(both.output, HasSubstr("error[alignment-access]"));
  EXPECT_THAT(both.output, HasSubstr("--seed 1\n"));
  // One seed's places are the same however it is run.
  const auto places = [&](const std::string& command) {
    const std::string output = Shell(command + " 2>/dev/null").output;
    const std::size_t at = output.find("buffer 0:");
    return at == std::string::npos ? output : output.substr(at);
  };
  const std::string first = places("{assay} run " + described + "--seed 1");
  EXPECT_THAT(first, HasSubstr("\n  0: 256 "));
  EXPECT_THAT(first, HasSubstr("\n  1: 2 "));
  for (const char* options : {"--threads 3", "--width 1", "--detect none", "--detect all,nan"}) {
    EXPECT_EQ(places("{assay} run " + described + "--seed 1 " + options), first) << options;
  }
  const Finished debugged = Shell("{assay} debug " + described +
                                  "--seed 1 --detect none --batch --ex 'break 4' --ex run "
                                  "--ex continue 2>/dev/null");
  EXPECT_THAT(debugged.output, HasSubstr(first));
}

TEST_F(FindingOptionsTest, ManySeedsAreOneReport) {
  const std::string one = TestPath("one.json"), two = TestPath("two.json");
  const Finished finished = Shell(command_ + "--many-seeds 4 --seed 7 --threads 1 --json " + one);
  EXPECT_EQ(finished.exit_code, 1) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("4 times here; in 4 runs"));
  EXPECT_THAT(finished.output, HasSubstr("; 4 runs with seeds 7 to 10, 4 with findings; seed 7"));
  const nlohmann::json json = Json(one);
  EXPECT_EQ(json["runs"]["done"], 4);
  EXPECT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["seed"], 7);
  EXPECT_EQ(json["findings"][0]["runs"], 4);
  EXPECT_EQ(Shell(command_ + "--many-seeds 4 --seed 7 --threads 3 --json " + two).exit_code, 1);
  EXPECT_EQ(Json(two)["findings"], json["findings"]) << "the number of threads changes nothing";
}

TEST_F(FindingOptionsTest, AnExplorationSaysWhetherItIsExhausted) {
  const std::string json_path = TestPath("explored.json");
  const Finished finished = Shell(command_ + "--explore bounded:1 --json " + json_path);
  EXPECT_EQ(finished.exit_code, 1) << finished.output;
  const nlohmann::json json = Json(json_path);
  EXPECT_EQ(json["runs"]["bound"], 1);
  EXPECT_GE(json["runs"]["done"].get<int>(), 1);
  EXPECT_EQ(json["runs"]["exhausted"], true);
  const std::string replay = json["findings"][0]["replay"];
  EXPECT_THAT(replay, HasSubstr(" --seed 0 --choices 0"));
}

TEST_F(FindingOptionsTest, SarifHasTheFindings) {
  const std::string path = TestPath("past.sarif");
  EXPECT_EQ(Shell(command_ + "--sarif " + path).exit_code, 1);
  EXPECT_EQ(Json(path)["runs"][0]["results"][0]["ruleId"], "memory-out-of-bounds");
  const Finished alone = Shell(command_ + "--sarif - 2>/dev/null");
  EXPECT_EQ(nlohmann::json::parse(alone.output, nullptr, false)["version"], "2.1.0");
}

TEST_F(FindingOptionsTest, TheSummaryNamesDetectorsThatAreOff) {
  const Finished finished = Shell(command_ + "--detect=-races --allow same-value-race");
  EXPECT_EQ(finished.exit_code, 1) << "memory safety is always on";
  EXPECT_THAT(finished.output, HasSubstr("; unsound: --detect -races, --allow same-value-race\n"));
  EXPECT_THAT(Shell(command_).output, Not(HasSubstr("unsound")));
}

}  // namespace
}  // namespace assay::tools
