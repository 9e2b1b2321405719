// Scripts of debugger commands beside the transcripts that they must give.
//
// NAME.dbg begins with lines "#run VARIANT: ARGUMENTS": how `assay debug` is started in this
// folder, once for each variant.  NAME.VARIANT.expected has each command with what it said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tools/assay/testing_shell.h"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(ASSAY_SOURCE_DIR) / "testsuites" / "debug";

struct Script {
  std::string name, variant, arguments;
};

std::vector<Script> Scripts() {
  std::vector<Script> scripts;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".dbg") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line) && line.starts_with("#run ");) {
      const std::size_t colon = line.find(": ");
      scripts.push_back(
          {entry.path().stem().string(), line.substr(5, colon - 5), line.substr(colon + 2)});
    }
  }
  std::sort(scripts.begin(), scripts.end(), [](const Script& a, const Script& b) {
    return std::pair(a.name, a.variant) < std::pair(b.name, b.variant);
  });
  return scripts;
}

// Paths of this machine are not the test's affair.
std::string WithoutFolder(std::string text) {
  const std::string folder = kFolder.string() + "/";
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) {
    text.erase(at, folder.size());
  }
  return text;
}

class DebugScripts : public testing::TestWithParam<Script> {};

TEST_P(DebugScripts, GiveTheirTranscripts) {
  const Script& script = GetParam();
  const Finished finished =
      Shell("cd '" + kFolder.string() + "' && grep -v '^#run' " + script.name +
            ".dbg | {assay} debug " + script.arguments + " -q --transcript");
  const std::string transcript =
      WithoutFolder(finished.output) + "exit code " + std::to_string(finished.exit_code) + "\n";
  const fs::path expected = kFolder / (script.name + "." + script.variant + ".expected");
  if (std::getenv("ASSAY_BLESS") != nullptr) {
    std::ofstream(expected) << transcript;
    return;
  }
  EXPECT_EQ(Contents(expected.string()), transcript) << "./dev bless -R DebugScripts rewrites it";
}

INSTANTIATE_TEST_SUITE_P(All, DebugScripts, testing::ValuesIn(Scripts()), [](const auto& info) {
  std::string name = info.param.name + "_" + info.param.variant;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

// A script that ends at its first error, and what the run came to.
TEST(DebugBatch, EndsWithADocumentedExitCode) {
  const std::string start = "cd '" + kFolder.string() + "' && {assay} debug wrong.cl -g 1 -q ";
  const std::string good = start + "-a 'int[4]=0' -a int=-1 --batch ";
  EXPECT_EQ(Shell(good + "--ex run").exit_code, 0);
  EXPECT_EQ(Shell(start + "-a 'int[4]=0' -a int=1 --batch --ex run").exit_code, 1);
  const Finished failed = Shell(good + "--ex nonsense --ex 'echo not reached'");
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_EQ(failed.output, "no command 'nonsense'; `help` lists them\n");
  EXPECT_EQ(Shell(start + "-a 'int[4]=0' --batch --ex run").exit_code, 2);  // an argument too few
  EXPECT_EQ(Shell(good + "--many-seeds 3 --ex run").exit_code, 2);
  EXPECT_EQ(Shell(good + "-x not_there.dbg").exit_code, 2);
}

// A step back deep in a run that is long enough for checkpoints to be needed.
TEST(DebugTime, StepsBackInALongRun) {
  const std::string file = testing::TempDir() + "debug_long.cl";
  std::ofstream(file) << "kernel void k(global uint* out, int n) {\n"
                         "  uint x = 1;\n"
                         "  for (int i = 0; i < n; ++i) {\n"
                         "    x = x * 1664525u + 1013904223u;\n"
                         "  }\n"
                         "  out[0] = x;\n"
                         "}\n";
  const Finished finished =
      Shell("{assay} debug '" + file +
            "' -g 1 -a 'uint[1]=0' -a int=200000 -q --batch --detect none --ex 'break 6' --ex run "
            "--ex delete --ex reverse-step --ex reverse-step --ex 'print i' --ex 'goto 1000000' "
            "--ex 'print $time' --ex 'reverse-stepi 3' --ex 'print $time'");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.output.find("$1 = 199999 ("), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("$2 = 1000000 ("), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("$3 = 999997 ("), std::string::npos) << finished.output;
}

// Every command has to be in some script of every variant: without and with optimization, from both
// compilers.  The list is the debugger's own.
TEST(DebugCommands, AreAllInScripts) {
  const Finished help = Shell("cd '" + kFolder.string() +
                              "' && {assay} debug wrong.cl -g 1 -a 'int[4]=0' -a int=1 -q "
                              "--ex help --batch");
  ASSERT_EQ(help.exit_code, 0) << help.output;
  for (const char* variant : {"O0", "O2", "clang-22", "clang-22-O2"}) {
    std::string all;
    for (const Script& script : Scripts()) {
      if (script.variant == variant) {
        all += Contents((kFolder / (script.name + ".dbg")).string());
      }
    }
    std::istringstream lines(help.output);
    for (std::string line; std::getline(lines, line);) {
      const std::string command = line.substr(0, line.find(' '));
      if (command == "Commands" || command == "quit" || command == "source") continue;
      EXPECT_NE(("\n" + all).find("\n" + command), std::string::npos) << command << ", " << variant;
    }
  }
}

}  // namespace
}  // namespace assay::tools
