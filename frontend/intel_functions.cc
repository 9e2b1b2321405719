#include "frontend/intel_functions.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace assay::frontend {

namespace {

constexpr std::string_view kMatrixBegin = "intel_sub_group_";
constexpr std::string_view kMatrixMiddle = "_matrix_mad_k";

constexpr MatrixFunction kMatrixFunctions[] = {
    {"i8_i8", 32, 0x33},       {"i8_u8", 32, 0x31},    {"u8_i8", 32, 0x32},    {"u8_u8", 32, 0x30},
    {"i4_i4", 64, 0xc3},       {"i4_u4", 64, 0xc1},    {"u4_i4", 64, 0xc2},    {"u4_u4", 64, 0xc0},
    {"bf16_bf16", 16, 0x3000}, {"f16_f16", 16, 0xc00}, {"tf32_tf32", 8, 0x300}};

std::string NameOf(const MatrixFunction& function) {
  return fmt::format("{}{}{}{}", kMatrixBegin, function.elements, kMatrixMiddle, function.k);
}

// A work-item gives of A one value a row, or, of TF32 with 16 work-items, of every second row.  No
// compiler's header has these functions.
std::string MatrixDeclarations() {
  std::string text;
  const auto declare = [&](const MatrixFunction& function, const std::string& a, std::string_view b,
                           const std::string& sum) {
    text += fmt::format("__attribute__((overloadable, convergent)) {0} {1}({2}, {3}, {0});\n", sum,
                        NameOf(function), a, b);
  };
  // In sub-groups of 8, of 16, and of 16 with sums as short as the factors.
  const auto declare_rows = [&](const MatrixFunction& function, std::string_view rows) {
    const bool is_float = function.elements.find('f') != std::string_view::npos;
    const bool a_unsigned = function.elements.starts_with('u');
    const bool b_unsigned = function.elements.find("_u") != std::string_view::npos;
    const std::string_view b = b_unsigned ? "uint8" : "int8";
    const std::string_view sign = a_unsigned ? "u" : "";
    const std::string sum = fmt::format("{}{}", is_float ? "float" : "int", rows);
    declare(function, fmt::format("{}int{}", sign, rows), b, sum);
    declare(function, fmt::format("{}short{}", sign, rows), b, sum);
    if (function.elements == "bf16_bf16") {
      declare(function, fmt::format("short{}", rows), b, fmt::format("short{}", rows));
    }
    if (function.elements == "f16_f16") {
      text += "#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
      declare(function, fmt::format("short{}", rows), b, fmt::format("half{}", rows));
      text += "#endif\n";
    }
  };
  constexpr std::pair<std::string_view, std::string_view> kTf32Rows[] = {
      {"float", "float"},   {"float", "float2"},  {"float2", "float2"}, {"float2", "float4"},
      {"float4", "float4"}, {"float4", "float8"}, {"float8", "float8"}};
  for (const MatrixFunction& function : kMatrixFunctions) {
    if (function.elements == "tf32_tf32") {
      for (const auto& [a, sum] : kTf32Rows) {
        declare(function, std::string(a), "float8", std::string(sum));
      }
      continue;
    }
    for (const std::string_view rows : {"", "2", "4", "8"}) declare_rows(function, rows);
  }
  return text;
}

}  // namespace

std::optional<MatrixFunction> FindMatrixFunction(std::string_view name) {
  if (!name.starts_with(kMatrixBegin)) return std::nullopt;
  for (const MatrixFunction& function : kMatrixFunctions) {
    if (NameOf(function) == name) return function;
  }
  return std::nullopt;
}

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
  if (source.find(kMatrixMiddle) != source.npos) text += MatrixDeclarations();
  return text;
}

}  // namespace assay::frontend
