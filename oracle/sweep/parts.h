// The items of a sweep: where they come from and in which widths they are asked.  Internal to the
// sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "oracle/devices/device.h"
#include "oracle/inputs/inputs.h"
#include "oracle/sweep/sweep.h"

namespace assay::oracle {

// Repetitions of the inputs asked for, so that they fill whole vectors of every width (the least
// common multiple of 3 and 16) and, where they are the lanes of one vector, stand in its lanes.
inline constexpr std::size_t kAllLanes = 48;

// A stretch of them.
struct Part {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::vector<bool> asked;  // per width
  // Inputs that an earlier part has asked in another width, and that count no more.
  bool repeats = false;
  std::size_t period = 0;  // not 0: the inputs come again after so many
  bool counts = false;     // the inputs are all patterns of 32 bits, in order
  std::function<Expected<void>(std::uint64_t begin, std::size_t count, std::span<const Column>)>
      fill;
};

InputOptions InputsFor(const numerics::Operation& operation, const SweepOptions& options);

// The parts of a sweep, in order.
std::vector<Part> PartsOf(const Device& device, const numerics::Operation& operation,
                          const SweepOptions& options, std::size_t widths,
                          const std::shared_ptr<const InputPlan>& plan);

}  // namespace assay::oracle
