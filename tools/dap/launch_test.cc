#include "tools/dap/launch.h"

#include <gtest/gtest.h>

namespace assay::tools::dap {
namespace {

Expected<void> Read(const char* json, LaunchOptions* options) {
  return ReadLaunch(Arguments(Json::parse(json), "'launch'"), options);
}

TEST(ReadLaunch, MakesTheOptionsOfRun) {
  LaunchOptions options;
  const auto read = Read(R"({"module": "k.cl", "kernel": "k", "global": [8, 2], "local": "4",
    "args": ["float=-2.5", "int[8]=1"], "buildOptions": "-O2 -DX=1", "seed": 17,
    "specConstants": {"0": 4}, "ftz": true, "detect": ["races", "groups"], "stopOnEntry": true,
    "type": "assay", "__sessionId": "x", "maxThreads": 8, "shadow": 512})",
                         &options);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(options.run.modules, std::vector<std::string>{"k.cl"});
  EXPECT_EQ(options.run.global, "8,2");
  EXPECT_EQ(options.run.local, "4");
  EXPECT_EQ(options.run.arguments, (std::vector<std::string>{"float=-2.5", "int[8]=1"}));
  EXPECT_EQ(options.run.build_options, "-O2 -DX=1");
  EXPECT_EQ(options.run.seed, 17u);
  EXPECT_EQ(options.run.spec_constants, std::vector<std::string>{"0=4"});
  EXPECT_TRUE(options.run.flush_to_zero);
  EXPECT_EQ(options.run.detect, "races,groups");
  EXPECT_TRUE(options.stop_on_entry);
  EXPECT_EQ(options.most_threads, 8u);
  EXPECT_EQ(options.shadow_bits, 512);
  EXPECT_TRUE(options.not_known.empty());
}

TEST(ReadLaunch, NamesAttributesThatMeanNothing) {
  LaunchOptions options;
  ASSERT_TRUE(Read(R"({"job": "a.json", "kernal": "x", "json": "out"})", &options));
  ASSERT_EQ(options.not_known.size(), 2u);
  EXPECT_EQ(options.not_known[0].name, "json");
  EXPECT_EQ(options.not_known[1].name, "kernal");
  EXPECT_EQ(options.not_known[1].near, "kernel");
}

TEST(ReadLaunch, TakesNothingForTheDefault) {
  LaunchOptions options;
  ASSERT_TRUE(
      Read(R"({"module": "k.cl", "buildOptions": "", "kernel": "k", "global": 1})", &options));
  EXPECT_EQ(options.run.build_options, "");
  EXPECT_EQ(options.run.kernel, "k");
}

TEST(ReadLaunch, RefusesWrongTypes) {
  for (const char* json :
       {R"({"stopOnEntry": 1})", R"({"cwd": 1})", R"({"kernel": {}})", R"({"ftz": 1})",
        R"({"args": ["", "int=1"]})", R"({"seed": "x"})", R"({"args": [[1]]})", R"({"module": 5})",
        R"({"kernel": 5})", R"({"shadow": true})", R"({"shadow": 63})", R"({"maxThreads": 0})",
        R"({"seed": true})"}) {
    LaunchOptions options;
    const auto read = Read(json, &options);
    ASSERT_FALSE(read) << json;
    EXPECT_NE(read.error().message.find("must be"), std::string::npos) << read.error().message;
  }
}

TEST(InAttributes, NamesOptionsAsAttributes) {
  EXPECT_EQ(InAttributes("--build-options: 'x' (-k), -g 4"),
            "'buildOptions': 'x' ('kernel'), 'global' 4");
  EXPECT_EQ(InAttributes("--spec-constant 'x' or -a"), "'specConstants' 'x' or 'args'");
  // What is no option stays, and so does what a compiler said.
  EXPECT_EQ(InAttributes("a-g -Werror -g0 /x/-k/y --nothing"), "a-g -Werror -g0 /x/-k/y --nothing");
  EXPECT_EQ(InAttributes("no kernel:\n x -g y"), "no kernel:\n x -g y");
}

}  // namespace
}  // namespace assay::tools::dap
