// `assay golden` as users meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "oracle/testing/device_columns.h"
#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using oracle::TestPath;
using testing::HasSubstr;

class CommandGoldenTest : public testing::Test {
 protected:
  CommandGoldenTest() : folder_(TestPath("golden")) { std::filesystem::remove_all(folder_); }
  ~CommandGoldenTest() override { std::filesystem::remove_all(folder_); }

  Finished Make(const std::string& arguments) {
    return Shell("{assay} golden make " + arguments + " --out '" + folder_ + "'");
  }
  std::string File(const std::string& name) const { return folder_ + "/" + name; }
  // With the file's name in quotes.
  Finished Verify(const std::string& name, const std::string& arguments = "") {
    return Shell("{assay} golden verify '" + File(name) + "' " + arguments);
  }

  std::string folder_;
};

TEST_F(CommandGoldenTest, MadeFilesVerify) {
  const Finished made = Make(
      "sin,fmax sincos --formats half,float --level smoke "
      "--as json,binary,csv,testfloat,header --rounding rte,rtz");
  EXPECT_EQ(made.exit_code, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr(" vectors in 60 files in '"));
  const Finished verified = Verify("");
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  EXPECT_THAT(verified.output, HasSubstr("ok        " + File("sincos.half.rtz.bin")));
  EXPECT_THAT(verified.output, HasSubstr(" vectors in 60 files; all are what the inputs give"));
}

// The example of docs/golden.md, as it stands there.
TEST_F(CommandGoldenTest, TheExampleInCJudgesAFunction) {
  if (Shell("cc --version").exit_code != 0) GTEST_SKIP() << "no C compiler";
  const std::string document = Contents(std::string(ASSAY_SOURCE_DIR) + "/docs/golden.md");
  const std::size_t begin = document.find("```c\n");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = document.find("```", begin + 5);
  ASSERT_EQ(Make("sin --formats float --level smoke --as header").exit_code, 0);
  std::ofstream(File("test.c")) << document.substr(begin + 5, end - begin - 5);
  const std::string compile = "cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I '" + folder_ +
                              "' '" + File("test.c") + "' -lm -o '" + File("test") + "' ";
  const Finished compiled = Shell(compile);
  ASSERT_EQ(compiled.exit_code, 0) << compiled.output;
  const Finished right = Shell("'" + File("test") + "'");
  EXPECT_EQ(right.exit_code, 0) << right.output;
  // Another function in the place of sine.
  ASSERT_EQ(Shell(compile + "-Dsinf=cosf").exit_code, 0);
  const Finished wrong = Shell("'" + File("test") + "'");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.output,
              HasSubstr("sinf(0x00000000) is 0x3f800000, correctly rounded 0x00000000"));
}

TEST_F(CommandGoldenTest, TheSameCommandGivesTheSameBytes) {
  const std::string arguments = "pow --formats double --level smoke --as json,binary";
  ASSERT_EQ(Make(arguments + " --threads 1").exit_code, 0);
  const std::string json = Contents(File("pow.double.rte.json"));
  const std::string binary = Contents(File("pow.double.rte.bin"));
  ASSERT_EQ(Make(arguments + " --threads 3").exit_code, 0);
  EXPECT_EQ(Contents(File("pow.double.rte.json")), json);
  EXPECT_EQ(Contents(File("pow.double.rte.bin")), binary);
  // The command that the file names.
  const std::string command = Json(File("pow.double.rte.json"))["command"];
  ASSERT_EQ(command.find("assay golden make "), 0u);
  EXPECT_EQ(Make(command.substr(18)).exit_code, 0);
  EXPECT_EQ(Contents(File("pow.double.rte.json")), json);
}

TEST_F(CommandGoldenTest, NoticesAChange) {
  ASSERT_EQ(Make("exp --formats float --level smoke --as csv").exit_code, 0);
  const std::string name = "exp.float.rte.csv";
  std::string content = Contents(File(name));
  content[content.size() / 2] ^= 1;
  std::ofstream(File(name)) << content;
  const Finished changed = Verify(name);
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_THAT(changed.output, HasSubstr("CHANGED   " + File(name)));
  std::ofstream(File(name)) << content.substr(0, 100);
  const Finished cut = Verify(name);
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.output, HasSubstr("does not end in the SHA-256"));
}

TEST_F(CommandGoldenTest, ChecksOtherFilesAfterAnInvalidOne) {
  ASSERT_EQ(Make("exp --formats float --level smoke --as csv").exit_code, 0);
  std::ofstream(File("aaa.txt")) << "no vectors\n";
  const Finished verified = Verify("");
  EXPECT_EQ(verified.exit_code, 2);
  EXPECT_THAT(verified.output, HasSubstr("aaa.txt' does not end in the SHA-256"));
  EXPECT_THAT(verified.output, HasSubstr("ok        " + File("exp.float.rte.csv")));
}

TEST_F(CommandGoldenTest, NoticesAFalseClaimWithARightDigest) {
  ASSERT_EQ(Make("exp --formats float --level smoke --as csv").exit_code, 0);
  const std::string name = "exp.float.rte.csv";
  const Finished forged =
      Shell("cd '" + folder_ + "' && head -n -1 " + name +
            " | sed '9s/number,0x\\(........\\),/number,0x3f800123,/' > body && "
            "{ cat body; echo \"# sha256: $(sha256sum < body | head -c 64)\"; } "
            "> " +
            name);
  ASSERT_EQ(forged.exit_code, 0) << forged.output;
  const Finished verified = Verify(name, "--json -");
  EXPECT_EQ(verified.exit_code, 1) << verified.output;
  const auto json = nlohmann::json::parse(verified.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << verified.output;
  EXPECT_EQ(json["files"][0]["intact"], true);
  EXPECT_EQ(json["files"][0]["derived"], false);
  EXPECT_THAT(json["files"][0]["difference"].get<std::string>(), HasSubstr("line 9\n"));
}

TEST_F(CommandGoldenTest, JudgesAnswersOffline) {
  ASSERT_EQ(Make("sin --formats float --level smoke --as csv,json").exit_code, 0);
  // What is expected, as answers; then with one of them far off.
  ASSERT_EQ(Shell("grep '^0x' '" + File("sin.float.rte.csv") + "' | cut -d, -f3 > '" +
                  File("answers.txt") + "'")
                .exit_code,
            0);
  const std::string option = "--answers '" + File("answers.txt") + "'";
  const Finished right = Verify("sin.float.rte.json", option);
  EXPECT_EQ(right.exit_code, 0) << right.output;
  EXPECT_THAT(right.output, HasSubstr("1 pass, 0 fail"));
  ASSERT_EQ(Shell("sed -i '$s/.*/0x3f900000/' '" + File("answers.txt") + "'").exit_code, 0);
  const Finished wrong = Verify("sin.float.rte.json", option);
  EXPECT_EQ(wrong.exit_code, 1) << wrong.output;
  EXPECT_THAT(wrong.output, HasSubstr("0 pass, 1 fail"));
  EXPECT_THAT(wrong.output, HasSubstr("assay golden verify "));
  EXPECT_EQ(Verify("sin.float.rte.json", option + " --interpreter").exit_code, 2);
}

TEST_F(CommandGoldenTest, JudgesADevice) {
  ASSERT_EQ(Make("sin hypot --formats float --level smoke").exit_code, 0);
  const Finished judged = Verify("", "--interpreter");
  EXPECT_EQ(judged.exit_code, 0) << judged.output;
  EXPECT_THAT(judged.output, HasSubstr("2 pass, 0 fail"));
  const Finished json = Verify("", "--interpreter --json -");
  const auto parsed = nlohmann::json::parse(json.output, nullptr, false);
  ASSERT_TRUE(parsed.is_object()) << json.output;
  EXPECT_EQ(parsed["report"]["results"].size(), 2u);
}

TEST_F(CommandGoldenTest, TakesInputsFromAFile) {
  std::filesystem::create_directories(folder_);
  std::ofstream(File("inputs")) << "# two\n1.5, 0x1p-3\n\n0x40000000 -2 # raw and decimal\n";
  ASSERT_EQ(Make("pow --formats float --inputs '" + File("inputs") + "'").exit_code, 0);
  const auto vectors = Json(File("pow.float.rte.json"))["vectors"];
  ASSERT_EQ(vectors.size(), 2u);
  EXPECT_EQ(vectors[1]["args"], (nlohmann::json{"0x40000000", "0xc0000000"}));
  EXPECT_EQ(vectors[1]["results"][0]["expected"], "0x3e800000");
  const Finished wrong = Make("sin --formats float --inputs '" + File("inputs") + "'");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.output, HasSubstr("inputs', line 2: "));
}

class GoldenJobTest : public CommandGoldenTest {
 protected:
  GoldenJobTest() {
    std::filesystem::create_directories(folder_);
    Kernel("y[i] = native_recip(1.0f) + sin(x[i]) / 3.0f");
    std::ofstream(File("k.json")) << R"({"module": "k.cl", "kernel": "k", "global": [3], "args": [
               {"buffer": {"type": "float", "count": 3, "init": {"data": [0, 1, 2]}}},
               {"buffer": {"type": "float", "count": 3, "init": {"fill": 0}}}]})";
  }
  void Kernel(const std::string& statement) const {
    std::ofstream(File("k.cl")) << "kernel void k(global float* x, global float* y) {\n"
                                   "  size_t i = get_global_id(0);\n  " +
                                       statement + ";\n}\n";
  }
};

TEST_F(GoldenJobTest, HoldsTheBuffersAndTheBuiltIns) {
  const Finished made = Make("--job '" + File("k.json") + "'");
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const auto golden = Json(File("k.golden.json"));
  ASSERT_EQ(golden["schema"], "assay-golden-job/1");
  EXPECT_EQ(golden["job"], "k.json");
  EXPECT_EQ(golden["buffers"][0]["before"]["data"][1], "0x3f800000");
  EXPECT_EQ(golden["buffers"][1]["after"]["data"][0], "0x3f800000");  // 1 + sin(0) / 3
  std::map<std::string, int> calls;
  for (const auto& builtin : golden["builtins"]) calls[builtin["function"]] = builtin["calls"];
  EXPECT_EQ(calls, (std::map<std::string, int>{{"sin", 3}, {"div", 3}, {"native_recip", 3}}));
  EXPECT_EQ(golden["builtins"][0]["place"].get<std::string>().find("k.cl:3:"), 0u);
  // sin(1): 0x3f576aa4 correctly rounded, 4 ulp.
  bool seen = false;
  for (const auto& call : golden["calls"]) {
    if (call["args"] != nlohmann::json{"0x3f800000"} ||
        golden["builtins"][call["builtin"].get<std::size_t>()]["function"] != "sin") {
      continue;
    }
    seen = true;
    EXPECT_EQ(call["work_item"], 1);
    EXPECT_EQ(call["results"][0]["expected"], "0x3f576aa4");
    EXPECT_EQ(call["results"][0]["full"], (nlohmann::json{"0x3f576aa1", "0x3f576aa8"}));
  }
  EXPECT_TRUE(seen);
  EXPECT_EQ(Verify("k.golden.json").exit_code, 0);
}

TEST_F(GoldenJobTest, NoticesAnotherKernel) {
  ASSERT_EQ(Make("--job '" + File("k.json") + "'").exit_code, 0);
  Kernel("y[i] = sin(x[i]) / 5.0f");
  const Finished changed = Verify("k.golden.json");
  EXPECT_EQ(changed.exit_code, 1) << changed.output;
  EXPECT_THAT(changed.output, HasSubstr("DIFFERENT "));
}

TEST_F(GoldenJobTest, IsNotMadeOfAWrongKernel) {
  Kernel("y[i + 1] = x[i]");
  const Finished made = Make("--job '" + File("k.json") + "'");
  EXPECT_EQ(made.exit_code, 2);
  EXPECT_THAT(made.output, HasSubstr("memory-out-of-bounds"));
  EXPECT_FALSE(std::filesystem::exists(File("k.golden.json")));
}

struct Wrong {
  std::string arguments;
  std::string message;
};

class CommandGoldenErrors : public testing::TestWithParam<Wrong> {};

TEST_P(CommandGoldenErrors, NameTheRemedy) {
  const Finished finished = Shell("{assay} golden " + GetParam().arguments);
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    All, CommandGoldenErrors,
    testing::Values(Wrong{"", "name a command"}, Wrong{"make sine --out /tmp/x", "'sine'"},
                    Wrong{"make sin --formats quad --out /tmp/x", "unknown format 'quad'"},
                    Wrong{"make sin --rounding up --out /tmp/x", "rte, rtz, rtp, rtn"},
                    Wrong{"make sin --as xml --out /tmp/x", "json, binary, csv, testfloat, header"},
                    Wrong{"make sin --level all --out /tmp/x", "smoke, standard, exhaustive"},
                    Wrong{"make sin --level exhaustive --out /tmp/x", "2^18"},
                    Wrong{"make sin --out /dev/null/x", "is no folder"},
                    Wrong{"make sin --inputs /dev/null --out /tmp/x", "has no inputs"},
                    Wrong{"make sin --inputs /dev/null --seed 3 --out /tmp/x", "excludes"},
                    Wrong{"verify /nowhere", "/nowhere"}, Wrong{"verify /etc/passwd", "SHA-256"},
                    Wrong{"verify /etc/passwd --flushes", "--flushes"},
                    Wrong{"verify /etc/passwd --profile full", "name a device"},
                    Wrong{"verify /etc/passwd /etc/group --answers a", "2 are named"}));

}  // namespace
}  // namespace assay::tools
