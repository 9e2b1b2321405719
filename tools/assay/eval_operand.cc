#include "tools/assay/eval_operand.h"

#include <fmt/format.h>

#include "numerics/evaluate.h"
#include "numerics/literal.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

using numerics::ScalarType;

// Digits that show where a number of the format leaves the decimal number that it is nearest to.
constexpr int kDigitsOfFloat = 17;
constexpr int kDigitsOfDouble = 25;

}  // namespace

std::string_view LossName(numerics::LiteralLoss loss) {
  switch (loss) {
    case numerics::LiteralLoss::kNone:
      return "none";
    case numerics::LiteralLoss::kRounded:
      return "rounded";
    case numerics::LiteralLoss::kUnderflows:
      return "underflows";
  }
  return "";
}

void WarnOfLoss(ScalarType type, const std::string& text, numerics::Bits bits,
                numerics::LiteralLoss loss) {
  if (loss == numerics::LiteralLoss::kNone) return;
  const auto name = numerics::ScalarTypeName(type);
  const std::string what =
      loss == numerics::LiteralLoss::kUnderflows
          ? fmt::format("{} is too small for {}: the operand is 0", text, name)
          : fmt::format("{} is no {}: the operand is {:.{}g}", text, name,
                        numerics::ToDouble(numerics::FormatOf(type), bits),
                        type == ScalarType::kDouble ? kDigitsOfDouble : kDigitsOfFloat);
  Tell("warning: " + what);
}

}  // namespace assay::tools
