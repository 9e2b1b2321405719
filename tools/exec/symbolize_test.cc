#include "tools/exec/symbolize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/run_tool.h"

namespace assay::tools {
namespace {

using testing::IsEmpty;

TEST(SymbolizeTest, InlinedCallsAreCallsOfTheirOwn) {
  const auto calls = ParseSymbols(
      "0x00000000000011a5\ninner(int)\n/src/a.c:12 (discriminator 3)\nouter\n/src/my:dir/b.c:40\n"
      "0x2000\n??\n??:0\n0x3000\nf\n??:?\n0x4000\ng\n/src/c.c:?\n");
  ASSERT_EQ(calls.size(), 4u);
  const auto& first = calls.at(0x11a5);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].function, "inner(int)");
  EXPECT_EQ(first[0].file, "/src/a.c");
  EXPECT_EQ(first[0].line, 12u);
  EXPECT_EQ(first[1].file, "/src/my:dir/b.c");
  EXPECT_EQ(calls.at(0x2000)[0].function, "");
  EXPECT_EQ(calls.at(0x2000)[0].line, 0u);
  EXPECT_EQ(calls.at(0x3000)[0].function, "f");
  EXPECT_EQ(calls.at(0x4000)[0].file, "");
}

TEST(SymbolizeTest, DamagedOutputGivesWhatIsThere) {
  EXPECT_THAT(ParseSymbols(""), IsEmpty());
  EXPECT_THAT(ParseSymbols("main\na.c:1\n"), IsEmpty());
  EXPECT_THAT(ParseSymbols("0x10\nmain").at(0x10), IsEmpty());
}

TEST(SymbolizeTest, WithoutDebugInformationThereAreExportedNames) {
  Symbolizer symbolizer;
  const std::vector<driver::HostFrame> frames = {{"/no/such/libx.so", 0x10, "Solve"},
                                                 {"", 0x20, ""},
                                                 {"/lib/libc.so.6", 0x30, "__libc_start_main"}};
  symbolizer.Add(frames);
  symbolizer.Resolve();
  const auto calls = symbolizer.CallsOf(frames);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(HostCallText(calls[0]), "Solve in libx.so+0x10");
  EXPECT_EQ(HostCallText(calls[1]), "? (0x20)");
}

TEST(SymbolizeTest, AnInterpretersFrameHasItsLine) {
  const std::vector<driver::HostFrame> frames = {
      {.module = "/no/such/ext.so", .offset = 0x10, .function = "call"},
      {.function = "main", .file = "/no/such/app.py", .line = 8}};
  Symbolizer symbolizer;
  symbolizer.Add(frames);
  symbolizer.Resolve();
  const auto calls = symbolizer.CallsOf(frames);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(HostCallText(calls[1]), "main (/no/such/app.py:8)");
  EXPECT_EQ(MainCallOf(calls), 1u);
}

TEST(SymbolizeTest, TheMainCallIsTheApplicationsOwn) {
  const HostCall unknown{.function = "f", .module = "ext.so"};
  const HostCall library{.function = "enqueue",
                         .file = "/usr/lib/python3/dist-packages/pyopencl/__init__.py",
                         .line = 1,
                         .source_text = "x"};
  const HostCall header{
      .function = "call", .file = "/usr/include/CL/opencl.hpp", .line = 2, .source_text = "y"};
  const HostCall elsewhere{.function = "g", .file = "/build/wrap.cpp", .line = 3};
  const HostCall own{.function = "main", .file = "/home/me/app.py", .line = 8, .source_text = "z"};
  EXPECT_EQ(MainCallOf({}), 0u);
  EXPECT_EQ(MainCallOf({unknown}), 0u);
  EXPECT_EQ(MainCallOf({unknown, elsewhere}), 1u);
  EXPECT_EQ(MainCallOf({unknown, elsewhere, library}), 2u);
  EXPECT_EQ(MainCallOf({elsewhere, header, library, own, own}), 3u);
}

// In a stripped module a symbolizer gives an address to the nearest exported function before it.
TEST(SymbolizeTest, AStrippedFunctionHasNoNameOfAnother) {
  const auto folder = base::TemporaryFolder::Make();
  ASSERT_TRUE(folder.has_value());
  const std::string source = folder->File("a.c");
  std::ofstream(source) << "int First(int x) { return x * 3; }\n"
                           "__attribute__((noinline)) static int Second(int x) { return x / 7; }\n"
                           "int (*Third(void))(int) { return Second; }\n";
  const auto offset_of = [](const std::string& module, const std::string& name) {
    const auto symbols = base::RunTool({"nm", module}, 60, 1 << 20);
    EXPECT_TRUE(symbols.has_value());
    const std::size_t end = symbols->output.find(" " + name + "\n");
    EXPECT_NE(end, std::string::npos) << symbols->output;
    return std::stoull(symbols->output.substr(end - 16, 16), nullptr, 16);
  };
  const std::string full = folder->File("full.so");
  const std::string stripped = folder->File("stripped.so");
  const auto built =
      base::RunTool({"cc", "-O1", "-shared", "-fPIC", source, "-o", full}, 60, 1 << 20);
  ASSERT_TRUE(built && built->exit_status == 0);
  const auto made = base::RunTool({"strip", full, "-o", stripped}, 60, 1 << 20);
  ASSERT_TRUE(made && made->exit_status == 0);
  const std::uint64_t second = offset_of(full, "t Second");
  const std::vector<driver::HostFrame> frames = {
      {full, second, ""}, {stripped, second, ""}, {stripped, offset_of(full, "T First"), "First"}};
  Symbolizer symbolizer;
  symbolizer.Add(frames);
  symbolizer.Resolve();
  const auto calls = symbolizer.CallsOf(frames);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].function, "Second");
  EXPECT_EQ(calls[1].function, "");
  EXPECT_EQ(calls[2].function, "First");
}

TEST(KernelText, SaysWhatAMangledNameStandsFor) {
  EXPECT_EQ(KernelText("_ZTSZ4mainEUlvE_"), "main::{lambda()#1}");
  EXPECT_EQ(KernelText("_ZTS3sum"), "sum");
  EXPECT_EQ(KernelText("__sycl_kernel__Z3addIiEvPT_"), "void add<int>(int*)");
  EXPECT_EQ(KernelText("__sycl_kernel_k"), "k");
  EXPECT_EQ(KernelText("vector_add"), "vector_add");
  EXPECT_EQ(KernelText("f"), "f") << "no type";
}

}  // namespace
}  // namespace assay::tools
