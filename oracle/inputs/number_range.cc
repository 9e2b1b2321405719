#include "oracle/inputs/number_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "numerics/literal.h"
#include "oracle/inputs/random.h"
#include "oracle/inputs/values.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::ScalarType;

bool IsRaw(std::string_view text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  text.remove_prefix(sign);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  return hexadecimal && text.find_first_of("pP") == std::string_view::npos;
}

struct End {
  std::int64_t index = 0;
  bool beyond = false;  // it was moved to the largest finite number
};

// `is_low`: the end of the range at which a number that rounds to zero is replaced by the number
// beside zero that is in the range.
Expected<End> EndOf(Format format, const std::string& text, bool is_low) {
  const Expected<Bits> bits = ParseLiteral(ScalarTypeOf(format), text);
  if (bits && numerics::IsNan(format, *bits)) {
    return Fail(ErrorKind::kUsage, "nan is no end of a range");
  }
  if (IsRaw(text)) {
    if (!bits) return tl::unexpected<Error>(bits.error());
    return End{.index = numerics::OrderedIndex(format, *bits)};
  }
  const Expected<Bits> wide = ParseLiteral(ScalarType::kDouble, text);
  if (!wide) return tl::unexpected<Error>(wide.error());
  const double value = numerics::ToDouble(Format::kDouble, *wide);
  if (!bits) {
    const auto largest = static_cast<std::int64_t>(numerics::MaxFinite(format));
    return End{.index = value < 0 ? -largest : largest, .beyond = true};
  }
  End end{.index = numerics::OrderedIndex(format, *bits)};
  if (end.index == 0 && is_low && value > 0) end.index = 1;
  if (end.index == 0 && !is_low && value < 0) end.index = -1;
  return end;
}

}  // namespace

Expected<RangeEnds> RangeEndsOf(const std::string& text) {
  const std::vector<std::string> parts = numerics::SplitAtCommas(text);
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no range: write its smallest and its largest number, as in "
                            "0.5,2 or -0x1p-10,0x1p-10",
                            base::Printable(text)));
  }
  return RangeEnds{parts[0], parts[1]};
}

bool HasRawBits(const RangeEnds& ends) { return IsRaw(ends.low) || IsRaw(ends.high); }

Expected<NumberRange> NumberRange::Of(Format format, const RangeEnds& ends) {
  const Expected<End> low = EndOf(format, ends.low, true);
  if (!low) return tl::unexpected<Error>(low.error());
  const Expected<End> high = EndOf(format, ends.high, false);
  if (!high) return tl::unexpected<Error>(high.error());
  const std::string name(numerics::Traits(format).name);
  const auto infinity = static_cast<std::int64_t>(numerics::Infinity(format));
  const bool is_beyond = low->beyond && high->beyond && low->index == high->index;
  const bool is_infinite = low->index == high->index && std::abs(low->index) == infinity;
  // Numbers that the format does not tell apart are in order.
  const auto value = [&](const std::string& text) {
    const Expected<Bits> bits = ParseLiteral(ScalarType::kDouble, text);
    return bits ? numerics::ToDouble(Format::kDouble, *bits) : 0;
  };
  const bool in_order =
      HasRawBits(ends) ? low->index <= high->index : !(value(ends.low) > value(ends.high));
  if (!in_order) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} is larger than {}: write the smaller one first",
                            base::Printable(ends.low), base::Printable(ends.high)));
  }
  if (is_beyond || is_infinite || low->index > high->index) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} has no finite number from {} to {}", name,
                            base::Printable(ends.low), base::Printable(ends.high)));
  }
  return NumberRange(format, low->index, high->index);
}

bool NumberRange::Contains(Bits bits) const {
  if (numerics::IsNan(format_, bits)) return false;
  const std::int64_t index = numerics::OrderedIndex(format_, bits);
  return low_ <= index && index <= high_;
}

std::uint64_t NumberRange::CountWithoutSign() const {
  return high_ < 0 ? 0 : static_cast<std::uint64_t>(high_ - std::max<std::int64_t>(low_, 0)) + 1;
}

std::uint64_t NumberRange::Count() const {
  const std::uint64_t with_sign =
      low_ > 0 ? 0 : static_cast<std::uint64_t>(std::min<std::int64_t>(high_, 0) - low_) + 1;
  return CountWithoutSign() + with_sign;
}

Bits NumberRange::At(std::uint64_t index) const {
  const std::uint64_t without_sign = CountWithoutSign();
  if (index < without_sign) {
    return static_cast<Bits>(std::max<std::int64_t>(low_, 0)) + index;
  }
  const auto nearest = static_cast<Bits>(-std::min<std::int64_t>(high_, 0));
  return numerics::SignMask(format_) | (nearest + (index - without_sign));
}

Bits NumberRange::Draw(ItemStream& stream) const {
  if (stream.Coin()) return At(stream.Below(Count()));
  const auto largest = static_cast<std::int64_t>(numerics::MaxFinite(format_));
  const auto end = [&](std::int64_t index) {
    return numerics::ToDouble(
        format_, numerics::FromOrderedIndex(format_, std::clamp(index, -largest, largest)));
  };
  const double share = stream.Unit();
  const Bits drawn = Nearest(format_, end(low_) * (1 - share) + end(high_) * share);
  return Contains(drawn) ? drawn : At(stream.Below(Count()));
}

std::optional<Format> OperandFormat(const numerics::Operation& operation) {
  for (const ScalarType type : operation.ArgumentTypes()) {
    if (IsFloating(type)) return FormatOf(type);
  }
  return std::nullopt;
}

}  // namespace assay::oracle
