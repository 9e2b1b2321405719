#include "frontend/loader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "frontend/testing_modules.h"
#include "frontend/validate.h"

namespace assay::frontend {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Binary Assemble(std::string_view body, std::string_view preamble = kPreamble) {
  auto binary = LoadText(std::string(preamble) + std::string(body), "test.spvasm");
  EXPECT_TRUE(binary) << binary.error().message;
  return *binary;
}

std::string ErrorOf(std::vector<Word> words, ErrorKind kind = ErrorKind::kUsage) {
  const auto result = LoadWords(std::move(words), "x.spv");
  EXPECT_FALSE(result);
  if (result) return "";
  EXPECT_EQ(result.error().kind, kind) << result.error().message;
  return result.error().message;
}

std::vector<Word> Header() { return {kMagic, 0x00010200, 0, 10, 0}; }

std::vector<Word> With(std::vector<Word> words, std::initializer_list<Word> more) {
  words.insert(words.end(), more);
  return words;
}

TEST(Loader, DescribesErrorsInTheHeader) {
  EXPECT_THAT(ErrorOf({kMagic, 0x00010200}), HasSubstr("x.spv: 2 words"));
  auto words = Header();
  words[0] = 0x464c457f;
  EXPECT_THAT(ErrorOf(words), HasSubstr("0x464c457f"));
  words = Header();
  words[1] = 0x00010700;
  EXPECT_THAT(ErrorOf(words, ErrorKind::kUnsupported), HasSubstr("SPIR-V 1.7"));
  words[1] = 0x01010200;
  EXPECT_THAT(ErrorOf(words), HasSubstr("word 1"));
  for (const Word bound : {0u, kMaxIdBound + 1}) {
    words = Header();
    words[3] = bound;
    EXPECT_THAT(ErrorOf(words), HasSubstr("id bound"));
  }
  words = Header();
  words[4] = 1;
  EXPECT_THAT(ErrorOf(words), HasSubstr("schema"));
}

TEST(Loader, NamesTheWordOfABadInstruction) {
  EXPECT_THAT(ErrorOf(With(Header(), {0x00000011})), HasSubstr("word 5: an instruction of no"));
  EXPECT_THAT(ErrorOf(With(Header(), {0x00020011, 6, 0x00030010, 1})),
              HasSubstr("word 7: OpExecutionMode has 3 words, but the file ends after 2"));
  EXPECT_THAT(ErrorOf(With(Header(), {0x00010011})), HasSubstr("OpCapability ends before its"));
  EXPECT_THAT(ErrorOf(With(Header(), {0x00030011, 6, 6})), HasSubstr("has 3 words"));
  EXPECT_THAT(ErrorOf(With(Header(), {0x00020013, 10})), HasSubstr("uses id 10"));
  EXPECT_THAT(ErrorOf(With(Header(), {0x00020013, 0})), HasSubstr("uses id 0"));
  EXPECT_THAT(ErrorOf(With(Header(), {0x0002000a, 0x41414141})), HasSubstr("terminating zero"));
  EXPECT_THAT(ErrorOf(With(Header(), {0x0001fffe}), ErrorKind::kUnsupported),
              HasSubstr("opcode 65534"));
}

// What the registry has and the tables have not: instructions, enumerants, bits.
TEST(Loader, NamesWhatIsNewer) {
  int names = 0;
  for (Word opcode = 0; opcode < 0x10000; ++opcode) {
    const auto name = FindRegistryName(static_cast<Op>(opcode));
    // Newer headers than Debian 12's have some of them.
    if (!name || FindInstruction(static_cast<Op>(opcode))) continue;
    ++names;
    const std::string error =
        ErrorOf(With(Header(), {0x00010000 | opcode}), ErrorKind::kUnsupported);
    EXPECT_THAT(error, HasSubstr(std::string(name->name)));
    EXPECT_THAT(error, HasSubstr("; compile without " + std::string(name->extension)));
  }
  if (!FindInstruction(Op{6231})) {
    EXPECT_GT(names, 0);
    EXPECT_THAT(ErrorOf(With(Header(), {0x00010000 | 6231}), ErrorKind::kUnsupported),
                HasSubstr("opcode 6231 (OpSubgroup2DBlockLoadINTEL of SPV_INTEL_2d_block_io)"));
  }
  if (!FindEnumerant(OperandKind::kFPEncoding, 4225)) {
    EXPECT_THAT(ErrorOf(With(Header(), {0x00040016, 1, 8, 4225}), ErrorKind::kUnsupported),
                HasSubstr("has an unknown FPEncoding 4225"));
  }
}

// What nobody knows may be of the extension that the module names.
TEST(Loader, NamesTheExtensionsOfWhatIsUnknown) {
  const Binary binary = *LoadText(
      "OpCapability Kernel\nOpExtension \"SPV_KHR_fma\"\n"
      "OpExtension \"SPV_VENDOR_new\"\n",
      "new");
  auto words = binary.words;
  words[3] = 10;
  EXPECT_THAT(
      ErrorOf(With(words, {0x0001fffe}), ErrorKind::kUnsupported),
      HasSubstr("opcode 65534 is no instruction of a SPIR-V that is known here; compile for "
                "an older SPIR-V, or without what is not executed: SPV_VENDOR_new"));
  EXPECT_THAT(ErrorOf(With(words, {0x00040015, 1, 32, 0, 0x00050034, 1, 2, 65534, 1}),
                      ErrorKind::kUnsupported),
              HasSubstr("OpSpecConstantOp computes opcode 65534, which is not known here"));
}

// OpFixedSqrtALTERA has an operand less than SPIRV-Headers of 2023 say.
TEST(Loader, RefusesByNameWhatHasOtherOperandsNow) {
  const auto words = With(Header(), {0x00040015, 1, 32, 1, 0x00091723, 1, 3, 2, 0, 0, 0, 0, 0});
  if (LoadWords(words, "x.spv")) GTEST_SKIP() << "SPIRV-Headers are new";
  EXPECT_THAT(ErrorOf(words, ErrorKind::kUnsupported),
              HasSubstr("is not supported: of capability ArbitraryPrecisionFixedPoint"));
}

TEST(Loader, DecodesLiteralsByTheirTypes) {
  // A 64-bit constant needs two words, and one of a type that is none cannot be.
  const std::vector<Word> types = With(Header(), {0x00040015, 1, 64, 0});
  EXPECT_TRUE(LoadWords(With(types, {0x0005002b, 1, 2, 3, 0}), "x"));
  EXPECT_THAT(ErrorOf(With(types, {0x0004002b, 1, 2, 3})), HasSubstr("inside a literal"));
  EXPECT_THAT(ErrorOf(With(types, {0x0004002b, 4, 2, 3})), HasSubstr("no integer or float"));
}

TEST(Loader, TakesEitherByteOrder) {
  const Binary binary = Assemble("%void = OpTypeVoid\n");
  std::vector<Word> swapped = binary.words;
  for (Word& word : swapped) word = __builtin_bswap32(word);
  const auto loaded = LoadBytes(std::as_bytes(std::span(swapped)), "swapped.spv");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->words, binary.words);
}

TEST(Loader, TakesTheVersionOfTextFromItsComment) {
  EXPECT_EQ(Assemble("").MinorVersion(), 2u);
  EXPECT_EQ(Assemble("OpCapability Kernel\n", "; SPIR-V\n; Version: 1.4\n").MinorVersion(), 4u);
}

TEST(Loader, TextWithoutAVersionHasTheLeastThatHasAllOfIt) {
  const auto minor = [](const std::string& declarations) {
    const std::string head = "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n";
    const std::string text = head + declarations;
    const auto binary = LoadText(text, "unversioned.spvasm");
    EXPECT_TRUE(binary) << binary.error().message;
    return binary ? binary->MinorVersion() : 99;
  };
  const std::string model = "OpMemoryModel Physical64 OpenCL\n";
  EXPECT_EQ(minor(model), 2u);
  EXPECT_EQ(minor("OpCapability NamedBarrier\n" + model), 2u);
  EXPECT_EQ(minor("OpCapability GroupNonUniformVote\n" + model), 3u);
  EXPECT_EQ(minor("OpCapability DotProduct\n" + model), 6u);
  const std::string dot = "OpExtension \"SPV_KHR_integer_dot_product\"\n";
  EXPECT_EQ(minor("OpCapability DotProduct\n" + dot + model), 2u);

  const std::string type = "%uint = OpTypeInt 32 0\n%zero = OpConstant %uint 0\n";
  const std::string wrap = model + "OpDecorate %sum NoSignedWrap\n" + type;
  const std::string sum = "%sum = OpSpecConstantOp %uint IAdd %zero %zero\n";
  EXPECT_EQ(minor(wrap + sum), 4u);
  const std::string extended = "OpExtension \"SPV_KHR_no_integer_wrap_decoration\"\n";
  EXPECT_EQ(minor(extended + wrap + sum), 2u);

  const std::string kernel =
      "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n";
  const std::string body =
      "%f = OpFunction %void None %function\n%b = OpLabel\nOpReturn\n"
      "OpFunctionEnd\n";
  const std::string entry = model + "OpEntryPoint Kernel %f \"f\" %v\n" + kernel;
  for (const auto& [storage, expected] : {std::pair("Input", 2u), {"CrossWorkgroup", 4u}}) {
    const std::string variable = std::string("%pointer = OpTypePointer ") + storage +
                                 " %uint\n%v = OpVariable %pointer " + storage + "\n";
    EXPECT_EQ(minor(entry + variable + body), expected);
  }
}

TEST(Loader, TextThatCastsVectorsToPointersIsOfVersion5) {
  const auto minor = [](std::string_view components) {
    const std::string text =
        "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n"
        "OpCapability Int64\nOpMemoryModel Physical64 OpenCL\n"
        "%void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n"
        "%pair = OpTypeVector %uint 2\n%pointer = OpTypePointer CrossWorkgroup %uint\n" +
        fmt::format(
            "%type = OpTypeFunction %void %{0}\n%f = OpFunction %void None %type\n"
            "%x = OpFunctionParameter %{0}\n%b = OpLabel\n%p = OpBitcast %pointer %x\n"
            "OpReturn\nOpFunctionEnd\n",
            components);
    const auto binary = LoadText(text, "cast.spvasm");
    EXPECT_TRUE(binary) << binary.error().message;
    return binary ? binary->MinorVersion() : 99;
  };
  EXPECT_EQ(minor("pair"), 5u);
  EXPECT_EQ(minor("ulong"), 2u);
}

// A text may give any word as a number.
TEST(Loader, TextOfDamagedWordsHasNoVersionToFind) {
  for (const char* word : {"!0", "!0x00090011", "!0xffff000f"}) {
    const auto binary = LoadText(std::string("OpCapability Kernel\nOpNop ") + word + "\n", "t");
    EXPECT_FALSE(binary);
  }
}

TEST(Loader, TextErrorsHaveALine) {
  const auto result = LoadText("OpCapability Kernel\n%a = OpNonsense\n", "t.spvasm");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("t.spvasm: line 2, column"));
  EXPECT_THAT(result.error().message, HasSubstr("OpNonsense"));
}

TEST(Loader, NamesTheWrongKindOfFile) {
  const ScratchFolder scratch;
  const auto error = [](const std::string& path) { return LoadFile(path).error().message; };
  EXPECT_THAT(error(scratch.path() + "/none.spv"), HasSubstr("No such file"));
  EXPECT_THAT(error(scratch.path()), HasSubstr("folder"));
  EXPECT_THAT(error(scratch.Write("empty.spv", "")), HasSubstr("empty"));
  EXPECT_THAT(error(scratch.Write("elf", std::string_view("\x7f"
                                                          "ELF\0\0\0\0",
                                                          8))),
              HasSubstr("magic"));
  EXPECT_THAT(error(scratch.Write("odd.spv", std::string_view("\x03\x02\x23\x07\0", 5))),
              HasSubstr("5 bytes"));
}

TEST(Loader, LeavesOutNewDecorationsWithAWarning) {
  std::vector<Word> words = Assemble("OpDecorate %v Constant\n%v = OpTypeVoid\n").words;
  for (std::size_t i = kHeaderWords; i < words.size(); i += words[i] >> 16) {
    if ((words[i] & 0xffff) == 71) words[i + 2] = 60000;
  }
  const auto loaded = LoadWords(words, "new.spv");
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_THAT(loaded->warnings, SizeIs(1));
  EXPECT_THAT(loaded->warnings[0], HasSubstr("Decoration 60000"));
  const auto valid = Validate(*loaded);
  EXPECT_TRUE(valid) << valid.error().message;
}

constexpr std::string_view kFunction = R"(%void = OpTypeVoid
%uint = OpTypeInt 32 0
%type = OpTypeFunction %void
%f = OpFunction %void None %type
)";

TEST(Validate, KeepsTheMessageOfTheValidator) {
  const auto result = Validate(
      Assemble(std::string(kFunction) + "%a = OpLabel\nOpReturnValue %a\nOpFunctionEnd\n"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(result.error().message, HasSubstr("OpReturnValue"));
}

TEST(Validate, BlocksOutOfOrderAreAWarningOnce) {
  const std::string body = std::string(kFunction) +
                           "%a = OpLabel\nOpBranch %c\n%d = OpLabel\nOpReturn\n"
                           "%c = OpLabel\nOpBranch %d\nOpFunctionEnd\n";
  const auto result = Validate(Assemble(body));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_THAT(*result, SizeIs(1));
  EXPECT_THAT(result->front(), HasSubstr("before"));
}

// A quirk must not hide another mistake.
TEST(Validate, FindsErrorsAfterAQuirk) {
  const std::string body = std::string(kFunction) +
                           "%a = OpLabel\nOpBranch %c\n%d = OpLabel\nOpReturnValue %a\n"
                           "%c = OpLabel\nOpBranch %d\nOpFunctionEnd\n";
  const auto result = Validate(Assemble(body));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("OpReturnValue"));
}

// The validator takes a module with clocks for one of a shader.
TEST(Validate, ClocksNeedNoStructure) {
  const std::string head =
      "; SPIR-V\n; Version: 1.2\nOpCapability Kernel\nOpCapability Addresses\n"
      "OpCapability Linkage\nOpCapability Int64\nOpCapability ShaderClockKHR\n"
      "OpExtension \"SPV_KHR_shader_clock\"\nOpMemoryModel Physical64 OpenCL\n"
      "%void = OpTypeVoid\n%bool = OpTypeBool\n%long = OpTypeInt 64 0\n%int = OpTypeInt 32 0\n"
      "%device = OpConstant %int 1\n%zero = OpConstant %long 0\n%type = OpTypeFunction %void\n"
      "%f = OpFunction %void None %type\n%a = OpLabel\n%now = OpReadClockKHR %long %device\n"
      "%later = OpUGreaterThan %bool %now %zero\nOpBranchConditional %later %b %c\n"
      "%b = OpLabel\nOpBranch %c\n%c = OpLabel\n";
  const auto good = LoadText(head + "OpReturn\nOpFunctionEnd\n", "clock.spvasm");
  ASSERT_TRUE(good) << good.error().message;
  const auto result = Validate(*good);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_LE(result->size(), 1u) << "newer SPIRV-Tools find nothing";
  const auto bad = LoadText(head + "OpReturnValue %now\nOpFunctionEnd\n", "clock.spvasm");
  ASSERT_TRUE(bad) << bad.error().message;
  EXPECT_FALSE(Validate(*bad));
}

class RealCompilers : public testing::TestWithParam<Compiler> {};

TEST_P(RealCompilers, WriteAcceptedModules) {
  if (!HasCompiler(GetParam())) GTEST_SKIP() << "the compiler is not installed (./dev setup)";
  const ScratchFolder scratch;
  for (const char* options : {"-O0", "-O2"}) {
    const auto compiled = CompileSource(std::string(kKernelSource), "kernel.cl", "",
                                        {.compiler = GetParam(), .build_options = options});
    ASSERT_TRUE(compiled) << compiled.error().message;
    const auto result = Validate(compiled->binary);
    EXPECT_TRUE(result) << result.error().message;
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealCompilers);
INSTANTIATE_TEST_SUITE_P(Installed, RealCompilers, testing::ValuesIn(InstalledCompilers()));

}  // namespace
}  // namespace assay::frontend
