#include "base/called_as.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::base {
namespace {

class CalledAsTest : public testing::Test {
 protected:
  void TearDown() override { SetCalledAs("assay"); }
};

TEST_F(CalledAsTest, CommandsBeginWithThePathOrNameThatTheUserTyped) {
  SetCalledAs("./assay");
  EXPECT_EQ(CalledAs(), "./assay");
  EXPECT_EQ(CommandsAsCalled("`assay list` and `assay help run`; assay run"),
            "`./assay list` and `./assay help run`; assay run");
  EXPECT_EQ(CommandsAsCalled("  = rule: 6.1; assay explain x\n  = replay: assay run k.cl\n"),
            "  = rule: 6.1; ./assay explain x\n  = replay: ./assay run k.cl\n");
  EXPECT_EQ(CommandsAsCalled("again:\n    assay validate --at 1\n"),
            "again:\n    ./assay validate --at 1\n");
  EXPECT_EQ(CommandsAsCalled("Example: assay exec -- a && assay judge\n         assay judge\n"),
            "Example: ./assay exec -- a && ./assay judge\n         ./assay judge\n");
  EXPECT_EQ(CommandsAsCalled("RUSTICL_ENABLE=llvmpipe assay devices"),
            "RUSTICL_ENABLE=llvmpipe ./assay devices");
  SetCalledAs("assay");
  EXPECT_EQ(CommandsAsCalled("`assay list`"), "`assay list`");
}

TEST_F(CalledAsTest, OtherWordsOfATextStay) {
  SetCalledAs("./assay");
  for (const char* text : {"assay: error: x", "`assays`", "the assay run", "  |   assay run k.cl",
                           "assay takes up to 8", "\n assay: note"}) {
    EXPECT_EQ(CommandsAsCalled(text), text);
  }
}

TEST_F(CalledAsTest, ProgramsBesideAssayAreCalledAssay) {
  SetCalledAs("/usr/bin/assay-run");
  EXPECT_EQ(CalledAs(), "/usr/bin/assay");
  SetCalledAs("assay-debug");
  EXPECT_EQ(CalledAs(), "assay");
}

TEST_F(CalledAsTest, APathIsOneWordOfAShell) {
  SetCalledAs("/my programs/it's/assay");
  EXPECT_EQ(CalledAs(), "'/my programs/it'\\''s/assay'");
}

}  // namespace
}  // namespace assay::base
