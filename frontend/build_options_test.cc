#include "frontend/build_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refused(const std::string& text, OptionsFrom from) {
  base::ReadScope scope;
  scope.Add("/job");
  const auto read = ReadBuildOptions(text, from, "/job", scope);
  return read ? "" : read.error().message;
}

TEST(BuildOptions, OfDataAreAList) {
  for (const char* good : {"-DA=1",
                           "-D A",
                           "-UA",
                           "-I sub",
                           "-I/job/sub",
                           "-I.",
                           "-O",
                           "-O0",
                           "-O3",
                           "-Os",
                           "-g",
                           "-g0",
                           "-gline-tables-only",
                           "-w",
                           "-Werror",
                           "-Wno-unused",
                           "-Wformat=2",
                           "-cl-std=CL1.2",
                           "-cl-mad-enable",
                           "-cl-ext=+cl_khr_fp64",
                           ""}) {
    EXPECT_EQ(Refused(good, OptionsFrom::kData), "") << good;
  }
  for (const char* bad : {"-fplugin=x.so",
                          "-o x",
                          "-ox",
                          "@x",
                          "-Xclang -load",
                          "-mllvm -load=x",
                          "-Wp,-MD,x",
                          "-Wl,x",
                          "-Wa,x",
                          "-MF x",
                          "-MD",
                          "-include x",
                          "-isystem x",
                          "-iquote x",
                          "-B.",
                          "-specs=x",
                          "-fprofile-generate=x",
                          "-save-temps",
                          "-gsplit-dwarf",
                          "-gen-reproducer",
                          "-I/etc",
                          "-I..",
                          "-I sub/../..",
                          "x.cl",
                          "-",
                          "-x c",
                          "-cl-nonsense",
                          "-ffast-math",
                          "--config x",
                          "-O9"}) {
    EXPECT_THAT(Refused(bad, OptionsFrom::kData), HasSubstr("build options: ")) << bad;
  }
  EXPECT_THAT(Refused("-fplugin=x.so", OptionsFrom::kData), HasSubstr("'-fplugin=x.so'"));
  EXPECT_THAT(Refused("-D", OptionsFrom::kData), HasSubstr("is missing"));
}

TEST(BuildOptions, OfTheCommandLineAreFree) {
  for (const char* good :
       {"-fplugin=x.so", "-mllvm -print-after-all", "-Xclang -disable-llvm-passes", "-I/etc",
        "-include x.h", "-isystem /usr/include", "-ffast-math"}) {
    EXPECT_EQ(Refused(good, OptionsFrom::kCommandLine), "") << good;
  }
  for (const char* bad : {"-o x", "-MF x", "-MMD", "@x", "-Xclang @x", "-x c", "-E", "-S", "-c",
                          "x.cl", "-save-temps", "-###", "-emit-llvm", "-Xclang", "-include"}) {
    EXPECT_THAT(Refused(bad, OptionsFrom::kCommandLine), HasSubstr("build options: ")) << bad;
  }
}

// The word behind -D is a name whatever it looks like, and none for the compiler to interpret.
TEST(BuildOptions, AreJoinedWithTheirValues) {
  base::ReadScope scope;
  scope.Add("/job");
  const auto read =
      ReadBuildOptions("-D @x -D -o -I a -I b/../c", OptionsFrom::kData, "/job", scope);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->words, ElementsAre("-D@x", "-D-o", "-I/job/a", "-I/job/b/../c"));
  EXPECT_THAT(read->readable, ElementsAre("/job/a", "/job/b/../c"));
}

}  // namespace
}  // namespace assay::frontend
