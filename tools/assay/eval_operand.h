// What `assay eval` says where an operand is not the number that was written.
#pragma once

#include <string>
#include <string_view>

#include "numerics/literal_loss.h"

namespace assay::tools {

std::string_view LossName(numerics::LiteralLoss loss);  // "none", "rounded", "underflows"

// On stderr; nothing where nothing was lost.
void WarnOfLoss(numerics::ScalarType type, const std::string& text, numerics::Bits bits,
                numerics::LiteralLoss loss);

}  // namespace assay::tools
