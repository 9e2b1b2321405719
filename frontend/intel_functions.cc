#include "frontend/intel_functions.h"

#include <fmt/format.h>

#include <string_view>

namespace assay::frontend {

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
  return text;
}

}  // namespace assay::frontend
