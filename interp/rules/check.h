// The rows of checks.def.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "interp/program/program.h"
#include "interp/rules/detector.h"

namespace assay::interp {

struct CheckRow {
  std::string_view name;
  Detector detector;
  std::string_view rule;
  bool takes_floats;
  int arity;
  std::string_view message;
};
const CheckRow& RowOf(Check check);

// The row's message with its operands filled in: {0} as an unsigned number or a float, {0:s} as a
// signed one, {0:x} in hexadecimal.
std::string CheckMessage(const CheckRow& row, Kind kind,
                         const std::array<std::uint64_t, 3>& operands);

}  // namespace assay::interp
