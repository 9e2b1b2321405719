#include "base/macros.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace assay::base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

AskedMacros Asked(const std::string& source, std::string_view options = "") {
  const std::array<std::string, 1> sources = {source};
  return MacrosAsked(sources, options);
}

TEST(MacrosTest, NamesInConditions) {
  EXPECT_THAT(
      Asked("#ifdef VENDOR\n#elif defined(OTHER) && __OPENCL_VERSION__ >= 120\n#endif\n").names,
      ElementsAre("OTHER", "VENDOR", "__OPENCL_VERSION__"));
}

TEST(MacrosTest, WhatTheOptionsSayIsNotAsked) {
  EXPECT_THAT(Asked("#if SIZE\n#endif\n#ifdef A\n#endif\n", "-DSIZE -U A").names, IsEmpty());
  EXPECT_THAT(Asked("#if SIZE\n#endif\n", "-DNOTE=-DSIZE -I x-DSIZE").names, ElementsAre("SIZE"));
}

TEST(MacrosTest, WhatSourcesDefineMayBeDefinedBefore) {
  const AskedMacros asked =
      Asked("#ifndef GUARD\n#define GUARD\n#if SIZE > 0x10\n#endif\n#endif\n");
  EXPECT_THAT(asked.names, ElementsAre("GUARD", "SIZE"));
  EXPECT_THAT(asked.defined, ElementsAre("GUARD"));
}

TEST(MacrosTest, NamesInDefinitionsDecideToo) {
  EXPECT_THAT(Asked("#define FAST (VENDOR == 3)\n#define VENDOR MAKER\n#define SLOW NOT\n#if FAST\n"
                    "#endif\n")
                  .names,
              ElementsAre("FAST", "MAKER", "VENDOR"));
  EXPECT_THAT(Asked("#if A\n#endif\n#if B\n#endif\n", "-DA=C -D B").names, ElementsAre("C"));
}

TEST(MacrosTest, WhatIsTheSameEverywhereIsNotAsked) {
  EXPECT_THAT(Asked("#ifdef __cplusplus\n#endif\n#if __LINE__ > CL_VERSION_1_2\n#endif\n").names,
              IsEmpty());
}

TEST(MacrosTest, CommentsAndContinuedLines) {
  EXPECT_THAT(
      Asked("// #ifdef A\n/* #ifdef B\n#ifdef C */\n# if defined \\\n  D // E\n#endif\n").names,
      ElementsAre("D"));
}

TEST(MacrosTest, AnswersAreRead) {
  using namespace std::literals;
  const std::set<std::string> names = {"A", "B", "C"};
  const auto answers = ReadMacroText("\n=\n=x == 1\nend\0\0\0"sv, names);
  ASSERT_TRUE(answers);
  EXPECT_EQ(*answers, (MacroAnswers{{"A", std::nullopt}, {"B", ""}, {"C", "x == 1"}}));
  for (const std::string_view wrong : {"\n=\n=x"sv, "\n=\n=x\n"sv, "\n=\nx\nend\0"sv, ""sv}) {
    EXPECT_FALSE(ReadMacroText(wrong, names)) << wrong;
  }
}

}  // namespace
}  // namespace assay::base
