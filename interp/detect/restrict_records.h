// What is known of accesses beside the restrict parameters of calls.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "interp/program/memory.h"
#include "interp/program/program.h"

namespace assay::interp {

// What work-items of a batch accessed since the beginnings of calls with restrict parameters.
class RestrictRecords {
 public:
  void Clear();
  void Begin(std::uint32_t pointer, int lane);
  // Returns the place of an access that the restrict pointer does not allow beside this one.
  std::optional<std::uint32_t> Access(const RestrictUse& use, int lane, Address address,
                                      std::uint64_t bytes, bool writes, std::uint32_t place);

 private:
  static constexpr std::uint64_t kLineBytes = 16;
  // Of all calls that a work-item is in; bytes beyond that are not watched.
  static constexpr std::uint32_t kMostLines = 4096;
  struct Line {
    // A bit for each byte: accessed not through the pointer, and through it; changed.
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

}  // namespace assay::interp
