// assay validate DEVICE --functions @small: the conversions between small formats that a matrix
// device declares (docs/validation.md, "Small formats").
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/inputs/conversion_inputs.h"
#include "tools/matrix/device.h"

namespace assay::tools {

struct ConversionRow {
  std::string name, from, via;
  std::string message;  // why it was not measured; "" if it was
  std::size_t asked = 0;
  std::size_t wrong = 0;
  std::size_t flushed = 0;  // a subnormal operand or result that is a zero: not counted as wrong
  // Of the first wrong one.
  numerics::small_float::Bits operand = 0, device = 0, expected = 0;
};

struct ConversionReport {
  std::string device, driver, option, level;
  std::uint64_t seed = 1;
  std::vector<ConversionRow> rows;
};

// Sources of at most 16 bits as a whole, others by ChooseConversionInputs.
ConversionReport ValidateConversions(MatrixDevice& device, oracle::Level level,
                                     std::uint64_t samples, std::uint64_t seed,
                                     const std::atomic<bool>& stop);

std::string ConversionTable(const ConversionReport& report);
nlohmann::ordered_json ConversionReportToJson(const ConversionReport& report);

}  // namespace assay::tools
