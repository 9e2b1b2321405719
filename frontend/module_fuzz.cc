// Any bytes as a SPIR-V binary: loaded, refused or decoded, and never a crash.
#include <cstddef>
#include <cstdint>

#include "frontend/capabilities.h"
#include "frontend/module.h"
#include "frontend/validate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::frontend;
  const auto binary = LoadBytes({reinterpret_cast<const std::byte*>(data), size}, "fuzz.spv");
  if (!binary) return 0;
  (void)CheckCapabilities(*binary);
  const auto module = BuildModule(*binary);
  if (module) {
    for (const Instruction& instruction : (*module)->instructions) (*module)->Text(instruction);
  }
  return 0;
}
