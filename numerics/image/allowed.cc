#include "numerics/image/allowed.h"

#include <algorithm>

#include "numerics/image/format.h"

namespace assay::numerics::image {
namespace {

bool IsFloating(Encoding encoding) {
  return encoding == Encoding::kFloat || encoding == Encoding::kHalf;
}

}  // namespace

bool AllowedSet::Contains(Bits bits) const {
  if (anything) return true;
  if (!IsFloating(encoding)) {
    const std::int64_t value =
        encoding == Encoding::kSigned ? SignExtend(bits, width) : static_cast<std::int64_t>(bits);
    return low <= value && value <= high;
  }
  const Format format = FormatOf(encoding);
  if (IsNan(format, bits)) return nan;
  if (IsZero(format, bits)) return IsNegative(format, bits) ? negative_zero : positive_zero;
  const std::int64_t index = OrderedIndex(format, bits);
  return low <= index && index <= high;
}

AllowedSet AllowedSet::Anything(Encoding encoding, int width) {
  return {.encoding = encoding, .width = static_cast<std::uint8_t>(width), .anything = true};
}

AllowedSet AllowedSet::One(Format format, Bits bits) {
  if (!IsNan(format, bits)) return Between(format, bits, bits);
  return {.encoding = EncodingOf(format),
          .width = static_cast<std::uint8_t>(Traits(format).width),
          .nan = true};
}

AllowedSet AllowedSet::Between(Format format, Bits low, Bits high) {
  AllowedSet set = {.encoding = EncodingOf(format),
                    .width = static_cast<std::uint8_t>(Traits(format).width),
                    .low = OrderedIndex(format, low),
                    .high = OrderedIndex(format, high)};
  const bool inner = set.low < 0 && set.high > 0;
  for (Bits end : {low, high}) {
    if (!IsZero(format, end)) continue;
    (IsNegative(format, end) ? set.negative_zero : set.positive_zero) = true;
  }
  if (inner) set.negative_zero = set.positive_zero = true;
  // The ends are non-zero numbers where there are any.
  if (set.low == 0) set.low = 1;
  if (set.high == 0) set.high = set.low < 0 ? -1 : 0;
  return set;
}

AllowedSet AllowedSet::Integers(Encoding encoding, int width, std::int64_t low, std::int64_t high) {
  return {
      .encoding = encoding, .width = static_cast<std::uint8_t>(width), .low = low, .high = high};
}

void AllowedSet::AllowFlush() {
  if (anything || !IsFloating(encoding) || low > high) return;
  const auto normal = static_cast<std::int64_t>(MinNormal(FormatOf(encoding)));
  if (low < normal && high > -normal) negative_zero = positive_zero = true;
}

}  // namespace assay::numerics::image
