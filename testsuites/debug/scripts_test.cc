// Scripts of debugger commands beside the transcripts that they must give.
//
// NAME.dbg begins with lines "#run VARIANT: ARGUMENTS": how `assay debug` is started in this
// folder, once for each variant.  NAME.VARIANT.expected has each command with what it said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "frontend/opencl_c.h"
#include "tools/testing/shell.h"

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

// Transcripts name instructions and count them: those of a script without --compiler are of
// clang-15.
bool IsOfAnotherCompiler(const Script& script) {
  const auto compiler = frontend::DefaultCompiler();
  return compiler && *compiler != frontend::Compiler::kClang15 &&
         script.arguments.find("--compiler") == std::string::npos;
}

std::string_view LastLine(std::string_view text) {
  text.remove_suffix(text.ends_with('\n') ? 1 : 0);
  return text.substr(text.rfind('\n') + 1);
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
  if (const std::string text = Contents(expected.string());
      text != transcript && IsOfAnotherCompiler(script)) {
    EXPECT_EQ(LastLine(text), LastLine(transcript));
    GTEST_SKIP() << "the transcript is of clang-15, which is not installed";
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

// What all detectors leave out is asked for beside them, and is no reason to say that something is
// not watched for.
TEST(DebugBatch, SaysHowToCatchWhatIsNoMistake) {
  const std::string start = "cd '" + kFolder.string() +
                            "' && {assay} debug wrong.cl -g 1 -a 'int[4]=0' -a int=-1 -q --batch ";
  EXPECT_EQ(Shell(start + "--ex catch").output, "Catchpoint 1 (findings)\n");
  EXPECT_EQ(Shell(start + "--ex 'catch nan'").output,
            "Catchpoint 1 (findings of nan)\nNothing watches for nan: start `assay debug` with "
            "`--detect all,nan`\n");
  EXPECT_EQ(Shell(start + "--detect all,nan --ex 'catch nan'").output,
            "Catchpoint 1 (findings of nan)\n");
}

// What is wrong in a file of commands is told with its place, and ends a batch.
TEST(DebugBatch, TellsWhereAScriptIsWrong) {
  struct Row {
    const char* text;
    const char* error;
  };
  const Row rows[] = {
      {"echo a\\n\n\ndefine f\nif 1\nend\n", "F:3: `define f` has no `end`\n"},
      {"break 3\ncommands\nsilent\n", "F:2: `commands` has no `end`\n"},
      {"if 1\nelse\nelse\nend\n", "F:3: this `else` has no `if`\n"},
      {"\nend\n", "F:2: this `end` belongs to nothing\n"},
      {"define f\nprint q\nend\nif 1\n  f\nend\n", "F:5: F:2: nothing runs; `run`, or `start`\n"},
      {"define f\nif 1\nf\nend\nend\nf\n",
       "F:6: `f` calls itself without an end: 1024 defined commands run in each other\n"},
      {"printf \"%d\\n\"\n", "F:1: the format has 1 conversion, and there are 0 values\n"},
      {"while $unknown\nend\n", "F:1: column 1: $unknown is not known"},
      {"break 3\ncommands\nprintf \"%y\", 1\necho no\nend\nrun\necho no\n",
       "F:3: in '%y', the conversion is none of"},
  };
  const std::string file = testing::TempDir() + "debug_wrong_script";
  for (const Row& row : rows) {
    std::ofstream(file) << row.text;
    const Finished finished =
        Shell("cd '" + kFolder.string() +
              "' && {assay} debug wrong.cl -g 1 -a 'int[4]=0' -a int=-1 -q --batch -x '" + file +
              "' 2>&1 >'" + file + ".output'");
    EXPECT_EQ(finished.exit_code, 2) << row.text;
    std::string error = row.error;
    for (std::size_t at = 0; (at = error.find("F:", at)) != std::string::npos;) {
      error.replace(at, 1, file);
      at += file.size();
    }
    EXPECT_TRUE(finished.output.starts_with(error)) << finished.output;
    EXPECT_EQ(Contents(file + ".output").find("no\n"), std::string::npos) << row.text;
  }
}

TEST(DebugBatch, ListsOnlyOptionsThatMeanSomething) {
  const std::string help = Shell("{assay} debug --help").output;
  for (const char* option : {"--arg", "--seed", "--detect", "--shadow", "--batch", "--print",
                             "--save", "--json", "--sarif", "--counts"}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
  for (const char* option : {"--many-seeds", "--explore", "--max-runs"}) {
    EXPECT_EQ(help.find(option), std::string::npos) << option;
  }
}

// --print, --counts, --save, --json and --sarif are what the last run of the session that ended
// left, with or without something that stops it, and not what a way back passes.
TEST(DebugBatch, WritesWhatARunLeft) {
  const std::string out = testing::TempDir() + "debug_results";
  const std::string start = "cd '" + kFolder.string() +
                            "' && {assay} debug wrong.cl -g 2 -a 'int[4]=7' -a int=-1 -q --batch ";
  const std::string options = "--print 0 --counts --save 0='" + out + ".bin' --json '" + out +
                              ".json' --sarif '" + out + ".sarif' ";
  for (const char* how : {"--ex run", "--ex 'break 3' --ex run --ex delete --ex continue",
                          "--ex start --ex continue --ex reverse-continue --ex continue"}) {
    for (const char* end : {".bin", ".json", ".sarif"}) fs::remove(out + end);
    const Finished finished = Shell(start + options + how + " 2>&1");
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    EXPECT_NE(finished.output.find("OpStore"), std::string::npos) << finished.output;
    EXPECT_EQ(Contents(out + ".bin").size(), 16u) << how;
    EXPECT_NE(Contents(out + ".json").find("\"assay-run/1\""), std::string::npos) << how;
    EXPECT_NE(Contents(out + ".sarif").find("\"2.1.0\""), std::string::npos) << how;
  }
  // What the run itself prints there is the same.
  const std::string run = "cd '" + kFolder.string() +
                          "' && {assay} run wrong.cl -g 2 -a 'int[4]=7' -a int=-1 -q --print 0";
  EXPECT_NE(Shell(start + "--print 0 --ex run").output.find(Shell(run).output), std::string::npos);
  // Before the work, and where there was none.
  EXPECT_EQ(Shell(start + "--print nothing --ex run").exit_code, 2);
  EXPECT_EQ(Shell(start + "--json /nowhere/x.json --ex 'echo begun\\n'").output.find("begun"),
            std::string::npos);
  EXPECT_NE(Shell(start + "--json '" + out + ".none' --ex start 2>&1").output.find("no run has"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(out + ".none"));
  const Finished full = Shell(start + "--save 0=/dev/full --ex run 2>&1");
  EXPECT_EQ(full.exit_code, 4) << full.output;
}

// A file of `save breakpoints` sets them again, wherever they were set.
TEST(DebugBatch, SetsAgainWhatItSaved) {
  const std::string file = testing::TempDir() + "debug_saved.dbg";
  const std::string start = "cd '" + kFolder.string() + "' && {assay} debug reduce.cl -g 4 -l 2 " +
                            "-a 'float[2]=0' -a 'float[4]=range(1,1)' -a 'local(8)' -a float=0.5 " +
                            "-q --batch ";
  const Finished first =
      Shell(start +
            "--ex 'break square item 1 if x > 2' --ex 'ignore 1 2' --ex 'tbreak 23' "
            "--ex 'watch out[1] if out[1] > 3' --ex 'disable 3' --ex 'catch race' "
            "--ex 'dprintf 23,\"%d\\n\", k' --ex 'commands 1' --ex silent --ex 'print x' "
            "--ex end --ex 'break square' --ex 'save breakpoints " +
            file + "' --ex 'echo listed\\n' --ex 'info breakpoints'");
  ASSERT_EQ(first.exit_code, 0) << first.output;
  const Finished again = Shell(start + "-x '" + file +
                               "' --ex 'echo listed\\n' "
                               "--ex 'info breakpoints'");
  EXPECT_EQ(again.exit_code, 0) << again.output;
  const auto listed = [](const std::string& text) { return text.substr(text.find("listed")); };
  EXPECT_EQ(listed(again.output), listed(first.output)) << Contents(file);
  EXPECT_EQ(Shell(start + "--ex 'save breakpoints " + file + "'").exit_code, 2);
  EXPECT_EQ(Shell(start + "--ex 'break 23' --ex 'save breakpoints /nowhere/x'").exit_code, 2);
}

// A log has what was typed and what was said, errors and the kernel's output too, and goes on
// behind what the file has unless it is to be overwritten.
TEST(DebugBatch, LogsWhatItSays) {
  const std::string file = testing::TempDir() + "debug_log.txt";
  const std::string start = "cd '" + kFolder.string() + "' && {assay} debug print.cl -g 2 " +
                            "-a 'int[2]=0' -a int=3 -q ";
  const std::string log = "--ex 'set logging file " + file + "' --ex 'set logging on' ";
  fs::remove(file);
  const Finished first = Shell(start + log +
                               "--ex 'print 1 + 1' --ex nonsense --ex run "
                               "--ex quit 2>/dev/null");
  EXPECT_EQ(first.exit_code, 0);
  const std::string text = Contents(file);
  for (const char* part : {"(assay) print 1 + 1\n$1 = 2 (0x00000002)\n", "no command 'nonsense'",
                           "The run has ended"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  const std::string printed = Shell(start + "--ex run --ex quit").output;
  EXPECT_NE(text.find(printed.substr(0, printed.find('\n'))), std::string::npos) << text;
  // It ends by itself, or by `off`, and goes on.
  (void)Shell(start + log + "--ex 'print 40 + 2' --ex 'set logging off' --ex 'print 5' --ex quit");
  EXPECT_TRUE(Contents(file).starts_with(text));
  EXPECT_NE(Contents(file).find("= 42 "), std::string::npos);
  EXPECT_EQ(Contents(file).find("= 5 "), std::string::npos);
  const Finished silent =
      Shell(start + "--ex 'set logging redirect on' " + "--ex 'set logging overwrite on' " + log +
            "--ex 'print 7' --ex 'echo seven\\n' --ex quit");
  EXPECT_EQ(silent.output.find("= 7 "), std::string::npos);
  EXPECT_EQ(silent.output.find("seven"), std::string::npos);
  EXPECT_EQ(Contents(file).find("= 42 "), std::string::npos);
  EXPECT_NE(Contents(file).find("= 7 "), std::string::npos);
  EXPECT_EQ(
      Shell(start + "--batch --ex 'set logging file /nowhere/x' --ex 'set logging on'").exit_code,
      2);
}

// Escapes that somebody wrote are theirs; bytes that a terminal obeys come from elsewhere.
TEST(DebugBatch, EchoesNoBytesThatATerminalObeys) {
  const Finished finished = Shell(
      "cd '" + kFolder.string() +
      "' && {assay} debug wrong.cl -g 1 -a 'int[4]=0' -a int=-1 -q --batch "
      "--ex 'echo \\033[1mbold\\0330\\ \\101\\n' --ex \"$(printf 'echo \\033]0;title\\a\\\\n')\"");
  EXPECT_NE(finished.output.find("\033[1mbold\0330 A\n"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("\\x1b]0;title\\x07\n"), std::string::npos) << finished.output;
}

// "k == 8" and "q == 3" are what somebody types who looks at variables; the run goes on.
TEST(DebugBatch, EndsNoRunWhereAnExpressionWasMeant) {
  const Finished finished = Shell(
      "cd '" + kFolder.string() +
      "' && printf 'break 3\nrun\nk == 8\nq == 3\nr * 2\nkill k\nquit q\nrun r\necho here\\n\n"
      "info items\n' | {assay} debug wrong.cl -g 1 -a 'int[4]=0' -a int=-1 -q 2>/dev/null");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.output.find("here"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("(0,0,0)"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("The run is ended"), std::string::npos) << finished.output;
}

// Lines of one statement may come as several --ex; what nothing ends is told.
TEST(DebugBatch, PutsGivenLinesTogether) {
  const std::string start = "cd '" + kFolder.string() +
                            "' && {assay} debug wrong.cl -g 1 -a 'int[4]=0' -a int=-1 -q --batch ";
  const Finished good = Shell(start +
                              "--ex 'set $i = 0' --ex 'while $i < 3' --ex 'printf \"%d.\", $i' "
                              "--ex 'set $i++' --ex end --ex 'echo \\n'");
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.output, "0.1.2.\n");
  const Finished open = Shell(start + "--ex 'if 1' --ex 'echo no'");
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_EQ(open.output, "`if 1` has no `end`\n");
}

// A breakpoint that goes on by itself takes no stack, and dprintf neither.
TEST(DebugBatch, GoesOnFromBreakpointsAsOftenAsThereAreSome) {
  const std::string file = testing::TempDir() + "debug_often.cl";
  std::ofstream(file) << "kernel void k(global uint* out, int n) {\n"
                         "  uint x = 1;\n"
                         "  for (int i = 0; i < n; ++i) {\n"
                         "    x = x * 1664525u + 1013904223u;\n"
                         "  }\n"
                         "  out[0] = x;\n"
                         "}\n";
  const Finished finished =
      Shell("{assay} debug '" + file +
            "' -g 1 -a 'uint[1]=0' -a int=3000 -q --batch --ex 'set $hits = 0' --ex 'break 4' "
            "--ex commands --ex silent --ex 'set $hits++' --ex continue --ex end "
            "--ex 'dprintf 6,\"%d rounds\\n\", i' --ex run --ex 'print $hits'");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find("$1 = 3000 ("), std::string::npos) << finished.output;
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

// Whether a transcript has the lines one behind the other, with others between them only where one
// is "[...]"; that may stand inside of a line, too.
std::string MissingFrom(const std::string& transcript, const std::vector<std::string>& lines) {
  std::size_t at = 0;
  bool may_skip = true;
  for (const std::string& line : lines) {
    const std::size_t gap = line.find("[...]");
    const std::string first = line.substr(0, gap);
    if (gap != std::string::npos && gap == line.find_first_not_of(' ') && line.ends_with("[...]")) {
      may_skip = true;
      continue;
    }
    const std::size_t found = transcript.find(first, at);
    if (found == std::string::npos || (!may_skip && found != at)) return line;
    at = std::min(transcript.find('\n', found), transcript.size() - 1) + 1;
    if (gap == std::string::npos) {
      if (found + first.size() + 1 != at) return line;
    } else {
      const std::string last = line.substr(gap + 5);
      if (at < found + first.size() + last.size() + 1 ||
          transcript.compare(at - 1 - last.size(), last.size(), last) != 0) {
        return line;
      }
    }
    may_skip = false;
  }
  return "";
}

// The sessions "$ ./assay debug testsuites/debug/..." of a document, by the name of the kernel's
// file.
std::map<std::string, std::vector<std::string>> SessionsOf(const char* document) {
  std::ifstream text(fs::path(ASSAY_SOURCE_DIR) / document);
  std::map<std::string, std::vector<std::string>> sessions;
  std::vector<std::string>* session = nullptr;
  const std::string begin = "    $ ./assay debug testsuites/debug/";
  for (std::string line; std::getline(text, line);) {
    const bool is_shown = line.starts_with("    ");
    if (line.starts_with(begin)) {
      session = &sessions[line.substr(begin.size(), line.find(' ', begin.size()) - begin.size())];
    } else if (!is_shown || line.starts_with("    $ ")) {
      session = nullptr;
    } else if (session != nullptr) {
      session->push_back(line.substr(4));
    }
  }
  return sessions;
}

// README.md and docs/debugger.md show one session each; the transcripts of the scripts have their
// lines.
TEST(DebugTutorial, SessionsOfTheDocumentsMatchTheTranscripts) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"README.md", "score.cl", "nan"}, {"docs/debugger.md", "total.cl", "race"}};
  for (const auto& [document, kernel, script] : cases) {
    SCOPED_TRACE(document);
    auto sessions = SessionsOf(document);
    ASSERT_EQ(sessions.size(), 1u);
    const std::vector<std::string>& lines = sessions[kernel];
    EXPECT_GT(lines.size(), 10u);
    EXPECT_EQ(
        MissingFrom(Contents((kFolder / (script + std::string(".O0.expected"))).string()), lines),
        "");
  }
}

}  // namespace
}  // namespace assay::tools
