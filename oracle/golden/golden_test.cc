#include "oracle/golden/golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "numerics/evaluate.h"
#include "numerics/function.h"
#include "numerics/literal.h"
#include "oracle/campaign/campaign.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::ResultKind;
using numerics::Rounding;
using numerics::ScalarType;

constexpr std::size_t kFull = 0, kEmbedded = 1, kRelaxed = 2;

GoldenResult Derive(Function function, Format format, std::vector<Bits> args,
                    Rounding rounding = Rounding::kRte) {
  return GoldenDeriver(Operation::Builtin(function, format), rounding, 40).Derive(args)[0];
}

TEST(Golden, SaysEverythingAboutANumber) {
  // exp(1.0f) = e: 2.7182817459106445 is the float below it.
  const GoldenResult result = Derive(Function::exp, Format::kFloat, {0x3f800000});
  EXPECT_EQ(result.kind, ResultKind::kFinite);
  EXPECT_EQ(result.expected, 0x402df854u);
  EXPECT_EQ(result.exact, "2.718281828459045235360287471352662497757e+00");
  // (e - 2.7182817459106445) / 2^-22 = 0.34623...
  EXPECT_NEAR(result.hardness, 0.5 - 0.346239, 1e-5);
  // 3 ulp on either side: the answers at most 3 gaps away are 2 below it and 3 above.
  EXPECT_EQ(result.accepted[kFull], (Accepted{Accepted::Kind::kRange, 0x402df852, 0x402df857}));
}

TEST(Golden, RoundsInTheFilesMode) {
  EXPECT_EQ(Derive(Function::exp, Format::kFloat, {0x3f800000}, Rounding::kRtp).expected,
            0x402df855u);
  const GoldenResult third =
      Derive(Function::div, Format::kFloat, {0x3f800000, 0x40400000}, Rounding::kRtz);
  EXPECT_EQ(third.expected, 0x3eaaaaaau);
  EXPECT_NEAR(third.hardness, 1.0 / 3, 1e-6);  // from the number above, 2/3 of a gap below
}

TEST(Golden, HandlesResultsThatAreNoNumbers) {
  const GoldenResult nan = Derive(Function::sqrt, Format::kFloat, {0xbf800000});
  EXPECT_EQ(nan.kind, ResultKind::kNan);
  EXPECT_EQ(nan.exact, "nan");
  EXPECT_TRUE(std::isnan(nan.hardness));
  EXPECT_EQ(nan.accepted[kFull].kind, Accepted::Kind::kNan);
  const GoldenResult pole = Derive(Function::log, Format::kFloat, {0});
  EXPECT_EQ(pole.kind, ResultKind::kInfinite);
  EXPECT_EQ(pole.exact, "-inf");
  EXPECT_EQ(pole.accepted[kFull], (Accepted{Accepted::Kind::kRange, 0xff800000, 0xff800000}));
}

TEST(Golden, WritesIntegersInDecimal) {
  const GoldenResult half = Derive(Function::ilogb, Format::kFloat, {0x3f000000});
  EXPECT_EQ(half.kind, ResultKind::kInteger);
  EXPECT_EQ(half.expected, 0xffffffffu);
  EXPECT_EQ(half.exact, "-1");
  EXPECT_EQ(half.accepted[kFull], (Accepted{Accepted::Kind::kIntegers, 0xffffffff, 0xffffffff}));
}

TEST(Golden, AcceptsBothSignsOnlyInsideATolerance) {
  // sin(-0) is -0 by Annex F; fabs of it +0.
  EXPECT_EQ(Derive(Function::sin, Format::kFloat, {0x80000000}).accepted[kFull],
            (Accepted{Accepted::Kind::kRange, 0x80000000, 0x80000000}));
  // exp(-104) is 0.48 of the smallest subnormal: within 3 of it lie zeros of both signs.
  const GoldenResult tiny = Derive(Function::exp, Format::kFloat, {0xc2d00000});
  EXPECT_EQ(tiny.accepted[kFull].kind, Accepted::Kind::kRange);
  EXPECT_EQ(tiny.accepted[kFull].low, 0x80000002u);
  EXPECT_EQ(tiny.accepted[kFull].high, 0x00000003u);
}

TEST(Golden, KnowsProfilesThatLackAnOperation) {
  const GoldenResult half = Derive(Function::half_cos, Format::kFloat, {0});
  EXPECT_NE(half.accepted[kFull].kind, Accepted::Kind::kNoLimit);
  const GoldenLimit bfloat = LimitOf(Operation::Builtin(Function::sin, Format::kBfloat16),
                                     GoldenProfile::kFull, Rounding::kRte);
  EXPECT_FALSE(bfloat.exists);
  EXPECT_EQ(Derive(Function::sin, Format::kBfloat16, {0}).accepted[kFull].kind,
            Accepted::Kind::kNoLimit);
  EXPECT_EQ(Derive(Function::native_sin, Format::kFloat, {0x3f800000}).accepted[kEmbedded].kind,
            Accepted::Kind::kAnything);
}

TEST(Golden, MarksAllowancesThatRangesDoNotShow) {
  EXPECT_TRUE(LimitOf(Operation::Builtin(Function::mad, Format::kFloat), GoldenProfile::kFull,
                      Rounding::kRte)
                  .other_computations);
  EXPECT_TRUE(LimitOf(Operation::Builtin(Function::half_cos, Format::kFloat), GoldenProfile::kFull,
                      Rounding::kRte)
                  .flushing);
  const GoldenLimit sine = LimitOf(Operation::Builtin(Function::sin, Format::kFloat),
                                   GoldenProfile::kFull, Rounding::kRte);
  EXPECT_FALSE(sine.other_computations || sine.flushing);
}

bool Contains(const Accepted& accepted, ScalarType type, Bits bits) {
  const auto order = [&](Bits b) {
    const Format f = FormatOf(type);
    return numerics::IsNegative(f, b) ? -numerics::OrderedIndex(f, numerics::Negate(f, b)) - 1
                                      : numerics::OrderedIndex(f, b);
  };
  switch (accepted.kind) {
    case Accepted::Kind::kNoLimit:
    case Accepted::Kind::kAnything:
      return true;
    case Accepted::Kind::kNan:
      return numerics::IsNan(FormatOf(type), bits);
    case Accepted::Kind::kRange:
      return !numerics::IsNan(FormatOf(type), bits) && order(accepted.low) <= order(bits) &&
             order(bits) <= order(accepted.high);
    case Accepted::Kind::kIntegers:
      return bits == accepted.low || bits == accepted.high;
    case Accepted::Kind::kLowSevenBits: {
      const auto want = static_cast<std::int32_t>(accepted.low);
      const std::int64_t have = static_cast<std::int32_t>(bits);
      return (want == 0 || have == 0 || (want < 0) == (have < 0)) &&
             (std::llabs(have) & 127) == std::abs(want);
    }
  }
  return false;
}

// Answers at and around both ends of what is accepted, and everywhere else.
std::vector<Bits> Candidates(const Accepted& accepted, ScalarType type, Bits expected,
                             std::mt19937_64* random) {
  const Bits mask = numerics::WidthMask(type);
  std::vector<Bits> candidates;
  for (Bits center : {accepted.low, accepted.high, expected, Bits{0}, (mask >> 1) + 1}) {
    for (std::uint64_t d : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, ~std::uint64_t{0},
                            ~std::uint64_t{1}}) {
      candidates.push_back((center + d) & mask);
    }
  }
  if (numerics::IsFloating(type)) {
    const Format f = FormatOf(type);
    for (Bits b : {numerics::Infinity(f), numerics::QuietNan(f), numerics::MaxFinite(f)}) {
      candidates.push_back(b);
      candidates.push_back(numerics::Negate(f, b));
    }
  }
  for (int i = 0; i < 8; ++i) candidates.push_back((*random)() & mask);
  return candidates;
}

// The ranges against the verdicts that they stand for, of every function.
class GoldenRanges : public testing::TestWithParam<std::size_t> {};

TEST_P(GoldenRanges, MatchTheJudge) {
  const GoldenProfile profile = kGoldenProfiles[GetParam()];
  const auto operations = SelectOperations({"@all"}, {"half", "float", "double"});
  ASSERT_TRUE(operations) << operations.error().message;
  std::mt19937_64 random(7);
  for (const Operation& operation : *operations) {
    const Limit* limit = FindLimit(
        operation, profile == GoldenProfile::kEmbedded ? Profile::kEmbedded : Profile::kFull,
        profile == GoldenProfile::kRelaxed ? MathMode::kRelaxed : MathMode::kDefault);
    if (limit == nullptr) continue;
    const Judge judge(
        operation, *limit,
        {.profile = profile == GoldenProfile::kEmbedded ? Profile::kEmbedded : Profile::kFull,
         .math = profile == GoldenProfile::kRelaxed ? MathMode::kRelaxed : MathMode::kDefault});
    const auto vectors = ChooseInputs(operation, {.level = Level::kSmoke, .samples = 8});
    ASSERT_TRUE(vectors) << vectors.error().message;
    const std::vector<ScalarType> types = operation.ResultTypes();
    std::vector<Exact> exact(types.size());
    const std::size_t step = std::max<std::size_t>(vectors->size() / 24, 1);
    for (std::size_t v = 0; v < vectors->size(); v += step) {
      const std::vector<Bits>& args = (*vectors)[v].args;
      EvaluateExact(operation, args, exact);
      std::vector<Bits> observed(types.size());
      for (std::size_t r = 0; r < types.size(); ++r) {
        const int index = static_cast<int>(r);
        observed[r] = judge.Expected(exact[r], index);
      }
      for (std::size_t r = 0; r < types.size(); ++r) {
        const int index = static_cast<int>(r);
        const Bits expected = observed[r];
        const Accepted accepted = judge.AcceptedAnswers(args, exact, index);
        for (Bits candidate : Candidates(accepted, types[r], expected, &random)) {
          observed[r] = candidate;
          const bool is_zero = numerics::IsFloating(types[r]) &&
                               numerics::IsZero(FormatOf(types[r]), expected) &&
                               exact[r].fraction == 0;
          if (is_zero && numerics::IsNegative(FormatOf(types[r]), candidate) !=
                             numerics::IsNegative(FormatOf(types[r]), expected)) {
            continue;  // left out unless both zeros conform
          }
          const Rule rule = judge.Item(args, exact, observed, index).rule;
          const bool plainly = rule == Rule::kWithinLimit || rule == Rule::kUnspecified;
          EXPECT_EQ(Contains(accepted, types[r], candidate), plainly)
              << operation.Name() << " " << operation.FormatName() << " at "
              << numerics::FormatBits(operation.ArgumentTypes()[0], args[0]) << ", result " << r
              << " " << numerics::FormatBits(types[r], candidate) << ": " << RuleText(rule);
          if (HasFailure()) return;
        }
        observed[r] = expected;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Profiles, GoldenRanges, testing::Values(kFull, kEmbedded, kRelaxed));

TEST(GoldenInputs, AreEachThereOnceWithAReason) {
  const auto vectors = ChooseInputs(Operation::Builtin(Function::pow, Format::kFloat), {});
  ASSERT_TRUE(vectors);
  std::set<std::vector<Bits>> seen;
  std::set<std::string> reasons;
  for (const GoldenVector& vector : *vectors) {
    EXPECT_TRUE(seen.insert(vector.args).second);
    reasons.insert(vector.reason);
  }
  EXPECT_EQ(reasons,
            (std::set<std::string>{"hard case", "special", "boundary", "exponent", "random"}));
}

TEST(GoldenInputs, AreEveryOperandAtLevelExhaustive) {
  const Operation half = Operation::Builtin(Function::sin, Format::kHalf);
  const auto all = ChooseInputs(half, {.level = Level::kExhaustive});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 65536u);
  const auto some = ChooseInputs(half, {.level = Level::kStandard});
  ASSERT_TRUE(some);
  EXPECT_LT(some->size(), 16384u);
  for (const Operation& large : {Operation::Builtin(Function::sin, Format::kFloat),
                                 Operation::Builtin(Function::pow, Format::kDouble)}) {
    const auto refused = ChooseInputs(large, {.level = Level::kExhaustive});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  }
}

TEST(GoldenInputs, MayBeGiven) {
  const auto given = ChooseInputs(Operation::Builtin(Function::sin, Format::kFloat),
                                  {.given = {{0x3f800000}, {0x40000000}, {0x3f800000}}});
  ASSERT_TRUE(given);
  ASSERT_EQ(given->size(), 2u);
  EXPECT_EQ((*given)[1].args, std::vector<Bits>{0x40000000});
  EXPECT_EQ((*given)[1].reason, "given");
}

TEST(ExceptionFlags, AreThoseOfIeee754) {
  const Operation divide = Operation::Builtin(Function::div, Format::kFloat);
  const auto flags = [](const Operation& operation, std::vector<Bits> args,
                        Rounding rounding = Rounding::kRte) {
    return ExceptionFlags(operation, args, 0, rounding);
  };
  EXPECT_EQ(flags(divide, {0x3f800000, 0x40000000}), 0u);   // 1 / 2
  EXPECT_EQ(flags(divide, {0x3f800000, 0x40400000}), 1u);   // 1 / 3: inexact
  EXPECT_EQ(flags(divide, {0x3f800000, 0x00000000}), 8u);   // 1 / 0: division by zero
  EXPECT_EQ(flags(divide, {0x00000000, 0x00000000}), 16u);  // 0 / 0: invalid
  EXPECT_EQ(flags(divide, {0x7fc00000, 0x3f800000}), 0u);   // a quiet NaN
  EXPECT_EQ(flags(divide, {0x7f800001, 0x3f800000}), 16u);  // a signalling one
  EXPECT_EQ(flags(divide, {0x7f7fffff, 0x3f000000}), 5u);   // max * 2: overflow, inexact
  EXPECT_EQ(flags(divide, {0x7f7fffff, 0x3f000000}, Rounding::kRtz), 5u);
  EXPECT_EQ(flags(divide, {0x00800000, 0x40400000}), 3u);  // underflow, inexact
  EXPECT_EQ(flags(divide, {0x00800000, 0x40000000}), 0u);  // an exact subnormal
  EXPECT_EQ(flags(Operation::Builtin(Function::log, Format::kFloat), {0x7f800000}), 0u);
}

}  // namespace
}  // namespace assay::oracle
