// Which complaints of SPIRV-Tools about capabilities are wrong, and which are not.
#include "frontend/validator_gaps.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/testing_modules.h"
#include "frontend/validate.h"

namespace assay::frontend {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Expected<std::vector<std::string>> ValidateDeclared(const std::vector<std::string>& capabilities,
                                                    std::string_view extension = "",
                                                    int minor = 2) {
  std::string text = fmt::format(
      "; SPIR-V\n; Version: 1.{}\nOpCapability Kernel\nOpCapability Addresses\n"
      "OpCapability Linkage\nOpCapability Int64\n",
      minor);
  for (const std::string& capability : capabilities) text += "OpCapability " + capability + "\n";
  if (!extension.empty()) text += fmt::format("OpExtension \"{}\"\n", extension);
  const auto binary = LoadText(text + "OpMemoryModel Physical64 OpenCL\n", "declared.spvasm");
  EXPECT_TRUE(binary) << binary.error().message;
  if (!binary) return tl::unexpected(binary.error());
  return Validate(*binary);
}

std::string RefusalOf(const std::vector<std::string>& capabilities, std::string_view extension = "",
                      int minor = 2) {
  const auto result = ValidateDeclared(capabilities, extension, minor);
  EXPECT_FALSE(result) << capabilities.back();
  return result ? "" : result.error().message;
}

// OpenCL SPIR-V environment, 5.2: each is accepted with the extension, and needs no OpExtension.
TEST(ValidatorGaps, CapabilitiesOfOpenClExtensionsAreAWarning) {
  for (const auto& [capability, extension] : {std::pair("Float16", "cl_khr_fp16"),
                                              {"Int64Atomics", "cl_khr_int64_base_atomics"},
                                              {"NamedBarrier", "cl_khr_subgroup_named_barrier"},
                                              {"ImageMipmap", "cl_khr_mipmap_image_writes"}}) {
    const auto result = ValidateDeclared({capability});
    ASSERT_TRUE(result) << result.error().message;
    // SPIRV-Tools 2026 knows this one.
    if (std::string_view(capability) == "Float16" && result->empty()) continue;
    EXPECT_THAT(*result, ElementsAre(HasSubstr(extension)));
  }
}

// 3.1: an environment with images has them; which other capability is declared does not matter.
TEST(ValidatorGaps, CapabilitiesOfImagesNeedNoOther) {
  for (const char* capability : {"LiteralSampler", "Sampled1D", "Image1D", "SampledBuffer",
                                 "ImageBuffer", "ImageReadWrite"}) {
    const auto result = ValidateDeclared({capability});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_THAT(*result, ElementsAre(HasSubstr("images")));
  }
}

TEST(ValidatorGaps, EachCapabilityIsJudgedByItself) {
  const auto result = ValidateDeclared({"NamedBarrier", "Int64Atomics"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(*result, SizeIs(2));
  // The rules of SPIR-V alone would accept it.
  EXPECT_THAT(RefusalOf({"Float16", "StorageImageMultisample"}),
              HasSubstr("StorageImageMultisample is not allowed by OpenCL"));
}

// The environment accepts these of modules that declare the SPIR-V extension.
TEST(ValidatorGaps, CapabilitiesOfSpirvExtensionsNeedThem) {
  for (const auto& [capability, extension] :
       {std::pair("DotProductInput4x8BitPacked", "SPV_KHR_integer_dot_product"),
        {"GroupNonUniformRotateKHR", "SPV_KHR_subgroup_rotate"},
        {"BitInstructions", "SPV_KHR_bit_instructions"},
        {"ExpectAssumeKHR", "SPV_KHR_expect_assume"},
        {"GroupUniformArithmeticKHR", "SPV_KHR_uniform_group_instructions"},
        {"SubgroupShuffleINTEL", "SPV_INTEL_subgroups"}}) {
    const auto declared = ValidateDeclared({capability}, extension);
    ASSERT_TRUE(declared) << declared.error().message;
    EXPECT_THAT(*declared, IsEmpty());
    EXPECT_THAT(RefusalOf({capability}), HasSubstr(capability));
    EXPECT_THAT(RefusalOf({"Float16", capability}), HasSubstr(capability));
  }
}

// SPIR-V has them since 1.3, and the refusal says so.
TEST(ValidatorGaps, CapabilitiesOfALaterVersionAreRefusedByIt) {
  for (const char* capability :
       {"GroupNonUniformVote", "GroupNonUniformBallot", "GroupNonUniformArithmetic",
        "GroupNonUniformShuffle", "GroupNonUniformShuffleRelative", "GroupNonUniformClustered"}) {
    EXPECT_THAT(RefusalOf({capability}), HasSubstr("requires SPIR-V version 1.3"));
    EXPECT_TRUE(ValidateDeclared({capability}, "", 3));
  }
}

TEST(ValidatorGaps, AnExtensionHasWhatTheOneBeforeItHad) {
  // Newer headers call the first one OptNoneEXT, and others by other endings.
  for (const auto& [name, extension] : {std::pair("OptNone", "SPV_EXT_optnone"),
                                        {"SplitBarrier", "SPV_EXT_split_barrier"},
                                        {"FPGAReg", "SPV_ALTERA_fpga_reg"}}) {
    const std::string capability = std::string(name) + "INTEL";
    for (const int minor : {0, 2, 4, 6}) {
      const auto result = ValidateDeclared({capability}, extension, minor);
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_THAT(*result, IsEmpty());
      EXPECT_THAT(RefusalOf({capability}, "SPV_KHR_bit_instructions", minor), HasSubstr(name));
    }
  }
}

constexpr std::string_view kGapHead =
    "; SPIR-V\n; Version: 1.2\nOpCapability Kernel\nOpCapability Addresses\n"
    "OpCapability Linkage\nOpCapability Int8\nOpCapability Int64\n";
constexpr std::string_view kGapTypes =
    "%std = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel Physical64 OpenCL\n"
    "%void = OpTypeVoid\n%uchar = OpTypeInt 8 0\n%uint = OpTypeInt 32 0\n"
    "%ulong = OpTypeInt 64 0\n%pointer = OpTypePointer CrossWorkgroup %uchar\n";

Expected<std::vector<std::string>> ValidateText(const std::string& text) {
  const auto binary = LoadText(text, "gap.spvasm");
  EXPECT_TRUE(binary) << binary.error().message;
  if (!binary) return tl::unexpected(binary.error());
  return Validate(*binary);
}

TEST(ValidatorGaps, FormatsOfPrintfInGlobalMemoryNeedTheirExtension) {
  const std::string function =
      "%type = OpTypeFunction %void %pointer\n%f = OpFunction %void None %type\n"
      "%format = OpFunctionParameter %pointer\n%b = OpLabel\n"
      "%n = OpExtInst %uint %std printf %format\nOpReturn\nOpFunctionEnd\n";
  const std::string extension = "OpExtension \"SPV_EXT_relaxed_printf_string_address_space\"\n";
  const auto relaxed =
      ValidateText(std::string(kGapHead) + extension + std::string(kGapTypes) + function);
  ASSERT_TRUE(relaxed) << relaxed.error().message;
  // Newer SPIRV-Tools have nothing to complain of.
  EXPECT_THAT(*relaxed, AnyOf(IsEmpty(), ElementsAre(HasSubstr("not in constant memory"))));
  const auto strict = ValidateText(std::string(kGapHead) + std::string(kGapTypes) + function);
  ASSERT_FALSE(strict);
  EXPECT_THAT(strict.error().message, HasSubstr("UniformConstant"));
}

// SPIRV-Tools takes a module with clocks for one of a shader, where scopes are constants.
TEST(ValidatorGaps, ScopesOfClocksMayBeComputed) {
  const std::string head = std::string(kGapHead) +
                           "OpCapability ShaderClockKHR\nOpExtension \"SPV_KHR_shader_clock\"\n" +
                           std::string(kGapTypes) +
                           "%type = OpTypeFunction %void %uint\n%f = OpFunction %void None %type\n"
                           "%scope = OpFunctionParameter %uint\n%b = OpLabel\n"
                           "%now = OpReadClockKHR %ulong %scope\n";
  const auto good = ValidateText(head + "OpReturn\nOpFunctionEnd\n");
  EXPECT_TRUE(good) << good.error().message;
  EXPECT_FALSE(ValidateText(head + "OpReturnValue %now\nOpFunctionEnd\n"));
}

TEST(ValidatorGaps, DecorationsMayHaveMoreNumbersThanSpirvToolsReads) {
  const auto binary =
      LoadText(std::string(kGapHead) +
                   "OpCapability FPGAMemoryAttributesINTEL\n"
                   "OpExtension \"SPV_INTEL_fpga_memory_attributes\"\n"
                   "OpMemoryModel Physical64 OpenCL\nOpDecorate %v BankBitsINTEL 1\n"
                   "%uchar = OpTypeInt 8 0\n%pointer = OpTypePointer CrossWorkgroup %uchar\n"
                   "%v = OpVariable %pointer CrossWorkgroup\n",
               "bits.spvasm");
  ASSERT_TRUE(binary) << binary.error().message;
  std::vector<Word> words = binary->words;
  ForEachInstruction(binary->words, [&](std::size_t place, std::span<const Word> instruction) {
    if (OpcodeOf(instruction[0]) != Op::kDecorate) return;
    words[place] += 2 << 16;
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(place) + 4, {3, 2});
  });
  const auto longer = LoadWords(std::move(words), "bits.spv");
  ASSERT_TRUE(longer) << longer.error().message;
  const auto result = Validate(*longer);
  EXPECT_TRUE(result) << result.error().message;
}

}  // namespace
}  // namespace assay::frontend
