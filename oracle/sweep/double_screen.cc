#include "oracle/sweep/double_screen.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "numerics/for_vector_sets.h"
#include "numerics/function.h"

namespace assay::oracle {

ASSAY_DECLARE_FOR_VECTOR_SETS(DoubleColumns DoublesMeasured();)

DoubleColumns DoubleColumnsOf(numerics::VectorSet set) {
  ASSAY_RETURN_FOR_VECTOR_SET(set, DoublesMeasured());
}

namespace {

using numerics::ScalarType;

constexpr double kSmall = 0x1p-4;  // ulp

bool HasDoubleOperands(const numerics::Operation& operation) {
  for (const numerics::Slot& slot : operation.Inputs()) {
    const bool is_known = slot.type == ScalarType::kDouble || slot.type == ScalarType::kInt;
    if (!is_known || slot.components != 1) return false;
  }
  return true;
}

// Whether all readings accept the number nearest to a value, and no other, at sight.
bool WantsNearest(const JudgePanel& panel) {
  const auto accepts = [&](double fraction, int step) {
    const numerics::Exact exact{.below = numerics::One(numerics::Format::kDouble),
                                .fraction = fraction,
                                .kind = numerics::ResultKind::kFinite};
    const numerics::Bits answer = exact.below + static_cast<numerics::Bits>(step);
    return panel.AcceptsNumber(exact, answer, 0);
  };
  return accepts(0.49, 0) && !accepts(0.49, 1) && accepts(0.51, 1) && !accepts(0.51, 0);
}

// Whether all readings accept infinity, as no error, where the value of lgamma is infinite.
bool AcceptsPole(const JudgePanel& panel) {
  const numerics::Operation& operation = panel.judge().operation();
  if (operation.function != numerics::Function::lgamma &&
      operation.function != numerics::Function::lgamma_r) {
    return false;
  }
  const std::array args{std::bit_cast<numerics::Bits>(-1.0)};
  std::array<numerics::Exact, numerics::kMaxResults> exact{};
  const auto count = static_cast<std::size_t>(operation.ResultCount());
  const std::span<numerics::Exact> results = std::span(exact).first(count);
  numerics::EvaluateExact(operation, args, results);
  std::array<numerics::Bits, numerics::kMaxResults> answers{};
  for (std::size_t r = 0; r < count; ++r) answers[r] = exact[r].below;
  const std::span<const numerics::Bits> observed = std::span(answers).first(count);
  const Outcome outcome = panel.judge().Item(args, results, observed, 0);
  const auto rules = panel.RulesOf(args, results, observed, 0, outcome);
  return exact[0].kind == numerics::ResultKind::kInfinite && outcome.rule == Rule::kWithinLimit &&
         outcome.ulp == 0 &&
         std::all_of(rules.begin(), rules.end(), [](Rule rule) { return Accepts(rule); });
}

}  // namespace

std::optional<DoubleScreen> DoubleScreen::Find(const JudgePanel& panel) {
  const numerics::Operation& operation = panel.judge().operation();
  if (operation.kind != numerics::OperationKind::kBuiltin ||
      operation.format != numerics::Format::kDouble || !HasDoubleOperands(operation)) {
    return std::nullopt;
  }
  DoubleScreen screen;
  screen.columns_ = DoubleColumnsOf(numerics::ChosenVectorSet());
  screen.results_ = static_cast<std::size_t>(operation.ResultCount());
  if (screen.results_ > screen.batches_.size()) return std::nullopt;
  for (std::size_t r = 0; r < screen.results_; ++r) {
    screen.batches_[r] = numerics::FindDoubleBatch(operation.function, static_cast<int>(r));
    if (screen.batches_[r] == nullptr) return std::nullopt;
    screen.is_exact_[r] = numerics::IsExactDouble(operation.function, static_cast<int>(r));
  }
  if (screen.results_ == 2) screen.both_ = numerics::FindDoublePairBatch(operation.function);
  // Where no limit is the same for all operands, only an answer without any error is judged here.
  const double unlimited = std::numeric_limits<double>::infinity();
  const bool is_double = operation.ResultTypes()[0] == ScalarType::kDouble;
  screen.limit_ = panel.LimitOfAll().value_or(panel.AcceptsAnyNumber()           ? unlimited
                                              : is_double && WantsNearest(panel) ? 0.5
                                                                                 : 0);
  screen.accepts_overflow_ = panel.AcceptsRoundedOverflow();
  screen.accepts_pole_ = AcceptsPole(panel);
  return screen;
}

// The value of a result at each item, and the answers.
struct DoubleScreen::Columns {
  alignas(64) std::array<double, kScreenItems> high, low, doubt, scale;
  const double* observed = nullptr;
};

// The error of an answer to operands for which the value is NaN, infinite, overflows, is nearly
// zero, or is a number that the answer is: what the reference says, to the bit, or an error that
// counts as little as that.
double DoubleScreen::AtEnd(const Columns& columns, std::size_t i, const Known& known) const {
  if (columns.doubt[i] != 0) return kOpen;
  const double high = columns.high[i], observed = columns.observed[i];
  if (high != high) return observed != observed ? kNoError : kOpen;
  const bool is_same = std::bit_cast<std::uint64_t>(high) ==
                       std::bit_cast<std::uint64_t>(observed * columns.scale[i]);
  if (!is_same || !(kSmall < limit_)) return kOpen;
  const bool counts_little = 2 * kSmall < known.errors[i];
  if (std::signbit(columns.doubt[i])) {
    return columns.low[i] == 0 && known.may_be_exact ? 0 : kOpen;
  }
  if (high == 0) {
    // In units of the least number, which are ulp there.
    const double error = std::fabs(columns.low[i]);
    if (error > 0 && error < 1 && error < known.most) return error;
    return counts_little ? 0 : kOpen;
  }
  if (std::isinf(high)) {
    const bool is_accepted = std::isinf(columns.low[i]) ? accepts_pole_ : accepts_overflow_;
    return is_accepted && (known.may_be_exact || counts_little) ? 0 : kOpen;
  }
  return kOpen;
}

void DoubleScreen::Measure(const Columns& columns, std::size_t count, const Known& known,
                           double* errors) const {
  columns_({.high = columns.high.data(),
            .low = columns.low.data(),
            .doubt = columns.doubt.data(),
            .scale = columns.scale.data(),
            .observed = columns.observed,
            .known = known.errors,
            .limit = limit_},
           count, errors);
  for (std::size_t i = 0; i < count; ++i) {
    if (errors[i] != kOpen) continue;
    errors[i] = AtEnd(columns, i, known);
  }
}

void DoubleScreen::CompareExactly(const Columns& columns, std::size_t count, bool may_be_exact,
                                  double* errors) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_value =
        (columns.doubt[i] == 0) & (std::bit_cast<std::uint64_t>(columns.high[i]) ==
                                   std::bit_cast<std::uint64_t>(columns.observed[i]));
    errors[i] = may_be_exact & is_value ? 0 : kOpen;
  }
}

DoubleScreen::Looked DoubleScreen::Look(std::span<const numerics::ConstColumn> operands,
                                        std::span<const numerics::ConstColumn> answers,
                                        std::size_t begin, std::size_t count, const Known& known,
                                        double* errors) const {
  alignas(64) std::array<std::array<double, kScreenItems>, 3> converted;
  const auto doubles = [&](const numerics::ConstColumn& column, double* to) -> const double* {
    if (column.slot.type == ScalarType::kDouble) {
      return static_cast<const double*>(column.data) + begin;
    }
    const auto* const integers = static_cast<const std::int32_t*>(column.data) + begin;
    for (std::size_t i = 0; i < count; ++i) to[i] = integers[i];
    return to;
  };
  std::array<const double*, 3> numbers{};
  for (std::size_t a = 0; a < operands.size(); ++a) {
    numbers[a] = doubles(operands[a], converted[a].data());
  }
  std::array<Columns, 2> of_results;
  std::array<numerics::DoubleNear, 2> nears{};
  for (std::size_t r = 0; r < results_; ++r) {
    nears[r] = {of_results[r].high.data(), of_results[r].low.data(), of_results[r].doubt.data(),
                of_results[r].scale.data()};
  }
  if (both_ != nullptr) both_(numbers.data(), count, nears.data());
  alignas(64) std::array<double, kScreenItems> integers, found;
  for (std::size_t r = 0; r < results_; ++r) {
    Columns& columns = of_results[r];
    if (both_ == nullptr) batches_[r](numbers.data(), count, &nears[r]);
    columns.observed = doubles(answers[r], integers.data());
    double* const to = r == 0 ? errors : found.data();
    if (is_exact_[r]) {
      CompareExactly(columns, count, known.may_be_exact, to);
    } else {
      Measure(columns, count, known, to);
    }
    for (std::size_t i = 0; i < count && r > 0; ++i) {
      const bool is_open = errors[i] == kOpen || found[i] == kOpen;
      errors[i] = is_open ? kOpen : std::max(errors[i], found[i]);
    }
  }
  Looked looked{.first_exact = count};
  const bool any_exact = is_exact_[0] || is_exact_[1];
  for (std::size_t i = count; i-- > 0;) {
    const bool is_open = errors[i] == kOpen;
    looked.open += is_open ? 1 : 0;
    if (any_exact && !is_open) looked.first_exact = i;
  }
  return looked;
}

}  // namespace assay::oracle
