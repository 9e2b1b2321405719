#include "frontend/capabilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/linker.h"
#include "frontend/testing_modules.h"

namespace assay::frontend {
namespace {

using ::testing::HasSubstr;

TEST(Capabilities, ModulesForOtherApisAreRefusedByName) {
  const auto refuse = [](std::string_view head) {
    const auto binary = LoadText(head, "m.spv");
    EXPECT_TRUE(binary) << binary.error().message;
    const auto good = CheckCapabilities(*binary);
    return good ? Error{ErrorKind::kInternal, "accepted"} : good.error();
  };
  const Error graphics = refuse("OpCapability Shader\n");
  EXPECT_EQ(graphics.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(graphics.message,
              HasSubstr("capability Shader is not supported: this is a module for graphics"));
  EXPECT_EQ(refuse(kPreamble).message, "accepted");
  // What only some kernel may need.
  EXPECT_EQ(refuse("OpCapability Kernel\nOpCapability ImageBasic\n"
                   "OpExtension \"SPV_INTEL_unknown\"\n%x = OpExtInstImport \"GLSL.std.450\"\n")
                .message,
            "accepted");
  // A capability of a SPIR-V that the grammar does not know yet.
  auto words = LoadText("OpCapability Kernel\n", "new.spv")->words;
  words.back() = 60001;
  const auto newer = LoadWords(words, "new.spv");
  ASSERT_TRUE(newer);
  EXPECT_THAT(CheckCapabilities(*newer).error().message, HasSubstr("capability 60001"));
}

TEST(Linker, ResolvesImportsOfOtherModules) {
  if (!DefaultCompiler()) GTEST_SKIP() << "the compiler is not installed";
  const ScratchFolder scratch;
  const std::string paths[] = {
      scratch.Write("a.cl",
                    "int twice(int x);\n"
                    "__kernel void k(__global int* p) { p[0] = twice(p[get_global_id(0)]); }\n"),
      scratch.Write("b.cl", "int twice(int x) { return x + x; }\n")};
  const auto alone = LoadPath(paths[0]);
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_TRUE(alone->module->FindFunction(Named(*alone->module, "twice"))->IsDeclaration());
  const auto linked = LoadModule(std::span<const std::string>(paths), {});
  ASSERT_TRUE(linked) << linked.error().message;
  const Module& module = *linked->module;
  EXPECT_NE(module.FindKernel("k"), nullptr);
  EXPECT_FALSE(module.FindFunction(Named(module, "twice"))->IsDeclaration());
  for (const Linkage& linkage : module.linkage) {
    EXPECT_FALSE(linkage.name == "twice" && linkage.type == LinkageType::kImport);
  }
}

TEST(Linker, RefusesTwoExportsOfOneName) {
  if (!DefaultCompiler()) GTEST_SKIP() << "the compiler is not installed";
  const ScratchFolder scratch;
  const std::string paths[] = {scratch.Write("a.cl", "int f(int x) { return x; }\n"),
                               scratch.Write("b.cl", "int f(int x) { return x + 1; }\n")};
  const auto linked = LoadModule(std::span<const std::string>(paths), {});
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(linked.error().message, HasSubstr("both export f"));
}

// llvm-spirv writes debug information that SPIRV-Tools cannot read.
TEST(Linker, LeavesOutDamagedDebugInformation) {
  if (!DefaultCompiler()) GTEST_SKIP() << "the compiler is not installed";
  const ScratchFolder scratch;
  auto first =
      CompileSource("__kernel void l(__global int* p) { int a = 3; *p = a; }\n", "a.cl", "", {});
  ASSERT_TRUE(first) << first.error().message;
  std::vector<Word> words = first->binary.words;
  ForEachInstruction(first->binary.words, [&](std::size_t place, std::span<const Word> words_here) {
    const bool pointer = (words_here[0] & 0xffff) == static_cast<Word>(Op::kExtInst) &&
                         words_here.size() == 8 &&
                         words_here[4] == static_cast<Word>(OpenClDebugInfo100::kDebugTypePointer);
    if (pointer) words[place + 6] = 0xffffffff;  // the storage class, as the translator writes it
  });
  first->binary = *LoadWords(words, "a.cl");
  const auto second = CompileSource("int f(int x) { return x + 1; }\n", "b.cl", "", {});
  ASSERT_TRUE(second);
  ASSERT_FALSE(first->binary.skipped.empty());
  const Binary binaries[] = {first->binary, second->binary};
  const auto linked = LoadModule(std::span<const Binary>(binaries), {});
  ASSERT_TRUE(linked) << linked.error().message;
  EXPECT_NE(linked->module->FindKernel("l"), nullptr);
  ASSERT_EQ(linked->warnings.size(), 1u);
  EXPECT_THAT(linked->warnings[0], HasSubstr("a.cl: linked without its debug information"));
}

}  // namespace
}  // namespace assay::frontend
