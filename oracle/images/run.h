// Runs rows of images on a device: every request twice, the second one in another order and with
// other poison (oracle/devices/poison.h).
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/images/judge.h"
#include "oracle/images/row.h"

namespace assay::oracle {

struct ImageOptions {
  Level level = Level::kSmoke;
  std::uint64_t seed = 1;
  std::size_t max_failures = 10;
};

struct ImageRowResult {
  ImageRow row;
  ImageVerdict specification = ImageVerdict::kNotMeasured;
  ImageVerdict suite = ImageVerdict::kNotMeasured;
  ImageTally tally;
  std::string message;             // why it is unsupported or was not measured; what was not asked
  std::vector<std::string> notes;  // side effects of the device
};

ImageRowResult RunImageRow(Device& device, const ImageAbilities& abilities, const ImageRow& row,
                           const ImageOptions& options);

}  // namespace assay::oracle
