// The data by which accesses are checked when pointers are watched; null for batches of programs
// that cannot break these rules.  Internal to executing.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "interp/program/memory.h"
#include "interp/program/program.h"

namespace assay::interp {

// A stored address of a private or local object: by which work-item, and where.
struct StoredPointer {
  Address value = 0;
  std::uint64_t group = 0;
  std::uint64_t item = 0;  // linear local id
  std::uint32_t place = 0;
};

// The data of one worker.
struct PointerView {
  // Addresses of private and local objects are in this range; other addresses may be, too.
  Address first = 0;
  std::uint64_t range = 0;
  std::uint32_t address_bytes = 8;
  // By CodePlace::parameter: a bit for each pointer that shares its buffer with a restrict pointer;
  // empty: there are none.
  std::vector<std::uint16_t> parameter_bits;
  // By place in Program::restrict_pointers: whether the call is watched; empty: none is.
  std::vector<bool> watched_calls;
  bool has_restrict = false;  // either
};

// What all workers of a launch share.
struct PointerRecords {
  std::mutex mutex;
  std::unordered_map<Address, StoredPointer> stored;  // in global memory, by where
  // For regions that restrict pointers share with others, by place: for each byte the bits of the
  // pointers that accessed it, and kWritten.
  static constexpr std::uint16_t kWritten = 0x8000;
  std::map<std::uint64_t, std::vector<std::uint16_t>> accessed;
  std::vector<std::uint16_t> parameter_bits;
  std::uint16_t restrict_bits = 0;
  std::vector<bool> watched_calls;  // as PointerView has it
};

}  // namespace assay::interp
