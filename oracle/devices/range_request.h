// Requests for a range: operands whose bits follow one another, as in a sweep over all floats.
//
// Neither the operands nor the poison of the answers are carried to the device.  It makes the
// operands itself, and copies the poison from memory of its own that was filled once.  The answers
// come back into memory that is shared with the process that judges them, several requests deep: a
// request goes on while the answers before it are taken out.
//
// All this serves a device that answers rightly.  Whatever else happens (an answer that is refused
// or not written, a second answer that differs) is looked at again by requests of the usual kind,
// with operands that were sent: see oracle/sweep/stream.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/poison.h"
#include "oracle/inputs/column.h"

namespace assay::oracle {

// The poison of all requests is one sequence; a column's begins at its shift.  The words before the
// first shift are for the guard zones of a device (a work-group of vectors of sixteen doubles).
inline constexpr std::size_t kRangeLead = 1024;
inline constexpr std::size_t kRangeShifts = 4096;

// Of the column's first item.
Poison RangePoison(std::size_t shift);

struct RangeRequest {
  int width = 1;
  std::uint32_t first = 0;  // the bits of the first operand
  std::size_t count = 0;
  std::vector<std::size_t> shifts;  // of the outputs' poison
  std::span<std::byte> memory;      // in which the outputs stand, and again at later requests
};

// How the operands that a device made differ from those it was asked for, as a sentence; nothing
// where all were right.  An error says nothing of them.
using MadeOthers = std::optional<std::string>;

// A device in this process that makes operands itself; the task in hand has one operand, of 32
// bits.
class MakesRanges {
 public:
  // As Device::Run; the outputs hold RangePoison.
  virtual Expected<void> RunRange(const RangeRequest& request, std::span<const Column> outputs) = 0;
  // Makes operands and reads all of them back.
  virtual Expected<MadeOthers> CheckRange(std::uint32_t first, std::size_t count) = 0;

 protected:
  ~MakesRanges() = default;
};

}  // namespace assay::oracle
