// Conversions against MPFR: every 8- and 16-bit source, boundaries and samples of the wider ones.
#include "numerics/convert.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cstdint>
#include <cstring>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace assay::numerics {
namespace {

constexpr mpfr_rnd_t kMpfrRounding[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};

class Number {
 public:
  explicit Number(mpfr_prec_t precision = 128) { mpfr_init2(value_, precision); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

// The value of `bits`, from the definition of the formats; NaN and infinity as MPFR has them.
void SetFromBits(mpfr_ptr out, ScalarType type, Bits bits) {
  const int width = WidthOf(type);
  if (!IsFloating(type)) {
    const bool negative = IsSigned(type) && (bits >> (width - 1) & 1) != 0;
    const Bits mask = width == 64 ? ~Bits{0} : (Bits{1} << width) - 1;
    mpfr_set_uj(out, negative ? (~bits + 1) & mask : bits, MPFR_RNDN);
    if (negative) mpfr_neg(out, out, MPFR_RNDN);
    return;
  }
  const FormatTraits& traits = Traits(FormatOf(type));
  const int mantissa_bits = traits.precision - 1;
  const Bits mantissa = bits & ((Bits{1} << mantissa_bits) - 1);
  const int field = static_cast<int>(bits >> mantissa_bits) & (2 * traits.emax + 1);
  if (field == 2 * traits.emax + 1) {
    if (mantissa != 0) {
      mpfr_set_nan(out);
    } else {
      mpfr_set_inf(out, 1);
    }
  } else if (field == 0) {
    mpfr_set_uj_2exp(out, mantissa, 1 - traits.emax - mantissa_bits, MPFR_RNDN);
  } else {
    mpfr_set_uj_2exp(out, mantissa | Bits{1} << mantissa_bits, field - traits.emax - mantissa_bits,
                     MPFR_RNDN);
  }
  mpfr_setsign(out, out, static_cast<int>(bits >> (width - 1) & 1), MPFR_RNDN);
}

// `value` rounded into `format` by MPFR; `out` has the precision of the format.
void RoundByMpfr(mpfr_ptr out, mpfr_srcptr value, const FormatTraits& traits, Rounding rounding) {
  const mpfr_rnd_t mode = kMpfrRounding[static_cast<int>(rounding)];
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  int ternary = mpfr_set(out, value, mode);
  mpfr_set_emin(traits.emin() - traits.precision + 2);
  mpfr_set_emax(traits.emax + 1);
  ternary = mpfr_check_range(out, ternary, mode);
  mpfr_subnormalize(out, ternary, mode);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
}

bool SameNumber(mpfr_srcptr a, mpfr_srcptr b) {
  if (mpfr_nan_p(a) || mpfr_nan_p(b)) return mpfr_nan_p(a) && mpfr_nan_p(b);
  return mpfr_equal_p(a, b) && mpfr_signbit(a) == mpfr_signbit(b);
}

// -1, 0, 1: which side of `point` the fraction is on.
int Side(double fraction, double point) { return (fraction > point) - (fraction < point); }

// Boundaries of every type's range and of every grid, then random bits.
std::vector<Bits> Samples(ScalarType type, std::size_t random) {
  const int width = WidthOf(type);
  std::vector<Bits> samples;
  if (width <= 16) {
    for (Bits bits = 0; bits < Bits{1} << width; ++bits) samples.push_back(bits);
    return samples;
  }
  const Bits mask = width == 64 ? ~Bits{0} : (Bits{1} << width) - 1;
  for (int k = 0; k < width; ++k) {
    for (int j = -1; j <= k; j += 1) {
      const Bits base = (Bits{1} << k) + (j < 0 ? 0 : Bits{1} << j);
      for (int delta = -2; delta <= 2; ++delta) {
        samples.push_back((base + static_cast<Bits>(delta)) & mask);
        samples.push_back((Bits{0} - base + static_cast<Bits>(delta)) & mask);
      }
    }
  }
  std::mt19937_64 engine(static_cast<unsigned>(type) + 1);
  for (std::size_t i = 0; i < random; ++i) {
    const Bits bits = engine();
    samples.push_back(bits & mask);
    // Magnitudes of every size: uniform bits leave out small integers and moderate exponents.
    if (!IsFloating(type)) {
      samples.push_back((bits & mask) >> (engine() % static_cast<unsigned>(width)));
      continue;
    }
    const Format format = FormatOf(type);
    const Bits exponent = static_cast<Bits>(Traits(format).emax) - 30 + engine() % 100;
    samples.push_back((bits & ~Infinity(format) & mask) |
                      (exponent << Traits(format).mantissa_bits()));
  }
  if (IsFloating(type)) {
    const Format format = FormatOf(type);
    for (Bits sign : {Bits{0}, SignMask(format)}) {
      for (Bits exponent = 0; exponent <= Infinity(format) >> Traits(format).mantissa_bits();
           ++exponent) {
        const Bits base = sign | (exponent << Traits(format).mantissa_bits());
        for (Bits offset : {Bits{0}, Bits{1}, MantissaMask(format), MantissaMask(format) >> 1,
                            (MantissaMask(format) >> 1) + 1}) {
          samples.push_back(base + offset);
        }
      }
    }
  }
  return samples;
}

std::string Describe(ScalarType from, ScalarType to, Bits bits) {
  return std::string(ScalarTypeName(from)) + " -> " + std::string(ScalarTypeName(to)) + " of " +
         std::to_string(bits);
}

struct TypePair {
  ScalarType from, to;
};

std::string PairName(const TypePair& pair) {
  return std::string(ScalarTypeName(pair.from)) + "_to_" + std::string(ScalarTypeName(pair.to));
}
// How GoogleTest, and so ctest, names the parameter.
void PrintTo(const TypePair& pair, std::ostream* out) { *out << PairName(pair); }

std::vector<TypePair> AllPairs() {
  std::vector<TypePair> pairs;
  for (ScalarType from : kAllScalarTypes) {
    for (ScalarType to : kAllScalarTypes) pairs.push_back({from, to});
  }
  return pairs;
}

class ConvertPair : public ::testing::TestWithParam<TypePair> {
 protected:
  static constexpr std::size_t kRandom = 20000;
};

void CheckFloating(ScalarType from, ScalarType to, Bits bits, mpfr_ptr value, mpfr_ptr rounded,
                   mpfr_ptr got) {
  const Format format = FormatOf(to);
  const Exact exact = ConvertExact(from, to, bits, false, std::nullopt);
  for (Rounding rounding : kAllRoundings) {
    RoundByMpfr(rounded, value, Traits(format), rounding);
    SetFromBits(got, to, Round(exact, format, rounding));
    ASSERT_TRUE(SameNumber(rounded, got)) << Describe(from, to, bits) << RoundingName(rounding);
  }
  ASSERT_EQ(exact.kind, mpfr_nan_p(value)   ? ResultKind::kNan
                        : mpfr_inf_p(value) ? ResultKind::kInfinite
                                            : ResultKind::kFinite);
  if (exact.kind != ResultKind::kFinite) return;
  // The fraction: (|v| - |below|) / gap, and the side of 0, 0.5 and 1 that it is on.
  SetFromBits(got, to, exact.below);
  ASSERT_LE(mpfr_cmpabs(got, value), 0);
  Number rest(2400);
  mpfr_sub(rest, value, got, MPFR_RNDN);
  mpfr_abs(rest, rest, MPFR_RNDN);
  mpfr_mul_2si(rest, rest, Traits(format).mantissa_bits() - GridExponent(format, exact.below),
               MPFR_RNDN);
  ASSERT_EQ(Side(exact.fraction, 0), mpfr_cmp_ui(rest, 0) > 0) << Describe(from, to, bits);
  ASSERT_EQ(Side(exact.fraction, 0.5), (mpfr_cmp_d(rest, 0.5) > 0) - (mpfr_cmp_d(rest, 0.5) < 0));
  ASSERT_EQ(Side(exact.fraction, 1), (mpfr_cmp_ui(rest, 1) > 0) - (mpfr_cmp_ui(rest, 1) < 0));
  ASSERT_NEAR(exact.fraction, mpfr_get_d(rest, MPFR_RNDN), 0x1p-51 * (1 + exact.fraction));
  if (Magnitude(format, exact.below) != MaxFinite(format)) {
    ASSERT_LT(exact.fraction, 1);
  }
}

// C99 6.3.1.3 for integers; 6.4.3.3 of OpenCL C for floating-point operands.
Exact IntegerByMpfr(ScalarType from, ScalarType to, mpfr_srcptr value, Bits bits, bool saturate,
                    Rounding rounding) {
  const int width = WidthOf(to);
  Number low, high, whole;
  mpfr_set_ui_2exp(high, 1, IsSigned(to) ? width - 1 : width, MPFR_RNDN);
  mpfr_sub_ui(high, high, 1, MPFR_RNDN);
  mpfr_set_ui(low, 0, MPFR_RNDN);
  if (IsSigned(to)) mpfr_set_si_2exp(low, -1, width - 1, MPFR_RNDN);
  if (mpfr_nan_p(value)) return saturate ? Exact::Integer(0) : Exact::Unspecified();
  mpfr_set(whole, value, MPFR_RNDN);
  if (mpfr_cmp(value, low) < 0 || mpfr_cmp(value, high) > 0) {
    if (saturate) {
      mpfr_set(whole, mpfr_cmp(value, low) < 0 ? low : high, MPFR_RNDN);
    } else if (IsFloating(from)) {
      return Exact::Unspecified();
    } else {
      // The low bits of the two's complement.
      const Bits low_bits = width == 64 ? bits : bits & ((Bits{1} << width) - 1);
      SetFromBits(whole, to, low_bits);
    }
  }
  mpfr_rint(whole, whole, kMpfrRounding[static_cast<int>(rounding)]);
  return IsSigned(to) ? Exact::Integer(mpfr_get_sj(whole, MPFR_RNDN))
                      : Exact::Integer(static_cast<std::int64_t>(mpfr_get_uj(whole, MPFR_RNDN)));
}

void CheckInteger(ScalarType from, ScalarType to, Bits bits, mpfr_ptr value) {
  // A sign-extended source keeps its low bits where the destination is wider.
  Bits extended = bits;
  const int width = WidthOf(from);
  if (!IsFloating(from) && IsSigned(from) && width < 64 && (bits >> (width - 1)) != 0) {
    extended |= ~Bits{0} << width;
  }
  for (bool saturate : {false, true}) {
    for (Rounding rounding : kAllRoundings) {
      const Exact want = IntegerByMpfr(from, to, value, extended, saturate, rounding);
      const Exact got = ConvertExact(from, to, bits, saturate, rounding);
      ASSERT_EQ(got.kind, want.kind)
          << Describe(from, to, bits) << RoundingName(rounding) << saturate;
      ASSERT_EQ(got.below, want.below)
          << Describe(from, to, bits) << RoundingName(rounding) << saturate;
      const Bits mask = WidthOf(to) == 64 ? ~Bits{0} : (Bits{1} << WidthOf(to)) - 1;
      ASSERT_EQ(Convert(from, to, bits, rounding, saturate), want.below & mask);
    }
    const Exact plain = ConvertExact(from, to, bits, saturate, std::nullopt);
    ASSERT_EQ(plain.below, ConvertExact(from, to, bits, saturate, Rounding::kRtz).below);
  }
}

TEST_P(ConvertPair, AgreesWithMpfr) {
  const auto [from, to] = GetParam();
  Number value(64), got(64);
  Number rounded(IsFloating(to) ? Traits(FormatOf(to)).precision : 64);
  for (Bits bits : Samples(from, kRandom)) {
    SetFromBits(value, from, bits);
    if (IsFloating(to)) {
      CheckFloating(from, to, bits, value, rounded, got);
    } else {
      CheckInteger(from, to, bits, value);
    }
    if (HasFatalFailure()) return;
  }
}

// The batch is the same function, whatever the element size and the range asked for.
TEST_P(ConvertPair, BatchEqualsSingle) {
  const auto [from, to] = GetParam();
  const std::size_t size = SizeOf(from);
  std::mt19937_64 engine(7);
  constexpr std::size_t kCount = 1000, kBegin = 37;
  std::vector<unsigned char> memory(kCount * size);
  for (unsigned char& byte : memory) byte = static_cast<unsigned char>(engine());
  for (bool saturate : {false, true}) {
    if (saturate && IsFloating(to)) continue;
    for (Rounding rounding : kAllRoundings) {
      std::vector<Exact> out(kCount - kBegin);
      const Operation operation = Operation::Convert(from, to, rounding, saturate);
      ConvertBatch(operation, memory.data(), kBegin, kCount, out.data());
      for (std::size_t i = kBegin; i < kCount; ++i) {
        Bits bits = 0;
        std::memcpy(&bits, &memory[i * size], size);  // little-endian, as the columns are
        const Exact want = ConvertExact(from, to, bits, saturate, rounding);
        ASSERT_EQ(out[i - kBegin].below, want.below);
        ASSERT_EQ(out[i - kBegin].fraction, want.fraction);
        ASSERT_EQ(out[i - kBegin].kind, want.kind);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConvertPair, ::testing::ValuesIn(AllPairs()),
                         [](const auto& info) { return PairName(info.param); });

TEST(Convert, OutOfRangeIsDecidedOnTheOperand) {
  // 6.4.3.3: 255.4 is greater than the greatest uchar, so its conversion is implementation-defined.
  const Bits operand = FromDouble(Format::kFloat, 255.25);
  const auto exact = [&](bool saturate, Rounding rounding) {
    return ConvertExact(ScalarType::kFloat, ScalarType::kUchar, operand, saturate, rounding);
  };
  EXPECT_EQ(exact(false, Rounding::kRte).kind, ResultKind::kUnspecified);
  EXPECT_EQ(exact(true, Rounding::kRtp).below, 255u);
}

TEST(Convert, ZeroKeepsItsSignBetweenFormatsOnly) {
  EXPECT_EQ(ConvertExact(ScalarType::kFloat, ScalarType::kHalf, 0x80000000, false, {}).below,
            0x8000u);
  EXPECT_EQ(ConvertExact(ScalarType::kInt, ScalarType::kFloat, 0, false, Rounding::kRtn).below, 0u);
}

TEST(Convert, SubnormalHalvesAreLoadedExactly) {
  const Operation load = Operation::VloadHalf();
  const std::uint16_t smallest = 1;
  Exact exact;
  ConvertBatch(load, &smallest, 0, 1, &exact);
  EXPECT_EQ(exact.below, 0x33800000u);  // 2^-24
  EXPECT_TRUE(exact.IsExact());
}

TEST(Convert, StoringHalvesRoundsOnce) {
  // Just above the midpoint of two halves, by less than a float can tell: double rounding through
  // float would take the tie to even.
  const Bits operand = FromDouble(Format::kDouble, 1 + 0x1p-11 + 0x1p-50);
  const Exact exact =
      ConvertExact(ScalarType::kDouble, ScalarType::kHalf, operand, false, std::nullopt);
  EXPECT_EQ(Round(exact, Format::kHalf, Rounding::kRte), 0x3c01u);
}

}  // namespace
}  // namespace assay::numerics
