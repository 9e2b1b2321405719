// Numbers of bytes as users write them.
#pragma once

#include <cstdint>
#include <string>

#include "base/expected.h"

namespace assay::base {

// "65536", "0x10000", "64K", "512M", "8G", "1T": bytes; K is 1024.  kUsage for another text or more
// than 64 bits.
Expected<std::uint64_t> ParseByteSize(const std::string& text);

}  // namespace assay::base
