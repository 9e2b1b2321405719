#include "oracle/judge/verdict.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

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
using numerics::ScalarType;

constexpr Bits kNan = 0x7fc00000, kFloatInfinity = 0x7f800000, kMinusZero = 0x80000000;
constexpr Bits kMaxFinite = 0x7f7fffff, kMinNormal = 0x00800000;

Bits F(float v) { return std::bit_cast<std::uint32_t>(v); }
Bits D(double v) { return std::bit_cast<std::uint64_t>(v); }
Operation Float(Function function) { return Operation::Builtin(function, Format::kFloat); }
Operation Double(Function function) { return Operation::Builtin(function, Format::kDouble); }

Outcome Ask(const Operation& operation, const std::vector<Bits>& args,
            const std::vector<Bits>& observed, const JudgeOptions& options = {}, int index = 0) {
  MathOptions build = options.build;
  if (options.math == MathMode::kRelaxed) build.SetFastRelaxedMath();
  const Limit* limit = FindLimit(operation, options.profile, build, options.reading);
  std::array<Exact, numerics::kMaxResults> exact;
  const auto results = std::span(exact).first(observed.size());
  EvaluateExact(operation, args, results);
  return Judge(operation, *limit, options).Item(args, results, observed, index);
}

Rule RuleOf(const Operation& operation, const std::vector<Bits>& args, Bits observed,
            const JudgeOptions& options = {}) {
  return Ask(operation, args, {observed}, options).rule;
}

const JudgeOptions kFlushing{.denormals = false};
const JudgeOptions kRelaxed{.math = MathMode::kRelaxed};
const JudgeOptions kEmbedded{.profile = Profile::kEmbedded};
const JudgeOptions kEmbeddedRtz{.profile = Profile::kEmbedded, .rounding = Rounding::kRtz};

TEST(VerdictTest, EveryRuleHasAText) {
  for (int rule = 0; rule <= static_cast<int>(kLastRule); ++rule) {
    EXPECT_FALSE(RuleText(static_cast<Rule>(rule)).empty()) << rule;
  }
  EXPECT_TRUE(Accepts(Rule::kUnspecified));
  EXPECT_FALSE(Accepts(Rule::kOverLimit));
}

TEST(VerdictTest, TheLimitItselfIsAllowed) {
  // sqrt float: 3 ulp.  sqrt(2.25) = 1.5 exactly, so that errors are whole.
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {F(2.25f)}, F(1.5f) + 3), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {F(2.25f)}, F(1.5f) - 3), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {F(2.25f)}, F(1.5f) + 4), Rule::kOverLimit);
  EXPECT_DOUBLE_EQ(Ask(Float(Function::sqrt), {F(2.25f)}, {F(1.5f) + 4}).ulp, 4);
  // Of a power of two the ulp is the smaller spacing below it: two numbers above are four ulp.
  EXPECT_DOUBLE_EQ(Ask(Float(Function::sqrt), {F(4)}, {F(2) + 2}).ulp, 4);
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {F(4)}, F(2) + 2), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {F(4)}, F(2) - 3), Rule::kWithinLimit);
  // Double is correctly rounded.
  EXPECT_EQ(RuleOf(Double(Function::sqrt), {D(2.25)}, D(1.5) + 1), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Double(Function::sqrt), {D(2)}, D(std::sqrt(2.0))), Rule::kWithinLimit);
}

// Values beyond the largest number by a whole number of gaps and less than a double can say: the
// limit of 16 ulp ends between two numbers all the same.
TEST(VerdictTest, TheLimitIsSharpBeyondTheLargestNumber) {
  const Bits largest = D(std::numeric_limits<double>::max());
  const Bits just_above = D(0x1.0000000000001p512);  // its square: 2^1024 + (4 + 2^-51) gaps
  EXPECT_EQ(RuleOf(Double(Function::pow), {just_above, D(2)}, largest - 10), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Double(Function::pow), {just_above, D(2)}, largest - 11), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Double(Function::pown), {just_above, 2}, largest - 11), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Double(Function::mul), {just_above, just_above}, largest), Rule::kOverLimit);
  // (2^64 + 2^41)^2 is a whole number of gaps, 16 of them above this answer.
  const Bits whole = F(0x1.000002p64f), largest_float = kMaxFinite;
  EXPECT_GT(Ask(Float(Function::pow), {whole, F(2)}, {largest_float - 11}).ulp, 16);
  EXPECT_EQ(RuleOf(Float(Function::pow), {whole, F(2)}, largest_float - 10), Rule::kWithinLimit);
}

TEST(VerdictTest, ClassesOfResults) {
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {F(-1)}, 0), Rule::kWrongNan);
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {F(-1)}, 0xffc12345), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {F(1)}, kNan), Rule::kWrongNan);
  EXPECT_EQ(RuleOf(Float(Function::log), {0}, kFloatInfinity), Rule::kWrongInfinity);
  EXPECT_EQ(RuleOf(Float(Function::log), {0}, 0xff7fffff), Rule::kWrongInfinity);
  EXPECT_EQ(RuleOf(Float(Function::log), {0}, kNan), Rule::kWrongNan);
  EXPECT_EQ(RuleOf(Float(Function::sin), {kMinusZero}, 0), Rule::kWrongZeroSign);
  EXPECT_EQ(RuleOf(Float(Function::exp), {0}, F(1) + 1), Rule::kWrongPrescribed);
  EXPECT_EQ(RuleOf(Float(Function::ilogb), {F(8)}, 4), Rule::kWrongInteger);
  EXPECT_EQ(RuleOf(Float(Function::ilogb), {F(8)}, 3), Rule::kWithinLimit);
  EXPECT_TRUE(std::isinf(Ask(Float(Function::sqrt), {F(-1)}, {0}).ulp));
  EXPECT_TRUE(std::isnan(Ask(Float(Function::sqrt), {F(-1)}, {kNan}).ulp));
}

// "Result overflow within the specified ULP error is permitted."
TEST(VerdictTest, OverflowWithinTheLimit) {
  const std::vector<Bits> at128{F(128)};  // exp2(128) = 2^128
  EXPECT_EQ(RuleOf(Float(Function::exp2), at128, kFloatInfinity), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::exp2), at128, kMaxFinite), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::exp2), at128, kMaxFinite - 2), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::exp2), at128, kMaxFinite - 3), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Float(Function::exp2), {F(129)}, kMaxFinite), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Float(Function::exp2), {F(129)}, 0xff800000), Rule::kOverLimit);
  // 2^127 is far from overflow.
  EXPECT_EQ(RuleOf(Float(Function::exp2), {F(127)}, kFloatInfinity), Rule::kOverLimit);
}

TEST(VerdictTest, FlushedResults) {
  const std::vector<Bits> tiny{F(0x1p-100f), F(0x1p-30f)};  // product 2^-130
  EXPECT_EQ(RuleOf(Float(Function::mul), tiny, 0), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Float(Function::mul), tiny, 0, kFlushing), Rule::kFlushedResult);
  EXPECT_EQ(RuleOf(Float(Function::mul), tiny, kMinusZero, kFlushing), Rule::kFlushedResult);
  EXPECT_EQ(RuleOf(Float(Function::mul), tiny, kMinNormal, kFlushing), Rule::kOverLimit);
  // Normal results stay.
  EXPECT_EQ(RuleOf(Float(Function::mul), {F(0x1p-100f), F(0x1p-20f)}, 0, kFlushing),
            Rule::kOverLimit);
  // Doubles keep their subnormals, but under unsafe math.
  EXPECT_EQ(RuleOf(Double(Function::mul), {D(0x1p-1000), D(0x1p-50)}, 0, kFlushing),
            Rule::kOverLimit);
  EXPECT_TRUE(Accepts(RuleOf(Double(Function::mul), {D(0x1p-1000), D(0x1p-50)}, 0, kRelaxed)));
}

TEST(VerdictTest, FlushedOperands) {
  const Bits subnormal = 0x00400000;
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {subnormal}, 0), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Float(Function::sqrt), {subnormal}, 0, kFlushing), Rule::kFlushedOperand);
  EXPECT_EQ(RuleOf(Float(Function::recip_div), {subnormal}, kFloatInfinity, kFlushing),
            Rule::kFlushedOperand);
  EXPECT_EQ(RuleOf(Float(Function::add), {subnormal, F(0x1p-125f)}, F(0x1p-125f), kFlushing),
            Rule::kFlushedOperand);
  // One of two flushed, the other kept: both combinations are allowed.
  EXPECT_TRUE(Accepts(RuleOf(Float(Function::add), {subnormal, subnormal}, subnormal, kFlushing)));
  EXPECT_EQ(RuleOf(Float(Function::add), {subnormal, F(1)}, F(2), kFlushing), Rule::kOverLimit);
  // half_ functions flush whatever is declared.
  EXPECT_EQ(RuleOf(Float(Function::half_sqrt), {subnormal}, 0), Rule::kFlushedOperand);
}

TEST(VerdictTest, PrescribedValuesAreNotFlushed) {
  // ceil(-1 < x < 0) = -0 is the chapter's own example.
  EXPECT_EQ(RuleOf(Float(Function::ceil), {0x80000001}, 0, kFlushing), Rule::kWrongZeroSign);
  EXPECT_EQ(RuleOf(Float(Function::ceil), {0x80000001}, kMinusZero, kFlushing), Rule::kWithinLimit);
  // floor has no such clause.
  EXPECT_EQ(RuleOf(Float(Function::floor), {0x80000001}, 0, kFlushing), Rule::kFlushedOperand);
}

TEST(VerdictTest, NextafterWithoutSubnormals) {
  const Operation next = Float(Function::nextafter);
  EXPECT_EQ(RuleOf(next, {kMinNormal, 0}, 0, kFlushing), Rule::kFlushedNextafter);
  EXPECT_EQ(RuleOf(next, {kMinNormal, 0}, 0), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(next, {kMinusZero, F(1)}, kMinNormal, kFlushing), Rule::kFlushedNextafter);
  EXPECT_EQ(RuleOf(next, {kMinusZero, F(1)}, 1, kFlushing), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(next, {kMinusZero, F(1)}, 2, kFlushing), Rule::kWrongPrescribed);
  EXPECT_EQ(RuleOf(next, {F(1), F(2)}, kMinNormal, kFlushing), Rule::kOverLimit);
}

TEST(VerdictTest, MadIsOneOfTwoComputations) {
  // (1 + 2^-12)^2 - 1: the product has 2^-24, which two roundings lose.
  const Bits x = F(1 + 0x1p-12f), minus_one = F(-1);
  const Bits fused = F(0x1.0008p-11f), separate = F(0x1p-11f);
  for (Function function : {Function::mad, Function::mul_add}) {
    EXPECT_EQ(RuleOf(Float(function), {x, x, minus_one}, fused), Rule::kWithinLimit);
    EXPECT_EQ(RuleOf(Float(function), {x, x, minus_one}, separate), Rule::kDerivation);
    EXPECT_EQ(RuleOf(Float(function), {x, x, minus_one}, fused + 1), Rule::kOverLimit);
  }
  EXPECT_EQ(RuleOf(Float(Function::fma), {x, x, minus_one}, separate), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Float(Function::mad), {x, x, minus_one}, kNan, kEmbedded), Rule::kUnspecified);
}

TEST(VerdictTest, RelaxedMath) {
  const Operation sin = Float(Function::sin);
  const Bits right = F(std::sin(1.0f));
  const auto off = [&](double error) { return F(static_cast<float>(std::sin(1.0) + error)); };
  EXPECT_EQ(RuleOf(sin, {F(1)}, off(0x1.8p-12), kRelaxed), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(sin, {F(1)}, off(0x1p-10), kRelaxed), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(sin, {F(1)}, right, kRelaxed), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(sin, {F(100)}, F(0.25f), kRelaxed), Rule::kUnspecified);
  EXPECT_EQ(RuleOf(sin, {kFloatInfinity}, 0, kRelaxed), Rule::kUnspecified);
  EXPECT_EQ(RuleOf(sin, {kMinusZero}, 0, kRelaxed), Rule::kWithinLimit);
  // Overflow is outside of what -cl-finite-math-only defines.
  EXPECT_EQ(RuleOf(Float(Function::add), {kMaxFinite, kMaxFinite}, 0, kRelaxed),
            Rule::kUnspecified);
  EXPECT_EQ(RuleOf(Float(Function::add), {F(1), F(1)}, F(2) + 1, kRelaxed), Rule::kOverLimit);
}

TEST(VerdictTest, DefaultRoundingOfTheDevice) {
  const std::vector<Bits> args{F(1), F(0x1.8p-24f)};  // 1 + 0.75 ulp
  EXPECT_EQ(RuleOf(Float(Function::add), args, F(1) + 1), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::add), args, F(1)), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Float(Function::add), args, F(1), kEmbeddedRtz), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::add), args, F(1) + 1, kEmbeddedRtz), Rule::kOverLimit);
  // Built-in functions round as if to nearest; the device's own mode is accepted as well.
  const std::vector<Bits> fma{F(1), F(1), F(0x1.8p-24f)};
  EXPECT_EQ(RuleOf(Float(Function::fma), fma, F(1), kEmbeddedRtz), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::fma), fma, F(1) + 1, kEmbeddedRtz), Rule::kWithinLimit);
  // Toward zero, overflow gives the largest number.
  const std::vector<Bits> large{kMaxFinite, kMaxFinite};
  const Outcome outcome = Ask(Float(Function::add), large, {kMaxFinite}, kEmbeddedRtz);
  EXPECT_EQ(outcome.rule, Rule::kWithinLimit);
  EXPECT_EQ(outcome.ulp, 0);
  EXPECT_EQ(RuleOf(Float(Function::add), large, kFloatInfinity, kEmbeddedRtz), Rule::kOverLimit);
}

TEST(VerdictTest, AConversionWithoutAModeRoundsToNearestInSpirv) {
  const Operation convert = Operation::Convert(ScalarType::kUint, ScalarType::kFloat);
  const std::vector<Bits> args{16777219};  // between two numbers, the upper one is even
  const Bits nearest = F(16777220), toward_zero = F(16777218);
  JudgeOptions options = kEmbeddedRtz;
  options.reading = Reading::kEnvironment;
  EXPECT_EQ(RuleOf(convert, args, nearest, options), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(convert, args, toward_zero, options), Rule::kWithinLimit);  // its own mode
  EXPECT_EQ(RuleOf(convert, args, toward_zero), Rule::kOverLimit);
  options.reading = Reading::kOpenClC;
  EXPECT_EQ(RuleOf(convert, args, nearest, options), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(convert, args, toward_zero, options), Rule::kWithinLimit);
}

TEST(VerdictTest, AbsoluteTolerances) {
  const Operation mix = Float(Function::mix);
  const std::vector<Bits> args{F(2), F(4), F(0.5f)};
  EXPECT_EQ(RuleOf(mix, args, F(3.0009f)), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(mix, args, F(2.9985f)), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(mix, args, kNan), Rule::kWrongNan);
  // A zero has no sign to defend inside a tolerance.
  EXPECT_EQ(RuleOf(mix, {F(-1), F(1), F(0.5f)}, kMinusZero), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(mix, {F(1), F(2), F(3)}, kNan), Rule::kUnspecified);
  // max = 2: 2 * 2 * 3 * 2^-23 for each component, NaN or not in the others.
  const Operation cross = Operation::Builtin(Function::cross, Format::kFloat, 4);
  const std::vector<Bits> vectors{F(1), F(2), 0, 0, F(2), F(1), kNan, 0};
  const Bits z = F(-3);
  EXPECT_EQ(Ask(cross, vectors, {kNan, kNan, z, 0}, {}, 2).rule, Rule::kWithinLimit);
  EXPECT_EQ(Ask(cross, vectors, {kNan, kNan, z + 6, 0}, {}, 2).rule, Rule::kWithinLimit);
  EXPECT_EQ(Ask(cross, vectors, {kNan, kNan, z + 7, 0}, {}, 2).rule, Rule::kOverLimit);
  EXPECT_EQ(Ask(cross, vectors, {kNan, kNan, z, kMinusZero}, {}, 3).rule, Rule::kWithinLimit);
  EXPECT_EQ(Ask(cross, vectors, {kNan, kNan, z, 1}, {}, 3).rule, Rule::kWrongPrescribed);
}

TEST(VerdictTest, IntegerResults) {
  const Operation remquo = Float(Function::remquo);
  // 700 / 3 = 233.33: quotient 233 = 128 + 105, remainder 1.
  const auto quotient = [&](std::int32_t q) {
    return Ask(remquo, {F(700), F(3)}, {F(1), static_cast<std::uint32_t>(q)}, {}, 1).rule;
  };
  EXPECT_EQ(quotient(105), Rule::kWithinLimit);
  EXPECT_EQ(quotient(233), Rule::kWithinLimit);
  EXPECT_EQ(quotient(-105), Rule::kWrongInteger);
  EXPECT_EQ(quotient(106), Rule::kWrongInteger);
  EXPECT_EQ(RuleOf(Float(Function::ilogb), {0}, 0x80000000), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::ilogb), {0}, 0x80000001), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(Float(Function::ilogb), {0}, 0), Rule::kWrongInteger);
  const Operation narrow = Operation::Convert(ScalarType::kInt, ScalarType::kChar);
  EXPECT_EQ(RuleOf(narrow, {0x1ff}, 0xff), Rule::kWithinLimit);
  EXPECT_EQ(RuleOf(narrow, {0x1ff}, 0x7f), Rule::kWrongInteger);
}

TEST(VerdictTest, ConversionsFlushAsEachSideDeclares) {
  DeviceDescription device;
  for (bool& supported : device.supports) supported = true;
  device.denormals[static_cast<int>(Format::kFloat)] = false;
  const auto rule = [&](const Operation& operation, Bits arg, Bits observed) {
    return RuleOf(operation, {arg}, observed,
                  OptionsFor(device, operation, Profile::kFull, MathMode::kDefault));
  };
  // float flushes, half and double do not.
  EXPECT_EQ(rule(Operation::Convert(ScalarType::kDouble, ScalarType::kFloat), D(0x1p-140), 0),
            Rule::kFlushedResult);
  EXPECT_EQ(rule(Operation::Convert(ScalarType::kFloat, ScalarType::kDouble), 1, 0),
            Rule::kFlushedOperand);
  EXPECT_EQ(rule(Operation::Convert(ScalarType::kFloat, ScalarType::kHalf), F(0x1p-20f), 0),
            Rule::kOverLimit);
  EXPECT_EQ(rule(Operation::Convert(ScalarType::kHalf, ScalarType::kFloat), 1, 0),
            Rule::kOverLimit);
  EXPECT_EQ(rule(Operation::VloadHalf(), 1, 0), Rule::kOverLimit);
  EXPECT_EQ(rule(Operation::VstoreHalf(ScalarType::kFloat), F(0x1p-20f), 0), Rule::kOverLimit);
}

TEST(VerdictTest, OptionsFollowTheDevice) {
  DeviceDescription device;
  device.rounding[static_cast<int>(Format::kFloat)] = Rounding::kRtz;
  device.denormals[static_cast<int>(Format::kFloat)] = false;
  const JudgeOptions of_float =
      OptionsFor(device, Float(Function::add), Profile::kEmbedded, MathMode::kDefault);
  EXPECT_EQ(of_float.rounding, Rounding::kRtz);
  EXPECT_FALSE(of_float.denormals);
  EXPECT_EQ(of_float.profile, Profile::kEmbedded);
  const JudgeOptions of_double =
      OptionsFor(device, Double(Function::add), Profile::kFull, MathMode::kDefault);
  EXPECT_EQ(of_double.rounding, Rounding::kRte);
  EXPECT_TRUE(of_double.denormals);
}

TEST(VerdictTest, DivisionDeclaredCorrectlyRounded) {
  JudgeOptions options;
  const std::vector<Bits> args{F(1), F(3)};
  const Bits right = F(1.0f / 3.0f);
  EXPECT_EQ(RuleOf(Float(Function::div), args, right + 2, options), Rule::kWithinLimit);
  options.build.correctly_rounded_divide_sqrt = true;
  EXPECT_EQ(RuleOf(Float(Function::div), args, right + 1, options), Rule::kOverLimit);
  EXPECT_EQ(RuleOf(Float(Function::div), args, right, options), Rule::kWithinLimit);
}

// What is accepted at sight is what the long way accepts, with the same error.
TEST(VerdictTest, QuickAcceptAgreesWithItem) {
  std::mt19937_64 random(7);
  std::uint64_t quick_ones = 0;
  for (const JudgeOptions& options : {JudgeOptions{}, kFlushing, kRelaxed, kEmbeddedRtz}) {
    for (Function function :
         {Function::add, Function::div, Function::exp2, Function::fmax, Function::half_recip,
          Function::ilogb, Function::lgamma, Function::mad, Function::native_sin,
          Function::nextafter, Function::sinpi, Function::trunc, Function::sin}) {
      const Operation operation = Float(function);
      const Limit* limit = FindLimit(operation, options.profile, options.math);
      const Judge judge(operation, *limit, options);
      const auto arity = static_cast<std::size_t>(operation.ArgumentCount());
      for (int i = 0; i < 3000; ++i) {
        const Bits pool[] = {0,
                             kMinusZero,
                             kNan,
                             kFloatInfinity,
                             F(1),
                             F(-2.5f),
                             1,
                             kMaxFinite,
                             kMinNormal - 1,
                             F(128),
                             random() & 0xffffffff,
                             random() & 0xffffffff};
        std::vector<Bits> args(arity);
        for (Bits& arg : args) arg = pool[random() % std::size(pool)];
        Exact exact;
        EvaluateExact(operation, args, std::span(&exact, 1));
        const Bits expected = judge.Expected(exact, 0);
        const Bits answers[] = {expected, expected + 1, expected - 2, expected ^ kMinusZero,
                                pool[random() % std::size(pool)]};
        const Bits observed = answers[random() % std::size(answers)] & 0xffffffff;
        double ulp = -1;
        if (!judge.QuickAccept(exact, observed, 0, &ulp)) continue;
        ++quick_ones;
        const Outcome outcome = judge.Item(args, std::span(&exact, 1), std::span(&observed, 1), 0);
        ASSERT_TRUE(Accepts(outcome.rule))
            << operation.Name() << " " << args[0] << " -> " << observed;
        ASSERT_TRUE(outcome.ulp == ulp || (std::isnan(outcome.ulp) && std::isnan(ulp)))
            << operation.Name() << " " << outcome.ulp << " " << ulp;
      }
    }
  }
  EXPECT_GT(quick_ones, 10000u);
}

}  // namespace
}  // namespace assay::oracle
