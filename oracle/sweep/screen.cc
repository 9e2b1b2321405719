#include "oracle/sweep/screen.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "numerics/interpolation.h"

namespace assay::oracle {

namespace sse2 {
void Screen(const ScreenTask& task, Screened* screened);
}
namespace avx2 {
void Screen(const ScreenTask& task, Screened* screened);
}
namespace avx512 {
void Screen(const ScreenTask& task, Screened* screened);
}

ScreenColumns ScreenColumnsOf(numerics::VectorSet set) {
  switch (set) {
    case numerics::VectorSet::kAvx512:
      return avx512::Screen;
    case numerics::VectorSet::kAvx2:
      return avx2::Screen;
    default:
      return sse2::Screen;
  }
}

namespace {

using numerics::Exact;
using numerics::Format;
using numerics::ResultKind;

// Half an ulp of a double.
constexpr double kUnit = 0x1p-53;

constexpr std::size_t kCount = kScreenNodes, kItems = kScreenItems;
static_assert(kCount == numerics::kNodeCount && kItems == numerics::kNeighbours);

std::uint32_t BitsAt(const numerics::ConstColumn& column, std::size_t item) {
  return static_cast<std::uint32_t>(
      numerics::LoadElement(numerics::ScalarType::kFloat, column.data, item));
}

double NumberAt(const numerics::ConstColumn& column, std::size_t item) {
  return std::bit_cast<float>(BitsAt(column, item));
}

// Whether the bits of the operands follow one another; all in one binade, none zero.
bool AreNeighbours(const numerics::ConstColumn& operands, std::size_t begin) {
  const std::uint32_t first = BitsAt(operands, begin);
  const std::uint32_t last = BitsAt(operands, begin + kItems - 1);
  constexpr std::uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;
  if (last - first != kItems - 1 || first >> 23 != last >> 23 || (first & kMagnitude) == 0 ||
      (first & kMagnitude) >= kInfinity) {
    return false;
  }
  std::uint32_t difference = 0;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    difference |= BitsAt(operands, begin + i) ^ (first + i);
  }
  return difference == 0;
}

}  // namespace

std::optional<Screen> Screen::Find(const JudgePanel& panel) {
  const numerics::Operation& operation = panel.judge().operation();
  const std::optional<double> limit = panel.LimitOfAll();
  if (!limit || operation.kind != numerics::OperationKind::kBuiltin ||
      operation.format != Format::kFloat || operation.ArgumentCount() != 1 ||
      operation.ResultCount() != 1) {
    return std::nullopt;
  }
  Screen screen;
  screen.function_ = operation.function;
  screen.path_ = numerics::FindFastPath(operation.function, Format::kFloat);
  if (screen.path_ == nullptr || screen.path_->unary == nullptr) return std::nullopt;
  screen.limit_ = *limit;
  screen.columns_ = ScreenColumnsOf(numerics::ChosenVectorSet());
  return screen;
}

bool Screen::Look(const numerics::ConstColumn& operands, const numerics::ConstColumn& answers,
                  std::size_t begin, double known, Screened* screened) const {
  if (!AreNeighbours(operands, begin)) return false;
  const numerics::Interpolation& nodes = numerics::NeighbourInterpolation();
  std::array<double, kCount> values{};
  double largest = 0;
  for (std::size_t k = 0; k < kCount; ++k) {
    values[k] = path_->unary(NumberAt(operands, begin + numerics::kNodes[k]));
    const double magnitude = std::fabs(values[k]);
    // Beyond floats nothing is certain of an item.
    if (!(magnitude >= 0x1p-127 && magnitude <= 0x1p128)) return false;
    largest = std::max(largest, magnitude);
  }
  const double center = NumberAt(operands, begin + numerics::kNodes[numerics::kCenterNode]);
  const double gap = std::fabs(NumberAt(operands, begin + 1) - NumberAt(operands, begin));
  const auto disc = numerics::DiscAround(function_, center, values[numerics::kCenterNode]);
  if (!disc) return false;
  const double interpolation = nodes.Error(*disc, gap);
  if (!std::isfinite(interpolation)) return false;

  ScreenTask task;
  std::memcpy(&task.observed, &answers.data, sizeof task.observed);
  task.observed += begin;
  task.limit = limit_;
  task.known = known;
  std::copy(kThresholds.begin(), kThresholds.end(), task.thresholds);
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
  task.error = interpolation + nodes.growth * path_->relative_error * largest + rounding;
  columns_(task, screened);
  return true;
}

bool Screen::MayBeFlat(const numerics::ConstColumn& operands, std::size_t begin) const {
  return numerics::IsPlateau(function_, NumberAt(operands, begin),
                             NumberAt(operands, begin + kItems - 1)) &&
         AreNeighbours(operands, begin);
}

bool Screen::IsFlat(const numerics::ConstColumn& answers, std::size_t begin, const Exact& first,
                    const Exact& last) const {
  if (first.kind != last.kind) return false;
  if (first.kind == ResultKind::kNan) {
    std::uint32_t least = ~std::uint32_t{0};
    for (std::size_t i = begin; i < begin + kItems; ++i) {
      least = std::min(least, BitsAt(answers, i) & 0x7fffffff);
    }
    return least > 0x7f800000;
  }
  if (first.kind != ResultKind::kFinite || first.fraction != last.fraction ||
      first.prescribed != last.prescribed || first.any_zero_sign != last.any_zero_sign ||
      first.cancelled != last.cancelled) {
    return false;
  }
  // The exact values, and the answers, stand still or go with the operands.
  const auto steps = static_cast<std::uint32_t>(last.below - first.below);
  if (steps != 0 && steps != kItems - 1) return false;
  const std::uint32_t step = steps == 0 ? 0 : 1, start = BitsAt(answers, begin);
  std::uint32_t difference = 0;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    difference |= BitsAt(answers, begin + i) ^ (start + step * i);
  }
  return difference == 0;
}

}  // namespace assay::oracle
