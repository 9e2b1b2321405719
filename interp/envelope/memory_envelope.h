// What an envelope run says of the bytes of an object: which contents conforming devices may leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "interp/program/envelope.h"

namespace assay::interp {

// A scalar in memory of which devices may leave several values.
struct OpenScalar {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  EnvelopeTag tag = EnvelopeTag::kAnything;
  std::uint64_t low = 0, high = 0;
  // Numbers of the format, or integers, from the lowest to the highest value, less one.
  std::uint64_t steps = 0;
  // Does it contain the value?  A zero at an end has any sign.
  bool Contains(std::uint64_t bits) const;
};

// In order; bytes of which nothing is known as single ones.
std::vector<OpenScalar> OpenScalars(const EnvelopeRecord& record);

struct EnvelopeSummary {
  std::uint64_t ranges = 0;          // scalars that have a range
  std::uint64_t unknown = 0;         // bytes of which nothing is known
  std::optional<OpenScalar> widest;  // of the ranges
};
EnvelopeSummary SummaryOf(const EnvelopeRecord& record);

}  // namespace assay::interp
