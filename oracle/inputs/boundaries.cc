#include "oracle/inputs/boundaries.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>

#include "numerics/evaluate.h"
#include "numerics/function.h"
#include "oracle/inputs/values.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ResultKind;
using numerics::Rounding;
using numerics::ScalarType;

using Arguments = std::array<Bits, numerics::kMaxArguments>;

// One operand varies, the others stand still.
struct Line {
  Arguments args{};
  std::size_t varied = 0;
  ScalarType type = ScalarType::kFloat;

  void MoveTo(std::int64_t index) {
    args[varied] = IsFloating(type) ? numerics::FromOrderedIndex(FormatOf(type), index)
                                    : static_cast<std::uint32_t>(index);
  }
};

class Finder {
 public:
  Finder(const Operation& operation, int grid, std::size_t most,
         const std::optional<NumberRange>& range)
      : operation_(operation), evaluator_(operation), grid_(grid), most_(most), range_(range) {
    for (const numerics::Slot& slot : operation.Inputs()) {
      columns_.push_back({slot, &cells_[types_.size()]});
      types_.push_back(slot.type);
    }
  }
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  std::vector<Bits> Find() {
    const std::size_t arity = types_.size();
    for (std::size_t varied = 0; varied < arity; ++varied) {
      Line line{.varied = varied, .type = types_[varied]};
      WalkOthers(line, 0);
    }
    return std::move(found_);
  }

 private:
  // Every combination of the fixed operands.
  void WalkOthers(Line& line, std::size_t position) {
    if (position == types_.size()) {
      Walk(line);
      return;
    }
    if (position == line.varied) {
      WalkOthers(line, position + 1);
      return;
    }
    for (Bits fixed : FixedValues(types_[position])) {
      line.args[position] = fixed;
      WalkOthers(line, position + 1);
    }
  }

  // Few of them where they multiply.
  std::vector<Bits> FixedValues(ScalarType type) const {
    if (!IsFloating(type))
      return {1,
              2,
              3,
              7,
              static_cast<std::uint32_t>(-1),
              static_cast<std::uint32_t>(-2),
              static_cast<std::uint32_t>(-3)};
    const Format format = FormatOf(type);
    if (range_) {
      return {numerics::FromOrderedIndex(format, range_->low()),
              numerics::FromOrderedIndex(format, std::midpoint(range_->low(), range_->high())),
              numerics::FromOrderedIndex(format, range_->high())};
    }
    const Bits one = numerics::One(format), minus_one = numerics::Negate(format, one);
    if (types_.size() > 2) {
      return {Nearest(format, 0.75), minus_one, numerics::MaxFinite(format),
              numerics::MinNormal(format) + 1};
    }
    return {numerics::MinSubnormal(format),
            numerics::MinNormal(format) + 1,
            Nearest(format, 0.75),
            one - 1,
            one + 1,
            Nearest(format, 2),
            Nearest(format, 10),
            numerics::MaxFinite(format),
            Nearest(format, -1.5),
            Nearest(format, -3)};
  }

  std::vector<std::int64_t> Grid(ScalarType type) const {
    std::vector<std::int64_t> points;
    if (!IsFloating(type)) {
      for (Bits bits : SpecialExponents(operation_.format, Breadth::kMany)) {
        points.push_back(static_cast<std::int32_t>(bits));
      }
      std::sort(points.begin(), points.end());
      return points;
    }
    if (range_) {
      const std::uint64_t span = range_->Steps();
      const auto grid = static_cast<std::uint64_t>(std::max(2, grid_));
      for (std::uint64_t k = 0; k < grid; ++k) {
        // span / grid * k, without an overflow.
        const std::uint64_t step = span / grid * k + span % grid * k / grid;
        points.push_back(
            static_cast<std::int64_t>(static_cast<std::uint64_t>(range_->low()) + step));
      }
      points.push_back(range_->high());
      return points;
    }
    const auto limit = static_cast<std::int64_t>(numerics::Infinity(FormatOf(type)));
    const std::int64_t half = std::max(1, grid_ / 2);
    for (std::int64_t k = 0; k < half; ++k) {
      const std::int64_t index = limit / half * k;
      points.push_back(index);
      if (index != 0) points.push_back(-index);
    }
    points.push_back(limit);
    points.push_back(-limit);
    std::sort(points.begin(), points.end());
    return points;
  }

  void Walk(Line& line) {
    const std::vector<std::int64_t> points = Grid(line.type);
    std::int64_t last = points.front();
    unsigned last_class = ClassAt(line, last);
    for (std::int64_t point : points) {
      if (changes_ >= most_) return;
      const unsigned point_class = ClassAt(line, point);
      if (point_class != last_class) Bisect(line, last, last_class, point);
      last = point;
      last_class = point_class;
    }
  }

  // class(low) == low_class != class(high); ends where the two are neighbours.
  void Bisect(Line& line, std::int64_t low, unsigned low_class, std::int64_t high) {
    while (low + 1 < high) {
      const std::int64_t middle = std::midpoint(low, high);
      (ClassAt(line, middle) == low_class ? low : high) = middle;
    }
    ++changes_;
    for (std::int64_t index = low - 2; index <= high + 2; ++index) {
      if (OutOfType(line.type, index)) continue;
      line.MoveTo(index);
      found_.insert(found_.end(), line.args.begin(),
                    line.args.begin() + static_cast<std::ptrdiff_t>(types_.size()));
    }
  }

  static bool OutOfType(ScalarType type, std::int64_t index) {
    const std::int64_t limit = IsFloating(type)
                                   ? static_cast<std::int64_t>(numerics::Infinity(FormatOf(type)))
                                   : INT32_MAX;
    return index > limit || index < (IsFloating(type) ? -limit : INT32_MIN);
  }

  // The class of the first result.
  unsigned ClassAt(Line& line, std::int64_t index) {
    line.MoveTo(index);
    std::array<Exact, numerics::kMaxResults> results{};
    for (std::size_t i = 0; i < types_.size(); ++i) {
      numerics::StoreElement(types_[i], &cells_[i], 0, line.args[i]);
    }
    // What the class depends on is the same by the fast path and by MPFR.
    evaluator_.Evaluate(columns_, 0, 1, results.data());
    const Exact& exact = results[0];
    const auto kind = static_cast<unsigned>(exact.kind);
    if (exact.kind != ResultKind::kFinite && exact.kind != ResultKind::kInfinite) return kind;
    const Format format = operation_.format;
    const Bits rounded = Round(exact, format, Rounding::kRte);
    const Bits magnitude = numerics::Magnitude(format, rounded);
    const bool traits[] = {
        numerics::IsNegative(format, rounded),
        magnitude == 0,
        IsSubnormalBeforeRounding(exact, format),
        magnitude == numerics::Infinity(format),
        magnitude == numerics::One(format),
        IsFloating(line.type) && magnitude == numerics::Magnitude(format, line.args[line.varied])};
    unsigned result_class = kind;
    for (bool trait : traits) result_class = result_class << 1 | (trait ? 1u : 0u);
    return result_class;
  }

  const Operation operation_;
  const numerics::BatchEvaluator evaluator_;
  // One item, as the evaluator takes it.
  std::array<std::uint64_t, numerics::kMaxArguments> cells_{};
  std::vector<numerics::ConstColumn> columns_;
  const int grid_;
  const std::size_t most_;
  const std::optional<NumberRange> range_;
  std::vector<ScalarType> types_;
  std::size_t changes_ = 0;
  std::vector<Bits> found_;
};

}  // namespace

std::vector<Bits> FindBoundaries(const Operation& operation, int grid, std::size_t most,
                                 const std::optional<NumberRange>& range) {
  if (operation.kind != OperationKind::kBuiltin) return {};
  if (numerics::Info(operation.function).IsGeometric()) return {};
  if (operation.function == numerics::Function::nan) return {};
  // Integer results change everywhere; their own boundaries are the binades.
  if (!IsFloating(operation.Outputs()[0].type)) return {};
  return Finder(operation, grid, most, range).Find();
}

}  // namespace assay::oracle
