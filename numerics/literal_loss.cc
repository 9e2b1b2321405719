#include "numerics/literal_loss.h"

#include <string>

#include "numerics/exact.h"
#include "numerics/literal.h"
#include "numerics/real.h"

namespace assay::numerics {

LiteralLoss LossOf(ScalarType type, std::string_view text) {
  if (!IsFloating(type)) return LiteralLoss::kNone;
  const auto bits = ParseLiteral(type, text);
  const Format format = FormatOf(type);
  if (!bits || IsNan(format, *bits) || IsInfinite(format, *bits)) return LiteralLoss::kNone;
  const bool is_hexadecimal = text.find_first_of("xX") != std::string_view::npos;
  if (is_hexadecimal && text.find_first_of("pP") == std::string_view::npos) {
    return LiteralLoss::kNone;  // bits
  }
  Real value(WorkingPrecision(format));
  const int ternary =
      mpfr_strtofr(value, std::string(text).c_str(), nullptr, is_hexadecimal ? 16 : 10, MPFR_RNDN);
  if (mpfr_zero_p(value.get()) != 0) return LiteralLoss::kNone;
  if (PlaceRounded(value, ternary, format).IsExact()) return LiteralLoss::kNone;
  return IsZero(format, *bits) ? LiteralLoss::kUnderflows : LiteralLoss::kRounded;
}

}  // namespace assay::numerics
