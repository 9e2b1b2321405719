// Messages for the conditions of checks.def, with the operands that met them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "interp/program/scalar.h"
#include "interp/rules/check.h"

namespace assay::interp {

// The row's message with its operands filled in: {0} as an unsigned number or a float, {0:s} as a
// signed one, {0:x} in hexadecimal.
std::string CheckMessage(const CheckRow& row, Kind kind,
                         const std::array<std::uint64_t, 3>& operands);

}  // namespace assay::interp
