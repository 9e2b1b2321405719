// Values of which only a range is known.
#pragma once

#include <cstdint>
#include <string_view>

#include "numerics/format.h"

namespace assay::oracle {

// Why nothing is known of a value.
enum class Open : std::uint8_t {
  kNot,       // something is known
  kOperand,   // because nothing is known of an operand
  kNoLimit,   // the specification sets no limit there
  kPole,      // the operands include a pole, or the end of the function's domain
  kWide,      // the operands' ranges are too wide for what is known of the function
  kOrder,     // the order of work-items decides
  kOverflow,  // some order of a sum overflows
  kUnstated,  // it may be a NaN as well as a number, or bytes of several values
};
std::string_view OpenText(Open open);

// The values that one scalar may have.
struct Range {
  enum class Kind : std::uint8_t {
    kPoint,     // `low`; of a NaN: any NaN
    kNumbers,   // low to high, no NaN.  A zero at an end, or between the ends, has any sign
    kIntegers,  // low, low + 1, ... to high, modulo 2^width
    kAnything,
  };
  Kind kind = Kind::kAnything;
  Open open = Open::kUnstated;
  numerics::Bits low = 0, high = 0;

  static Range Point(numerics::Bits bits) { return {Kind::kPoint, Open::kNot, bits, bits}; }
  static Range Numbers(numerics::Bits low, numerics::Bits high) {
    return {Kind::kNumbers, Open::kNot, low, high};
  }
  static Range Integers(numerics::Bits low, numerics::Bits high) {
    return {Kind::kIntegers, Open::kNot, low, high};
  }
  static Range Anything(Open why) { return {Kind::kAnything, why, 0, 0}; }
  bool IsPoint() const { return kind == Kind::kPoint; }
  bool operator==(const Range&) const = default;
};

// The numbers between two places in the order of the format's numbers (numerics::OrderedIndex), as
// far as there are some: zeros at the ends have any sign.
Range NumbersBetween(numerics::ScalarType type, std::int64_t low, std::int64_t high);
// Both, as far as they can be said together.  A NaN and a number together are anything.
Range Hull(numerics::ScalarType type, const Range& a, const Range& b);
// What a device that may flush subnormal numbers may take the values for, too.
Range WithFlushing(numerics::ScalarType type, const Range& range);

}  // namespace assay::oracle
