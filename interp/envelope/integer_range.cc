#include "interp/envelope/integer_range.h"

#include <algorithm>
#include <array>
#include <optional>

#include "interp/execute/row_operation.h"

namespace assay::interp {

using oracle::Open;
using oracle::Range;

namespace {

constexpr std::uint64_t kMostTried = 256;

std::uint64_t Distance(Kind kind, const Range& range) {
  return (range.high - range.low) & MaskOf(kind);
}

// From the smallest to the largest value that a set has, by the shorter way around.
class Values {
 public:
  explicit Values(Kind kind) : mask_(MaskOf(kind)), is_bool_(kind == Kind::kBool) {}
  void Add(std::uint64_t value) {
    value &= mask_;
    if (is_empty_) first_ = value;
    is_empty_ = false;
    // Offsets from the first one, as signed numbers: the shorter way.
    const std::uint64_t forward = (value - first_) & mask_;
    const std::uint64_t backward = (first_ - value) & mask_;
    if (forward <= backward || is_bool_) {
      up_ = std::max(up_, forward);
    } else {
      down_ = std::max(down_, backward);
    }
  }
  Range Take() const {
    if (up_ == 0 && down_ == 0) return Range::Point(first_);
    if (up_ + down_ < up_ || up_ + down_ > mask_) return Range::Integers(0, mask_);
    if (is_bool_) return Range::Integers(0, 1);
    return Range::Integers((first_ - down_) & mask_, (first_ + up_) & mask_);
  }

 private:
  std::uint64_t mask_;
  bool is_bool_;
  bool is_empty_ = true;
  std::uint64_t first_ = 0;
  std::uint64_t up_ = 0, down_ = 0;
};

bool IsInOrder(Kind kind, const Range& range, bool is_signed) {
  const std::uint64_t sign = is_signed ? std::uint64_t{1} << (BitsOf(kind) - 1) : std::uint64_t{0};
  return (range.low ^ sign) <= (range.high ^ sign);
}

// Whether a row grows or falls with each operand, in the order of signed or unsigned numbers.
enum class Order : std::uint8_t { kNone, kSigned, kUnsigned };
Order OrderOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSGreaterThan:
    case Opcode::kSGreaterThanEqual:
    case Opcode::kSLessThan:
    case Opcode::kSLessThanEqual:
    case Opcode::kSMax:
    case Opcode::kSMin:
    case Opcode::kSClamp:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kSAddSat:
    case Opcode::kSSubSat:
    case Opcode::kIsNegative:
      return Order::kSigned;
    case Opcode::kUGreaterThan:
    case Opcode::kUGreaterThanEqual:
    case Opcode::kULessThan:
    case Opcode::kULessThanEqual:
    case Opcode::kUMax:
    case Opcode::kUMin:
    case Opcode::kUClamp:
    case Opcode::kShiftRightLogical:
    case Opcode::kUDiv:
    case Opcode::kUAddSat:
    case Opcode::kUSubSat:
    case Opcode::kUHadd:
    case Opcode::kURhadd:
      return Order::kUnsigned;
    default:
      return Order::kNone;
  }
}

Range TryAll(Opcode opcode, Kind kind, std::span<const Range> operands, std::uint64_t count) {
  Values values(ResultKind(opcode, kind));
  std::array<std::uint64_t, 4> point{};
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t rest = i;
    for (std::size_t j = 0; j < operands.size(); ++j) {
      const std::uint64_t each = CountOf(kind, operands[j]);
      point[j] = (operands[j].low + rest % each) & MaskOf(kind);
      rest /= each;
    }
    values.Add(ComputeRow(opcode, kind, std::span(point).first(operands.size())));
  }
  return values.Take();
}

Range AtEnds(Opcode opcode, Kind kind, std::span<const Range> operands, bool is_signed) {
  std::array<std::uint64_t, 4> point{};
  const Kind result = ResultKind(opcode, kind);
  const std::uint64_t sign = is_signed && result != Kind::kBool
                                 ? std::uint64_t{1} << (BitsOf(result) - 1)
                                 : std::uint64_t{0};
  std::optional<std::uint64_t> low, high;  // in the order
  for (std::uint32_t corner = 0; corner < 1u << operands.size(); ++corner) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      point[i] = (corner >> i & 1) != 0 ? operands[i].high : operands[i].low;
    }
    const std::uint64_t value =
        ComputeRow(opcode, kind, std::span(point).first(operands.size())) ^ sign;
    low = std::min(low.value_or(value), value);
    high = std::max(high.value_or(value), value);
  }
  return *low == *high ? Range::Point(*low ^ sign) : Range::Integers(*low ^ sign, *high ^ sign);
}

}  // namespace

std::uint64_t CountOf(Kind kind, const Range& range) {
  return range.IsPoint() ? 1 : Distance(kind, range) + 1;
}

// Of sums and differences that do not go once around.
std::optional<Range> SumRow(Opcode opcode, Kind kind, std::span<const Range> operands) {
  if (opcode != Opcode::kIAdd && opcode != Opcode::kISub) return std::nullopt;
  const std::uint64_t mask = MaskOf(kind);
  const std::uint64_t a = Distance(kind, operands[0]), b = Distance(kind, operands[1]);
  if (a + b < a || a + b >= mask) return std::nullopt;
  const bool adds = opcode == Opcode::kIAdd;
  const std::uint64_t low = operands[0].low + (adds ? operands[1].low : -operands[1].high);
  return a + b == 0 ? Range::Point(low & mask) : Range::Integers(low & mask, (low + a + b) & mask);
}

Range IntegerRow(Opcode opcode, Kind kind, std::span<const Range> operands) {
  // The usual case; of few values of narrow types trying them may say more.
  if (BitsOf(kind) >= 32) {
    if (const std::optional<Range> sum = SumRow(opcode, kind, operands)) return *sum;
  }
  std::uint64_t count = 1;
  for (const Range& operand : operands) {
    const std::uint64_t each = CountOf(kind, operand);
    count = each == 0 || each > kMostTried ? kMostTried + 1 : count * each;
    if (count > kMostTried) break;
  }
  if (count <= kMostTried) return TryAll(opcode, kind, operands, count);
  const std::uint64_t mask = MaskOf(kind);
  const Kind result = ResultKind(opcode, kind);
  if (const std::optional<Range> sum = SumRow(opcode, kind, operands)) return *sum;
  if (opcode == Opcode::kBitwiseAnd) {
    for (const Range& operand : operands) {
      if (operand.IsPoint()) return Range::Integers(0, operand.low);
    }
  }
  if (opcode == Opcode::kIEqual || opcode == Opcode::kINotEqual) {
    const bool apart = operands[0].IsPoint() != operands[1].IsPoint() && [&] {
      const Range& point = operands[operands[0].IsPoint() ? 0 : 1];
      const Range& range = operands[operands[0].IsPoint() ? 1 : 0];
      return ((point.low - range.low) & mask) > Distance(kind, range);
    }();
    if (apart) return Range::Point(opcode == Opcode::kINotEqual ? 1 : 0);
  }
  const Order order =
      (opcode == Opcode::kShiftRightArithmetic || opcode == Opcode::kShiftRightLogical) &&
              !operands[1].IsPoint()
          ? Order::kNone
          : OrderOf(opcode);
  const bool is_signed = order == Order::kSigned;
  if (order != Order::kNone && std::ranges::all_of(operands, [&](const Range& operand) {
        return IsInOrder(kind, operand, is_signed);
      })) {
    return AtEnds(opcode, kind, operands, is_signed);
  }
  return result == Kind::kBool ? Range::Integers(0, 1) : Range::Anything(Open::kWide);
}

Range SumOfAddresses(const Range& a, const Range& b, std::uint64_t scale) {
  if (a.kind == Range::Kind::kAnything || b.kind == Range::Kind::kAnything) {
    return Range::Anything(Open::kOperand);
  }
  const auto step = static_cast<std::int64_t>(scale);
  const std::uint64_t width = (b.high - b.low) * (step < 0 ? -scale : scale);
  const std::uint64_t low = a.low + (step < 0 ? b.high : b.low) * scale;
  if (a.IsPoint() && b.IsPoint()) return Range::Point(low);
  return Range::Integers(low, low + width + (a.high - a.low));
}

}  // namespace assay::interp
