// Whether what a device left in memory is among what conforming devices may leave there, value by
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "interp/envelope/memory_envelope.h"

namespace assay::interp {

// The values that a buffer's type makes of its bytes.
struct ValueLayout {
  std::uint32_t bytes = 1;   // of a value: 1, 2, 4 or 8
  bool is_float = false;     // which NaN a device leaves is open
  bool is_of_three = false;  // vectors of three: every fourth value is padding
};

struct LeftMemory {
  std::span<const std::byte> observed;     // what a device left
  std::span<const std::byte> expected;     // what the run left; of the same size
  std::span<const std::byte> undefined;    // of the run: a 1 for each undefined bit, or nothing
  const EnvelopeRecord* record = nullptr;  // null: they must be equal
};

// Values with an undefined bit may be anything, and are in none of the counts.
struct Violations {
  std::uint64_t outside = 0;             // no conforming device leaves them
  std::uint64_t inside = 0;              // differ from the run's, and are allowed
  std::uint64_t unknown = 0;             // differ, and nothing is known of them
  std::vector<std::uint64_t> undefined;  // the places of those with an undefined bit
  // The first outside; `tag` is kPoint where all devices leave what the run left.
  std::optional<OpenScalar> first;
};
Violations FindViolations(const LeftMemory& left, const ValueLayout& layout);

}  // namespace assay::interp
