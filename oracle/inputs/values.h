// Lists of operands that are worth testing: special values, the points where a function is
// difficult, and the ranges in which it is used.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "numerics/convert.h"
#include "numerics/format.h"
#include "numerics/functions.h"

namespace assay::oracle {

// How many special values to name: every combination of them is asked, so the list shrinks as the
// number of operands grows.
enum class Breadth : std::uint8_t {
  kFew,         // 12: triples at level smoke
  kSome,        // about 25: triples, pairs at level smoke
  kMany,        // about 100: pairs
  kNeighbours,  // about 600: single operands; each value with three neighbours on either side
};

// Sorted by bits, without duplicates; NaN with several payloads, quiet and signalling.
std::vector<numerics::Bits> SpecialValues(numerics::ScalarType type, Breadth breadth);

// Integer operands of ldexp, pown and rootn beside a number of `format`: zero, small ones, the
// ends of the type and the borders of the format's exponent range.
std::vector<numerics::Bits> SpecialExponents(numerics::Format format, Breadth breadth);

// Operands for one function: multiples of pi/2 for the trigonometric ones, integers and
// half-integers, 1 +- a few ulp, powers of two.  Both signs.
std::vector<numerics::Bits> FamilyValues(numerics::Function function, numerics::Format format);

// Operands at the integer boundaries of both types of a conversion, and halfway between neighbours
// of the destination.
std::vector<numerics::Bits> ConversionValues(numerics::ScalarType from, numerics::ScalarType to);

struct OperandRange {
  double low = 0;
  double high = 0;
};

// Where the function varies: operand `index` is drawn uniformly from one of these.
std::vector<OperandRange> TypicalRanges(numerics::Function function, numerics::Format format,
                                        int index);

// What else is difficult about a function.
enum class Difficulty : std::uint8_t {
  kPlain,       // nothing
  kWhole,       // whole numbers and their halves
  kHalves,      // these, and those at random
  kAngle,       // multiples of pi / 2
  kProduct,     // of the operands, at the ends of the range
  kQuotient,    // likewise, and operands that are nearly multiples of each other
  kMultiple,    // the latter
  kPower,       // powers at the ends of the range, of numbers beside 1, and of small integers
  kWholePower,  // the first two
  kSum,         // sums that cancel
  kVector,      // components of different sizes, and vectors that are nearly parallel
};
Difficulty DifficultyOf(numerics::Function function);

// `bits` moved by `steps` numbers of the format, stopping at the infinities.  Not for NaN.
numerics::Bits Step(numerics::Format format, numerics::Bits bits, std::int64_t steps);

// The number of the format nearest to `value`.
inline numerics::Bits Nearest(numerics::Format format, double value) {
  if (format == numerics::Format::kDouble) return std::bit_cast<numerics::Bits>(value);
  if (format == numerics::Format::kFloat) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  return numerics::Convert(numerics::ScalarType::kDouble, ScalarTypeOf(format),
                           std::bit_cast<numerics::Bits>(value), numerics::Rounding::kRte, false);
}

}  // namespace assay::oracle
