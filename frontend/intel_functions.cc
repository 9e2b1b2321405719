#include "frontend/intel_functions.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace assay::frontend {

namespace {

// cl_intel_subgroup_matrix_multiply_accumulate and its kin for TF32: what no compiler's header has.
// A work-item gives of A one value a row, or, of TF32 with 16 work-items, of every second row.
std::string MatrixFunctions() {
  constexpr std::string_view kInstruction = "__spirv_SubgroupMatrixMultiplyAccumulateINTEL";
  struct Product {
    std::string_view name;
    int k;
    unsigned flags;                      // Matrix Multiply Accumulate Operands
    std::string_view a_8, a_16, b, sum;  // components; of a for sub-groups of 8 and of 16
  };
  constexpr Product kProducts[] = {{"i8_i8", 32, 0x33, "int", "short", "int8", "int"},
                                   {"i8_u8", 32, 0x31, "int", "short", "uint8", "int"},
                                   {"u8_i8", 32, 0x32, "uint", "ushort", "int8", "int"},
                                   {"u8_u8", 32, 0x30, "uint", "ushort", "uint8", "int"},
                                   {"i4_i4", 64, 0xc3, "int", "short", "int8", "int"},
                                   {"i4_u4", 64, 0xc1, "int", "short", "uint8", "int"},
                                   {"u4_i4", 64, 0xc2, "uint", "ushort", "int8", "int"},
                                   {"u4_u4", 64, 0xc0, "uint", "ushort", "uint8", "int"},
                                   {"bf16_bf16", 16, 0x3000, "int", "short", "int8", "float"},
                                   {"f16_f16", 16, 0xc00, "int", "short", "int8", "float"}};
  std::string text;
  const auto declare = [&](const std::string& a, std::string_view b, const std::string& sum) {
    text +=
        fmt::format("__attribute__((overloadable, convergent)) {0} {1}(int, {2}, {3}, {0}, int);\n",
                    sum, kInstruction, a, b);
  };
  // Macros, so that what is found is found on the source's line.
  const auto define = [&](std::string_view name, int k, unsigned flags) {
    text +=
        fmt::format("#define intel_sub_group_{0}_matrix_mad_k{1}(a, b, c) {2}({1}, a, b, c, {3})\n",
                    name, k, kInstruction, flags);
  };
  for (const Product& one : kProducts) {
    define(one.name, one.k, one.flags);
    for (const std::string_view rows : {"", "2", "4", "8"}) {
      const auto sum = fmt::format("{}{}", one.sum, rows);
      declare(fmt::format("{}{}", one.a_8, rows), one.b, sum);
      declare(fmt::format("{}{}", one.a_16, rows), one.b, sum);
    }
  }
  define("tf32_tf32", 8, 0x300);
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"float", "float"},   {"float", "float2"},  {"float2", "float2"}, {"float2", "float4"},
      {"float4", "float4"}, {"float4", "float8"}, {"float8", "float8"}};
  for (const auto& [a, sum] : kRows) declare(std::string(a), "float8", std::string(sum));
  return text;
}

}  // namespace

// cl_intel_subgroups, cl_intel_subgroups_char, _short and _long, "Add to the functions".
std::string IntelFunctions(std::string_view source) {
  if (source.find("intel_sub_group_") == source.npos) return "";
  std::string text;
  const auto declare = [&text](std::string_view result, std::string_view name,
                               std::string_view parameters) {
    text += fmt::format("__attribute__((overloadable, convergent)) {} intel_sub_group_{}({});\n",
                        result, name, parameters);
  };
  const auto shuffles = [&](const std::string& type) {
    declare(type, "shuffle", type + ", uint");
    declare(type, "shuffle_xor", type + ", uint");
    declare(type, "shuffle_down", fmt::format("{0}, {0}, uint", type));
    declare(type, "shuffle_up", fmt::format("{0}, {0}, uint", type));
  };
  constexpr std::string_view kTypes[] = {"char", "uchar", "short", "ushort", "int",
                                         "uint", "long",  "ulong", "float"};
  for (const std::string_view type : kTypes) {
    for (const std::string_view width : {"", "2", "3", "4", "8", "16"}) {
      shuffles(fmt::format("{}{}", type, width));
    }
  }
  text += "#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  shuffles("half");
  text += "#endif\n#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  shuffles("double");
  text += "#endif\n";
  struct Block {
    std::string_view suffix, type;
    bool has_16;
  };
  constexpr Block kBlocks[] = {{"", "uint", false},
                               {"_ui", "uint", false},
                               {"_uc", "uchar", true},
                               {"_us", "ushort", true},
                               {"_ul", "ulong", false}};
  for (const Block& block : kBlocks) {
    for (const std::string_view width : {"", "2", "4", "8", "16"}) {
      if (width == "16" && !block.has_16) continue;
      const std::string type = fmt::format("{}{}", block.type, width);
      declare(type, fmt::format("block_read{}{}", block.suffix, width),
              fmt::format("const __global {}*", block.type));
      declare("void", fmt::format("block_write{}{}", block.suffix, width),
              fmt::format("__global {}*, {}", block.type, type));
    }
  }
  if (source.find("_matrix_mad_k") != source.npos) text += MatrixFunctions();
  return text;
}

}  // namespace assay::frontend
