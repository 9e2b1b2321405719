#include "frontend/opencl_c.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/digest.h"
#include "base/run_tool.h"
#include "frontend/compile_cache.h"
#include "frontend/testing_modules.h"
#include "frontend/validate.h"

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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

// clang-22 writes the null event with a word too many for each further use.
TEST_P(OpenClC, CompilesSeveralCopies) {
  const std::string copy = "e = async_work_group_copy(l, p, 4, 0); wait_group_events(1, &e);\n";
  const std::string source = "kernel void k(global int* p, local int* l) { event_t " + copy + copy +
                             copy + copy + "p[get_global_id(0)] = l[0]; }\n";
  const auto result = CompileSource(source, "copies.cl", "", options_);
  ASSERT_TRUE(result) << result.error().message;
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

TEST_P(OpenClC, AHeaderThatNewlyShadowsAnotherMissesTheCache) {
  const std::string path =
      scratch_.Write("a/m.cl", "#include \"h.h\"\nkernel void k(global int* p) { *p = V; }\n");
  scratch_.Write("b/h.h", "#define V 1\n");
  options_.build_options = "-I" + scratch_.path() + "/b";
  options_.options_from = OptionsFrom::kCommandLine;
  const auto first = CompileFile(path, options_);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(CompileFile(path, options_)->from_cache);
  scratch_.Write("a/h.h", "#define V 2\n");  // #include "..." looks beside the file first
  const auto second = CompileFile(path, options_);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(second->from_cache);
  EXPECT_NE(first->binary.words, second->binary.words);
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
                                      {.compiler = Compiler::kClang22,
                                       .build_options = option,
                                       .options_from = OptionsFrom::kCommandLine});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->messages.find("# Machine code for function k:") != std::string::npos,
              std::string(option).ends_with("printer"));
  }
  const auto wrong = CompileSource(kSmall, "k.cl", "",
                                   {.compiler = Compiler::kClang22,
                                    .build_options = "-mllvm -there-is-no-such-option",
                                    .options_from = OptionsFrom::kCommandLine});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(wrong.error().message, HasSubstr("there-is-no-such-option"));
}

// A script in the compiler's place, for one compilation.
class ReplacedClang {
 public:
  ReplacedClang(const ScratchFolder& scratch, const std::string& body)
      : path_(std::getenv("PATH")) {
    const std::string real = base::FindProgram("clang-22");
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
    const auto result = CompileSource(
        kSmall, "k.cl", "", {.compiler = Compiler::kClang22, .limits = {.seconds = seconds}});
    ASSERT_TRUE(result) << body << ": " << result.error().message;
    EXPECT_EQ(result->messages.find("compiled without source lines") != std::string::npos, says_so)
        << body << ": " << result->messages;
  }
}

class OpenClCTwice : public testing::Test {
 protected:
  void SetUp() override {
    if (!DefaultCompiler() || !HasCompiler(Compiler::kClang22)) {
      GTEST_SKIP() << "a compiler is not installed (./dev setup)";
    }
  }
  // The same, made and from the cache.
  static std::string Messages(const std::string& source, const std::string& options = "") {
    std::string messages;
    for (const bool cached : {false, true}) {
      const auto made = CompileSource(source, "k.cl", "", {.build_options = options});
      EXPECT_TRUE(made) << made.error().message;
      if (!made) return made.error().message;
      EXPECT_EQ(made->from_cache, cached);
      if (cached) {
        EXPECT_EQ(made->messages, messages);
      }
      messages = made->messages;
    }
    return messages;
  }
  const ScratchFolder scratch_;
};

// Of llvm-spirv-15; later ones know more.
bool TriesClang15() {
  const auto compiler = DefaultCompiler();
  return compiler && *compiler == Compiler::kClang15;
}

TEST_F(OpenClCTwice, TheOtherCompilerTriesIfTheTranslatorFails) {
  if (!TriesClang15()) GTEST_SKIP() << "clang-15 is not installed";
  EXPECT_THAT(Messages("kernel void k(global uint* o) { uchar4 c = as_uchar4(1u); o[0] = c.s3; }"),
              testing::StartsWith("assay: note: k.cl: compiled by clang-22: llvm-spirv-15 cannot "
                                  "compile k.cl: Assertion `CompCount == 2"));
  EXPECT_THAT(Messages("kernel void k(global uint* o) { o[0] = dot_4x8packed_uu_uint(1u, 2u); }"),
              testing::StartsWith("assay: note: k.cl: compiled by clang-22: llvm-spirv-15 does not "
                                  "know _Z21dot_4x8packed_uu_uintjj\n"));
}

TEST_F(OpenClCTwice, SourcesWithErrorsAsOpenClC3AreCompiledAsOpenClC12) {
  const std::string source =
      "int ctz(uint x) { return 1; }\nkernel void k(global int* p) { *p = 1; }";
  EXPECT_EQ(Messages(source),
            "assay: note: k.cl: compiled as OpenCL C 1.2, since it has errors as 3.0 "
            "(-cl-std=CL3.0 shows them)\n");
  EXPECT_FALSE(CompileSource(source, "k.cl", "", {.build_options = "-cl-std=CL3.0"}));
  const auto wrong =
      CompileSource("kernel void k() { work_group_reduce_add(1); nothing; }", "k.cl", "", {});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("undeclared identifier 'nothing'"));
  EXPECT_THAT(wrong.error().message, Not(HasSubstr("implicit declaration")))
      << "the errors of the newest OpenCL C are shown";
}

TEST_F(OpenClCTwice, AFailureOfBothCompilersIsOneLine) {
  if (!TriesClang15()) GTEST_SKIP() << "clang-15 is not installed";
  const auto made = CompileSource(
      "kernel void k(global ulong* o) { long long x = o[0]; o[1] = x * x; }", "k.cl", "", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(made.error().message, HasSubstr("llvm-spirv-15 cannot compile k.cl: InvalidBitWidth: "
                                              "Invalid bit width in input: 128"));
  EXPECT_THAT(made.error().message, HasSubstr("clang-22"));
  EXPECT_THAT(made.error().message, HasSubstr("use long"));
  EXPECT_THAT(made.error().message, Not(HasSubstr("\n")));
  EXPECT_THAT(made.error().message, Not(HasSubstr("Stack dump")));
}

TEST_F(OpenClCTwice, AnOptimizerMayFreeze) {
  EXPECT_EQ(Messages("kernel void k(global int2* o, int w) {\n"
                     "  int i = get_global_id(0); o[i] = (int2)(i % w, i / w);\n}\n",
                     "-O2"),
            "");
}

TEST_P(OpenClC, AByteOrderMarkIsSkipped) {
  EXPECT_TRUE(CompileSource("\xef\xbb\xbf" + std::string(kSmall), "bom.cl", "", options_));
}

TEST_P(OpenClC, LongLiteralsMayStandInHeaders) {
  const std::string path = scratch_.Write(
      "k.cl", "#include \"sub folder/h.h\"\nkernel void k(global ulong* p) { *p ^= A ^ 2ULL; }\n");
  scratch_.Write("sub folder/h.h", "#define A 0x5ULL\nint f() { int unused; return 1; }\n");
  options_.build_options = "-Wall";
  const auto made = CompileFile(path, options_);
  ASSERT_TRUE(made) << made.error().message;
  // A changed copy was read; messages name the file itself.
  EXPECT_THAT(made->messages, HasSubstr("sub folder/h.h:2:15: warning: unused variable"));
}

TEST_P(OpenClC, CxxForOpenClIsCompiled) {
  options_.build_options = "-cl-std=clc++";
  const auto made = CompileSource(
      "template <typename T> T twice(T x) { return x + x; }\n"
      "kernel void k(global int* p) { p[0] = twice(p[0]); }\n",
      "k.cl", "", options_);
  EXPECT_TRUE(made) << made.error().message;
}

// Copies of structures without members are none.
TEST_P(OpenClC, EmptyStructuresAreCopied) {
  const auto compiled = CompileSource(
      "struct E { };\nstruct P { struct E e; int x; };\n"
      "kernel void k(global int* a) {\n"
      "  struct P p = { {}, a[0] }; struct E f = p.e; struct P q = p; q.e = f;\n"
      "  a[0] = q.x + 1;\n}\n",
      "k.cl", "", options_);
  ASSERT_TRUE(compiled) << compiled.error().message;
  const auto valid = Validate(compiled->binary);
  EXPECT_TRUE(valid) << valid.error().message;
}

// Every operator and function promises it, whichever of them the compiler decorates.
TEST_P(OpenClC, FiniteMathIsPromisedBesideAllArithmetic) {
  const auto promises = [&](const std::string& options) {
    options_.build_options = options;
    const auto compiled = CompileSource(
        "kernel void k(global float* a, global int* b) {\n"
        "  b[0] = a[0] != a[1]; b[1] = isnan(a[0]); a[2] = rsqrt(a[3]); a[4] = a[5] * a[6];\n"
        "  a[7] = -a[8];\n}\n",
        "k.cl", "", options_);
    EXPECT_TRUE(compiled) << compiled.error().message;
    std::size_t found = 0;
    if (!compiled) return found;
    ForEachInstruction(compiled->binary.words, [&](std::size_t, std::span<const Word> words) {
      found += (words[0] & 0xffff) == static_cast<Word>(Op::kDecorate) &&
               words[2] == static_cast<Word>(Decoration::kFPFastMathMode) && (words[3] & 3) == 3;
    });
    const auto valid = Validate(compiled->binary);
    EXPECT_TRUE(valid) << valid.error().message;
    return found;
  };
  EXPECT_EQ(promises(""), 0u);
  EXPECT_EQ(promises("-D X=-cl-finite-math-only"), 0u);
  EXPECT_EQ(promises("-cl-finite-math-only"), 5u);
  EXPECT_EQ(promises("-cl-fast-relaxed-math"), 5u);
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

}  // namespace
}  // namespace assay::frontend
