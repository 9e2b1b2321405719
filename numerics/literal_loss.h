// What a number loses when it becomes one of a format.
#pragma once

#include <string_view>

#include "numerics/format.h"
#include "numerics/operation.h"

namespace assay::numerics {

enum class LiteralLoss {
  kNone,        // the literal's own value, or no decimal or hexadecimal number: bits, inf, nan
  kRounded,     // a neighbour of the literal's value
  kUnderflows,  // zero, although the literal's value is not
};

// Of a text that ParseLiteral (numerics/literal.h) takes for the type.
LiteralLoss LossOf(ScalarType type, std::string_view text);

}  // namespace assay::numerics
