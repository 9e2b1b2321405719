// Asynchronous copies under detectors that find nothing in them.
#pragma once

#include <cstdint>

#include "interp/execute/batch.h"

namespace assay::interp {

// Elements of one size at equal distances: one side of an asynchronous copy.
struct Spaced {
  Address address = 0;
  std::uint64_t element = 1;  // bytes
  std::uint64_t count = 0;
  std::uint64_t stride = 1;  // in elements

  // In bytes. Neither wraps around where all elements are in one object.
  std::uint64_t Step() const { return element * stride; }
  Address At(std::uint64_t i) const { return address + i * Step(); }
};

// Before a copy by a lane from one object to another one: records its accesses and what of its
// target becomes defined.  False if there may be a race in it: then nothing is recorded, and each
// element is to be looked at (interp/detect/plain_copies.cc).
bool RecordPlainCopy(Batch& batch, const FlatInstruction& instruction, int lane,
                     const Spaced& target, const Spaced& source, std::uint64_t event);

}  // namespace assay::interp
