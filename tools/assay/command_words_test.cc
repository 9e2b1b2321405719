// Command lines as people type them: help, names that are nearly right, and operands that look like
// options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/run_tool.h"
#include "frontend/opencl_c.h"
#include "interp/rules/rule.h"
#include "oracle/testing/device_columns.h"
#include "tools/option_table/command_line.h"
#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using oracle::TestPath;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Row {
  const char* command;
  int exit_code;
  const char* message;
};

void Check(const Row& row) {
  const Finished finished = Shell(row.command);
  EXPECT_EQ(finished.exit_code, row.exit_code) << row.command << "\n" << finished.output;
  EXPECT_THAT(finished.output, HasSubstr(row.message)) << row.command;
}

TEST(CommandWords, NearNamesOfCommandsAndOptions) {
  for (const Row& row : {
           Row{"{assay} lst", 2, "unknown command 'lst'; did you mean list?"},
           Row{"{assay} xyzzyxyz", 2, "the commands are validate, report"},
           Row{"{assay} golden mak", 2, "unknown command 'golden mak'; did you mean make?"},
           Row{"{assay} golden", 2, "golden: name a command: make, verify, search"},
           Row{"{assay} list --conversion", 2, "did you mean --conversions?"},
           Row{"{assay} validate --libary libm.so.6", 2,
               "validate: unknown option '--libary'; did you mean --library?"},
           // The unknown option is the cause of what is missing.
           Row{"{assay} report --htlm=a.html", 2, "unknown option '--htlm'; did you mean --html"},
           Row{"{assay} golden make sin --form float --out /tmp", 2,
               "golden make: unknown option '--form'; did you mean --formats?"},
           Row{"{assay} run k.cl --glob 4", 2, "did you mean --global"},
           Row{"{assay} run k.cl -z", 2, "unknown option '-z'; `assay help run` has them all"},
           Row{"{assay} eval", 2, "eval: function is required; `assay help eval` says how"},
           Row{"{assay} validate --seed abc", 2, "--seed"},
           // What is not for users is not suggested.
           Row{"{assay} serv", 2, "unknown command 'serv'"},
       }) {
    Check(row);
  }
  EXPECT_THAT(Shell("{assay} serv").output, Not(HasSubstr("did you mean serve")));
}

// Words of every command that are nearly right: each message has the right one.
TEST(CommandWords, EachMistakeHasItsSuggestion) {
  const std::pair<const char*, const char*> rows[] = {
      {"vaildate", "validate"},
      {"reports", "report"},
      {"device", "devices"},
      {"lsit", "list"},
      {"evla", "eval"},
      {"goldne", "golden"},
      {"certfy", "certify"},
      {"rnu", "run"},
      {"debgu", "debug"},
      {"exce", "exec"},
      {"juge", "judge"},
      {"explian", "explain"},
      {"hlep", "help"},
      {"golden mak", "make"},
      {"golden verfy", "verify"},
      {"golden serach", "search"},
      {"help golden serach", "search"},
      {"help runn --json", "run"},
      {"golden mak sin --out x", "make"},
      {"validate --opncl", "--opencl"},
      {"validate --functoins sin", "--functions"},
      {"validate --baselin x.json", "--baseline"},
      {"report a.json --markdwon x", "--markdown"},
      {"devices --timout 3", "--timeout"},
      {"list --conversion", "--conversions"},
      {"eval sin 1 --roundign rte", "--rounding"},
      {"golden make sin --ot x", "--out"},
      {"golden verify x --awnsers y", "--answers"},
      {"golden search exp --intervall 3", "--intervals"},
      {"certify exp --exhastive", "--exhaustive"},
      {"run k.cl --globl 4", "--global"},
      {"run k.cl --detct races", "--detect"},
      {"run k.cl --source-rot /", "--source-root"},
      {"debug k.cl --bacth", "--batch"},
      {"exec --jsno x -- true", "--json"},
      {"judge captures --sraif x", "--sarif"},
      {"explain --lst", "--list"},
      {"--verison", "--version"},
      {"validate --level smok", "smoke"},
      {"validate --profile embeded", "embedded"},
      {"validate --math relaxd", "relaxed"},
      {"validate --spec enviroment", "environment"},
      {"validate --library libm.so.6 --functions snh", "sinh"},
      {"validate --library libm.so.6 --functions @unray", "@unary"},
      {"golden make sin --out x --as heder", "header"},
      {"eval sihn 1", "sinh"},
      {"list @convesions", "@conversions"},
      {"certify lgo", "log"},
      {"golden search exq --formats half --out x", "exp"},
      {"run k.cl --color nevr", "never"},
      {"run k.cl --forward-progress workitem", "work-item"},
      {"run k.cl --imprecision lowst", "lowest"},
      {"explain race-nonatmic", "race-nonatomic"},
      {"validate --library libm.so.6 --formats flaot", "float"},
      {"eval sin 1 --format duoble", "double"},
      {"golden make sin --out x --formats hlaf", "half"},
      {"certify exp --formats flot", "float"},
      {"exec --checks onn -- true", "on"},
      {"exec --detect rcaes -- true", "races"},
  };
  for (const auto& [words, meant] : rows) {
    const Finished finished = Shell(std::string("{assay} ") + words);
    EXPECT_EQ(finished.exit_code, 2) << words << "\n" << finished.output;
    const std::size_t at = finished.output.find("did you mean ");
    ASSERT_NE(at, std::string::npos) << words << "\n" << finished.output;
    const std::string suggestions = finished.output.substr(at, finished.output.find('?', at) - at);
    EXPECT_THAT(suggestions + ",", testing::ContainsRegex(std::string("[ ,']") + meant + "[',]"))
        << words << "\n"
        << finished.output;
  }
}

TEST(CommandWords, NothingIsMadeForAMistake) {
  const std::string folder = TestPath("not made");
  Check({("{assay} golden search exq --formats half --out '" + folder + "'").c_str(), 2, "exp"});
  Check({("{assay} golden make sni --out '" + folder + "'").c_str(), 2, "sin"});
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(CommandWords, TheVersionHasAllThatDecidesResults) {
  EXPECT_THAT(Shell("{assay} --version").output, testing::MatchesRegex("assay [0-9.]+\n"));
  const auto json = nlohmann::json::parse(Shell("{assay} --version --json").output);
  EXPECT_EQ(json["schema"], "assay-version/1");
  EXPECT_EQ("assay " + json["version"].get<std::string>() + "\n",
            Shell("{assay} --version").output);
  for (const char* library :
       {"MPFR", "GMP", "LLVM libc", "SPIRV-Tools", "SPIRV-Headers", "nlohmann-json", "CLI11"}) {
    EXPECT_THAT(json["libraries"].value(library, ""), testing::ContainsRegex("[0-9]+[.][0-9]+"))
        << library;
  }
  for (const char* program : {"clang-15", "llvm-spirv-15", "clang-22", "bwrap"}) {
    ASSERT_EQ(json["programs"].contains(program), !base::FindProgram(program).empty()) << program;
    if (!json["programs"].contains(program)) continue;
    EXPECT_THAT(json["programs"][program]["version"].get<std::string>(),
                testing::ContainsRegex("[0-9]+[.][0-9]+"));
  }
  EXPECT_THAT(Shell("PATH=/nonexistent '" ASSAY_BINARY "' --version --json").output,
              HasSubstr("\"programs\": {}"));
  const std::string file = TestPath("version.json");
  const Finished both = Shell("{assay} --version --json '" + file + "'");
  EXPECT_EQ(both.output, Shell("{assay} --version").output);
  EXPECT_EQ(Json(file), json);
  Check({"{assay} --json", 2, "--json requires --version"});
  Check({"{assay} --version --json /nonexistent/x", 2, "its folder does not exist"});
  Check({"{assay} --version validate", 0, "assay "});
}

TEST(CommandWords, HelpAsJson) {
  const auto all = nlohmann::json::parse(Shell("{assay} help --json").output);
  EXPECT_EQ(all["schema"], "assay-help/1");
  EXPECT_EQ(all["commands"][0]["command"], "");
  const auto make = nlohmann::json::parse(Shell("{assay} help golden make --json").output);
  ASSERT_EQ(make["commands"].size(), 1u);
  EXPECT_EQ(make["commands"][0]["command"], "golden make");
  EXPECT_EQ(nlohmann::json::parse(Shell("{assay} help golden --json -").output)["commands"].size(),
            4u);
  // What the help shows stands in it, and what it hides does not.
  for (const auto& command : all["commands"]) {
    const std::string path = command["command"];
    const std::string help = Shell("{assay} " + path + " --help").output;
    for (const auto& option : command["options"]) {
      for (const std::string name : option["names"]) EXPECT_THAT(help, HasSubstr(name)) << path;
    }
    EXPECT_NE(path, "serve");
  }
  Check({"{assay} help --json /nonexistent/x", 2, "its folder does not exist"});
}

// The option, what is wrong with its value, and what it takes; nothing is done before that.
TEST(CommandWords, ValuesThatAreNearlyRight) {
  const std::string validate = "{assay} validate --library libm.so.6 --functions fabs ";
  for (const auto& [command, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {validate + "--level smok",
            "--level: unknown value 'smok'; did you mean smoke? It is one of smoke, standard"},
           {validate + "--level thorough", "--level: unknown value 'thorough'; it is one of smoke"},
           {validate + "--profile ful", "--profile: unknown value 'ful'; did you mean full?"},
           {validate + "--math relax", "--math: unknown value 'relax'; did you mean relaxed?"},
           {validate + "--spec cst", "--spec: unknown value 'cst'; did you mean cts?"},
           {validate + "--rounding up", "--rounding: unknown value 'up'; it is one of rte, rtz"},
           {validate + "--seed x", "--seed: 'x' is no whole number from 0 to 2^64 - 1"},
           {validate + "--samples -1", "--samples: '-1' is no whole number"},
           {validate + "--threads x", "--threads: 'x' is no whole number from 0"},
           {validate + "--timeout 0", "--timeout: '0' is no number above 0"},
           {validate + "--timeout 1x", "--timeout: '1x' is no number above 0"},
           {validate + "--search-evaluations nan",
            "--search-evaluations: 'nan' is no whole number from 0"},
           {validate + "--search-evaluations 9", "--search-evaluations needs --level search"},
           {validate + "--level search --at 1", "--at brings all of its inputs"},
           {validate + "--width 4x", "--width: '4x' is no whole number from 1 to 16"},
           {validate + "--seed 1 --seed 2", "--seed is given more than once"},
           {"{assay} golden make sin --out x --as jsn", "--as: unknown value 'jsn'; did you mean"},
           {"{assay} golden make sin --out x --rounding rte,up", "unknown value 'up'"},
           {"{assay} golden verify x --profile ful", "did you mean full? It is one of full, embed"},
           {"{assay} golden search exp --top 0", "--top: '0' is no whole number from 1 to 4096"},
           {"{assay} eval sin 1 --rounding rt", "--rounding: unknown value 'rt'"},
           {"{assay} run k.cl --cl-version 3.2", "unknown value '3.2'; it is one of 3.0, 3.1"},
           {"{assay} run k.cl --compiler clang",
            "unknown value 'clang'; did you mean clang-15, clang-19, clang-18? It is one of "},
           {"{assay} run k.cl --color allways", "did you mean always?"},
           {"{assay} run k.cl --timeout -1", "--timeout: '-1' is no number from 0 on"},
           {"{assay} run k.cl --max-findings -1", "--max-findings: '-1' is no whole number"},
           {"{assay} run k.cl --max-runs 0", "--max-runs: '0' is no whole number from 1"},
           {"{assay} run k.cl --many-seeds 0", "--many-seeds: '0' is no whole number from 1 to"},
           {"{assay} run k.cl --width 65", "--width: '65' is no whole number from 1 to 64"},
       }) {
    Check({command.c_str(), 2, message.c_str()});
    const Finished finished = Shell(command);
    EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1)
        << command << "\n"
        << finished.output;
  }
}

// A variable of a script may be empty: nothing else becomes the value.
TEST(CommandWords, OptionsWithAnEmptyValue) {
  const std::string source = TestPath("k.cl");
  std::ofstream(source) << "kernel void k(global int* o) { o[0] = 7; }";
  const std::string run = "{assay} run " + source + " -g 1 -a 'int[1]=0' ";
  for (const char* options : {"--build-options= --print 0", "--print 0 --kernel=",
                              "--detect none --build-options='' --print 0"}) {
    const Finished finished = Shell(run + options);
    EXPECT_EQ(finished.exit_code, 0) << options << finished.output;
    EXPECT_THAT(finished.output, HasSubstr("0: 7 (0x00000007)")) << options;
  }
  for (const char* option : {"--save=", "--seed="}) {
    const Finished finished = Shell(run + option + " -q");
    EXPECT_EQ(finished.exit_code, 2) << option;
    EXPECT_THAT(finished.output, HasSubstr(std::string(option, 6))) << option;
  }
}

// One line with the name, once; and nothing before it or behind it.
TEST(CommandWords, FilesThatCannotBeTaken) {
  const std::string empty = TestPath("empty"), folder = TestPath("folder");
  std::ofstream(empty).flush();
  std::filesystem::create_directory(folder);
  const std::string missing = "/nonexistent/f";
  const std::string library = "{assay} validate --functions fabs --formats float --library ";
  const std::string out = TestPath("made") + " ";
  for (const std::string& command :
       {std::string("{assay} golden verify "), std::string("{assay} report "),
        std::string("{assay} run -g 1 "), std::string("{assay} run --job "),
        std::string("{assay} run --replay "), std::string("{assay} debug --batch --job "),
        "{assay} golden make --out " + out + "--job ",
        "{assay} golden make sin --formats float --out " + out + "--inputs ",
        "{assay} golden search exp --formats half --out " + out + "--published ", library,
        library + "libm.so.6 --worst-from ", std::string("{assay} validate --recorded ")}) {
    for (const std::string& file : {missing, empty, folder}) {
      const Finished finished = Shell(command + file);
      EXPECT_EQ(finished.exit_code, 2) << command << file << "\n" << finished.output;
      EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1)
          << finished.output;
      const std::size_t at = finished.output.find(file);
      EXPECT_NE(at, std::string::npos) << command << file << "\n" << finished.output;
      EXPECT_EQ(finished.output.find(file, at + 1), std::string::npos) << finished.output;
    }
  }
  std::filesystem::remove_all(TestPath("made"));
  std::filesystem::remove_all(folder);
}

TEST(CommandWords, HelpOfEverything) {
  const Finished all = Shell("{assay} help");
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_EQ(all.output, Shell("{assay} --help").output);
  for (const char* group : {"Drivers and their numbers:", "Kernels:"}) {
    EXPECT_THAT(all.output, HasSubstr(group));
  }
  EXPECT_EQ(Shell("{assay} help validate").output, Shell("{assay} validate --help").output);
  EXPECT_EQ(Shell("{assay} help golden make").output, Shell("{assay} golden make --help").output);
  Check({"{assay} help vaildate", 2, "did you mean validate?"});
  Check({"{assay} help golden mke", 2, "unknown command 'golden mke'; did you mean make?"});
  Check({"{assay} golden mke --help", 2, "unknown command 'golden mke'; did you mean make?"});
  Check({"{assay} help help", 0, "assay help validate"});
}

TEST(CommandWords, HelpStandsInGroupsOfShortLines) {
  for (const char* command : {"validate", "run", "debug", "golden make", "report"}) {
    const Finished help = Shell(std::string("{assay} help ") + command);
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.output, Not(HasSubstr("\x01"))) << command;
    std::istringstream lines(help.output);
    bool footer = false;
    for (std::string line; std::getline(lines, line);) {
      footer = footer || line.starts_with("Example");
      if (!footer) {
        EXPECT_LE(line.size(), 100u) << command << ": " << line;
      }
    }
  }
  const std::string validate = Shell("{assay} help validate").output;
  for (const char* group : {"\nThe device (one of):\n", "\nWhat is asked:\n", "\nLong runs:\n",
                            "\nWith what inputs:\n", "\nWhat is written:\n"}) {
    EXPECT_THAT(validate, HasSubstr(group));
  }
  EXPECT_THAT(Shell("{assay} help run").output, HasSubstr("\nHow it is executed:\n"));
}

TEST(CommandWords, OperandsThatBeginWithADash) {
  EXPECT_THAT(Shell("{assay} eval sin -inf").output, HasSubstr("\n  result   0x7fc00000 "));
  EXPECT_THAT(Shell("{assay} eval fabs -.5").output, HasSubstr("\n  result   0x3f000000 "));
  EXPECT_THAT(Shell("{assay} eval pow -2 -nan").output, HasSubstr("\n  result   0x7fc00000 "));
  EXPECT_THAT(Shell("{assay} eval fabs -Inf --format double").output,
              HasSubstr("\n  result   0x7ff0000000000000 "));
  EXPECT_THAT(Shell("{assay} eval fabs -- -.5").output, HasSubstr("\n  result   0x3f000000 "));
  Check({"{assay} eval sin -info", 2, "'-info' is no float"});
  Check({"{assay} eval sin -x", 2, "unknown option '-x'"});
  Check({"{assay} validate --library libm.so.6 --functions fabs --formats float --at -inf", 0,
         "1 pass"});
  const char* words[] = {"assay", "eval", "sin", "-inf"};
  EXPECT_THAT(WordsOf(4, words), ElementsAre("eval", "sin", " -inf"));
  EXPECT_EQ(Operand(" -inf"), "-inf");
}

TEST(CommandWords, TheListOfOneFunctionHasStraightColumns) {
  const Finished one = Shell("{assay} list sin");
  EXPECT_EQ(one.exit_code, 0);
  std::istringstream lines(one.output);
  std::string line;
  std::getline(lines, line);
  EXPECT_THAT(line, StartsWith("function "));
  int count = 0;
  for (; std::getline(lines, line) && line.starts_with("sin "); ++count) {
  }
  EXPECT_EQ(count, 3);
  EXPECT_EQ(line, "limits by OpenCL C 7.4; environment specification, ULP values, full profile");
  Check({"{assay} list sni", 2, "sin"});
  Check({"{assay} list @unry", 2, "@unary"});
  // A long limit moves no column of its row.
  std::istringstream all(Shell("{assay} list --wide").output);
  std::getline(all, line);
  const std::size_t clause = line.find("clause");
  ASSERT_NE(clause, std::string::npos);
  while (std::getline(all, line) && !line.empty()) {
    ASSERT_GT(line.size(), clause) << line;
    EXPECT_EQ(line[clause - 1], ' ') << line;
    EXPECT_NE(line[clause], ' ') << line;
  }
}

// The same names mean the same rules, wherever rules are named.
TEST(CommandWords, FamiliesOfRulesHaveTheSameNamesEverywhere) {
  for (const char* name : {"race", "races"}) {
    const Finished family = Shell(std::string("{assay} explain ") + name);
    EXPECT_EQ(family.exit_code, 0) << name;
    EXPECT_THAT(family.output, HasSubstr("\n  race-nonatomic ")) << name;
    EXPECT_THAT(family.output, HasSubstr("\n  race-async-copy ")) << name;
    EXPECT_THAT(family.output, Not(HasSubstr("\n  memory-null "))) << name;
    EXPECT_THAT(family.output, HasSubstr("--detect races looks for them")) << name;
  }
  const auto json = nlohmann::json::parse(Shell("{assay} explain races --json -").output);
  EXPECT_EQ(json["rules"].size(), interp::RulesNamed("race").size());
  EXPECT_THAT(Shell("{assay} explain memory").output, Not(HasSubstr("--detect")));
  const std::string kernel = TestPath("families.cl");
  std::ofstream(kernel) << "kernel void k(global int* a) { a[0] = get_global_id(0); }\n";
  if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  const std::string run = "{assay} run " + kernel + " -g 2 -a 'int[1]=0' ";
  EXPECT_EQ(Shell(run + "--detect race").exit_code, 1);
  EXPECT_EQ(Shell(run + "--detect=-race").exit_code, 0);
  EXPECT_EQ(Shell(run + "--ignore race@" + kernel + "=known").exit_code, 0);
  EXPECT_EQ(Shell(run + "--ignore races@" + kernel + "=known").exit_code, 0);
  EXPECT_EQ(Shell(run + "--ignore atomics@" + kernel + "=known").exit_code, 1);
  for (const char* name : {"race", "races"}) {
    const Finished caught = Shell("{assay} debug " + kernel + " -g 2 -a 'int[1]=0' --ex 'catch " +
                                  name + "' --ex run --batch");
    EXPECT_THAT(caught.output, HasSubstr("Finding [race-nonatomic]")) << name;
  }
  Check({"{assay} run k.cl --detect memory -g 1", 2, ""});
  Check({(run + "--detect memory").c_str(), 2, "always watched for"});
  Check({(run + "--detect rcaes").c_str(), 2, "did you mean races?"});
  const std::string debug = "{assay} debug " + kernel + " -g 2 -a 'int[1]=0' --batch ";
  Check({(debug + "--ex 'info localss'").c_str(), 2, "no 'localss': info breakpoints, locals"});
  Check({(run + "--detect race-scope").c_str(), 2, "races watches for it"});
}

TEST(CommandWords, AMissingFileIsSaidBeforeAnythingElse) {
  Check({"{assay} run /nonexistent/saxpy.cl", 2, "'/nonexistent/saxpy.cl': there is no such file"});
  Check(
      {"{assay} debug /nonexistent/saxpy.cl", 2, "'/nonexistent/saxpy.cl': there is no such file"});
  const std::string kernel = TestPath("words_saxpy.cl");
  std::ofstream(kernel) << "kernel void k(global int* a) {}\n";
  const std::string typed = TestPath("words_sxapy.cl");
  Check({("{assay} run " + typed).c_str(), 2,
         ("did you mean " + kernel.substr(kernel.rfind('/') + 1)).c_str()});
  Check({("{assay} run " + kernel).c_str(), 2, "-g, the index space, is missing"});
  std::filesystem::remove(kernel);
}

// Nothing is done before it is clear where the result can go.
TEST(CommandWords, AnOutputThatCannotBeWrittenIsAnErrorBeforeTheWork) {
  for (const char* command :
       {"eval sin 1 --json", "list --json", "explain --list --json", "devices --json",
        "certify exp --json", "certify exp --checkpoint", "golden search exp --json",
        "golden verify /nonexistent.json --json", "report /nonexistent.json --html",
        "report /nonexistent.json --csv", "validate --library /nonexistent.so --junit",
        "validate --library /nonexistent.so --record", "run /nonexistent.cl --json",
        "run /nonexistent.cl --sarif"}) {
    const Finished finished =
        Shell(std::string("{assay} ") + command + " /nonexistent/folder/result");
    EXPECT_EQ(finished.exit_code, 2) << command;
    EXPECT_THAT(finished.output, HasSubstr("its folder does not exist; make it first")) << command;
  }
}

TEST(CommandWords, ProgressIsShownOnRequest) {
  const std::string validate =
      "{assay} validate --library libm.so.6 --functions fabs --formats float";
  EXPECT_THAT(Shell(validate).output, Not(HasSubstr("[1/1]")));
  EXPECT_THAT(Shell(validate + " --progress").output,
              HasSubstr("assay: 0:00 elapsed  [1/1] fabs float\n"));
  EXPECT_THAT(Shell(validate + " --progress 2>/dev/null").output, Not(HasSubstr("[1/1]")));
  if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  const std::string kernel = TestPath("progress.cl");
  std::ofstream(kernel) << "kernel void k(global int* a) { a[get_global_id(0)] = 1; }\n";
  const std::string run = "{assay} run " + kernel + " -g 4 -a 'int[4]=0' -q ";
  EXPECT_EQ(Shell(run).output, "");
  EXPECT_THAT(Shell(run + "--progress").output, HasSubstr("assay: 0:00 elapsed  running k\n"));
  EXPECT_THAT(Shell(run + "--many-seeds 3 --progress").output, HasSubstr("of 3 runs, 0 with"));
}

}  // namespace
}  // namespace assay::tools
