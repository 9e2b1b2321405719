#include "oracle/inputs/values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "numerics/convert.h"
#include "numerics/shape.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::FormatOf;
using numerics::FormatTraits;
using numerics::Function;
using numerics::ScalarType;
using numerics::Traits;

constexpr double kPi = std::numbers::pi;
constexpr double kLn2 = std::numbers::ln2;
constexpr double kLog10Of2 = std::numbers::ln2 / std::numbers::ln10;

void SortUnique(std::vector<Bits>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Adds numbers, their neighbours and the same with the other sign.
class Collector {
 public:
  explicit Collector(Format format) : format_(format) {}

  void AddBits(Bits bits, int neighbours = 0) {
    for (int step = -neighbours; step <= neighbours; ++step) {
      const Bits moved = Step(format_, bits, step);
      values_.push_back(moved);
      values_.push_back(numerics::Negate(format_, moved));
    }
  }
  void Add(double value, int neighbours = 0) { AddBits(Nearest(format_, value), neighbours); }
  void AddPower(int exponent, int neighbours = 0) {
    const FormatTraits& traits = Traits(format_);
    if (exponent < traits.tiny_exponent() || exponent > traits.emax) return;
    Add(std::ldexp(1.0, exponent), neighbours);
  }
  void AddNan(Bits bits) { values_.push_back(bits); }

  std::vector<Bits> Take() {
    SortUnique(values_);
    return std::move(values_);
  }

 private:
  Format format_;
  std::vector<Bits> values_;
};

void AddNans(Collector& collector, Format format, Breadth breadth) {
  collector.AddNan(numerics::QuietNan(format));
  if (breadth < Breadth::kMany) return;
  const Bits infinity = numerics::Infinity(format);
  collector.AddNan(infinity | 1);                     // signalling, smallest payload
  collector.AddNan(numerics::MagnitudeMask(format));  // quiet, largest payload
  collector.AddNan(numerics::Negate(format, numerics::QuietNan(format)));
  if (breadth < Breadth::kNeighbours) return;
  collector.AddNan(numerics::QuietNan(format) - 1);  // signalling, largest payload
  collector.AddNan(numerics::Negate(format, infinity | 1));
  collector.AddNan(numerics::SignMask(format) | numerics::MagnitudeMask(format));
}

std::vector<Bits> SpecialFloats(Format format, Breadth breadth) {
  const FormatTraits& traits = Traits(format);
  const int near = breadth == Breadth::kNeighbours ? 3 : 0;
  Collector collector(format);
  AddNans(collector, format, breadth);
  collector.AddBits(0, near);
  collector.AddBits(numerics::MinSubnormal(format), near);
  collector.AddBits(numerics::MaxFinite(format), near);
  collector.AddBits(numerics::Infinity(format));
  collector.Add(1, near);
  if (breadth == Breadth::kFew) return collector.Take();
  collector.AddBits(numerics::MinNormal(format), near);
  collector.Add(0.5, near);
  collector.Add(2, near);
  collector.Add(3, near);
  collector.AddBits(numerics::One(format) + 1);
  collector.AddPower(traits.emax / 2 + 1, near);
  collector.AddPower(traits.mantissa_bits(), near);
  if (breadth == Breadth::kSome) return collector.Take();

  // Largest subnormal, neighbours of the powers of two, and their halves and squares' roots.
  collector.AddBits(numerics::MinNormal(format) - 1);
  collector.AddBits(numerics::MinNormal(format) + 1);
  collector.AddBits(numerics::MaxFinite(format) - 1);
  collector.AddBits(numerics::One(format) - 1);
  collector.AddBits(2);
  for (double value : {0.25, 0.75, 1.5, 2.5, 4.0, 5.0, 7.0, 10.0, 100.0, 0.1, 1e-3, 1.0 / 3}) {
    collector.Add(value, near);
  }
  for (double value : {kPi, kPi / 2, kPi / 4, 3 * kPi / 2, 2 * kPi, std::numbers::e, kLn2, 1 / kLn2,
                       std::numbers::ln10, std::numbers::sqrt2}) {
    collector.Add(value, near);
  }
  // One operand's ulp is another one's size; exponents whose sums leave the range.
  for (int exponent : {traits.emax, traits.emax - 1, -(traits.emax / 2 + 1), traits.emin() + 1,
                       traits.emin() + traits.mantissa_bits(), traits.precision,
                       traits.precision + 1, -traits.mantissa_bits(), -traits.precision,
                       -traits.precision - 1, 15, 16, 31, 32, 63, 64}) {
    collector.AddPower(exponent, near);
  }
  return collector.Take();
}

std::vector<Bits> SpecialIntegers(ScalarType type, Breadth breadth) {
  const int width = numerics::WidthOf(type);
  const Bits mask = width == 64 ? ~Bits{0} : (Bits{1} << width) - 1;
  std::vector<Bits> values;
  const int reach = breadth == Breadth::kNeighbours ? 3 : breadth == Breadth::kFew ? 0 : 1;
  const int stride = breadth == Breadth::kFew ? width : breadth == Breadth::kSome ? width / 4 : 1;
  const auto add = [&](Bits centre) {
    for (int step = -reach; step <= reach; ++step) {
      values.push_back((centre + static_cast<Bits>(static_cast<std::int64_t>(step))) & mask);
      values.push_back((Bits{0} - centre - static_cast<Bits>(static_cast<std::int64_t>(step))) &
                       mask);
    }
  };
  for (Bits centre : {Bits{0}, Bits{1}, Bits{2}, Bits{3}, mask, mask >> 1, (mask >> 1) + 1}) {
    add(centre);
  }
  for (int k = 2; k < width; k += stride) add(Bits{1} << k);
  SortUnique(values);
  return values;
}

// Families -------------------------------------------------------------------------------------

// What the column `inputs` of functions.def says, with what depends on the format.
struct Inputs {
  using Ranges = std::vector<OperandRange>;
  explicit Inputs(Difficulty what, Ranges first = {{-4, 4}}, Ranges second = {}, Ranges third = {})
      : difficulty(what), ranges{std::move(first), std::move(second), std::move(third)} {}

  Difficulty difficulty;
  std::array<Ranges, 3> ranges;  // of each operand; empty: those of the one before it
};

struct InputScale {
  explicit InputScale(Format format)
      : largest(Traits(format).emax + 2),
        smallest(Traits(format).tiny_exponent() - 2),
        precision(Traits(format).precision),
        root(std::sqrt(precision)),
        wholes(std::ldexp(1.0, Traits(format).precision)),
        gamma(format == Format::kHalf     ? 10
              : format == Format::kDouble ? 172
                                          : 36) {}

  double largest, smallest;  // exponents beyond the largest and the smallest number
  double precision, root;    // and its root
  double wholes;             // up to here every whole number is one of the format
  double gamma;              // gamma overflows at 9.2 in half, 35.04 in float and 171.6 in double
};

using InputsOfFormat = Inputs (*)(const InputScale& f);
using enum Difficulty;
constexpr InputsOfFormat kInputs[] = {
#define ASSAY_FUNCTION(id, cls, signature, formats, expression, exact, path, inputs, ...) \
  []([[maybe_unused]] const InputScale& f) { return inputs; },
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
};

Inputs InputsOf(Function function, Format format) {
  return kInputs[static_cast<std::size_t>(numerics::BaseOf(function))](InputScale(format));
}

void AddIntegers(Collector& collector, const FormatTraits& traits) {
  // Quarters up to where tgamma has overflowed and underflowed in double.
  for (int quarter = 1; quarter <= 4 * 190; ++quarter) collector.Add(quarter / 4.0, 1);
  // Up to two binades beyond the last half-integer.
  for (int k = 3; k <= traits.precision + 2 && k <= traits.emax; ++k) {
    for (double offset : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5}) {
      collector.Add(std::ldexp(1.0, k) + offset, 1);
    }
  }
}

void AddMultiplesOfHalfPi(Collector& collector, const FormatTraits& traits) {
  for (int k = 1; k <= 128; ++k) collector.Add(k * (kPi / 4), 2);
  for (int e = 8; e < std::min(traits.emax, 40); ++e) {
    collector.Add(std::ldexp(kPi / 2, e), 1);
    collector.Add(std::ldexp(1.0, e) * kPi + kPi / 2, 1);
  }
}

// Conversions ------------------------------------------------------------------------------------

// Halfway between neighbours of the destination, and a little beside it.
void AddMidpoints(Collector& collector, Format from, Format to) {
  if (Traits(from).precision <= Traits(to).precision) return;
  const auto widen = [&](Bits bits) {
    return numerics::Convert(ScalarTypeOf(to), ScalarTypeOf(from), bits, numerics::Rounding::kRte,
                             false);
  };
  const int mantissa_bits = Traits(to).mantissa_bits();
  for (Bits exponent = 0; exponent < numerics::Infinity(to) >> mantissa_bits; ++exponent) {
    for (Bits mantissa : {Bits{0}, Bits{1}, Bits{2}, numerics::MantissaMask(to)}) {
      const Bits below = widen(exponent << mantissa_bits | mantissa);
      const Bits above = widen((exponent << mantissa_bits | mantissa) + 1);
      // Both lie in one binade of the finer format, where indices are linear; a gap that ends at
      // zero or at infinity is left to the other lists.
      if (below != 0 && numerics::IsFinite(from, above)) {
        collector.AddBits(below + (above - below) / 2, 1);
      }
      collector.AddBits(below, 1);
    }
  }
  collector.AddPower(Traits(to).tiny_exponent() - 1, 2);
  collector.AddPower(Traits(to).emax + 1, 2);
  const Bits largest = widen(numerics::MaxFinite(to));
  if (!numerics::IsFinite(from, largest)) return;
  const int dropped = Traits(from).precision - Traits(to).precision;
  collector.AddBits(largest + (Bits{1} << (dropped - 1)), 2);
}

std::vector<Bits> FloatsAtIntegers(Format from, ScalarType to) {
  Collector collector(from);
  for (int k = 0; k <= 64 && k <= Traits(from).emax; ++k) {
    for (double offset : {-2.0, -1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5}) {
      collector.Add(std::ldexp(1.0, k) + offset, 3);
    }
  }
  for (int k = 0; k <= 40; ++k) collector.Add(k / 4.0, 2);
  if (IsFloating(to)) AddMidpoints(collector, from, FormatOf(to));
  return collector.Take();
}

std::vector<Bits> IntegersAtBoundaries(ScalarType from, ScalarType to) {
  const int width = numerics::WidthOf(from);
  const Bits mask = width == 64 ? ~Bits{0} : (Bits{1} << width) - 1;
  std::vector<Bits> values;
  const auto add = [&](Bits centre) {
    for (std::int64_t step = -2; step <= 2; ++step) {
      values.push_back((centre + static_cast<Bits>(step)) & mask);
      values.push_back((Bits{0} - centre - static_cast<Bits>(step)) & mask);
    }
  };
  for (int k = 0; k < width; ++k) {
    add(Bits{1} << k);
    if (!IsFloating(to)) continue;
    // Midpoints of the destination: 2^k + (odd) * half a gap.
    const int half_gap = k - Traits(FormatOf(to)).precision;
    if (half_gap < 0) continue;
    for (Bits odd : {1, 3, 5}) add((Bits{1} << k) + (odd << half_gap));
    add((Bits{2} << k) - (Bits{1} << half_gap));
  }
  SortUnique(values);
  return values;
}

}  // namespace

Bits Step(Format format, Bits bits, std::int64_t steps) {
  const auto limit = static_cast<std::int64_t>(numerics::Infinity(format));
  const std::int64_t index = numerics::OrderedIndex(format, bits);
  if (steps > 0 && index > limit - steps) return numerics::FromOrderedIndex(format, limit);
  if (steps < 0 && index < -limit - steps) return numerics::FromOrderedIndex(format, -limit);
  return numerics::FromOrderedIndex(format, index + steps);
}

std::vector<Bits> SpecialValues(ScalarType type, Breadth breadth) {
  return IsFloating(type) ? SpecialFloats(FormatOf(type), breadth) : SpecialIntegers(type, breadth);
}

std::vector<Bits> SpecialExponents(Format format, Breadth breadth) {
  std::vector<std::int64_t> values = {0, 1, -1, 2, -2, 3, -3, INT32_MAX, INT32_MIN};
  const FormatTraits& traits = Traits(format);
  const int span = traits.emax - traits.tiny_exponent();  // from the smallest number to the largest
  for (int border : {traits.emax, traits.emin(), traits.tiny_exponent(), span}) {
    values.push_back(border);
    if (breadth == Breadth::kFew) continue;
    for (int step : {-2, -1, 1, 2}) values.push_back(border + step);
    for (int step : {-1, 0, 1}) values.push_back(-border + step);
  }
  if (breadth >= Breadth::kMany) {
    for (std::int64_t value : {4, 5, 6, 7, 8, 9, 10, 16, 31, 32, 63, 64, 100, 101, 1000, 1001}) {
      values.push_back(value);
      values.push_back(-value);
    }
    for (int k = 10; k < 31; ++k) {
      for (int step : {-1, 0, 1}) {
        values.push_back((std::int64_t{1} << k) + step);
        values.push_back(-(std::int64_t{1} << k) + step);
      }
    }
    for (int step : {1, 2}) {
      values.push_back(INT32_MAX - step);
      values.push_back(INT32_MIN + step);
    }
  }
  std::vector<Bits> bits;
  for (std::int64_t value : values) bits.push_back(static_cast<std::uint32_t>(value));
  SortUnique(bits);
  return bits;
}

std::vector<Bits> FamilyValues(Function function, Format format) {
  const FormatTraits& traits = Traits(format);
  Collector collector(format);
  // 1 +- 2^-k, where log, acosh, atanh, asin and pow lose what they subtract.
  for (int k = 1; k <= traits.precision; ++k) {
    collector.Add(1 + std::ldexp(1.0, -k), 1);
    collector.Add(1 - std::ldexp(1.0, -k), 1);
  }
  collector.AddBits(numerics::One(format), 8);
  const Difficulty difficulty = DifficultyOf(function);
  if (difficulty == kWhole || difficulty == kHalves) AddIntegers(collector, traits);
  if (difficulty == kAngle) AddMultiplesOfHalfPi(collector, traits);
  return collector.Take();
}

std::vector<Bits> ConversionValues(ScalarType from, ScalarType to) {
  return IsFloating(from) ? FloatsAtIntegers(FormatOf(from), to) : IntegersAtBoundaries(from, to);
}

Difficulty DifficultyOf(Function function) { return InputsOf(function, Format::kFloat).difficulty; }

std::vector<OperandRange> TypicalRanges(Function function, Format format, int index) {
  const Inputs inputs = InputsOf(function, format);
  auto at = static_cast<std::size_t>(index);
  while (inputs.ranges[at].empty()) --at;
  return inputs.ranges[at];
}

}  // namespace assay::oracle
