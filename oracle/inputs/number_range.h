// The numbers of a format that the operands of a validation are limited to: --range LO,HI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/expected.h"
#include "numerics/operation.h"

namespace assay::oracle {

class ItemStream;

// As users write them (numerics/literal.h).  Each format rounds them to its own numbers.
struct RangeEnds {
  std::string low, high;
  bool operator==(const RangeEnds&) const = default;
  std::string Text() const { return low + "," + high; }  // as of --range
};

// "LO,HI"; kUsage where these are not two texts.
Expected<RangeEnds> RangeEndsOf(const std::string& text);

// Raw bits belong to one format.
bool HasRawBits(const RangeEnds& ends);

// Both ends are included; both zeros are one number, and NaN is none.
class NumberRange {
 public:
  // Ends are rounded to the nearest number; those beyond the format's range end at its largest
  // finite number.  kUsage where an end is no number, low > high, or the format has no finite
  // number there.
  static Expected<NumberRange> Of(numerics::Format format, const RangeEnds& ends);

  // No NaN is in a range.
  bool Contains(numerics::Bits bits) const;
  // How many bit patterns it has: zero counts twice.
  std::uint64_t Count() const;
  // In the order of bits: those without a sign, then those with one, each from zero outwards.
  numerics::Bits At(std::uint64_t index) const;
  // Half of them uniform among the numbers, the others among the values in between.
  numerics::Bits Draw(ItemStream& stream) const;

  // Places on the line of all numbers (numerics::OrderedIndex), and how many steps lie between
  // them.
  std::int64_t low() const { return low_; }
  std::int64_t high() const { return high_; }
  std::uint64_t Steps() const {  // more than a std::int64_t has, for all doubles
    return static_cast<std::uint64_t>(high_) - static_cast<std::uint64_t>(low_);
  }

 private:
  NumberRange(numerics::Format format, std::int64_t low, std::int64_t high)
      : format_(format), low_(low), high_(high) {}
  std::uint64_t CountWithoutSign() const;

  numerics::Format format_;
  std::int64_t low_, high_;
};

// The type of the operation's floating-point operands; nothing where it has none.
std::optional<numerics::Format> OperandFormat(const numerics::Operation& operation);

}  // namespace assay::oracle
