#include "oracle/sweep/flat_boxes.h"

#include <array>
#include <cmath>

#include "numerics/shape.h"
#include "oracle/devices/batch.h"
#include "oracle/judge/enclosure_shape.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Exact;
using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ResultKind;
using numerics::ScalarType;

namespace {

// What half_sin, native_sin and sin have in common.
Operation Plain(Operation operation) {
  if (operation.kind == OperationKind::kBuiltin) {
    operation.function = numerics::BaseOf(operation.function);
  }
  return operation;
}

// Nothing is known of vectors and of the two waves of sincos; conversions have other roundings.
// lgamma has no limit, and its search keeps all boxes.
bool IsCovered(const Operation& operation) {
  return operation.kind == OperationKind::kBuiltin &&
         !numerics::Info(operation.function).IsGeometric() &&
         operation.function != Function::sincos &&
         numerics::BaseOf(operation.function) != Function::lgamma;
}

struct Ends {
  double low = 0, high = 0;
};

// Does every device have to answer the same here?
bool SameResult(const Exact& a, const Exact& b, ScalarType type) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case ResultKind::kFinite:
    case ResultKind::kInfinite: {
      const numerics::Format format = numerics::FormatOf(type);
      return Round(a, format, numerics::Rounding::kRte) ==
             Round(b, format, numerics::Rounding::kRte);
    }
    case ResultKind::kInteger:
      return a.below == b.below && !a.low_seven_bits && !b.low_seven_bits;
    case ResultKind::kNan:
    case ResultKind::kUnspecified:
      break;
  }
  return false;
}

// Operands of one function without a result that is a number: of a box, the ends of each operand.
bool IsAllNan(Function function, const Ends& x, const Ends& y) {
  if (numerics::IsOutsideDomain(function, x.low, x.high)) return true;
  // No whole number lies between the ends of y.
  return function == Function::pow && x.high < 0 && std::floor(y.low) == std::floor(y.high) &&
         std::floor(y.low) != y.low;
}

}  // namespace

FlatBoxes::FlatBoxes(const Operation& operation, const OperandSpace& space)
    : space_(space),
      operation_(Plain(operation)),
      types_(operation.ArgumentTypes()),
      result_types_(operation.ResultTypes()),
      evaluator_(operation),
      is_covered_(IsCovered(operation)) {}

bool FlatBoxes::IsMonotonic(const Box& box) const {
  std::vector<Range> ranges;
  bool has_one_sign = true;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const Bits low = space_.At(i).At(box[i].low), high = space_.At(i).At(box[i].high);
    if (box[i].low == box[i].high) {
      ranges.push_back(Range::Point(low));
    } else if (numerics::IsFloating(types_[i])) {
      ranges.push_back(Range::Numbers(low, high));
      const numerics::Format format = numerics::FormatOf(types_[i]);
      has_one_sign =
          has_one_sign && numerics::IsNegative(format, low) == numerics::IsNegative(format, high);
    } else {
      ranges.push_back(Range::Integers(low, high));
    }
  }
  const BoxShape shape = ShapeOf(operation_, types_, ranges);
  return shape.kind == BoxShape::Kind::kCorners && !shape.has_top && !shape.has_bottom &&
         (!shape.of_magnitudes || has_one_sign);
}

bool FlatBoxes::IsOutsideDomain(const Box& box) const {
  std::array<Ends, 2> ends;
  for (std::size_t i = 0; i < box.size() && i < ends.size(); ++i) {
    if (!numerics::IsFloating(types_[i])) continue;
    const numerics::Format format = numerics::FormatOf(types_[i]);
    ends[i] = {numerics::ToDouble(format, space_.At(i).At(box[i].low)),
               numerics::ToDouble(format, space_.At(i).At(box[i].high))};
  }
  return IsAllNan(operation_.function, ends[0], ends[1]);
}

std::vector<bool> FlatBoxes::Prove(std::span<const Box> boxes) const {
  std::vector<bool> proven(boxes.size());
  if (!is_covered_) return proven;
  const std::size_t corners = std::size_t{1} << types_.size();
  std::vector<std::size_t> asked;  // the boxes whose corners are asked
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    proven[i] = IsOutsideDomain(boxes[i]);
    if (!proven[i] && IsMonotonic(boxes[i])) asked.push_back(i);
  }
  if (asked.empty()) return proven;
  const ColumnSet columns(operation_.Inputs(), asked.size() * corners);
  std::vector<Bits> args(types_.size());
  for (std::size_t item = 0; item < asked.size() * corners; ++item) {
    const Box& box = boxes[asked[item / corners]];
    for (std::size_t i = 0; i < args.size(); ++i) {
      const bool high = (item % corners >> i & 1) != 0;
      args[i] = space_.At(i).At(high ? box[i].high : box[i].low);
    }
    columns.Scatter(item, args);
  }
  const std::size_t results = result_types_.size();
  std::vector<Exact> exact(asked.size() * corners * results);
  evaluator_.Evaluate(columns.Readable(), 0, asked.size() * corners, exact.data());
  for (std::size_t a = 0; a < asked.size(); ++a) {
    const Exact* const first = &exact[a * corners * results];
    bool same = true;
    for (std::size_t at = 0; at < corners * results && same; ++at) {
      same = SameResult(first[at % results], first[at], result_types_[at % results]);
    }
    proven[asked[a]] = same;
  }
  return proven;
}

}  // namespace assay::oracle
