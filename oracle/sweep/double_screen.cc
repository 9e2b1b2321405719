#include "oracle/sweep/double_screen.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace assay::oracle {
namespace {

using numerics::ScalarType;

// What the reference's own fractions may be off by (exact.h), and roundings here.
constexpr double kDoubleReferenceSlack = 0x1p-11;
// An item of which less is known needs the reference.
constexpr double kMostSlack = 0x1p-3;

constexpr double kSmall = 0x1p-4;  // ulp

constexpr std::uint64_t kMantissa = 0x000fffffffffffff;
constexpr std::int64_t kLeastExponent = 1023 - 960, kMostExponent = 1023 + 1000;

bool HasDoubleOperands(const numerics::Operation& operation) {
  for (const numerics::Slot& slot : operation.Inputs()) {
    const bool is_known = slot.type == ScalarType::kDouble || slot.type == ScalarType::kInt;
    if (!is_known || slot.components != 1) return false;
  }
  return true;
}

}  // namespace

std::optional<DoubleScreen> DoubleScreen::Find(const JudgePanel& panel) {
  const numerics::Operation& operation = panel.judge().operation();
  if (operation.kind != numerics::OperationKind::kBuiltin ||
      operation.format != numerics::Format::kDouble || operation.ResultCount() != 1 ||
      operation.ResultTypes()[0] != ScalarType::kDouble || !HasDoubleOperands(operation)) {
    return std::nullopt;
  }
  DoubleScreen screen;
  screen.batch_ = numerics::FindDoubleBatch(operation.function);
  if (screen.batch_ == nullptr) return std::nullopt;
  const std::optional<double> limit = panel.LimitOfAll();
  if (!limit && !panel.AcceptsAnyNumber()) return std::nullopt;
  screen.limit_ = limit.value_or(std::numeric_limits<double>::infinity());
  screen.accepts_overflow_ = !panel.HasOtherLimits() && panel.judge().AcceptsRoundedOverflow();
  return screen;
}

// The error of an answer to operands for which the value is NaN, overflows or is nearly zero.
double DoubleScreen::AtEnd(double high, double doubt, double observed, double known) const {
  if (doubt != 0) return kOpen;
  if (high != high) return observed != observed ? kNoError : kOpen;
  const bool is_same = std::bit_cast<std::uint64_t>(high) == std::bit_cast<std::uint64_t>(observed);
  if (!is_same || !(2 * kSmall < known) || !(kSmall < limit_)) return kOpen;
  if (high == 0) return 0;
  return accepts_overflow_ && std::isinf(high) ? 0 : kOpen;
}

std::size_t DoubleScreen::Look(std::span<const numerics::ConstColumn> operands,
                               const numerics::ConstColumn& answers, std::size_t begin,
                               std::size_t count, const double* known, double* errors) const {
  alignas(64) std::array<double, kScreenItems> high, low, doubt;
  alignas(64) std::array<std::array<double, kScreenItems>, 3> converted;
  std::array<const double*, 3> numbers{};
  for (std::size_t a = 0; a < operands.size(); ++a) {
    if (operands[a].slot.type == ScalarType::kDouble) {
      numbers[a] = static_cast<const double*>(operands[a].data) + begin;
      continue;
    }
    const auto* const integers = static_cast<const std::int32_t*>(operands[a].data) + begin;
    for (std::size_t i = 0; i < count; ++i) converted[a][i] = integers[i];
    numbers[a] = converted[a].data();
  }
  numerics::DoubleNear near{high.data(), low.data(), doubt.data()};
  batch_(numbers.data(), count, &near);
  const auto* const observed = static_cast<const double*>(answers.data) + begin;
  std::size_t open = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(high[i]);
    const auto exponent = static_cast<std::int64_t>(bits >> 52 & 0x7ff);
    const bool is_inside = (exponent >= kLeastExponent) & (exponent <= kMostExponent);
    // Toward zero of a power of two the gaps are half as large.
    const bool is_narrow = ((bits & kMantissa) == 0) & ((high[i] < 0) != (low[i] < 0));
    const double per_ulp = std::bit_cast<double>(
        (2 * 1023 + 52 + (is_narrow ? 1 : 0) - (is_inside ? exponent : 1023)) << 52);
    const double below = std::fabs(low[i]) * per_ulp;
    // The difference of two numbers within a few gaps is exact.
    const double ulp = std::fabs((observed[i] - high[i]) * per_ulp - low[i] * per_ulp);
    const double slack = 2 * doubt[i] * per_ulp + kDoubleReferenceSlack + ulp * 0x1p-40;
    // Not where the value may be a number of the format, for which a clause may prescribe it, ...
    bool is_clear = is_inside & (slack < kMostSlack) & (below > slack) & (ulp + slack < limit_) &
                    (ulp + slack < known[i]);
    for (const double threshold : kThresholds) {
      is_clear = is_clear & (std::fabs(ulp - threshold) > slack);
    }
    // ... unless the answer is that number.
    const bool is_number = is_inside & (observed[i] == high[i]) & (below + slack < kSmall) &
                           (kSmall < limit_) & (2 * kSmall < known[i]);
    errors[i] = is_clear | is_number ? ulp : AtEnd(high[i], doubt[i], observed[i], known[i]);
    open += errors[i] == kOpen ? 1 : 0;
  }
  return open;
}

}  // namespace assay::oracle
