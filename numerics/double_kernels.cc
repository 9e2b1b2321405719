#include "numerics/double_kernels.h"

#include <array>
#include <bit>
#include <cstdint>

#include "numerics/double_table.h"

namespace assay::numerics::dd {
namespace {

using Word = std::uint64_t;
__extension__ typedef unsigned __int128 Wide;

constexpr double kShifter = 0x1.8p52;  // a sum in [2^52, 2^53) is rounded to an integer

double PowerOfTwo(int n) { return std::bit_cast<double>(static_cast<Word>(n + 1023) << 52); }

Dd Fraction(unsigned long over, unsigned long under) {
  return Constant([=](mpfr_ptr value) {
    mpfr_set_ui(value, over, MPFR_RNDN);
    mpfr_div_ui(value, value, under, MPFR_RNDN);
  });
}

// ---- Exponentials
// --------------------------------------------------------------------------------

constexpr int kExpSteps = 64;  // a power of two

struct ExpTable {
  std::vector<Dd> powers = Tabulated([](mpfr_ptr r, mpfr_srcptr x) { mpfr_exp2(r, x, MPFR_RNDN); },
                                     1.0 / kExpSteps, kExpSteps);
  Parts step = SplitConstant(
      [](mpfr_ptr r) {
        mpfr_const_log2(r, MPFR_RNDN);
        mpfr_div_ui(r, r, kExpSteps, MPFR_RNDN);
      },
      31);
  Dd sixth = Fraction(1, 6);
};

const ExpTable& OfExp() {
  static const ExpTable kTable;
  return kTable;
}

// e^r - 1 for |r| <= 0.0055.
Dd Expm1Small(Dd r, const ExpTable& table) {
  const double x = r.hi;
  const double tail =
      1.0 / 24 +
      x * (1.0 / 120 +
           x * (1.0 / 720 + x * (1.0 / 5040 + x * (1.0 / 40320 + x * (1.0 / 362880)))));
  const Dd cubic = table.sixth + x * tail;
  return r + r * r * (0.5 + r * cubic);
}

// x = n log(2) / kExpSteps + rest.
int ReduceExp(Dd x, const ExpTable& table, Dd* rest) {
  const double shifted = x.hi * (kExpSteps * 1.44269504088896340736) + kShifter;
  const double n = shifted - kShifter;
  const Dd first = TwoSum(x.hi - n * table.step.first, x.lo);
  *rest = first - TwoProduct(n, table.step.second) - n * table.step.third;
  return static_cast<int>(n);
}

// ---- Logarithms
// ----------------------------------------------------------------------------------

constexpr int kLogSteps = 128;
constexpr int kLogFirst = 88, kLogLast = 184;  // 128 times 0.69 to 1.43

struct LogTable {
  std::array<double, kLogLast + 1> inverse{};
  std::array<Dd, kLogLast + 1> logarithm{};  // -log(inverse)
  Parts log_two = SplitConstant([](mpfr_ptr r) { mpfr_const_log2(r, MPFR_RNDN); }, 40);
  std::array<Dd, 6> fraction{};  // 1/n with the series' sign

  LogTable() {
    for (int j = kLogFirst; j <= kLogLast; ++j) {
      const auto place = static_cast<std::size_t>(j);
      // To 12 bits, so that its product with a double is exact in two; 1 at 1.
      inverse[place] = std::nearbyint(4096.0 * kLogSteps / j) / 4096.0;
      logarithm[place] = Constant([&](mpfr_ptr r) {
        mpfr_set_d(r, inverse[place], MPFR_RNDN);
        mpfr_log(r, r, MPFR_RNDN);
        mpfr_neg(r, r, MPFR_RNDN);
      });
    }
    for (unsigned long n = 2; n < fraction.size(); ++n) {
      fraction[n] = n % 2 == 0 ? -Fraction(1, n) : Fraction(1, n);
    }
  }
};

const LogTable& OfLog() {
  static const LogTable kTable;
  return kTable;
}

// log(1 + r) for |r| <= 2^-7.
Dd Log1pSmall(Dd r, const LogTable& table) {
  const double x = r.hi;
  const double tail =
      -1.0 / 6 +
      x * (1.0 / 7 +
           x * (-1.0 / 8 +
                x * (1.0 / 9 + x * (-1.0 / 10 + x * (1.0 / 11 + x * (-1.0 / 12 + x / 13))))));
  Dd series = table.fraction[5] + x * tail;
  for (std::size_t n = 4; n >= 2; --n) series = table.fraction[n] + r * series;
  return r + r * r * series;
}

// ---- Angles
// --------------------------------------------------------------------------------------

// 2 / pi as a binary fraction: enough for 2^1023 and 256 bits behind it.
constexpr int kTwoOverPiWords = 21;

struct AngleTable {
  std::array<Word, kTwoOverPiWords> two_over_pi{};
  AngleTable() {
    constexpr mpfr_prec_t kBits = 64 * kTwoOverPiWords + 64;
    mpfr_t value, word;
    mpfr_init2(value, kBits);
    mpfr_init2(word, 64);
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_ui_div(value, 2, value, MPFR_RNDN);
    for (Word& next : two_over_pi) {
      mpfr_mul_2ui(value, value, 64, MPFR_RNDN);
      mpfr_floor(word, value);
      next = mpfr_get_ui(word, MPFR_RNDZ);
      mpfr_sub(value, value, word, MPFR_RNDN);
    }
    mpfr_clear(value);
    mpfr_clear(word);
  }
};

// 320 bits, the lowest word first.
using Long = std::array<Word, 5>;

Long ShiftedLeft(const Long& value, int bits) {
  const int words = bits / 64, rest = bits % 64;
  Long shifted{};
  for (int i = 4; i >= words; --i) {
    const auto from = static_cast<std::size_t>(i - words);
    Word word = value[from] << rest;
    if (rest != 0 && from > 0) word |= value[from - 1] >> (64 - rest);
    shifted[static_cast<std::size_t>(i)] = word;
  }
  return shifted;
}

// value / 2^320.
Dd FractionOf(const Long& value) {
  int zeros = 0;
  for (int i = 4; i >= 0; --i) {
    const Word word = value[static_cast<std::size_t>(i)];
    if (word != 0) {
      zeros += std::countl_zero(word);
      break;
    }
    zeros += 64;
  }
  if (zeros >= 256) return {0, 0};
  const Long top = ShiftedLeft(value, zeros);
  const double hi = static_cast<double>(static_cast<std::int64_t>(top[4] >> 11));
  const Word low = (top[4] & 0x7ff) << 52 | top[3] >> 12;
  const double lo = static_cast<double>(static_cast<std::int64_t>(low));
  return Scaled(FastTwoSum(hi, lo * 0x1p-63), PowerOfTwo(-53 - zeros));
}

constexpr int kSinSteps = 128;

struct SinCosTable {
  std::vector<Dd> sin = Tabulated([](mpfr_ptr r, mpfr_srcptr x) { mpfr_sin(r, x, MPFR_RNDN); },
                                  1.0 / kSinSteps, 103);
  std::vector<Dd> cos = Tabulated([](mpfr_ptr r, mpfr_srcptr x) { mpfr_cos(r, x, MPFR_RNDN); },
                                  1.0 / kSinSteps, 103);
  std::vector<Dd> atan = Tabulated([](mpfr_ptr r, mpfr_srcptr x) { mpfr_atan(r, x, MPFR_RNDN); },
                                   1.0 / kSinSteps, kSinSteps + 1);
  Dd sixth = Fraction(1, 6), third = Fraction(1, 3);
};

const SinCosTable& OfAngles() {
  static const SinCosTable kTable;
  return kTable;
}

}  // namespace

const Dd& Pi() {
  static const Dd kPi = Constant([](mpfr_ptr r) { mpfr_const_pi(r, MPFR_RNDN); });
  return kPi;
}

const Dd& HalfPi() {
  static const Dd kHalfPi = Scaled(Pi(), 0.5);
  return kHalfPi;
}

const Dd& OverPi() {
  static const Dd kOverPi = Constant([](mpfr_ptr r) {
    mpfr_const_pi(r, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
  });
  return kOverPi;
}

ScaledDd Exp(Dd x) {
  const ExpTable& table = OfExp();
  Dd rest;
  const int n = ReduceExp(x, table, &rest);
  const Dd& power = table.powers[static_cast<std::size_t>(n & (kExpSteps - 1))];
  return {.value = power + power * Expm1Small(rest, table), .scale = n >> 6};
}

Dd Expm1(Dd x) {
  const ExpTable& table = OfExp();
  Dd rest;
  const int n = ReduceExp(x, table, &rest);
  const Dd small = Expm1Small(rest, table);
  if (n == 0) return small;
  const Dd& power = table.powers[static_cast<std::size_t>(n & (kExpSteps - 1))];
  const double scale = PowerOfTwo(n >> 6);
  return (Scaled(power, scale) - 1) + Scaled(power * small, scale);
}

Dd Log(Dd x) {
  const LogTable& table = OfLog();
  const Word bits = std::bit_cast<Word>(x.hi);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > 1.4142135) {
    m *= 0.5;
    ++exponent;
  }
  // The low part may be as small as it likes: its product with 2^-exponent is done in two steps.
  const int half = exponent / 2;
  const double low = x.lo * PowerOfTwo(-half) * PowerOfTwo(half - exponent);
  const auto place = static_cast<std::size_t>(m * kLogSteps + 0.5);
  const double inverse = table.inverse[place];
  const Dd product = TwoProduct(m, inverse);
  const Dd r = TwoSum(product.hi - 1, product.lo) + low * inverse;
  const Dd small = Log1pSmall(r, table);
  if (exponent == 0) return place == kLogSteps ? small : table.logarithm[place] + small;
  const double e = exponent;
  const Dd whole = TwoSum(e * table.log_two.first, e * table.log_two.second) +
                   __builtin_fma(e, table.log_two.second, -(e * table.log_two.second)) +
                   e * table.log_two.third;
  return whole + (table.logarithm[place] + small);
}

Dd Log1p(Dd x) {
  if (std::fabs(x.hi) <= 0x1p-8) return Log1pSmall(x, OfLog());
  return Log(1 + x);
}

int ReduceAngle(double x, Dd* rest) {
  static const AngleTable kTable;
  const Word bits = std::bit_cast<Word>(x) & 0x7fffffffffffffff;
  if (std::fabs(x) <= 0.785) {
    *rest = {x, 0};
    return 0;
  }
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  const Word mantissa = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  // Words of 2 / pi whose products are multiples of 4 are left out.
  const int first = exponent >= 66 ? (exponent - 2) / 64 : 0;
  Long product{};
  Wide carry = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    carry += static_cast<Wide>(kTable.two_over_pi[static_cast<std::size_t>(first) + 3 - i]) *
             mantissa;
    product[i] = static_cast<Word>(carry);
    carry >>= 64;
  }
  product[4] = static_cast<Word>(carry);
  const int fraction_bits = 64 * (first + 4) - exponent;  // 191 to 309
  const int up = 320 - fraction_bits;
  // The two bits above the fraction, and the fraction at the top.
  int quarter = static_cast<int>(ShiftedLeft(product, up - 2)[4] >> 62);
  Long fraction = ShiftedLeft(product, up);
  bool negative = false;
  if (fraction[4] >> 63 != 0) {
    ++quarter;
    negative = true;
    for (Word& word : fraction) word = ~word;  // less by 2^-320
  }
  const Dd turns = FractionOf(fraction);
  Dd angle = turns * HalfPi();
  if (negative) angle = -angle;
  if (x < 0) {
    angle = -angle;
    quarter = -quarter;
  }
  *rest = angle;
  return quarter & 3;
}

SinCosDd SinCos(Dd r) {
  const SinCosTable& table = OfAngles();
  const bool negative = r.hi < 0;
  if (negative) r = -r;
  const int j = NearestMultiple(r.hi, kSinSteps);
  const Dd t = TwoSum(r.hi - j * (1.0 / kSinSteps), r.lo);
  const Dd square = t * t;
  const double s = square.hi;
  const Dd odd = s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880))) - table.sixth;
  const Dd sin_t = t + t * (square * odd);
  const double even = s * (1.0 / 24 + s * (-1.0 / 720 + s * (1.0 / 40320)));
  const Dd cos_less_one = square * FastTwoSum(-0.5, even);
  SinCosDd result;
  if (j == 0) {
    result = {.sin = sin_t, .cos = 1 + cos_less_one};
  } else {
    const Dd &sin = table.sin[static_cast<std::size_t>(j)],
             &cos = table.cos[static_cast<std::size_t>(j)];
    result.sin = sin + (sin * cos_less_one + cos * sin_t);
    result.cos = cos + (cos * cos_less_one - sin * sin_t);
  }
  if (negative) result.sin = -result.sin;
  return result;
}

Dd Atan(Dd x) {
  const SinCosTable& table = OfAngles();
  const bool large = x.hi > 1;
  if (large) x = 1 / x;
  const int j = NearestMultiple(x.hi, kSinSteps);
  Dd u = x;
  if (j > 0) {
    const double c = j * (1.0 / kSinSteps);
    u = TwoSum(x.hi - c, x.lo) / (1 + x * c);
  }
  const Dd square = u * u;
  const double s = square.hi;
  const Dd odd = s * (1.0 / 5 + s * (-1.0 / 7 + s * (1.0 / 9 + s * (-1.0 / 11)))) - table.third;
  Dd angle = u + u * (square * odd);
  if (j > 0) angle = table.atan[static_cast<std::size_t>(j)] + angle;
  return large ? HalfPi() - angle : angle;
}

int ReduceByHalves(double x, double* rest) {
  const double magnitude = std::fabs(x);
  if (magnitude >= 0x1p53) {  // an even integer
    *rest = 0;
    return 0;
  }
  // Twice a number below 2^53 as a whole number.
  const double halves = std::nearbyint(2 * magnitude);
  const double r = magnitude - halves / 2;  // exact
  const auto whole = static_cast<std::int64_t>(halves);
  *rest = x < 0 ? -r : r;
  return static_cast<int>((x < 0 ? -whole : whole) & 3);
}

SinCosDd SinCosPi(double rest) { return SinCos(Pi() * rest); }

}  // namespace assay::numerics::dd
