#include "oracle/inputs/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>

#include "numerics/convert.h"
#include "numerics/function.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::FormatTraits;
using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ScalarType;
using numerics::Traits;

// 2^exponent * 1.mantissa; exponents beyond the format give the ends of its range, and those below
// the normal numbers a subnormal with the same leading bit.
Bits WithExponent(Format format, int exponent, Bits mantissa) {
  const FormatTraits& traits = Traits(format);
  exponent = std::clamp(exponent, traits.tiny_exponent(), traits.emax);
  mantissa &= numerics::MantissaMask(format);
  if (exponent >= traits.emin()) {
    return static_cast<Bits>(exponent + traits.emax) << traits.mantissa_bits() | mantissa;
  }
  return (numerics::MinNormal(format) | mantissa) >> (traits.emin() - exponent);
}

int ExponentOf(double value) { return value == 0 ? 0 : std::ilogb(value); }

// log2 of a positive finite number to about 2^-50, from additions, products and quotients only, so
// that every host draws the same operands.
double Log2(double x) {
  const double scaled = x < 0x1p-1022 ? x * 0x1p54 : x;
  const auto bits = std::bit_cast<std::uint64_t>(scaled);
  int exponent = static_cast<int>(bits >> 52) - 1022 - (x < 0x1p-1022 ? 54 : 0);
  double m = std::bit_cast<double>((bits & 0xfffffffffffff) | 0x3fe0000000000000);  // 1/2 to 1
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  constexpr double kCoefficients[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                      1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  const double z = (m - 1) / (m + 1), z2 = z * z;  // |z| < 0.172
  double sum = 0;
  for (const double coefficient : kCoefficients) sum = sum * z2 + coefficient;
  return exponent + 2 * z * sum / std::numbers::ln2;
}

std::int64_t FewSteps(ItemStream& stream) { return stream.Between(-4, 4); }

}  // namespace

std::uint64_t StreamKey(const Operation& operation, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (char c : operation.Name() + "/" + operation.FormatName()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return ItemStream::Mix(hash ^ ItemStream::Mix(seed));
}

RandomArguments::RandomArguments(const Operation& operation, std::uint64_t seed,
                                 const std::optional<NumberRange>& range)
    : operation_(operation), key_(StreamKey(operation, seed)), range_(range) {
  const bool builtin = operation.kind == OperationKind::kBuiltin;
  format_ = builtin                      ? operation.format
            : IsFloating(operation.from) ? FormatOf(operation.from)
                                         : Format::kFloat;
  int operand = 0;
  for (const numerics::Slot& slot : operation.Inputs()) {
    for (int c = 0; c < slot.components; ++c) {
      types_.push_back(slot.type);
      // A conversion's range: where its destination's integers are.
      ranges_.push_back(builtin ? TypicalRanges(operation.function, format_, operand)
                                : std::vector<OperandRange>{{-300, 300}, {-0x1p16, 0x1p16}});
      const OperandRange& range = ranges_.back().front();
      top_exponents_.push_back(
          builtin ? ExponentOf(std::max(std::fabs(range.low), std::fabs(range.high))) : 65);
    }
    ++operand;
  }
  ChooseStrategies();
}

void RandomArguments::ChooseStrategies() {
  using R = RandomArguments;
  strategies_ = {&R::AnyBits, &R::OwnRange, &R::LogRange};
  const auto add = [this](std::initializer_list<Strategy> more) {
    strategies_.insert(strategies_.end(), more);
  };
  if (operation_.kind != OperationKind::kBuiltin) {
    add({&R::DestinationMidpoint});
    return;
  }
  if (types_.size() == 2 && types_[0] == types_[1]) add({&R::CloseExponents, &R::Neighbours});
  switch (DifficultyOf(operation_.function)) {
    case Difficulty::kPlain:
    case Difficulty::kWhole:
      return;
    case Difficulty::kHalves:
      return add({&R::NearHalfInteger});
    case Difficulty::kAngle:
      return add({&R::NearHalfPi});
    case Difficulty::kProduct:
      return add({&R::ProductAtLimit});
    case Difficulty::kQuotient:
      return add({&R::QuotientAtLimit, &R::NearMultiple});
    case Difficulty::kMultiple:
      return add({&R::NearMultiple});
    case Difficulty::kPower:
      return add({&R::PowerAtLimit, &R::PowerNearOne, &R::SmallInteger});
    case Difficulty::kWholePower:
      return add({&R::PowerAtLimit, &R::PowerNearOne});
    case Difficulty::kSum:
      return add({&R::Cancellation, &R::ProductAtLimit, &R::CloseExponents});
    case Difficulty::kVector:
      return add({&R::MixedMagnitudes, &R::NearCollinear, &R::ProductAtLimit, &R::CloseExponents});
  }
}

void RandomArguments::Draw(std::uint64_t item, Arguments& args) const {
  ItemStream stream(key_, item);
  (this->*strategies_[item % strategies_.size()])(stream, args);
  Limit(stream, args);
}

void RandomArguments::Limit(ItemStream& stream, Arguments& args) const {
  if (!range_) return;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (IsFloating(types_[i]) && !range_->Contains(args[i])) args[i] = range_->Draw(stream);
  }
}

void RandomArguments::DrawAtExponent(std::uint64_t item, Bits first, Arguments& args) const {
  ItemStream stream(key_ + 1, item);
  (this->*strategies_[item % strategies_.size()])(stream, args);
  args[0] = first;
  // Every other tuple: the remaining operands stand near the same exponent.
  const int exponent = numerics::GridExponent(format_, first);
  for (std::size_t i = 1; i < types_.size() && (item & 1) != 0; ++i) {
    if (IsFloating(types_[i])) args[i] = Shaped(stream, exponent - 3, exponent + 3);
  }
  Limit(stream, args);
}

// Single operands ---------------------------------------------------------------------------------

Bits RandomArguments::RandomBits(ItemStream& stream, std::size_t index) const {
  return stream.Next() & numerics::WidthMask(types_[index]);
}

Bits RandomArguments::InRange(ItemStream& stream, std::size_t index) const {
  if (!IsFloating(types_[index])) return RandomInteger(stream, types_[index]);
  const std::vector<OperandRange>& ranges = ranges_[index];
  const OperandRange& range = ranges.size() == 1 ? ranges[0] : ranges[stream.Below(ranges.size())];
  const double width = range.high - range.low;
  return Nearest(format_, range.low + stream.Unit() * width);
}

// A significand with all bits, or with few of them: sums, products and roots of short numbers are
// exact or tie.
Bits RandomArguments::Shaped(ItemStream& stream, int low_exponent, int high_exponent) const {
  const std::uint64_t shape = stream.Next();
  Bits mantissa = stream.Next();
  const int length = static_cast<int>(shape >> 3 & 63);
  if ((shape & 3) == 1) mantissa &= ~Bits{0} << length;
  if ((shape & 3) == 2) mantissa |= (Bits{1} << length) - 1;
  const Bits sign = (shape & 4) != 0 ? numerics::SignMask(format_) : 0;
  const auto exponents = static_cast<std::uint64_t>(high_exponent - low_exponent) + 1;
  const int exponent = low_exponent + static_cast<int>((shape >> 32) * exponents >> 32);
  return sign | WithExponent(format_, exponent, mantissa);
}

Bits RandomArguments::RandomInteger(ItemStream& stream, ScalarType type) const {
  const Bits mask = numerics::WidthMask(type);
  const bool exponent_operand =
      operation_.kind == OperationKind::kBuiltin && type == ScalarType::kInt;
  if (exponent_operand) {
    const FormatTraits& traits = Traits(format_);
    const int span = traits.emax - traits.tiny_exponent();
    const bool scale = operation_.function == Function::ldexp || stream.Coin();
    const int reach = scale ? span + 2 : 16;
    return static_cast<std::uint32_t>(stream.Between(-reach, reach));
  }
  const Bits magnitude = (stream.Next() & mask) >> stream.Below(numerics::WidthOf(type));
  return (stream.Coin() ? Bits{0} - magnitude : magnitude) & mask;
}

// Whole tuples ------------------------------------------------------------------------------------

void RandomArguments::AnyBits(ItemStream& stream, Arguments& args) const {
  for (std::size_t i = 0; i < types_.size(); ++i) args[i] = RandomBits(stream, i);
}

void RandomArguments::OwnRange(ItemStream& stream, Arguments& args) const {
  for (std::size_t i = 0; i < types_.size(); ++i) args[i] = InRange(stream, i);
}

// Uniform exponents from far below one to the end of the range.
void RandomArguments::LogRange(ItemStream& stream, Arguments& args) const {
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (!IsFloating(types_[i])) {
      args[i] = RandomInteger(stream, types_[i]);
      continue;
    }
    args[i] = Shaped(stream, -Traits(format_).precision - 2, top_exponents_[i]);
  }
}

void RandomArguments::CloseExponents(ItemStream& stream, Arguments& args) const {
  const FormatTraits& traits = Traits(format_);
  const int exponent = stream.Between(traits.tiny_exponent(), traits.emax);
  for (std::size_t i = 0; i < types_.size(); ++i) {
    args[i] = Shaped(stream, exponent - 2, exponent + 2);
  }
}

// y within a few numbers of +-x.
void RandomArguments::Neighbours(ItemStream& stream, Arguments& args) const {
  args[0] = stream.Coin() ? InRange(stream, 0)
                          : Shaped(stream, Traits(format_).tiny_exponent(), Traits(format_).emax);
  args[1] = Step(format_, args[0], FewSteps(stream));
  if (stream.Coin()) args[1] = numerics::Negate(format_, args[1]);
}

// Exponents whose sum (of the first two operands, or of any two components) stands at one end of
// the range; the rest has the exponent of the product, or is small beside it.
void RandomArguments::ProductAtLimit(ItemStream& stream, Arguments& args) const {
  const FormatTraits& traits = Traits(format_);
  const int limits[] = {traits.emax, traits.emin(), traits.tiny_exponent()};
  const int limit = limits[stream.Below(3)] + stream.Between(-2, 1);
  const bool halves =
      numerics::Info(operation_.function).IsGeometric() || operation_.function == Function::hypot;
  const int first = halves ? limit / 2 : stream.Between(traits.tiny_exponent(), traits.emax);
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const int exponent = i == 0 || halves ? first : i == 1 ? limit - first : limit;
    args[i] = Shaped(stream, exponent - 1, exponent + 1);
  }
}

void RandomArguments::QuotientAtLimit(ItemStream& stream, Arguments& args) const {
  const FormatTraits& traits = Traits(format_);
  const int limits[] = {traits.emax, traits.emin(), traits.tiny_exponent()};
  const int limit = limits[stream.Below(3)];
  const int divisor = stream.Between(traits.tiny_exponent(), traits.emax);
  args[0] = Shaped(stream, divisor + limit - 1, divisor + limit + 1);
  args[1] = Shaped(stream, divisor, divisor);
}

// x near an integer or half-integer multiple of y.
void RandomArguments::NearMultiple(ItemStream& stream, Arguments& args) const {
  const FormatTraits& traits = Traits(format_);
  const int reach = std::min(traits.emax - 2, 300);
  args[1] = Shaped(stream, std::max(-reach, traits.emin()), reach / 2);
  const double multiple =
      static_cast<double>(stream.Next() >> (64 - stream.Between(1, traits.precision - 2))) / 2;
  const Bits x = Nearest(format_, multiple * numerics::ToDouble(format_, args[1]));
  args[0] = numerics::IsFinite(format_, x) ? Step(format_, x, FewSteps(stream)) : x;
}

// x^y near overflow, underflow, or spread over the whole range in between.
void RandomArguments::PowerAtLimit(ItemStream& stream, Arguments& args) const {
  const FormatTraits& traits = Traits(format_);
  const double limits[] = {
      traits.emax + 1.0, traits.tiny_exponent() - 1.0, static_cast<double>(traits.emin()),
      traits.tiny_exponent() + stream.Unit() * (traits.emax - traits.tiny_exponent())};
  const double target = limits[stream.Below(4)];
  const Bits x =
      numerics::Magnitude(format_, stream.Coin() ? InRange(stream, 0) : Shaped(stream, -20, 20));
  const double log = Log2(std::max(numerics::ToDouble(format_, x), 0x1p-1074));
  const double y = log == 0 ? target : target / log;
  args[0] = x;
  if (!IsFloating(types_[1])) {
    const double n = std::clamp(std::floor(y), -0x1p31, 0x1p31 - 1);
    args[1] = static_cast<std::uint32_t>(static_cast<std::int64_t>(n) + (stream.Coin() ? 1 : 0));
    if (stream.Coin()) args[0] = numerics::Negate(format_, x);
    return;
  }
  const Bits nearest = Nearest(format_, y);
  args[1] =
      numerics::IsFinite(format_, nearest) ? Step(format_, nearest, FewSteps(stream)) : nearest;
}

// (1 + tiny)^huge.
void RandomArguments::PowerNearOne(ItemStream& stream, Arguments& args) const {
  const int k = stream.Between(1, Traits(format_).precision);
  const double offset =
      (0.5 + stream.Unit()) * std::bit_cast<double>(std::uint64_t(1023 - k) << 52);
  args[0] = Nearest(format_, stream.Coin() ? 1 + offset : 1 - offset);
  args[1] = IsFloating(types_[1])
                ? Shaped(stream, k - 8, k + 12)
                : (stream.Next() & 0xffffffff) >>
                      stream.Below(static_cast<std::uint64_t>(std::clamp(32 - k - 6, 1, 32)));
}

// pow with an integer exponent: negative bases, exact powers and ties.
void RandomArguments::SmallInteger(ItemStream& stream, Arguments& args) const {
  args[0] =
      stream.Coin() ? Nearest(format_, stream.Between(-40, 40) / 4.0) : Shaped(stream, -10, 10);
  args[1] = Nearest(format_, stream.Between(-40, 40) / 2.0);
}

// z near -(x * y).
void RandomArguments::Cancellation(ItemStream& stream, Arguments& args) const {
  const FormatTraits& traits = Traits(format_);
  const int reach = traits.emax / 2 - 1;
  args[0] = Shaped(stream, -reach, reach);
  args[1] = Shaped(stream, -reach, reach);
  const double product =
      numerics::ToDouble(format_, args[0]) * numerics::ToDouble(format_, args[1]);
  args[2] = Step(format_, Nearest(format_, -product), FewSteps(stream));
  // As often, a sum that ties or nearly does: z far below or above the product's last bit.
  if (!stream.Coin()) return;
  const int exponent = ExponentOf(product) + (stream.Coin() ? -1 : 1) * traits.precision;
  args[2] = Shaped(stream, exponent - 2, exponent + 2);
}

void RandomArguments::NearHalfPi(ItemStream& stream, Arguments& args) const {
  const double multiple = static_cast<double>(stream.Next() >> stream.Between(34, 63));
  const Bits x = Nearest(format_, multiple * (std::numbers::pi / 2));
  args[0] = numerics::IsFinite(format_, x) ? Step(format_, x, FewSteps(stream)) : x;
  if (stream.Coin()) args[0] = numerics::Negate(format_, args[0]);
}

void RandomArguments::NearHalfInteger(ItemStream& stream, Arguments& args) const {
  const int bits = stream.Between(1, Traits(format_).precision + 1);
  const double value = static_cast<double>(stream.Next() >> (64 - bits)) / 2;
  args[0] = Step(format_, Nearest(format_, std::min(value, 60000.0 * 0x1p40)), FewSteps(stream));
  if (stream.Coin()) args[0] = numerics::Negate(format_, args[0]);
}

// Components from the whole exponent range side by side, some of them zero.
void RandomArguments::MixedMagnitudes(ItemStream& stream, Arguments& args) const {
  const FormatTraits& traits = Traits(format_);
  const int centre = stream.Between(traits.tiny_exponent(), traits.emax);
  const int spread = stream.Coin() ? traits.precision : traits.emax;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    const bool zero = stream.Below(8) == 0;
    args[i] = zero ? stream.Next() & numerics::SignMask(format_)
                   : Shaped(stream, centre - spread, centre + spread);
  }
}

// The second vector is nearly a multiple of the first one, or nearly perpendicular to it.
void RandomArguments::NearCollinear(ItemStream& stream, Arguments& args) const {
  const FormatTraits& traits = Traits(format_);
  const int exponent = stream.Between(traits.emin() / 2, traits.emax / 2);
  const std::size_t n = types_.size() / Info(operation_.function).operands.size();
  for (std::size_t i = 0; i < n; ++i) args[i] = Shaped(stream, exponent - 3, exponent + 3);
  if (types_.size() == n) return;
  const bool perpendicular = stream.Coin();
  const std::int64_t scale = static_cast<std::int64_t>(stream.Between(-2, 2)) *
                             (std::int64_t{1} << traits.mantissa_bits());
  for (std::size_t i = 0; i < n; ++i) {
    // (a, b, c, d) and (b, -a, d, -c): swapping pairs and signs makes the products cancel.
    const std::size_t partner = perpendicular && (i ^ 1) < n ? i ^ 1 : i;
    const Bits moved = Step(format_, args[partner], FewSteps(stream));
    const Bits turned = perpendicular && (i & 1) != 0 ? numerics::Negate(format_, moved) : moved;
    const bool negative = numerics::IsNegative(format_, turned);
    args[n + i] = Step(format_, turned, negative ? -scale : scale);
  }
}

// Halfway between neighbours of a conversion's destination, or beside it.
void RandomArguments::DestinationMidpoint(ItemStream& stream, Arguments& args) const {
  const ScalarType from = operation_.from, to = operation_.to;
  const std::int64_t beside = stream.Between(-1, 1);
  if (!IsFloating(from)) {
    // An integer of random length, cut after the destination's significand and the bit behind it.
    const int width = numerics::WidthOf(from);
    const int length = stream.Between(1, width);
    const int kept = IsFloating(to) ? Traits(FormatOf(to)).precision + 1 : 4;
    Bits value = stream.Next() >> (64 - length) | Bits{1} << (length - 1);
    if (length > kept) value &= ~Bits{0} << (length - kept);
    value += static_cast<Bits>(beside);
    args[0] = (stream.Coin() ? Bits{0} - value : value) & numerics::WidthMask(from);
    return;
  }
  const Bits sign = stream.Next() & numerics::SignMask(format_);
  Bits middle;
  if (!IsFloating(to)) {
    const int bits = stream.Between(1, Traits(format_).mantissa_bits());
    middle = Nearest(format_, static_cast<double>(stream.Next() >> (64 - bits)) + 0.5);
  } else {
    const Bits below = stream.Below(numerics::MaxFinite(FormatOf(to)));
    const auto widen = [&](Bits bits) {
      return numerics::Convert(to, from, bits, numerics::Rounding::kRte, false);
    };
    const Bits low = widen(below), high = widen(below + 1);
    middle = low + (high - low) / 2;
  }
  args[0] = sign | numerics::Magnitude(format_, Step(format_, middle, beside));
}

}  // namespace assay::oracle
