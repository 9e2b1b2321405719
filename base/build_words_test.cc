#include "base/build_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::base {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(BuildWordsTest, SplitsAsAShellDoes) {
  EXPECT_THAT(SplitWords(R"(  -DA=1	"-DB=x y"  a\ b '-DC="q"' -D'' "" )"),
              Optional(ElementsAre("-DA=1", "-DB=x y", "a b", "-DC=\"q\"", "-D", "")));
  EXPECT_THAT(SplitWords("-w\r\n-g"), Optional(ElementsAre("-w", "-g")));
  EXPECT_FALSE(SplitWords("-D'A"));
}

// What a macro or a folder is called is no option.
TEST(BuildWordsTest, ValuesAreNoOptions) {
  for (const char* text : {"-D -cl-fast-relaxed-math", "-DNOTE=-cl-fast-relaxed-math",
                           "-DNOTE=\"a -cl-fast-relaxed-math b\"", "-I -cl-fast-relaxed-math",
                           "-DA=1-cl-fast-relaxed-math", "-cl-fast-relaxed-mathematics"}) {
    const BuildWords words(text);
    EXPECT_FALSE(words.Has("-cl-fast-relaxed-math")) << text;
    EXPECT_FALSE(words.AllowsUnsafeMath()) << text;
    EXPECT_FALSE(words.AssumesFiniteMath()) << text;
  }
  EXPECT_EQ(BuildWords("-D -cl-std=CL1.0 -DX=-cl-std=CL1.1").Last("-cl-std="), std::nullopt);
}

TEST(BuildWordsTest, OptionsAreFound) {
  for (const char* text :
       {"-cl-fast-relaxed-math", "-w\t\"-cl-fast-relaxed-math\"", "-D A\n-cl-fast-relaxed-math"}) {
    const BuildWords words(text);
    EXPECT_TRUE(words.AllowsUnsafeMath() && words.AssumesFiniteMath()) << text;
  }
  EXPECT_TRUE(BuildWords("-cl-unsafe-math-optimizations").AllowsUnsafeMath());
  EXPECT_FALSE(BuildWords("-cl-unsafe-math-optimizations").AssumesFiniteMath());
  EXPECT_TRUE(BuildWords("-cl-finite-math-only").AssumesFiniteMath());
  EXPECT_EQ(BuildWords("-cl-std=CL1.2 -cl-std=CL2.0").Last("-cl-std="), "CL2.0");
}

TEST(BuildWordsTest, WordsAreAsTheyWereWritten) {
  const BuildWords words("-D 'A=x y' \"-I b c\" -w");
  ASSERT_EQ(words.words().size(), 3u);
  EXPECT_EQ(words.words()[0].text, "-DA=x y");
  EXPECT_EQ(words.words()[0].raw, "-D 'A=x y'");
  EXPECT_EQ(words.words()[1].text, "-I b c");
  EXPECT_EQ(words.words()[1].raw, "\"-I b c\"");
}

}  // namespace
}  // namespace assay::base
