#include "tools/run/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "interp/rules/rule.h"
#include "tools/shared/option_values.h"

namespace assay::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The options of a command line without the program's name.
RunOptions Parse(std::vector<std::string> words) {
  RunOptions options;
  CLI::App app;
  AddRunOptions(&app, &options);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  EXPECT_NO_THROW(app.parse(words));
  return options;
}

TEST(RunOptionsTest, ACommandLineIsAJob) {
  const RunOptions options = Parse({"-a",
                                    "float[8]=range(0,1)",
                                    "-g",
                                    "8,2",
                                    "a.cl",
                                    "-l",
                                    "4,1",
                                    "-a",
                                    "int4=1,2,3,4",
                                    "b.cl",
                                    "-k",
                                    "saxpy",
                                    "--offset",
                                    "1,0",
                                    "--spec-constant",
                                    "0=4",
                                    "--spec-constant",
                                    "1=float:1",
                                    "--compiler",
                                    "clang-22",
                                    "--build-options",
                                    "-O2 -DX=1"});
  const auto job = JobOf(options);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->modules, ElementsAre("a.cl", "b.cl"));
  EXPECT_EQ(job->load.compile.build_options, "-O2 -DX=1");
  EXPECT_EQ(job->load.compile.compiler, frontend::Compiler::kClang22);
  EXPECT_EQ(job->load.specialization, (frontend::Specialization{{0, 4}, {1, 0x3f800000}}));
  ASSERT_EQ(job->launches.size(), 1u);
  EXPECT_EQ(job->launches[0].kernel, "saxpy");
  EXPECT_EQ(job->launches[0].range.dimensions, 2);
  EXPECT_THAT(job->launches[0].range.global, ElementsAre(8, 2, 1));
  EXPECT_THAT(*job->launches[0].range.local, ElementsAre(4, 1, 1));
  EXPECT_THAT(job->launches[0].range.offset, ElementsAre(1, 0, 0));
  ASSERT_EQ(job->launches[0].arguments.size(), 2u);
  EXPECT_EQ(std::get<interp::BytesArgument>(job->launches[0].arguments[1]).bytes.size(), 16u);
}

struct Row {
  std::vector<std::string> words;
  const char* message;
  ErrorKind kind = ErrorKind::kUsage;
};

TEST(RunOptionsTest, Errors) {
  for (const Row& row : {
           Row{{}, "name a module"},
           Row{{"a.cl"}, "-g, the index space, is missing"},
           Row{{"a.cl", "-g", "x"}, "--global: 'x' is no size"},
           Row{{"a.cl", "-g", "-1"}, "'-1' is no size"},
           Row{{"a.cl", "-g", "8,"}, "'8,' is no size"},
           Row{{"a.cl", "-g", "8", "-l", "4,4"}, "the local size has 2 dimensions"},
           Row{{"a.cl", "-g", "1,2,3,4"}, "one to three dimensions"},
           Row{{"a.cl", "-g", "1", "-a", "flaot=1"}, "'float'"},
           Row{{"a.cl", "-g", "1", "--spec-constant", "4"}, "write ID=VALUE"},
           Row{{"a.cl", "-g", "1", "--max-memory", "much"}, "--max-memory: 'much'"},
           Row{{"a.cl", "-g", "1", "--max-memory", "1K", "-a", "int[257]=0"},
               "--max-memory",
               ErrorKind::kDevice},
           Row{{"a.cl", "-g", "1", "--print-all"}, "--print-all needs --print"},
           Row{{"--job", "j.json", "a.cl", "-g", "1"}, "MODULE, --global contradicts it"},
           Row{{"--job", "j.json", "-a", "null"}, "--arg contradicts it"},
           Row{{"--job", "/nonexistent/j.json"}, "/nonexistent/j.json"},
           Row{{"a.cl", "--trace"}, "--trace is not there yet", ErrorKind::kUnsupported},
           Row{{"a.cl", "-g", "1", "--many-seeds", "2", "--explore", "bounded:1"},
               "--many-seeds and --explore contradict"},
           Row{{"a.cl", "-g", "1", "--seed", "2", "--explore", "bounded:1"},
               "--seed and --explore contradict"},
           Row{{"a.cl", "-g", "1", "--choices", "0", "--many-seeds", "2"},
               "--choices and --many-seeds contradict"},
           Row{{"a.cl", "-g", "1", "--many-seeds", "2", "--seed", "18446744073709551615"},
               "not that many seeds"},
           Row{{"--replay", "r.json", "--seed", "1"}, "--replay and --seed contradict"},
           Row{{"a.cl", "-g", "1", "--json", "-", "--sarif", "-"}, "--json - and --sarif -"},
       }) {
    const auto job = JobOf(Parse(row.words));
    ASSERT_FALSE(job) << row.message;
    EXPECT_THAT(job.error().message, HasSubstr(row.message));
    EXPECT_EQ(job.error().kind, row.kind) << row.message;
  }
}

TEST(RunOptionsTest, SizesOfMemory) {
  EXPECT_EQ(ParseByteSize("65536"), 65536u);
  EXPECT_EQ(ParseByteSize("64K"), 65536u);
  EXPECT_EQ(ParseByteSize("3M"), 3u << 20);
  EXPECT_EQ(ParseByteSize("8G"), std::uint64_t{8} << 30);
  for (const char* text : {"", "K", "-1", "1.5G", "1KB", "18446744073709551615K"}) {
    EXPECT_FALSE(ParseByteSize(text)) << text;
  }
}

TEST(RunOptionsTest, BuffersByPlaceAndName) {
  const auto job = JobOf(Parse({"a.cl", "-g", "1", "-a", "float=1", "-a", "int[2]=0"}));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(FindBuffer(*job, "--print", "1"), 0u);
  const std::vector<std::string> parameters = {"scale", "y"};
  EXPECT_EQ(FindBuffer(*job, "--print", "y", parameters), 0u);
  EXPECT_THAT(FindBuffer(*job, "--print", "scale", parameters).error().message,
              HasSubstr("there are: 1, y"));
  for (const char* name : {"0", "2", "x", "-1"}) {
    const auto buffer = FindBuffer(*job, "--print", name);
    ASSERT_FALSE(buffer) << name;
    EXPECT_THAT(buffer.error().message, HasSubstr("there is: 1"));
  }
  const auto named = interp::ParseJob(
      R"({"module": "a.cl", "global": 1, "buffers": {"x": {"type": "int", "init": {"data": [1]}}},
          "args": [{"null": true}, {"buffer": "x"}]})",
      "job.json");
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ(FindBuffer(*named, "--print", "x"), 0u);
  EXPECT_EQ(FindBuffer(*named, "--print", "1"), 0u);
}

TEST(RunOptionsTest, Saves) {
  const std::vector<std::string> words = {"a.cl", "-g", "1", "-a", "int[2]=0", "-a", "int[2]=0"};
  const auto saves = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    const RunOptions options = Parse(all);
    return SavesOf(options, *JobOf(options));
  };
  const auto good = saves({"--save", "1=/tmp/a=b"});
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ((*good)[0].buffer, 1u);
  EXPECT_EQ((*good)[0].path, "/tmp/a=b");
  EXPECT_THAT(saves({"--save", "1"}).error().message, HasSubstr("write ARG=FILE"));
  EXPECT_THAT(saves({"--save", "1=/nonexistent/x"}).error().message, HasSubstr("/nonexistent/x"));
  EXPECT_THAT(
      saves({"--save", "0=/tmp/assay-twice", "--save", "1=/tmp/assay-twice"}).error().message,
      HasSubstr("two buffers"));
}

TEST(RunOptionsTest, Settings) {
  const auto settings = SettingsOf(Parse(
      {"a.cl", "--seed", "7", "--rounding", "rtz", "--ftz", "--width", "1", "--max-memory", "1M"}));
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->seed, 7u);
  EXPECT_EQ(settings->rounding, numerics::Rounding::kRtz);
  EXPECT_TRUE(settings->flush_to_zero);
  EXPECT_EQ(settings->width, 1);
  EXPECT_EQ(settings->max_memory, 1u << 20);
  // What a report or an editor asks for has not been looked at.
  EXPECT_THAT(SettingsOf({.rounding = "up"}).error().message, HasSubstr("'up'"));
  // A report that cannot be written is said as the option is read, and so is an unknown value.
  for (std::vector<std::string> words : {std::vector<std::string>{"/tmp", "--json", "a.cl"},
                                         {"gcc", "--compiler", "a.cl"},
                                         {"up", "--rounding", "a.cl"}}) {
    RunOptions options;
    CLI::App app;
    AddRunOptions(&app, &options);
    EXPECT_THROW(app.parse(words), CLI::ValidationError) << words[0];
  }
}

TEST(RunOptionsTest, DetectorOptions) {
  const auto settings =
      SettingsOf(Parse({"a.cl", "--detect=-races,-groups", "--allow", "same-value-race"}));
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_FALSE(settings->detectors.Has(interp::Detector::kRaces));
  EXPECT_TRUE(settings->detectors.Has(interp::Detector::kArithmetic));
  EXPECT_THAT(settings->allowed, ElementsAre(interp::Rule::kRaceSameValue));
  EXPECT_THAT(SettingsOf(Parse({"a.cl", "--allow", "flat-index"}))->allowed,
              ElementsAre(interp::Rule::kPointerArrayIndex));
  EXPECT_EQ(SettingsOf(Parse({"a.cl"}))->detectors, interp::DetectorSet::All());
  EXPECT_THAT(SettingsOf(Parse({"a.cl", "--detect", "luck"})).error().message, HasSubstr("'luck'"));
  EXPECT_THAT(SettingsOf(Parse({"a.cl", "--allow", "races"})).error().message,
              HasSubstr("same-value-race"));
}

TEST(RunOptionsTest, TheVersionToJudgeByIsThatOfTheLanguageUnlessItIsSaid) {
  const auto version = [](std::vector<std::string> more, const std::string& module = "a.cl") {
    more.insert(more.end(), {module, "-g", "1"});
    const RunOptions options = Parse(more);
    const auto job = JobOf(options);
    return job ? JudgedVersion(options, *job) : job.error().message;
  };
  EXPECT_EQ(version({}), "3.1");
  EXPECT_EQ(version({"--cl-version", "3.0"}), "3.0");
  for (const char* standard : {"CL1.2", "CL2.0", "CL3.0", "cl3.0", "clc++", "CLC++2021"}) {
    const std::string option = std::string("-cl-std=") + standard;
    EXPECT_EQ(version({"--build-options", option}), "3.0") << standard;
    EXPECT_EQ(version({"--build-options", option, "--cl-version", "3.1"}), "3.1") << standard;
    EXPECT_EQ(version({"--build-options", option}, "a.spv"), "3.1") << "nothing is compiled";
  }
  EXPECT_EQ(version({"--build-options", "-DX=-cl-std=CL3.0 -O2"}), "3.1");
  EXPECT_EQ(version({"--build-options", "-cl-std=CL2.0 -cl-std=CL3.1"}), "3.1") << "the last wins";
}

TEST(RunOptionsTest, TheBoundOfAnExploration) {
  EXPECT_EQ(*ExploreBound(Parse({"a.cl"})), std::nullopt);
  EXPECT_EQ(*ExploreBound(Parse({"a.cl", "--explore", "bounded:2"})), 2u);
  EXPECT_EQ(*ExploreBound(Parse({"a.cl", "--explore", "all"})), kEveryExecution);
  for (const char* text :
       {"2", "bounded", "bounded:", "bounded:x", "bounded:4294967295", "every"}) {
    EXPECT_FALSE(ExploreBound(Parse({"a.cl", "--explore", text}))) << text;
  }
}

}  // namespace
}  // namespace assay::tools
