// Any text as a format, over arguments of every type: a text and its faults, and never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "interp/execute/printf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::interp;
  // The first bytes choose the arguments.
  constexpr std::size_t kArguments = 4;
  if (size < kArguments) return 0;
  std::vector<PrintfArgument> arguments;
  for (std::size_t i = 0; i < kArguments; ++i) {
    constexpr std::uint8_t kBits[] = {8, 16, 32, 64};
    constexpr std::size_t kComponents[] = {1, 2, 3, 16};
    PrintfArgument argument{.type = static_cast<PrintfType>(data[i] % 3),
                            .bits = kBits[data[i] / 4 % 4],
                            .components = {},
                            .has_text = data[i] >= 128,
                            .text = "text"};
    if (argument.type == PrintfType::kFloat && argument.bits == 8) argument.bits = 16;
    argument.components.resize(kComponents[data[i] / 16 % 4],
                               (data[i] * 0x9e3779b97f4a7c15) >> (64 - argument.bits));
    arguments.push_back(argument);
  }
  (void)FormatPrintf({reinterpret_cast<const char*>(data) + kArguments, size - kArguments},
                     arguments);
  return 0;
}
