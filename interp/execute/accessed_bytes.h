// What a launch accessed, for those who order launches.
#pragma once

#include <cstdint>

namespace assay::interp {

// Bytes of global memory that a launch read or wrote with plain accesses, from an address on.
struct AccessedBytes {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool writes = false;
};

}  // namespace assay::interp
