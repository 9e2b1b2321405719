#include "oracle/jobs/conversion_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace assay::oracle {
namespace {

// A format as a type in registers, and as an integer in memory.
struct FormatType {
  std::string_view format, type, memory, capability;
};
constexpr FormatType kFormatTypes[] = {
    {"f16", "OpTypeFloat 16", "OpTypeInt 16 0", "Float16"},
    {"f32", "OpTypeFloat 32", "OpTypeInt 32 0", ""},
    {"bf16", "OpTypeFloat 16 BFloat16KHR", "OpTypeInt 16 0", "BFloat16TypeKHR"},
    {"e4m3", "OpTypeFloat 8 Float8E4M3EXT", "OpTypeInt 8 0", "Float8EXT"},
    {"e5m2", "OpTypeFloat 8 Float8E5M2EXT", "OpTypeInt 8 0", "Float8EXT"}};

struct Row {
  std::string_view name, from, extension;
};
// OpConvertFToBF16INTEL gives an integer, and the others a type of the format.
constexpr std::string_view kIntel = "SPV_INTEL_bfloat16_conversion";
constexpr Row kRows[] = {{"convert_e4m3_rte", "f32", "SPV_EXT_float8"},
                         {"convert_e4m3_sat_rte", "f32", "SPV_EXT_float8"},
                         {"convert_e5m2_rte", "f32", "SPV_EXT_float8"},
                         {"convert_e5m2_sat_rte", "f32", "SPV_EXT_float8"},
                         {"convert_e4m3_rte", "f16", "SPV_EXT_float8"},
                         {"convert_e4m3_sat_rte", "f16", "SPV_EXT_float8"},
                         {"convert_e5m2_rte", "f16", "SPV_EXT_float8"},
                         {"convert_e5m2_sat_rte", "f16", "SPV_EXT_float8"},
                         {"convert_f32_rte", "e4m3", "SPV_EXT_float8"},
                         {"convert_f32_rte", "e5m2", "SPV_EXT_float8"},
                         {"convert_f16_rte", "e4m3", "SPV_EXT_float8"},
                         {"convert_f16_rte", "e5m2", "SPV_EXT_float8"},
                         {"convert_bf16_rte", "f32", "SPV_KHR_bfloat16"},
                         {"convert_f32_rte", "bf16", "SPV_KHR_bfloat16"},
                         {"convert_bf16_rte", "f32", kIntel},
                         {"convert_f32_rte", "bf16", kIntel}};

constexpr std::string_view kModule = R"(OpCapability Addresses
OpCapability Kernel
OpCapability Int64
{capabilities}OpExtension "{extension}"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %convert "convert" %id
OpDecorate %id BuiltIn GlobalInvocationId
{decoration}%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%ulong3 = OpTypeVector %ulong 3
%in_ulong3 = OpTypePointer Input %ulong3
{types}%to_source = OpTypePointer CrossWorkgroup %{source_memory}
%to_target = OpTypePointer CrossWorkgroup %{target_memory}
%type = OpTypeFunction %void %to_source %to_target %uint
%id = OpVariable %in_ulong3 Input
%convert = OpFunction %void None %type
%from = OpFunctionParameter %to_source
%to = OpFunctionParameter %to_target
%count = OpFunctionParameter %uint
%entry = OpLabel
%ids = OpLoad %ulong3 %id
%own = OpCompositeExtract %ulong %ids 0
%wide_count = OpUConvert %ulong %count
%is_number = OpULessThan %bool %own %wide_count
OpSelectionMerge %end None
OpBranchConditional %is_number %work %end
%work = OpLabel
%read = OpInBoundsPtrAccessChain %to_source %from %own
%write = OpInBoundsPtrAccessChain %to_target %to %own
%bits = OpLoad %{source_memory} %read
{body}OpStore %write %out
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)";

const FormatType& TypeOf(std::string_view format) {
  return *std::find_if(std::begin(kFormatTypes), std::end(kFormatTypes),
                       [&](const FormatType& type) { return type.format == format; });
}

std::string MemoryName(const FormatType& type) {
  return type.memory == "OpTypeInt 32 0"   ? "uint"
         : type.memory == "OpTypeInt 16 0" ? "ushort"
                                           : "uchar";
}

std::string BodyOf(const Row& row, const numerics::small_float::NamedConversion& conversion) {
  const std::string target = MemoryName(TypeOf(conversion.to->name));
  if (row.extension != kIntel) {
    return fmt::format(
        "%x = OpBitcast %source %bits\n%y = OpFConvert %target %x\n%out = OpBitcast %{} %y\n",
        target);
  }
  return conversion.to->name == "bf16"
             ? "%x = OpBitcast %source %bits\n%out = OpConvertFToBF16INTEL %ushort %x\n"
             : "%y = OpConvertBF16ToFINTEL %target %bits\n%out = OpBitcast %uint %y\n";
}

std::string TextOf(const Row& row, const numerics::small_float::NamedConversion& conversion) {
  const FormatType &source = TypeOf(conversion.from->name), &target = TypeOf(conversion.to->name);
  const bool is_intel = row.extension == kIntel;
  std::vector<std::string> capabilities, memories;
  std::string types;
  const auto once = [](std::vector<std::string>* list, const std::string& one) {
    const bool is_new = !one.empty() && std::find(list->begin(), list->end(), one) == list->end();
    if (is_new) list->push_back(one);
    return is_new;
  };
  for (const FormatType* type : {&source, &target}) {
    const std::string memory = MemoryName(*type);
    if (memory == "ushort") once(&capabilities, "Int16");
    if (memory == "uchar") once(&capabilities, "Int8");
    if (memory != "uint" && once(&memories, memory)) {
      types += fmt::format("%{} = {}\n", memory, type->memory);
    }
    // Intel's bfloat16 is an integer in registers, too.
    if (is_intel && type->format == "bf16") continue;
    once(&capabilities, std::string(type->capability));
    types += fmt::format("%{} = {}\n", type == &source ? "source" : "target", type->type);
  }
  if (is_intel) once(&capabilities, "BFloat16ConversionINTEL");
  std::string needed;
  for (const std::string& capability : capabilities) {
    needed += fmt::format("OpCapability {}\n", capability);
  }
  const bool saturates = conversion.rules.overflow == numerics::small_float::Overflow::kSaturate;
  return fmt::format(
      fmt::runtime(kModule), fmt::arg("capabilities", needed), fmt::arg("extension", row.extension),
      fmt::arg("decoration",
               saturates ? "OpDecorate %y SaturatedToLargestFloat8NormalConversionEXT\n" : ""),
      fmt::arg("types", types), fmt::arg("source_memory", MemoryName(source)),
      fmt::arg("target_memory", MemoryName(target)), fmt::arg("body", BodyOf(row, conversion)));
}

}  // namespace

std::vector<std::string> ConversionExtensions() {
  return {"SPV_EXT_float8", "SPV_KHR_bfloat16", std::string(kIntel)};
}

std::vector<ConversionProgram> ConversionPrograms(const std::vector<std::string>& extensions) {
  std::vector<ConversionProgram> programs;
  for (const Row& row : kRows) {
    if (std::find(extensions.begin(), extensions.end(), row.extension) == extensions.end()) {
      continue;
    }
    const auto conversion = numerics::small_float::NamedConversionOf(row.name, row.from);
    programs.push_back(
        {std::string(row.name), *conversion, row.extension, TextOf(row, *conversion)});
  }
  return programs;
}

}  // namespace assay::oracle
