#include "oracle/judge/range.h"

#include <algorithm>

namespace assay::oracle {

using numerics::Bits;
using numerics::Format;
using numerics::ScalarType;

std::string_view OpenText(Open open) {
  switch (open) {
    case Open::kNot:
      return "";
    case Open::kOperand:
      return "nothing is known of an operand";
    case Open::kNoLimit:
      return "the specification sets no limit to the error there";
    case Open::kPole:
      return "the operands include a pole, or the end of the domain";
    case Open::kWide:
      return "the operands have too many values";
    case Open::kOrder:
      return "the order of the work-items decides";
    case Open::kOverflow:
      return "a sum of products overflows in some order, and the specification prescribes none";
    case Open::kUnstated:
      return "the value may be a NaN as well as a number";
  }
  return "";
}

namespace {

bool IsNan(ScalarType type, Bits bits) {
  return numerics::IsFloating(type) && numerics::IsNan(numerics::FormatOf(type), bits);
}

// The order of numbers: both zeros are one place.
std::int64_t Index(ScalarType type, Bits bits) {
  return numerics::OrderedIndex(numerics::FormatOf(type), bits);
}

Range HullOfIntegers(ScalarType type, const Range& a, const Range& b) {
  const Bits mask = numerics::WidthMask(type);
  // Of the two ways around, the shorter one.
  const Bits forward = std::max((a.high - a.low) & mask, (b.high - a.low) & mask);
  const Bits backward = std::max((b.high - b.low) & mask, (a.high - b.low) & mask);
  const bool contains = ((b.low - a.low) & mask) <= ((b.high - a.low) & mask);
  const bool contained = ((a.low - b.low) & mask) <= ((a.high - b.low) & mask);
  if (!contains && !contained) return Range::Integers(0, mask);
  if (contains && (!contained || forward <= backward)) {
    return Range::Integers(a.low, (a.low + forward) & mask);
  }
  return Range::Integers(b.low, (b.low + backward) & mask);
}

}  // namespace

Range NumbersBetween(ScalarType type, std::int64_t low, std::int64_t high) {
  const Format format = numerics::FormatOf(type);
  const auto infinity = static_cast<std::int64_t>(numerics::Infinity(format));
  return Range::Numbers(numerics::FromOrderedIndex(format, std::max(low, -infinity)),
                        numerics::FromOrderedIndex(format, std::min(high, infinity)));
}

Range Hull(ScalarType type, const Range& a, const Range& b) {
  if (a.kind == Range::Kind::kAnything) return a;
  if (b.kind == Range::Kind::kAnything) return b;
  if (a == b) return a;
  if (!numerics::IsFloating(type)) return HullOfIntegers(type, a, b);
  const bool a_nan = IsNan(type, a.low), b_nan = IsNan(type, b.low);
  if (a_nan && b_nan) return a;
  if (a_nan || b_nan) return Range::Anything(Open::kUnstated);
  return NumbersBetween(type, std::min(Index(type, a.low), Index(type, b.low)),
                        std::max(Index(type, a.high), Index(type, b.high)));
}

Range WithFlushing(ScalarType type, const Range& range) {
  if (!numerics::IsFloating(type) || range.kind == Range::Kind::kAnything ||
      IsNan(type, range.low)) {
    return range;
  }
  const Format format = numerics::FormatOf(type);
  const bool low = numerics::IsSubnormal(format, range.low);
  const bool high = numerics::IsSubnormal(format, range.high);
  if (!low && !high) return range;
  return NumbersBetween(type, std::min<std::int64_t>(Index(type, range.low), 0),
                        std::max<std::int64_t>(Index(type, range.high), 0));
}

}  // namespace assay::oracle
