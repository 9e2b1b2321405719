// What is kept beside the registers and private variables of a batch in an envelope run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "interp/program/envelope.h"

namespace assay::interp {

struct EnvelopeBatch {
  // Beside the registers: the ends of ranges at the same offsets.  Those of points are not valid.
  std::vector<std::byte> low, high;
  // By register (offset / 64), a bit for each lane: whether it is no point; of those lanes, whether
  // it is no number either, and whether it is anything.
  std::vector<std::uint64_t> wide, odd, anything;
  std::uint64_t lost = 0;                               // lanes whose path is open
  std::vector<std::unique_ptr<EnvelopeRecord>> frames;  // by variable: of all lanes

  static std::size_t RegisterOf(std::uint32_t offset) { return offset >> 6; }
  // The lanes of a register that are no points.
  std::uint64_t Wide(std::uint32_t offset) const { return wide[RegisterOf(offset)]; }
  // Other lanes than those of `kept` get these.
  void Assign(std::uint32_t offset, std::uint64_t kept, std::uint64_t wide_lanes,
              std::uint64_t odd_lanes, std::uint64_t anything_lanes) {
    const std::size_t place = RegisterOf(offset);
    wide[place] = (wide[place] & kept) | wide_lanes;
    odd[place] = (odd[place] & kept) | odd_lanes;
    anything[place] = (anything[place] & kept) | anything_lanes;
  }
};

}  // namespace assay::interp
