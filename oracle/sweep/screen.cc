#include "oracle/sweep/screen.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "numerics/for_vector_sets.h"
#include "numerics/interpolation.h"
#include "numerics/shape.h"

namespace assay::oracle {

ASSAY_DECLARE_FOR_VECTOR_SETS(ScreenColumns Columns();)

ScreenColumns ScreenColumnsOf(numerics::VectorSet set) {
  ASSAY_RETURN_FOR_VECTOR_SET(set, Columns());
}

namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::ResultKind;

// Half an ulp of a double.
constexpr double kUnit = 0x1p-53;

constexpr std::size_t kCount = kScreenNodes, kItems = kScreenItems;
// Beyond this magnitude a period holds few chunks, and none is a polynomial (DiscAround).
constexpr double kLargeAngle = 0x1p12;
// Of a value that MPFR has given: 2^-36 of a gap, which is at most 2^-23 of a normal float.
constexpr double kExactError = 0x1p-58;
// An interpolation that is no better than this, in ulp, needs the reference.
constexpr double kMostError = 0x1p-12;
static_assert(kCount == numerics::kNodeCount && kItems == numerics::kNeighbours);

std::uint32_t BitsAt(const numerics::ConstColumn& column, std::size_t item) {
  return static_cast<std::uint32_t>(
      numerics::LoadElement(numerics::ScalarType::kFloat, column.data, item));
}

double NumberAt(const numerics::ConstColumn& column, std::size_t item) {
  return std::bit_cast<float>(BitsAt(column, item));
}

const std::uint32_t* BitsFrom(const numerics::ConstColumn& column, std::size_t begin) {
  return static_cast<const std::uint32_t*>(column.data) + begin;
}

const float* FloatsFrom(const numerics::ConstColumn& column, std::size_t begin) {
  return static_cast<const float*>(column.data) + begin;
}

// The value is certainly in one binade over the stretch, in which an ulp is the inverse of this; 0:
// it may be in several, or where floats are subnormal or overflow.
double PerUlp(double value, double reach) {
  const double magnitude = std::fabs(value);
  const int exponent = std::ilogb(magnitude - reach);
  if (!(magnitude > reach) || exponent != std::ilogb(magnitude + reach) ||
      std::abs(exponent) > 126) {
    return 0;
  }
  return std::ldexp(1, 23 - exponent);
}

// What decides each result that is read off the operand's bits.
Rounded RoundedOf(Function function, int result) {
  using enum Function;
  struct Row {
    Function function;
    Rounded first, second = Rounded::kNone;
  };
  static constexpr Row kRows[] = {{ceil, Rounded::kCeil},
                                  {fabs, Rounded::kFabs},
                                  {floor, Rounded::kFloor},
                                  {fract, Rounded::kFract, Rounded::kFloor},
                                  {frexp, Rounded::kFrexp, Rounded::kFrexpExponent},
                                  {ilogb, Rounded::kIlogb},
                                  {lgamma_r, Rounded::kNone, Rounded::kGammaSign},
                                  {logb, Rounded::kLogb},
                                  {modf, Rounded::kModf, Rounded::kTrunc},
                                  {nan, Rounded::kNan},
                                  {rint, Rounded::kRint},
                                  {round, Rounded::kRound},
                                  {sign, Rounded::kSign},
                                  {trunc, Rounded::kTrunc}};
  const auto* const row = std::ranges::find(kRows, function, &Row::function);
  if (row == std::end(kRows)) return Rounded::kNone;
  return result == 0 ? row->first : row->second;
}

// The function that has this result alone, or with the same plateaus.
Function FunctionOf(Function function, int result) {
  return Info(function).results.size() == 1
             ? function
             : numerics::PartOf(function, static_cast<std::size_t>(result));
}

bool IsBelowLargest(const Exact& exact) {
  return numerics::Magnitude(Format::kFloat, exact.below) < numerics::MaxFinite(Format::kFloat);
}

// But for where they stand.
bool AreAlike(const Exact& first, const Exact& last) {
  return first.kind == last.kind && first.fraction == last.fraction &&
         first.prescribed == last.prescribed && first.any_zero_sign == last.any_zero_sign &&
         first.cancelled == last.cancelled && first.has_alternative == last.has_alternative &&
         first.alternative == last.alternative && first.low_seven_bits == last.low_seven_bits;
}

// As Locate has it; 0 where a value may be the exact one, of which more is to be known.
std::int64_t ErrorUnitsOf(const numerics::FastPath& path) {
  return static_cast<std::int64_t>(numerics::internal::ErrorUnits(path.relative_error));
}

}  // namespace

std::optional<Screen> Screen::Find(const JudgePanel& panel, int result) {
  const numerics::Operation& operation = panel.judge().operation();
  if (operation.kind != numerics::OperationKind::kBuiltin || operation.format != Format::kFloat ||
      operation.ArgumentCount() != 1) {
    return std::nullopt;
  }
  Screen screen;
  screen.columns_ = ScreenColumnsOf(numerics::ChosenVectorSet());
  screen.operation_ =
      numerics::Operation::Builtin(FunctionOf(operation.function, result), Format::kFloat);
  screen.rounded_ = RoundedOf(operation.function, result);
  if (screen.rounded_ != Rounded::kNone) return screen;
  std::optional<double> limit = panel.LimitOfAll();
  if (panel.AcceptsAnyNumber()) limit = std::numeric_limits<double>::infinity();
  if (!limit) return std::nullopt;
  screen.path_ = numerics::FindFastPathOfResult(operation.function, Format::kFloat, result);
  if (screen.path_ == nullptr || screen.path_->unary == nullptr) return std::nullopt;
  screen.limit_ = *limit;
  // Of two results, one may be refused where the other is open.
  const std::optional<double> refused_from = panel.RefusedFrom();
  if (refused_from && operation.ResultCount() == 1) screen.refused_from_ = *refused_from;
  screen.function_ = numerics::CertifiedAs(screen.operation_.function);
  screen.has_angles_ = screen.function_ == Function::sin || screen.function_ == Function::cos ||
                       screen.function_ == Function::tan;
  screen.error_units_ = ErrorUnitsOf(*screen.path_);
  return screen;
}

// Whether the bits of the operands follow one another; all in one binade, none zero.
bool Screen::AreNeighbours(const numerics::ConstColumn& operands, std::size_t begin) const {
  const std::uint32_t first = BitsAt(operands, begin);
  const std::uint32_t last = BitsAt(operands, begin + kItems - 1);
  constexpr std::uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;
  if (last - first != kItems - 1 || first >> 23 != last >> 23 || (first & kMagnitude) == 0 ||
      (first & kMagnitude) >= kInfinity) {
    return false;
  }
  return columns_.follow(BitsFrom(operands, begin), first, 1);
}

// The function at an item, as exactly as the certified path has it.
std::optional<double> Screen::ValueAt(const numerics::ConstColumn& operands,
                                      std::size_t item) const {
  const double value = path_->unary(NumberAt(operands, item));
  const double magnitude = std::fabs(value);
  // Beyond floats nothing is certain of an item.
  if (magnitude >= 0x1p-127 && magnitude <= 0x1p128) return value;
  if (value != 0) return std::nullopt;
  // The path leaves the value to MPFR, which gives its fraction to 2^-36 of a gap.
  Exact exact;
  numerics::EvaluateExact(operation_, std::array{Bits{BitsAt(operands, item)}}, {&exact, 1});
  if (exact.kind != ResultKind::kFinite || exact.prescribed || exact.fraction >= 1) {
    return std::nullopt;
  }
  const Bits below = exact.below;
  const int exponent = numerics::GridExponent(Format::kFloat, below);
  const double gap = std::ldexp(1, exponent - numerics::Traits(Format::kFloat).mantissa_bits());
  const double number =
      numerics::ToDouble(Format::kFloat, numerics::Magnitude(Format::kFloat, below)) +
      exact.fraction * gap;
  if (number < 0x1p-126) return std::nullopt;
  return numerics::IsNegative(Format::kFloat, below) ? -number : number;
}

// Sines and cosines of 32 operands and of 31 multiples of the distance of neighbours.
bool Screen::LookAtAngles(const numerics::ConstColumn& operands, const float* answers,
                          std::size_t begin, double known, Screened* screened) const {
  const numerics::FastPath* const sine = numerics::FindFastPath(Function::sin, Format::kFloat);
  const numerics::FastPath* const cosine = numerics::FindFastPath(Function::cos, Format::kFloat);
  if (sine == nullptr || cosine == nullptr) return false;
  AnglesTask task;
  task.observed = answers;
  task.kind = function_ == Function::sin   ? AnglesTask::Kind::kSine
              : function_ == Function::cos ? AnglesTask::Kind::kCosine
                                           : AnglesTask::Kind::kTangent;
  const double first = NumberAt(operands, begin), gap = NumberAt(operands, begin + 1) - first;
  for (int n = 0; n < kScreenAngles; ++n) {
    const double coarse = first + n * kScreenAngles * gap, fine = n * gap;
    task.coarse_sines[n] = sine->unary(coarse);
    task.coarse_cosines[n] = cosine->unary(coarse);
    task.fine_sines[n] = sine->unary(fine);
    task.fine_cosines[n] = cosine->unary(fine);
  }
  // Each factor is off by the paths' error, the products and the sum are rounded, and the sum of
  // the products' magnitudes is at most 2^0.5.
  task.error = 2 * (2 * std::max(sine->relative_error, cosine->relative_error) + 2 * kUnit);
  task.limit = std::min(limit_, kMostScreened);
  task.known = known;
  columns_.screen_angles(task, screened);
  return true;
}

bool Screen::Look(const numerics::ConstColumn& operands, const numerics::ConstColumn& answers,
                  std::size_t begin, double known, Screened* screened) const {
  if (path_ == nullptr || !AreNeighbours(operands, begin)) return false;
  if (has_angles_ && std::fabs(NumberAt(operands, begin)) >= kLargeAngle) {
    return LookAtAngles(operands, FloatsFrom(answers, begin), begin, known, screened);
  }
  const numerics::Interpolation& nodes = numerics::NeighbourInterpolation();
  std::array<double, kCount> values{};
  double largest = 0;
  for (std::size_t k = 0; k < kCount; ++k) {
    const auto value = ValueAt(operands, begin + numerics::kNodes[k]);
    if (!value) return false;
    values[k] = *value;
    largest = std::max(largest, std::fabs(*value));
  }
  const double center = NumberAt(operands, begin + numerics::kNodes[numerics::kCenterNode]);
  const double gap = std::fabs(NumberAt(operands, begin + 1) - NumberAt(operands, begin));
  const auto disc =
      numerics::DiscAround(operation_.function, center, values[numerics::kCenterNode]);
  if (!disc) return false;
  const double interpolation = nodes.Error(*disc, gap);
  if (!std::isfinite(interpolation)) return false;

  ScreenTask task;
  task.observed = FloatsFrom(answers, begin);
  task.limit = std::min(limit_, kMostScreened);
  task.known = known;
  // Differences from one of the values are small, and so are the errors of computing with them.
  task.base = values[numerics::kCenterNode];
  double spread = 0;
  for (double& value : values) {
    value -= task.base;
    spread = std::max(spread, std::fabs(value));
  }
  const auto polynomial = nodes.Through(values);
  std::copy(polynomial.begin(), polynomial.end(), task.coefficients);
  // The differences and the last sum are rounded, too.
  const double rounding = nodes.RoundingError(spread) + 4 * kUnit * largest;
  const double relative = std::max(path_->relative_error, kExactError);
  task.error = interpolation + nodes.growth * relative * largest + rounding;
  double tail = 0, reach = 0;
  for (std::size_t j = 0; j < kCount; ++j) {
    (j < 4 ? reach : tail) += std::fabs(polynomial[j]);
  }
  // Of most functions, the terms beyond the third are far below an ulp of a double.
  task.is_cubic = tail <= std::max(task.error, largest * 0x1p-48);
  if (task.is_cubic) task.error += tail;
  task.per_ulp = PerUlp(task.base, (reach + tail + task.error) * (1 + 0x1p-40));
  if (task.per_ulp * task.error > kMostError) return false;
  columns_.screen(task, screened);
  return true;
}

bool Screen::Measure(const numerics::ConstColumn& operands, const numerics::ConstColumn& answers,
                     std::size_t begin, Screened* screened) const {
  if (rounded_ != Rounded::kNone) {
    columns_.compare(rounded_, BitsFrom(operands, begin), BitsFrom(answers, begin), screened);
    return true;
  }
  if (error_units_ == 0) return false;
  alignas(64) double values[kItems];
  const float* const numbers = FloatsFrom(operands, begin);
  for (std::size_t i = 0; i < kItems; ++i) {
    const float x = numbers[i];
    const float magnitude = std::fabs(x);
    // What FastBatch leaves to MPFR is open, but for NaN: all functions here give NaN for it.
    values[i] = magnitude > 0 && magnitude <= std::numeric_limits<float>::max() ? path_->unary(x)
                : std::isnan(x)                                                 ? x
                                                                                : 0;
  }
  const MeasureTask task{.observed = FloatsFrom(answers, begin),
                         .values = values,
                         .error_units = error_units_,
                         .limit = limit_,
                         .refused_from = refused_from_};
  columns_.measure(task, screened);
  return true;
}

bool Screen::MayBePlateau(const numerics::ConstColumn& operands, std::size_t begin) const {
  return numerics::IsPlateau(operation_.function, NumberAt(operands, begin),
                             NumberAt(operands, begin + kItems - 1)) &&
         AreNeighbours(operands, begin);
}

bool Screen::IsUniform(const numerics::ConstColumn& answers, std::size_t begin, const Exact& first,
                       const Exact& last) const {
  return AreAlike(first, last) && first.below == last.below &&
         columns_.follow(BitsFrom(answers, begin), BitsAt(answers, begin), 0);
}

bool Screen::MeasurePlateau(const numerics::ConstColumn& answers, std::size_t begin,
                            const Exact& first, const Exact& last, Screened* screened) const {
  if (!AreAlike(first, last)) return false;
  switch (first.kind) {
    case ResultKind::kNan:
      columns_.compare(Rounded::kNan, nullptr, BitsFrom(answers, begin), screened);
      return true;
    case ResultKind::kUnspecified:
      *screened = {.most = -1};
      std::fill(std::begin(screened->errors), std::end(screened->errors), -1);
      return true;
    case ResultKind::kInfinite:
    case ResultKind::kInteger:
      return false;
    case ResultKind::kFinite:
      break;
  }
  // The exact values stand still or go with the operands.
  const auto steps = static_cast<std::uint32_t>(last.below - first.below);
  if ((steps != 0 && steps != kItems - 1) || first.prescribed || first.fraction == 0 ||
      first.fraction >= 1 || !IsBelowLargest(first) || !IsBelowLargest(last)) {
    return false;
  }
  const auto below = static_cast<std::uint32_t>(first.below);
  const std::uint32_t step = steps == 0 ? 0 : 1, answer = BitsAt(answers, begin);
  // Mostly, all answers are the same one of the two neighbours.
  if (answer - below <= 1 && columns_.follow(BitsFrom(answers, begin), answer, step)) {
    const double error = numerics::DifferenceUp(answer - below, first.fraction);
    if (error <= limit_) {
      screened->open_count = 0;
      screened->refused_count = 0;
      screened->most = error;
      screened->first = 0;
      std::fill(std::begin(screened->errors), std::end(screened->errors), error);
      for (std::size_t t = 0; t < kThresholds.size(); ++t) {
        screened->over[t] = error > kThresholds[t] ? kItems : 0;
      }
      return true;
    }
  }
  const PlateauTask task{.observed = FloatsFrom(answers, begin),
                         .below = below,
                         .step = step,
                         .fraction = first.fraction,
                         .limit = limit_,
                         .refused_from = refused_from_};
  columns_.measure_plateau(task, screened);
  return true;
}

}  // namespace assay::oracle
