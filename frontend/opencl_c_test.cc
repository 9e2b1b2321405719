#include "frontend/opencl_c.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "frontend/compile_cache.h"
#include "frontend/digest.h"
#include "frontend/run_tool.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kSmall[] = "__kernel void k(__global int* p) { p[0] = 1; }\n";

class OpenClC : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    if (!HasCompiler(GetParam())) GTEST_SKIP() << "the compiler is not installed (./dev setup)";
    options_.compiler = GetParam();
  }
  std::size_t CacheEntries() const {
    const fs::path folder = fs::path(scratch_.path()) / "cache/assay";
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  ScratchFolder scratch_;
  CompileOptions options_;
};

TEST_P(OpenClC, CompilesAndAnswersFromTheCache) {
  const std::string path = scratch_.Write("k.cl", kKernelSource);
  const auto first = CompileFile(path, options_);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_FALSE(first->from_cache);
  const auto second = CompileFile(path, options_);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(first->binary.words, second->binary.words);
  options_.build_options = "-DX=1";
  EXPECT_FALSE(CompileFile(path, options_)->from_cache) << "other options are another module";
}

TEST_P(OpenClC, ErrorsNameTheUsersFileAndLine) {
  const std::string path = scratch_.Write("bad.cl", "__kernel void k() {\n  return nothing;\n}\n");
  const auto result = CompileFile(path, options_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(result.error().message, HasSubstr("bad.cl:2:10: error:"));
  EXPECT_EQ(CacheEntries(), 0u);
}

TEST_P(OpenClC, WarningsComeAlsoFromTheCache) {
  const std::string path =
      scratch_.Write("w.cl", "#warning look here\n__kernel void k(__global int* p) { *p = 1; }\n");
  for (const bool cached : {false, true}) {
    const auto result = CompileFile(path, options_);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->from_cache, cached);
    EXPECT_THAT(result->messages, HasSubstr("w.cl:1:2: warning: look here"));
  }
}

// The dump that clang-22's debug information comes from is on the same stream.
TEST_P(OpenClC, MessagesAreTheCompilersAlone) {
  const auto result =
      CompileSource("#warning first\nkernel void k(global int* p) { int unused; *p = 1 / 0; }\n",
                    "w.cl", "", {.compiler = GetParam(), .build_options = "-Wall -O2"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->messages, testing::StartsWith("w.cl:1:2: warning: first"));
  EXPECT_THAT(result->messages, HasSubstr("unused variable 'unused'"));
  EXPECT_THAT(result->messages, testing::EndsWith("3 warnings generated.\n"));
  EXPECT_THAT(CompileSource(kSmall, "k.cl", "", options_)->messages, testing::IsEmpty());
}

TEST_P(OpenClC, AChangedHeaderMissesTheCache) {
  scratch_.Write("include dir/value.h", "#define VALUE 7\n");
  scratch_.Write("beside.h", "#define OTHER 1\n");
  const std::string path =
      scratch_.Write("k.cl",
                     "#include \"beside.h\"\n#include <value.h>\n"
                     "__kernel void k(__global int* p) { *p = VALUE + OTHER; }\n");
  options_.build_options = "-I 'include dir'";
  const auto first = CompileFile(path, options_);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(CompileFile(path, options_)->from_cache);
  scratch_.Write("include dir/value.h", "#define VALUE 8\n");
  const auto second = CompileFile(path, options_);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->from_cache);
  EXPECT_NE(first->binary.words, second->binary.words);
  scratch_.Write("beside.h", "#define OTHER 2\n");
  EXPECT_FALSE(CompileFile(path, options_)->from_cache);
}

TEST_P(OpenClC, ADamagedEntryIsIgnored) {
  const std::string path = scratch_.Write("k.cl", kSmall);
  const auto first = CompileFile(path, options_);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_EQ(CacheEntries(), 1u);
  const fs::path entry = fs::directory_iterator(fs::path(scratch_.path()) / "cache/assay")->path();
  const auto size = fs::file_size(entry);
  {
    std::fstream stream(entry, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(size) - 5);
    stream.put('?');
  }
  auto again = CompileFile(path, options_);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->from_cache);
  EXPECT_EQ(again->binary.words, first->binary.words);
  fs::resize_file(entry, size / 2);
  EXPECT_FALSE(CompileFile(path, options_)->from_cache);
}

TEST_P(OpenClC, LeavesNothingInTheTemporaryFolder) {
  const fs::path temporary = fs::path(scratch_.path()) / "tmp";
  fs::create_directories(temporary);
  setenv("TMPDIR", temporary.c_str(), 1);
  EXPECT_TRUE(CompileFile(scratch_.Write("k.cl", kSmall), options_));
  EXPECT_FALSE(CompileFile(scratch_.Write("b.cl", "nonsense"), options_));
  unsetenv("TMPDIR");
  EXPECT_TRUE(fs::is_empty(temporary));
}

INSTANTIATE_TEST_SUITE_P(BothCompilers, OpenClC,
                         testing::Values(Compiler::kClang15, Compiler::kClang22));

// Who asks for a dump gets it, and LLVM takes some options only once.
TEST(OpenClCOptions, ADumpOfTheUsersIsTheUsers) {
  if (!HasCompiler(Compiler::kClang22)) GTEST_SKIP() << "clang-22 is not installed (./dev setup)";
  const ScratchFolder scratch;
  for (const char* option : {"-mllvm -print-after=spirv-asm-printer", "-mllvm -print-module-scope",
                             "-mllvm -unroll-threshold=10"}) {
    const auto result = CompileSource(kSmall, "k.cl", "",
                                      {.compiler = Compiler::kClang22, .build_options = option});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->messages.find("# Machine code for function k:") != std::string::npos,
              std::string(option).ends_with("printer"));
  }
  const auto wrong = CompileSource(
      kSmall, "k.cl", "",
      {.compiler = Compiler::kClang22, .build_options = "-mllvm -there-is-no-such-option"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(wrong.error().message, HasSubstr("there-is-no-such-option"));
}

// A script in the compiler's place, for one compilation.
class ReplacedClang {
 public:
  ReplacedClang(const ScratchFolder& scratch, const std::string& body)
      : path_(std::getenv("PATH")) {
    const std::string real = FindProgram("clang-22");
    const std::string script = scratch.Write(
        "bin/clang-22", "#!/bin/sh\nclang=" + real + "\ncase \"$*\" in *-print-after*)\n" + body +
                            "\n;; esac\nexec $clang \"$@\"\n");
    fs::permissions(script, fs::perms::owner_all);
    setenv("PATH", (scratch.path() + "/bin:" + path_).c_str(), 1);
  }
  ~ReplacedClang() { setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_;
};

// Whatever becomes of the dump, there is a module.
TEST(OpenClCOptions, AClangWithoutADumpCompiles) {
  if (!HasCompiler(Compiler::kClang22)) GTEST_SKIP() << "clang-22 is not installed (./dev setup)";
  struct Case {
    const char* body;
    bool says_so;
    double seconds = 60;
  };
  for (const auto& [body, says_so, seconds] :
       {Case{"exit 70", true}, Case{"echo '(LLVM option parsing): no such pass' >&2; exit 1", true},
        Case{"kill -11 $$", true}, Case{"sleep 100", true, 16},
        Case{"exec $clang \"$@\" 2>/dev/null", false},
        Case{"$clang \"$@\" 2>&1 | sed s/debug-location/place/; exit 0", false},
        Case{"$clang \"$@\" 2>&1 | (head -c 3000; cat >/dev/null); exit 0", false}}) {
    const ScratchFolder scratch;
    const ReplacedClang replaced(scratch, body);
    const auto result =
        CompileSource(kSmall, "k.cl", "", {.compiler = Compiler::kClang22, .seconds = seconds});
    ASSERT_TRUE(result) << body << ": " << result.error().message;
    EXPECT_EQ(result->messages.find("compiled without source lines") != std::string::npos, says_so)
        << body << ": " << result->messages;
  }
}

TEST(OpenClCOptions, AMissingCompilerNamesTheRemedy) {
  const ScratchFolder scratch;
  const std::string path = std::getenv("PATH");
  setenv("PATH", scratch.path().c_str(), 1);
  const auto result = CompileSource(kSmall, "k.cl", "", {});
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(result.error().message, HasSubstr("./dev setup"));
  EXPECT_THAT(result.error().message, HasSubstr("llvm-spirv-15"));
}

TEST(OpenClCOptions, AreSplitLikeAShellDoes) {
  EXPECT_THAT(*SplitOptions(R"(  -DA=1  "-DB=x y" -I a\ b '-DC="q"' -D'' "" )"),
              ElementsAre("-DA=1", "-DB=x y", "-I", "a b", "-DC=\"q\"", "-D", ""));
  EXPECT_FALSE(SplitOptions("-D'A"));
}

TEST(RunTool, EndsWhatRunsTooLong) {
  const auto begin = std::chrono::steady_clock::now();
  // The grandchild holds the pipe open: the whole group must end.
  const auto result = RunTool({"sh", "-c", "sleep 30 & sleep 30"}, 0.3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kDevice);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(RunTool, KnowsHowItEnded) {
  EXPECT_EQ(RunTool({"sh", "-c", "echo out; echo err >&2; exit 3"}, 10)->exit_status, 3);
  EXPECT_EQ(RunTool({"sh", "-c", "echo out; echo err >&2"}, 10)->output, "out\nerr\n");
  EXPECT_EQ(RunTool({"sh", "-c", "kill -11 $$"}, 10)->exit_status, 128 + 11);
  EXPECT_EQ(RunTool({"sh", "-c", "echo 12345"}, 10, 3)->output, "123");
  EXPECT_EQ(RunTool({"/no/such/program"}, 10).error().kind, ErrorKind::kUsage);
}

TEST(Digest, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace
}  // namespace assay::frontend
