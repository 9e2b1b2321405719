// Derived computations: what an implementation of the formula with the worst allowed steps gives is
// accepted, and what lies beyond is not.
#include "oracle/judge/derivation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/function.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::Rounding;

using numerics::kInfinity;

Bits FloatBits(double v) { return numerics::FromDouble(Format::kFloat, v); }

bool Allowed(Function function, const std::vector<double>& args, double observed,
             Profile profile = Profile::kFull) {
  const Operation operation = Operation::Builtin(function, Format::kFloat);
  std::vector<Bits> bits;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool is_int = numerics::Info(function).operands[i] == 'I';
    bits.push_back(is_int ? static_cast<std::uint32_t>(static_cast<std::int32_t>(args[i]))
                          : FloatBits(args[i]));
  }
  const Limit& limit = *FindLimit(operation, profile, MathMode::kRelaxed);
  return AllowedByDerivation(limit, operation, profile, bits, 0, FloatBits(observed),
                             Rounding::kRte);
}

// The relative half-width of what the derivations give around the true value.
double Reach(Function function, const std::vector<double>& args) {
  const auto interval = EvaluateDerivations(function, Profile::kFull, args);
  EXPECT_TRUE(interval);
  EXPECT_FALSE(interval->anything);
  return (interval->high - interval->low) / std::fabs(interval->high + interval->low);
}

// The correctly rounded result is a result of a good derivation too: it must lie inside.
TEST(Derivation, ContainsTheTruth) {
  std::mt19937 random(1);
  const auto uniform = [&](double low, double high) {
    return static_cast<double>(
        static_cast<float>(std::uniform_real_distribution<double>(low, high)(random)));
  };
  const struct {
    Function function;
    double low, high;
  } kUnary[] = {
      {Function::acospi, -1, 1},  {Function::asinpi, -1, 1},   {Function::atanpi, -9, 9},
      {Function::acosh, 1, 1000}, {Function::asinh, 0, 1000},  {Function::atanh, -0.99, 0.99},
      {Function::cbrt, -50, 50},  {Function::cosh, -88, 88},   {Function::exp10, -37, 38},
      {Function::expm1, -5, 80},  {Function::log1p, -0.9, 50}, {Function::sinh, -88, 88},
      {Function::tan, -3, 3},     {Function::tanh, -40, 40},   {Function::tanpi, -1, 1},
  };
  for (const auto& row : kUnary) {
    for (int i = 0; i < 200; ++i) {
      const double x = uniform(row.low, row.high);
      const Operation operation = Operation::Builtin(row.function, Format::kFloat);
      Exact exact;
      const std::vector<Bits> bits = {FloatBits(x)};
      EvaluateExact(operation, bits, std::span(&exact, 1));
      const double truth =
          numerics::ToDouble(Format::kFloat, Round(exact, Format::kFloat, Rounding::kRte));
      EXPECT_TRUE(Allowed(row.function, {x}, truth)) << numerics::Info(row.function).name << x;
    }
  }
  for (int i = 0; i < 200; ++i) {
    const double x = uniform(0.01, 100), y = uniform(-15, 15);
    EXPECT_TRUE(Allowed(Function::powr, {x, y}, std::pow(x, y))) << x << " " << y;
    EXPECT_TRUE(Allowed(Function::pow, {-x, std::rint(y)}, std::pow(-x, std::rint(y)))) << x << y;
    EXPECT_TRUE(Allowed(Function::rootn, {-x, 2 * std::rint(y) + 1},
                        -std::pow(x, 1 / (2 * std::rint(y) + 1))));
    EXPECT_TRUE(Allowed(Function::atan2, {y, x}, std::atan2(y, x)));
    EXPECT_TRUE(Allowed(Function::atan2, {y, -x}, std::atan2(y, -x)));
  }
}

// A straightforward float implementation of the formula, with good steps, is accepted even where
// it is far from the truth (cancellation).
TEST(Derivation, AcceptsTheFormulaInFloat) {
  for (float x = 0x1p-20f; x < 1; x *= 1.37f) {
    const float expm1 = static_cast<float>(std::exp(static_cast<double>(x))) - 1.0f;
    EXPECT_TRUE(Allowed(Function::expm1, {x}, expm1)) << x;
    const float log1p = static_cast<float>(std::log(static_cast<double>(x + 1.0f)));
    EXPECT_TRUE(Allowed(Function::log1p, {x}, log1p)) << x;
  }
  for (float y = -20; y < 20; y += 0.7f) {
    const float scaled = y * static_cast<float>(std::log2(7.0));
    EXPECT_TRUE(Allowed(Function::powr, {7, y}, std::exp2(static_cast<double>(scaled)))) << y;
  }
  for (float x = 0x1p-10f; x < 3; x *= 1.1f) {
    const double sine = std::sin(static_cast<double>(x)), cosine = std::cos(static_cast<double>(x));
    EXPECT_TRUE(Allowed(Function::tan, {x}, sine * (1 / cosine))) << x;
    EXPECT_TRUE(Allowed(Function::tan, {x}, (sine + 0x1p-12) * (1 / cosine))) << x;
  }
}

// Every step as wrong as the table allows (half an ulp is for its rounding to float), in random
// directions: accepted each time.
TEST(Derivation, AcceptsStepsAtTheirLimits) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> error(-1, 1);
  // A store to memory: GCC 12 at -O2 was seen to keep a double through a mere pair of casts here.
  const auto rounded = [](double v) {
    volatile float narrow = static_cast<float>(v);
    return static_cast<double>(narrow);
  };
  const auto ulp = [](double v) { return std::ldexp(1.0, std::ilogb(v) - 23); };
  const auto off = [&](double v, double ulps) {
    return rounded(v + (ulps - 0.51) * ulp(v) * error(random));
  };
  const auto log2 = [&](double v) {
    if (v < 0.5 || v > 2) return off(std::log2(v), 3);
    return rounded(std::log2(v) + 0.93 * 0x1p-21 * error(random));
  };
  const auto exp2 = [&](double v) { return off(std::exp2(v), 3 + std::floor(std::fabs(2 * v))); };
  const auto exp = [&](double v) { return off(std::exp(v), 3 + std::floor(std::fabs(2 * v))); };
  for (int i = 0; i < 10000; ++i) {
    const double x = rounded(std::exp2(8 * error(random))), y = rounded(10 * error(random));
    EXPECT_TRUE(Allowed(Function::powr, {x, y}, exp2(rounded(y * log2(x))))) << x << " " << y;
    EXPECT_TRUE(Allowed(Function::rootn, {x, 5}, exp2(off(log2(x) / 5, 2.4)))) << x;
    EXPECT_TRUE(Allowed(Function::cbrt, {x}, exp2(off(log2(x) / 3, 2.4)))) << x;
    EXPECT_TRUE(Allowed(Function::exp10, {y}, exp2(rounded(y * off(std::log2(10), 3))))) << y;
    EXPECT_TRUE(Allowed(Function::cosh, {y}, 0.5 * rounded(exp(y) + exp(-y)))) << y;
    if (std::fabs(y) > 0x1p-10) {  // nearer to zero the table derives sinh as x
      EXPECT_TRUE(Allowed(Function::sinh, {y}, 0.5 * rounded(exp(y) - exp(-y)))) << y;
    }
    EXPECT_TRUE(Allowed(Function::expm1, {y}, rounded(exp(y) - 1))) << y;
    const double z = y / 3.5;  // within (-pi, pi)
    const double sine = std::sin(rounded(z)) + 0.99 * 0x1p-11 * error(random);
    const double cosine = std::cos(rounded(z)) + 0.99 * 0x1p-11 * error(random);
    const double tangent = rounded(rounded(sine) * off(1 / rounded(cosine), 2.4));
    EXPECT_TRUE(Allowed(Function::tan, {rounded(z)}, tangent)) << z;
  }
}

// The enclosures are no wider than the steps make them (by hand, in the comments).
TEST(Derivation, IsNotTooWide) {
  // log2 to 3 ulp of 5.6, twice; a product; exp2 to 3 + floor(2 * 33) ulp: about 2^-23 * 69
  // for the last and 33 * ln2 * (3 + 0.5) * 2^-23 * 2 before.
  EXPECT_LT(Reach(Function::powr, {7, 12}), 0x1p-23 * 400);
  EXPECT_GT(Reach(Function::powr, {7, 12}), 0x1p-23 * 30);
  // 4096 ulp of acos or asin, one multiplication.
  EXPECT_LT(Reach(Function::acospi, {0.25}), 0x1p-23 * 8200);
  EXPECT_GT(Reach(Function::acospi, {0.25}), 0x1p-23 * 2048);
  EXPECT_LT(Reach(Function::cosh, {2}), 0x1p-23 * 12);
  // sin and cos to 2^-11 absolute each.
  EXPECT_LT(Reach(Function::tan, {0.5}), 2.2 * 0x1p-11 / std::sin(0.5));
}

TEST(Derivation, RefusesAnswersThatNoStepExplains) {
  EXPECT_FALSE(Allowed(Function::exp10, {2}, 101));
  EXPECT_FALSE(Allowed(Function::exp10, {2}, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(Allowed(Function::powr, {2, 3}, 8.01));
  EXPECT_FALSE(Allowed(Function::pow, {-2, 3}, 8));
  EXPECT_TRUE(Allowed(Function::pow, {-2, 3}, -8));
  EXPECT_FALSE(Allowed(Function::pown, {-2, 2}, -4));
  EXPECT_FALSE(Allowed(Function::tanh, {3}, 1.001));
  EXPECT_FALSE(Allowed(Function::cosh, {1}, 1.5432));
  EXPECT_FALSE(Allowed(Function::atan2, {1, -1}, -2.356));
  // The erratum: acos(x) * pi is not accepted, acos(x) / pi is.
  EXPECT_FALSE(Allowed(Function::acospi, {0.5}, 3.2898681));
  EXPECT_TRUE(Allowed(Function::acospi, {0.5}, 0.33333334));
  // atan2 has no formula at x = 0.
  EXPECT_FALSE(Allowed(Function::atan2, {1, 0}, 1.6));
}

TEST(Derivation, NamedResults) {
  EXPECT_TRUE(Allowed(Function::pow, {0, 3}, -0.0));  // "may return zero"
  EXPECT_TRUE(Allowed(Function::pow, {0, -3}, 0));
  EXPECT_TRUE(Allowed(Function::rootn, {-0.0, 3}, 0));
  EXPECT_FALSE(Allowed(Function::rootn, {-0.0, 3}, 1));
  EXPECT_TRUE(Allowed(Function::sinh, {0x1p-11}, 0x1p-11));
  EXPECT_TRUE(Allowed(Function::atanh, {-0x1p-10}, -0x1p-10));
}

// Where a step overflows, leaves its domain or has no bound, so does the derivation.
TEST(Derivation, UndefinedSteps) {
  EXPECT_TRUE(Allowed(Function::acosh, {0x1p100}, kInfinity));     // x * x overflows
  EXPECT_TRUE(Allowed(Function::asinh, {-0x1p20}, std::nan("")));  // log of a cancelled sum
  EXPECT_TRUE(Allowed(Function::tan, {4}, 1e30));                  // sin is unbounded beyond pi
  EXPECT_FALSE(Allowed(Function::acosh, {2}, kInfinity));
  EXPECT_TRUE(Allowed(Function::atan2, {1, 0x1p100}, 1.5));   // x / y beyond 2^62: any quotient
  EXPECT_FALSE(Allowed(Function::atan2, {1, 0x1p100}, 1.6));  // but an arctangent all the same
}

TEST(Derivation, EmbeddedStepsErrMore) {
  const auto width = [](Profile profile) {
    const std::vector<double> x = {2};
    const auto interval = EvaluateDerivations(Function::exp10, profile, x);
    return interval->high - interval->low;
  };
  EXPECT_LT(width(Profile::kFull), width(Profile::kEmbedded));
}

TEST(Derivation, MultiplyAdd) {
  const Operation mad = Operation::Builtin(Function::mad, Format::kFloat);
  const Limit& limit = *FindLimit(mad, Profile::kFull, MathMode::kDefault);
  const float a = 0x1.000002p0f, c = -1;
  const std::vector<Bits> args = {FloatBits(a), FloatBits(a), FloatBits(c)};
  const auto allowed = [&](double observed, Rounding rounding) {
    return AllowedByDerivation(limit, mad, Profile::kFull, args, 0, FloatBits(observed), rounding);
  };
  // a * a = 1 + 2^-22 + 2^-46: fused keeps the last term.
  EXPECT_TRUE(allowed(0x1p-22, Rounding::kRte));
  EXPECT_TRUE(allowed(0x1p-22 + 0x1p-46, Rounding::kRte));
  EXPECT_FALSE(allowed(0x1p-22 - 0x1p-46, Rounding::kRte));
  EXPECT_TRUE(allowed(0x1.8p-22, Rounding::kRtp));  // the product rounded up
  EXPECT_FALSE(allowed(0x1.8p-22, Rounding::kRte));
}

}  // namespace
}  // namespace assay::oracle
