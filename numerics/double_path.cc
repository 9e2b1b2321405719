#include "numerics/double_path.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "numerics/double_functions.h"
#include "numerics/fast_path.h"

namespace assay::numerics {
namespace dd {
namespace {

constexpr int kMantissaBits = 52;
constexpr int kLeastExponent = -1022, kLargestExponent = 1023;
constexpr double kLeastFraction = 0x1p-1000, kLargestFraction = 1 - 0x1p-53;

bool IsFarFrom(double boundary, double fraction, double error) {
  return std::fabs(fraction - boundary) > error;
}

// |v| beyond the largest finite number.
bool PlaceOverflow(double magnitude, double low, int exponent, double error, Bits sign,
                   Exact* exact) {
  constexpr double kUnits = 0x1p53 - 1;  // of the largest finite number
  double gaps = 0x1p1000;
  if (exponent < kLargestExponent + 900) {
    gaps = std::ldexp(magnitude, exponent - kLargestExponent + kMantissaBits);
    low = std::ldexp(low, exponent - kLargestExponent + kMantissaBits);
  }
  const double fraction = gaps - kUnits + low;
  *exact = {.below = sign | MaxFinite(Format::kDouble),
            .fraction = fraction,
            .kind = ResultKind::kFinite};
  if (fraction > internal::kBeyondLimits) return true;
  return fraction > 0 &&
         std::fabs(fraction - internal::NearestHalves(fraction)) > 2 * gaps * (error + 0x1p-52);
}

}  // namespace

bool Place(const Approximation& approximation, Exact* exact) {
  const double hi = approximation.hi;
  if (approximation.error < 0 || hi == 0) return false;
  if (hi != hi) {
    *exact = Exact::Nan();
    return true;
  }
  const Bits bits = std::bit_cast<Bits>(hi);
  const Bits sign = bits & SignMask(Format::kDouble);
  const Bits magnitude = bits ^ sign;
  if (magnitude < MinNormal(Format::kDouble) || magnitude >= Infinity(Format::kDouble)) {
    // A subnormal double as an approximation: as a normal one with a scale.
    if (magnitude >= Infinity(Format::kDouble)) return false;
    Approximation scaled = approximation;
    scaled.hi *= 0x1p200;
    scaled.lo *= 0x1p200;
    scaled.scale -= 200;
    return Place(scaled, exact);
  }
  // |v| = (m + low) 2^exponent with m in [1, 2).
  const int own = static_cast<int>(magnitude >> kMantissaBits) - 1023;
  int exponent = own + approximation.scale;
  const double m =
      std::bit_cast<double>((magnitude & MantissaMask(Format::kDouble)) | One(Format::kDouble));
  const double to_one = own > -1000 && own < 1000
                            ? std::bit_cast<double>(static_cast<Bits>(1023 - own) << kMantissaBits)
                            : std::ldexp(1.0, -own);
  const double low = (sign != 0 ? -approximation.lo : approximation.lo) * to_one;
  if (exponent > kLargestExponent) {
    return PlaceOverflow(m, low, exponent, approximation.error, sign, exact);
  }
  // In gaps of the grid.
  int below_point = kMantissaBits;
  if (exponent < kLeastExponent) below_point -= kLeastExponent - exponent;
  if (below_point < -3) {  // below a quarter of the least subnormal
    *exact = {.below = sign,
              .fraction = std::max(std::ldexp(m, std::max(below_point, -1000)), kLeastFraction),
              .kind = ResultKind::kFinite};
    return true;
  }
  const double power = std::bit_cast<double>(static_cast<Bits>(1023 + below_point) << kMantissaBits);
  const double gaps = m * power, error = approximation.error * gaps;
  double whole = std::floor(gaps);
  double fraction = (gaps - whole) + low * power;
  // What the addition above rounds is below 2^-52.
  const bool is_exact = gaps == whole || low == 0;
  const double doubt = error + (is_exact ? 0 : 0x1p-52);
  if (fraction == 0) {
    if (doubt != 0) return false;
  } else {
    if (!IsFarFrom(0, fraction, doubt) || !IsFarFrom(0.5, std::fabs(fraction), doubt) ||
        !IsFarFrom(1, std::fabs(fraction), doubt)) {
      // A midpoint that is known exactly is one.
      if (doubt != 0 || std::fabs(fraction) != 0.5) return false;
    }
  }
  auto units = static_cast<std::int64_t>(whole);
  if (fraction < 0) {
    --units;
    // Toward zero of a power of two the gaps are half as large.
    const bool narrower = units + 1 == std::int64_t{1} << kMantissaBits && exponent > kLeastExponent;
    const double middle = narrower ? -0.25 : -0.5;
    if (narrower) {
      if (!IsFarFrom(middle, fraction, doubt) && (doubt != 0 || fraction != middle)) return false;
      units = (std::int64_t{1} << (kMantissaBits + 1)) - 1;
      --exponent;
    }
    const bool above = fraction > middle;
    double beyond = narrower ? 1 + 2 * fraction : 1 + fraction;
    // On the right side of the middle and of one, whatever the addition rounded.
    if (beyond == 0.5 && fraction != middle) beyond = std::nextafter(beyond, above ? 1 : 0);
    fraction = std::min(beyond, kLargestFraction);
  } else if (fraction >= 1) {
    fraction -= 1;
    ++units;
  }
  // The units have the implicit bit, which counts as one exponent.
  const Bits base = exponent > kLeastExponent
                        ? static_cast<Bits>(exponent + 1022) << kMantissaBits
                        : 0;
  *exact = {.below = sign | (base + static_cast<Bits>(units)),
            .fraction = fraction,
            .kind = ResultKind::kFinite};
  if (exact->fraction != 0) exact->fraction = std::max(exact->fraction, kLeastFraction);
  return Magnitude(Format::kDouble, exact->below) < Infinity(Format::kDouble);
}

namespace {

template <Approximation (*kFunction)(double)>
bool Unary(const double* args, Exact* exact) {
  return Place(kFunction(args[0]), exact);
}

template <Approximation (*kFunction)(double, double)>
bool Binary(const double* args, Exact* exact) {
  return Place(kFunction(args[0], args[1]), exact);
}

bool Fma(const double* args, Exact* exact) {
  return Place(DoubleFma(args[0], args[1], args[2]), exact);
}

bool Fdim(const double* args, Exact* exact) {
  return args[0] > args[1] && Place(DoubleSub(args[0], args[1]), exact);
}

bool QuotientBits(const double* args, Exact* exact) {
  *exact = Exact::Integer(DoubleQuotientBits(args[0], args[1]));
  exact->low_seven_bits = true;
  return true;
}

bool GammaSign(const double* args, Exact* exact) {
  const double x = args[0];
  if (x < 0 && x == std::trunc(x)) return false;  // a row of edge_cases.def
  *exact = Exact::Integer(x < 0 && std::fmod(std::floor(x), 2) != 0 ? -1 : 1);
  return true;
}

}  // namespace
}  // namespace dd

namespace {

using namespace dd;  // NOLINT(google-build-using-namespace): the rows below
using enum Function;

struct Row {
  Function function;
  FastPath path;
  FastPath second{};
};

template <Approximation (*kFunction)(double)>
constexpr FastPath kOne = {.whole = Unary<kFunction>};
template <Approximation (*kFunction)(double, double)>
constexpr FastPath kTwo = {.whole = Binary<kFunction>};
constexpr FastPath kFma = {.whole = Fma};

constexpr Row kRows[] = {
    {acos, kOne<DoubleAcos>},
    {acosh, kOne<DoubleAcosh>},
    {acospi, kOne<DoubleAcospi>},
    {add, kTwo<DoubleAdd>},
    {asin, kOne<DoubleAsin>},
    {asinh, kOne<DoubleAsinh>},
    {asinpi, kOne<DoubleAsinpi>},
    {atan, kOne<DoubleAtan>},
    {atan2, kTwo<DoubleAtan2>},
    {atan2pi, kTwo<DoubleAtan2pi>},
    {atanh, kOne<DoubleAtanh>},
    {atanpi, kOne<DoubleAtanpi>},
    {cbrt, kOne<DoubleCbrt>},
    {cos, kOne<DoubleCos>},
    {cosh, kOne<DoubleCosh>},
    {cospi, kOne<DoubleCospi>},
    {degrees, kOne<DoubleDegrees>},
    {div, kTwo<DoubleDiv>},
    {erf, kOne<DoubleErf>},
    {erfc, kOne<DoubleErfc>},
    {exp, kOne<DoubleExp>},
    {exp10, kOne<DoubleExp10>},
    {exp2, kOne<DoubleExp2>},
    {expm1, kOne<DoubleExpm1>},
    {fdim, {.whole = Fdim}},
    {fma, kFma},
    {fmod, kTwo<DoubleFmod>},
    {hypot, kTwo<DoubleHypot>},
    {lgamma, kOne<DoubleLgamma>},
    {lgamma_r, kOne<DoubleLgamma>, {.whole = GammaSign}},
    {log, kOne<DoubleLog>},
    {log10, kOne<DoubleLog10>},
    {log1p, kOne<DoubleLog1p>},
    {log2, kOne<DoubleLog2>},
    {mad, kFma},
    {mul, kTwo<DoubleMul>},
    {mul_add, kFma},
    {pow, kTwo<DoublePow>},
    {pown, kTwo<DoublePow>},
    {powr, kTwo<DoublePowr>},
    {radians, kOne<DoubleRadians>},
    {recip_div, kOne<DoubleRecip>},
    {remainder, kTwo<DoubleRemainder>},
    {remquo, kTwo<DoubleRemainder>, {.whole = QuotientBits}},
    {rootn, kTwo<DoubleRootn>},
    {rsqrt, kOne<DoubleRsqrt>},
    {sin, kOne<DoubleSin>},
    {sincos, kOne<DoubleSin>, kOne<DoubleCos>},
    {sinh, kOne<DoubleSinh>},
    {sinpi, kOne<DoubleSinpi>},
    {sqrt, kOne<DoubleSqrt>},
    {sub, kTwo<DoubleSub>},
    {tan, kOne<DoubleTan>},
    {tanh, kOne<DoubleTanh>},
    {tanpi, kOne<DoubleTanpi>},
    {tgamma, kOne<DoubleTgamma>},
};

constexpr auto kRowOf = [] {
  std::array<const Row*, 256> rows{};
  for (const Row& row : kRows) rows[static_cast<std::size_t>(row.function)] = &row;
  return rows;
}();

}  // namespace

const FastPath* FindDoublePath(Function function, int result) {
  const Row* row = kRowOf[static_cast<std::size_t>(function)];
  if (row == nullptr) return nullptr;
  const FastPath& path = result == 0 ? row->path : row->second;
  return path.whole == nullptr ? nullptr : &path;
}

}  // namespace assay::numerics
