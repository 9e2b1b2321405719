#include "oracle/judge/enclosure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/shape.h"
#include "oracle/judge/enclosure_geometric.h"
#include "oracle/judge/enclosure_shape.h"
#include "oracle/judge/point_ranges.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ResultKind;
using numerics::Rounding;
using numerics::ScalarType;

namespace {

constexpr std::uint64_t kMostPoints = 64;  // of a box that are asked one by one

bool IsNan(ScalarType type, Bits bits) {
  return numerics::IsFloating(type) && numerics::IsNan(numerics::FormatOf(type), bits);
}

// The order of numbers: both zeros are one place.
std::int64_t Index(ScalarType type, Bits bits) {
  return numerics::OrderedIndex(numerics::FormatOf(type), bits);
}

}  // namespace

struct Enclosure::Impl {
  Impl(const Operation& wanted, const JudgeOptions& given)
      : operation(wanted),
        options(given),
        limit(FindLimit(wanted, given.profile, given.build, given.reading)),
        argument_types(wanted.ArgumentTypes()),
        result_types(wanted.ResultTypes()),
        slots(wanted.Inputs()),
        evaluator(wanted) {
    if (wanted.kind == OperationKind::kBuiltin &&
        numerics::ShapeOf(wanted.function).second.has_value()) {
      for (const std::size_t result : {0, 1}) {
        const Function part = numerics::PartOf(wanted.function, result);
        parts.push_back(std::make_unique<Impl>(Operation::Builtin(part, wanted.format), given));
      }
      return;
    }
    if (limit == nullptr) return;
    points.emplace(wanted, *limit, given);
    flushes = points->flushes();
    const auto ulp = UlpValue(*limit, operation);
    if (ulp && !points->is_rounded) ulp_steps = static_cast<std::int64_t>(std::ceil(*ulp));
  }

  // Points to be asked for an item, and what becomes of their answers.
  struct Item {
    std::size_t item = 0;
    BoxShape shape;
    bool is_box = false;               // the function is asked at its corners only
    std::size_t first = 0, count = 0;  // in `points`
  };

  // native_: accuracy and range are implementation-defined.
  bool IsOpen() const {
    if (!parts.empty()) return false;
    return limit == nullptr || KindOf(*limit) == LimitKind::kUnbounded ||
           (operation.kind == OperationKind::kBuiltin && flushes &&
            operation.function == Function::nextafter);
  }
  void Evaluate(std::span<const Range> args, std::size_t count, std::span<Range> results) const;
  void EvaluateJudged(std::span<const Range> args, std::size_t count,
                      std::span<Range> results) const;
  void Answer(const std::vector<Item>& items, const std::vector<std::vector<Bits>>& columns,
              std::size_t count, std::span<Range> results) const;
  bool EvaluatePoints(std::span<const Range> args, std::size_t count,
                      std::span<Range> results) const;
  // Appends the points of an item to the columns; false: they are too many.
  bool Collect(const std::vector<Range>& box, const BoxShape& shape, Item* item,
               std::vector<std::vector<Bits>>* columns) const;
  bool CollectPoint(const std::vector<Range>& box, const BoxShape& shape, Item* item,
                    std::vector<std::vector<Bits>>* columns) const;
  std::vector<Exact> Ask(const std::vector<std::vector<Bits>>& columns) const;
  Range Extreme(bool top, const Range& range) const;
  Range BesidePrescribed(const Range& range, const Exact& exact, int index) const;
  Range WithUlpOfBinades(const Range& range, int index) const;
  Range Bound(const BoxShape& shape, int index) const;

  Operation operation;
  JudgeOptions options;
  const Limit* limit;
  std::vector<ScalarType> argument_types, result_types;
  std::vector<numerics::Slot> slots;
  numerics::BatchEvaluator evaluator;
  std::optional<PointRanges> points;  // where there is a limit
  bool flushes = false;
  std::int64_t ulp_steps = 0;                // the limit in ulp, rounded up; 0: it is none in ulp
  std::vector<std::unique_ptr<Impl>> parts;  // sincos
};

// The answers where the exact value is 1 or -1, for waves.
Range Enclosure::Impl::Extreme(bool top, const Range& range) const {
  const ScalarType type = result_types[0];
  const Format format = numerics::FormatOf(type);
  const std::vector<Bits> zeros(argument_types.size());
  const Tolerance tolerance = ToleranceAt(*limit, operation, zeros, 0);
  auto index = static_cast<std::int64_t>(numerics::One(format));
  if (tolerance.kind == LimitKind::kUlp) {
    index += static_cast<std::int64_t>(std::ceil(tolerance.ulp));
  } else if (tolerance.kind == LimitKind::kAbsolute) {
    index = Index(type, numerics::FromDouble(format, 1 + tolerance.absolute)) + 1;
  } else {
    return Range::Anything(Open::kNoLimit);
  }
  return Hull(type, range, NumbersBetween(type, top ? index : -index, top ? index : -index));
}

// A corner whose value is prescribed allows only that; operands beside it are allowed an error.
Range Enclosure::Impl::BesidePrescribed(const Range& range, const Exact& exact, int index) const {
  const ScalarType type = result_types[static_cast<std::size_t>(index)];
  const std::int64_t steps = ulp_steps;
  if (!exact.prescribed || exact.kind != ResultKind::kFinite || steps == 0 ||
      range.kind == Range::Kind::kAnything || !numerics::IsFloating(type)) {
    return range;
  }
  const std::int64_t value = Index(type, exact.below);
  return value == 0 ? range : NumbersBetween(type, value - 2 * steps, value + 2 * steps);
}

// The error that is allowed grows at each power of two: just above it, twice as many numbers below
// it are allowed as just below.  So the corner nearer to zero need not allow the smallest
// magnitude.
Range Enclosure::Impl::WithUlpOfBinades(const Range& range, int index) const {
  const ScalarType type = result_types[static_cast<std::size_t>(index)];
  const std::int64_t steps = ulp_steps;
  if (steps == 0 || range.kind == Range::Kind::kAnything || !numerics::IsFloating(type) ||
      IsNan(type, range.low)) {
    return range;
  }
  const std::int64_t low = Index(type, range.low), high = Index(type, range.high);
  const auto binade = static_cast<std::int64_t>(numerics::MinNormal(numerics::FormatOf(type)));
  // The smallest magnitude that the corners allow, and the first power of two from there on.
  const std::int64_t inner = low > 0 ? low : high < 0 ? -high : 0;
  const std::int64_t outer = std::max(-low, high);
  const std::int64_t power = (inner + binade - 1) / binade * binade;
  if (inner == 0 || power > outer || power - 2 * steps >= inner) return range;
  return low > 0 ? NumbersBetween(type, power - 2 * steps, high)
                 : NumbersBetween(type, low, -(power - 2 * steps));
}

Range Enclosure::Impl::Bound(const BoxShape& shape, int index) const {
  const auto at = static_cast<std::size_t>(index);
  const ScalarType type = result_types[at];
  const auto [low, high] = shape.bounds[at];
  if (!numerics::IsFloating(type)) return Range::Anything(Open::kWide);
  const Format format = numerics::FormatOf(type);
  // The bounds are exact, or rounded to nearest: one more on each side is enough.
  return NumbersBetween(type, Index(type, numerics::FromDouble(format, low)) - 1,
                        Index(type, numerics::FromDouble(format, high)) + 1);
}

// The usual cases: all operands are known, or the only one is a range without zeros at its ends.
bool Enclosure::Impl::CollectPoint(const std::vector<Range>& box, const BoxShape& shape, Item* item,
                                   std::vector<std::vector<Bits>>* columns) const {
  item->first = (*columns)[0].size();
  if (std::ranges::all_of(box, [](const Range& range) { return range.IsPoint(); })) {
    item->count = 1;
    for (std::size_t i = 0; i < box.size(); ++i) (*columns)[i].push_back(box[i].low);
    return true;
  }
  if (box.size() != 1 || shape.kind != BoxShape::Kind::kCorners ||
      !numerics::IsFloating(argument_types[0])) {
    return false;
  }
  const Format format = numerics::FormatOf(argument_types[0]);
  if (numerics::IsZero(format, box[0].low) || numerics::IsZero(format, box[0].high)) return false;
  item->count = 2;
  (*columns)[0].push_back(box[0].low);
  (*columns)[0].push_back(box[0].high);
  return true;
}

bool Enclosure::Impl::Collect(const std::vector<Range>& box, const BoxShape& shape, Item* item,
                              std::vector<std::vector<Bits>>* columns) const {
  if (CollectPoint(box, shape, item, columns)) return true;
  std::vector<std::vector<Bits>> choices(box.size());
  std::uint64_t points = 1;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const Range& range = box[i];
    const ScalarType type = argument_types[i];
    const bool floating = numerics::IsFloating(type);
    if (range.IsPoint()) {
      choices[i] = {range.low};
    } else if (shape.kind == BoxShape::Kind::kCorners) {
      choices[i] = {range.low, range.high};
    } else {
      const std::uint64_t more = floating ? static_cast<std::uint64_t>(Index(type, range.high)) -
                                                static_cast<std::uint64_t>(Index(type, range.low))
                                          : (range.high - range.low) & numerics::WidthMask(type);
      if (more >= kMostPoints) return false;
      for (std::uint64_t step = 0; step <= more; ++step) {
        choices[i].push_back(floating
                                 ? numerics::FromOrderedIndex(
                                       numerics::FormatOf(type),
                                       Index(type, range.low) + static_cast<std::int64_t>(step))
                                 : (range.low + step) & numerics::WidthMask(type));
      }
    }
    // A zero of a range has any sign.
    if (floating && !range.IsPoint()) {
      const Format format = numerics::FormatOf(type);
      for (std::size_t j = 0, end = choices[i].size(); j < end; ++j) {
        const Bits bits = choices[i][j];
        if (numerics::IsZero(format, bits)) choices[i].push_back(numerics::Negate(format, bits));
      }
    }
    points *= choices[i].size();
    if (points > 4 * kMostPoints) return false;
  }
  item->first = (*columns)[0].size();
  item->count = points;
  for (std::uint64_t point = 0; point < points; ++point) {
    std::uint64_t rest = point;
    for (std::size_t i = 0; i < box.size(); ++i) {
      (*columns)[i].push_back(choices[i][rest % choices[i].size()]);
      rest /= choices[i].size();
    }
  }
  return true;
}

// The exact values at the points: by point, all results.
std::vector<Exact> Enclosure::Impl::Ask(const std::vector<std::vector<Bits>>& columns) const {
  const std::size_t count = columns[0].size();
  std::vector<std::vector<std::byte>> bytes(slots.size());
  std::vector<numerics::ConstColumn> inputs(slots.size());
  std::size_t column = 0;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const auto components = static_cast<std::size_t>(slots[s].components);
    bytes[s].resize(count * components * numerics::SizeOf(slots[s].type));
    for (std::size_t c = 0; c < components; ++c, ++column) {
      for (std::size_t i = 0; i < count; ++i) {
        numerics::StoreElement(slots[s].type, bytes[s].data(), i * components + c,
                               columns[column][i]);
      }
    }
    inputs[s] = {slots[s], bytes[s].data()};
  }
  std::vector<Exact> exact(count * result_types.size());
  evaluator.Evaluate(inputs, 0, count, exact.data());
  return exact;
}

namespace {

// Where only the magnitude of an operand matters.
Range MagnitudesOf(ScalarType type, const Range& range) {
  const std::int64_t low = Index(type, range.low), high = Index(type, range.high);
  if (low >= 0) return range;
  return NumbersBetween(type, high < 0 ? -high : 0, std::max(-low, high));
}

}  // namespace

// All operands of all items are known, and none is flushed: nearly all that kernels ask.
bool Enclosure::Impl::EvaluatePoints(std::span<const Range> args, std::size_t count,
                                     std::span<Range> results) const {
  const std::size_t arity = argument_types.size();
  for (const Range& range : args) {
    if (!range.IsPoint()) return false;
  }
  for (std::size_t i = 0; i < arity && flushes; ++i) {
    if (!numerics::IsFloating(argument_types[i])) continue;
    const Format format = numerics::FormatOf(argument_types[i]);
    for (std::size_t item = 0; item < count; ++item) {
      if (numerics::IsSubnormal(format, args[i * count + item].low)) return false;
    }
  }
  std::vector<std::vector<Bits>> columns(arity);
  for (std::size_t i = 0; i < arity; ++i) {
    columns[i].resize(count);
    for (std::size_t item = 0; item < count; ++item) columns[i][item] = args[i * count + item].low;
  }
  const std::vector<Exact> exact = Ask(columns);
  std::vector<Bits> point(arity);
  const std::size_t made = result_types.size();
  for (std::size_t item = 0; item < count; ++item) {
    for (std::size_t r = 0; r < made; ++r) {
      const auto quick = points->Quick(exact[item * made + r], static_cast<int>(r));
      Range& result = results[r * count + item];
      if (quick) {
        result = *quick;
        // What is quick is far from the subnormal numbers, but for rounded ones.
        if (flushes && points->is_rounded) result = WithFlushing(result_types[r], result);
        continue;
      }
      for (std::size_t i = 0; i < arity; ++i) point[i] = columns[i][item];
      result = points->Slow(point, static_cast<int>(r));
      if (flushes) result = WithFlushing(result_types[r], result);
    }
  }
  return true;
}

void Enclosure::Impl::EvaluateJudged(std::span<const Range> args, std::size_t count,
                                     std::span<Range> results) const {
  const std::size_t arity = argument_types.size();
  std::vector<std::vector<Bits>> columns(arity);
  std::vector<Item> items;
  std::vector<Range> box(arity);
  const auto set_all = [&](std::size_t item, const Range& range) {
    for (std::size_t r = 0; r < result_types.size(); ++r) results[r * count + item] = range;
  };
  for (std::size_t item = 0; item < count; ++item) {
    bool is_known = true, is_point = true;
    for (std::size_t i = 0; i < arity; ++i) {
      box[i] = args[i * count + item];
      if (flushes) box[i] = WithFlushing(argument_types[i], box[i]);
      is_known = is_known && box[i].kind != Range::Kind::kAnything;
      is_point = is_point && box[i].IsPoint();
    }
    if (!is_known) {
      set_all(item, Range::Anything(Open::kOperand));
      continue;
    }
    Item next{.item = item};
    if (is_point) {
      next.shape.kind = BoxShape::Kind::kCorners;
    } else if (numerics::Info(operation.function).IsGeometric()) {
      EncloseGeometric(operation, *limit, box, results.subspan(item), count);
      if (flushes) {
        for (std::size_t r = 0; r < result_types.size(); ++r) {
          Range& result = results[r * count + item];
          result = WithFlushing(result_types[r], result);
        }
      }
      continue;
    } else {
      next.shape = ShapeOf(operation, argument_types, box);
    }
    if (next.shape.kind == BoxShape::Kind::kOpen) {
      set_all(item, Range::Anything(next.shape.open));
      continue;
    }
    if (next.shape.of_magnitudes) {
      for (std::size_t i = 0; i < arity; ++i) {
        if (!IsNan(argument_types[i], box[i].low)) box[i] = MagnitudesOf(argument_types[i], box[i]);
      }
    }
    // Bounds are wider than what the points say, if those are few.
    const BoxShape bounded = next.shape;
    if (bounded.kind == BoxShape::Kind::kBounded) next.shape.kind = BoxShape::Kind::kEnumerate;
    next.is_box = !is_point && next.shape.kind == BoxShape::Kind::kCorners;
    if (Collect(box, next.shape, &next, &columns)) {
      items.push_back(next);
    } else if (bounded.kind == BoxShape::Kind::kBounded) {
      for (std::size_t r = 0; r < result_types.size(); ++r) {
        results[r * count + item] = Bound(bounded, static_cast<int>(r));
      }
    } else {
      set_all(item, Range::Anything(Open::kWide));
    }
  }
  if (!items.empty()) Answer(items, columns, count, results);
}

// What the points of each item allow, together.
void Enclosure::Impl::Answer(const std::vector<Item>& items,
                             const std::vector<std::vector<Bits>>& columns, std::size_t count,
                             std::span<Range> results) const {
  const std::size_t arity = argument_types.size();
  const auto exact = Ask(columns);
  std::vector<Bits> point(arity);
  for (const Item& item : items) {
    for (std::size_t r = 0; r < result_types.size(); ++r) {
      std::optional<Range> range;
      for (std::size_t p = item.first; p < item.first + item.count; ++p) {
        for (std::size_t i = 0; i < arity; ++i) point[i] = columns[i][p];
        const std::span<const Exact> all =
            std::span(exact).subspan(p * result_types.size(), result_types.size());
        Range one = points->At(point, all, static_cast<int>(r));
        if (item.is_box) one = BesidePrescribed(one, all[r], static_cast<int>(r));
        range = range ? Hull(result_types[r], *range, one) : one;
      }
      if (range->kind != Range::Kind::kAnything && item.shape.has_top) {
        range = Extreme(true, *range);
      }
      if (range->kind != Range::Kind::kAnything && item.shape.has_bottom) {
        range = Extreme(false, *range);
      }
      if (item.is_box) range = WithUlpOfBinades(*range, static_cast<int>(r));
      results[r * count + item.item] = flushes ? WithFlushing(result_types[r], *range) : *range;
    }
  }
}

void Enclosure::Impl::Evaluate(std::span<const Range> args, std::size_t count,
                               std::span<Range> results) const {
  if (!parts.empty()) {
    for (std::size_t r = 0; r < parts.size(); ++r) {
      parts[r]->Evaluate(args, count, results.subspan(r * count, count));
    }
    return;
  }
  if (IsOpen()) {
    std::fill(results.begin(), results.end(), Range::Anything(Open::kNoLimit));
    return;
  }
  if (!EvaluatePoints(args, count, results)) EvaluateJudged(args, count, results);
}

Enclosure::Enclosure(const Operation& operation, const JudgeOptions& options)
    : impl_(std::make_unique<Impl>(operation, options)) {}
Enclosure::~Enclosure() = default;
Enclosure::Enclosure(Enclosure&&) noexcept = default;

Enclosure::Facts Enclosure::FactsOf() const {
  const Impl& impl = *impl_;
  Facts facts{.is_open = impl.IsOpen()};
  if (facts.is_open || !impl.points) return facts;
  facts.is_rounded = impl.points->is_rounded;
  const Operation& operation = impl.operation;
  const std::vector<Bits> ones(impl.argument_types.size(), numerics::One(operation.format));
  if (facts.is_rounded || impl.options.build.unsafe_math) return facts;
  const Tolerance tolerance = ToleranceAt(*impl.limit, operation, ones, 0);
  if (KindOf(*impl.limit) == LimitKind::kUlp) facts.ulp = tolerance.ulp;
  if (KindOf(*impl.limit) == LimitKind::kAbsolute && impl.options.build == MathOptions{}) {
    facts.absolute = tolerance.absolute;
  }
  return facts;
}

void Enclosure::Evaluate(std::span<const Range> args, std::size_t count,
                         std::span<Range> results) const {
  impl_->Evaluate(args, count, results);
}

}  // namespace assay::oracle
