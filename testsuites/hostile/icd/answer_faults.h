// Wrong answers, one by one, and stores that do not happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "testsuites/hostile/icd/value.h"

namespace assay::hostile {

struct Answer {
  Type operand_type;  // of the first operand
  Type type;          // of this result
  std::span<const Bits> args;
  std::size_t result = 0;
  int lane = 0;
  int width = 1;
  std::uint64_t launch = 0;  // of this function in this process, from 0
  std::size_t item = 0;      // of the launch
  std::size_t items = 0;
  Bits right = 0;
};

// The answer under the chosen faults; `right` without one.
Bits Falsify(const Answer& answer);

// Does the device store this answer at all?
bool Stores(const Answer& answer);

}  // namespace assay::hostile
