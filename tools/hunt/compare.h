// What a driver wrote beside what is right: bits, and where more than one result is right, the
// oracle's verdict by the operands that the driver wrote, too.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tools/hunt/execute.h"

namespace assay::tools {

// The buffers of one launch that count: outputs, then cells.
struct HuntBuffers {
  const HuntText* text = nullptr;
  std::uint32_t items = 0;
  std::vector<const interp::JobBuffer*> described;
  std::vector<std::span<const std::byte>> observed, right;
};

// Adds what is wrong to the result.
void CompareBuffers(const HuntDevice& device, const HuntBuffers& buffers, HuntResult* result);

}  // namespace assay::tools
