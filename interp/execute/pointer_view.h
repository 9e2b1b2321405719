// The data by which accesses are checked when pointers are watched; null for batches of programs
// that cannot break these rules.  Internal to executing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
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

// The accesses of a batch's work-items since the calls of functions with restrict parameters began.
class RestrictRecords {
 public:
  void Clear();
  void Begin(std::uint32_t pointer, int lane);
  // Returns the place of an earlier access that conflicts with this one because of the restrict
  // pointer.
  std::optional<std::uint32_t> Access(const RestrictUse& use, int lane, Address address,
                                      std::uint64_t bytes, bool writes, std::uint32_t place);

 private:
  static constexpr std::uint64_t kLineBytes = 16;
  // Limit for all calls that a work-item is in; further bytes are not watched.
  static constexpr std::uint32_t kMostLines = 4096;
  struct Line {
    // A bit for each byte: accessed not through the pointer, accessed through it; changed.
    std::array<std::uint16_t, 2> accessed = {0, 0};
    std::uint16_t changed = 0;
    std::array<std::array<std::uint32_t, kLineBytes>, 2> places;  // of an access that changed it,
                                                                  // or of the first one
  };
  using Lines = std::unordered_map<Address, Line>;
  Line* LineAt(Lines* lines, int lane, Address number);

  std::unordered_map<std::uint64_t, Lines> lines_;  // by pointer and lane
  std::array<std::uint32_t, 64> counts_{};          // of lines, by lane
};

// The data that all workers of a launch share.
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
