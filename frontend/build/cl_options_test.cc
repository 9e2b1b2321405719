#include "frontend/build/cl_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> WordsOf(const std::string& text) {
  auto read = ReadCompilerOptions(text, "/home/me");
  return read ? read->words.words : std::vector<std::string>{"refused: " + read.error().message};
}

constexpr char kDefault[] = "-cl-std=CL1.2";

TEST(ClOptions, WithoutAVersionItIsTheNewestOf1) {
  EXPECT_THAT(WordsOf(""), ElementsAre(kDefault));
  EXPECT_THAT(WordsOf("-cl-std=CL3.0 -w"), ElementsAre("-cl-std=CL3.0", "-w"));
}

TEST(ClOptions, MacrosAndFoldersWithAndWithoutASpace) {
  EXPECT_THAT(WordsOf("-D A -DB=1 -D C=2 -U D -UE"),
              ElementsAre("-DA", "-DB=1", "-DC=2", "-UD", "-UE", kDefault));
  EXPECT_THAT(WordsOf("-I inc -I/usr/x -I \"a b\" -I\"c d\" -I ."),
              ElementsAre("-I/home/me/inc", "-I/usr/x", "-I/home/me/a b", "-I/home/me/c d",
                          "-I/home/me/.", kDefault));
  EXPECT_THAT(WordsOf("-D S=\"a b\" -D T=\\\"x\\\" '-DU(a, b)=a' -D \"V=1 2\""),
              ElementsAre("-DS=a b", "-DT=\"x\"", "-DU(a, b)=a", "-DV=1 2", kDefault));
}

TEST(ClOptions, AMacroEndsAtANewline) {
  EXPECT_THAT(WordsOf("-D 'A=1\n2' -DB\r\n-DC\t-DD"),
              ElementsAre("-DA=1", "-DB", "-DC", "-DD", kDefault));
}

TEST(ClOptions, TakesEveryOptionOfTheSpecification) {
  for (const std::string option :
       {"-cl-single-precision-constant", "-cl-denorms-are-zero",
        "-cl-fp32-correctly-rounded-divide-sqrt", "-cl-opt-disable", "-cl-strict-aliasing",
        "-cl-uniform-work-group-size", "-cl-mad-enable", "-cl-no-signed-zeros",
        "-cl-unsafe-math-optimizations", "-cl-finite-math-only", "-cl-fast-relaxed-math", "-w",
        "-Werror", "-g", "-cl-kernel-arg-info", "-Wall", "-Wno-unused-variable"}) {
    EXPECT_THAT(WordsOf(option), ElementsAre(option, kDefault));
  }
  for (const std::string version : {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", "CLC++"}) {
    EXPECT_THAT(WordsOf("-cl-std=" + version), ElementsAre("-cl-std=" + version));
  }
}

TEST(ClOptions, OtherDriversOptionsThatChangeNoResultAreLeftOut) {
  for (const std::string option :
       {"-cl-no-subgroup-ifp", "-cl-nv-verbose", "-cl-nv-maxrregcount=32", "-cl-nv-maxrregcount 32",
        "-s /tmp/a.cl", "-s \"a b.cl\"", "-x cl", "-save-temps"}) {
    EXPECT_THAT(WordsOf(option), ElementsAre(kDefault)) << option;
  }
}

TEST(ClOptions, RefusesByName) {
  struct Row {
    std::string options, word;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"-cl-nonsense", "'-cl-nonsense'"},
           {"-w -Xclang -load", "'-Xclang'"},
           {"-load=x.so", "'-load=x.so'"},
           {"-fplugin=x.so", "'-fplugin=x.so'"},
           {"@options", "'@options'"},
           {"-o out", "'-o'"},
           {"-include /etc/passwd", "'-include'"},
           {"-mllvm -x", "'-mllvm'"},
           {"-Wp,-MD,x", "'-Wp,-MD,x'"},
           {"-Wl,x", "'-Wl,x'"},
           {"-x spir", "'-x'"},
           {"file.cl", "'file.cl'"},
           {"-D", "'-D' stands last"},
           {"-I", "'-I' stands last"},
           {"-D 1A", "'-D1A' does not name a macro"},
           {"-D =1", "does not name a macro"},
           {"-cl-std=CL9.9", "'-cl-std=CL9.9' names no version"},
           {"-cl-std=", "'-cl-std=' names no version"},
           {"-cl-std", "'-cl-std'"},
           {"-create-library", "'-create-library' is an option of clLinkProgram"},
           {"-cl-ext=x;y", "'-cl-ext=x;y'"},
           {"-DA=\"x", "a quote is not closed"}}) {
    const auto read = ReadCompilerOptions(row.options, "/");
    ASSERT_FALSE(read) << row.options;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr(row.word));
  }
}

TEST(ClOptions, AVersionThatTheDeviceLacksIsAFailedBuild) {
  const auto read = ReadCompilerOptions("-cl-std=CL3.1", "/");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->unknown_value, HasSubstr("-cl-std=CL3.1"));
}

TEST(ClOptions, OfTheLinker) {
  const auto library = ReadLinkerOptions("-create-library -enable-link-options");
  ASSERT_TRUE(library);
  EXPECT_TRUE(library->creates_library);
  const auto program = ReadLinkerOptions(
      "-cl-denorms-are-zero -cl-no-signed-zeros -cl-unsafe-math-optimizations "
      "-cl-finite-math-only -cl-fast-relaxed-math -cl-no-subgroup-ifp");
  ASSERT_TRUE(program);
  EXPECT_FALSE(program->creates_library);
  EXPECT_FALSE(ReadLinkerOptions("")->creates_library);
  for (const std::string bad : {"-enable-link-options", "-D A", "-cl-std=CL2.0", "-w", "x.spv"}) {
    const auto read = ReadLinkerOptions(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_THAT(read.error().message, HasSubstr("'" + bad.substr(0, 2)));
  }
}

}  // namespace
}  // namespace assay::frontend
