// The fast path beside MPFR: placing, error bounds, settled cases and whole answers.
#include "numerics/fast_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "numerics/certify.h"
#include "numerics/evaluate.h"
#include "numerics/fast_path_batch.h"
#include "numerics/function.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

constexpr Format kFormats[] = {Format::kHalf, Format::kBfloat16, Format::kFloat};

std::string NameOf(Format format) { return std::string(Traits(format).name); }

Exact PlacedByMpfr(Format format, double value) {
  Real real(64);
  mpfr_set_d(real, value, MPFR_RNDN);
  return PlaceRounded(real, 0, format);
}

// Doubles around everything that matters to a format: grid points, midpoints, both ends.
std::vector<double> Places(Format format) {
  std::mt19937_64 random(1);
  std::vector<double> places;
  const FormatTraits& traits = Traits(format);
  for (int e = traits.tiny_exponent() - 60; e <= traits.emax + 3; ++e) {
    for (int i = 0; i < 40; ++i) {
      const double unit = std::ldexp(1, e - traits.mantissa_bits() - (i & 1));
      const double significand =
          std::ldexp(1, traits.precision) +
          static_cast<double>(random() & (MinNormal(format) - 1)) * (i % 3 == 0 ? 0 : 1);
      double value = significand * unit;
      for (int step = i % 7 - 3; step != 0; step -= step > 0 ? 1 : -1) {
        value = std::nextafter(value, step > 0 ? INFINITY : 0.0);
      }
      places.push_back(i % 2 == 0 ? value : -value);
    }
  }
  return places;
}

TEST(Locate, PlacesExactValuesAsMpfrDoes) {
  for (Format format : kFormats) {
    for (double value : Places(format)) {
      Exact exact;
      ASSERT_TRUE(Locate(format, value, 0, &exact)) << value;
      const Exact truth = PlacedByMpfr(format, value);
      ASSERT_TRUE(Agrees(exact, truth, format))
          << NameOf(format) << ' ' << value << ": " << exact.below << " + " << exact.fraction
          << " and " << truth.below << " + " << truth.fraction;
      // Overflow far beyond the format is rounded; everything else is exact.
      if (exact.fraction < 2) {
        ASSERT_EQ(exact.fraction, truth.fraction) << value;
      }
    }
  }
}

// Whatever the truth within the bound, an accepted place is the truth's.
TEST(Locate, RefusesWhereTheBoundLeavesADoubt) {
  std::mt19937_64 random(2);
  int accepted = 0, refused = 0;
  for (Format format : kFormats) {
    for (double truth : Places(format)) {
      for (double bound : {0x1p-53, 0x1p-52, 0x1.8p-50, 0x1p-46}) {
        const double wanted =
            truth * (1 + bound * (static_cast<double>(random() % 2001) - 1000) / 1000);
        const double allowed = bound * std::fabs(truth);
        if (std::fabs(wanted - truth) > allowed) continue;  // wanted is rounded
        Exact exact;
        if (!Locate(format, wanted, bound, &exact)) {
          ++refused;
          continue;
        }
        ++accepted;
        ASSERT_TRUE(Agrees(exact, PlacedByMpfr(format, truth), format))
            << NameOf(format) << ' ' << truth << " approximated as " << wanted;
      }
    }
  }
  EXPECT_GT(accepted, 10000);
  EXPECT_GT(refused, 10000);
}

TEST(Locate, AcceptsValuesFarFromBoundaries) {
  for (Format format : kFormats) {
    const double gap = std::ldexp(1, -Traits(format).mantissa_bits());
    for (double fraction : {0.001, 0.25, 0.499, 0.501, 0.75, 0.999}) {
      Exact exact;
      ASSERT_TRUE(Locate(format, 1 + fraction * gap, 0x1p-46, &exact));
      EXPECT_EQ(exact.below, One(format));
      EXPECT_NEAR(exact.fraction, fraction, 0x1p-22);
    }
  }
}

TEST(Locate, LeavesZeroInfinityAndNanOpen) {
  for (Format format : kFormats) {
    Exact exact;
    for (double value : {0.0, -0.0, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
      EXPECT_FALSE(Locate(format, value, 0x1p-50, &exact));
    }
  }
  Exact exact;
  EXPECT_FALSE(Locate(Format::kDouble, 1.5, 0x1p-50, &exact));
}

TEST(LocateNear, StaysOnItsSide) {
  for (Format format : kFormats) {
    const double gap = std::ldexp(1, -Traits(format).mantissa_bits());
    const Exact above = LocateNear(format, 1, 1), below = LocateNear(format, -1, -1);
    EXPECT_EQ(above.below, One(format));
    EXPECT_GT(above.fraction, 0);
    EXPECT_LT(above.fraction, 0x1p-22);
    EXPECT_EQ(below.below, Negate(format, One(format) - 1));
    EXPECT_LT(below.fraction, 1);
    EXPECT_GT(below.fraction, 1 - 0x1p-22);
    EXPECT_EQ(LocateNear(format, 1, 0).fraction, 0);
    EXPECT_LT(LocateNear(format, 1 + gap / 2, -1).fraction, 0.5);
    EXPECT_GT(LocateNear(format, 1 + gap / 2, 1).fraction, 0.5);
    EXPECT_EQ(LocateNear(format, 1 + gap / 2, 0).fraction, 0.5);
    // Just below the smallest subnormal lies zero.
    const Exact tiny = LocateNear(format, std::ldexp(1, Traits(format).tiny_exponent()), -1);
    EXPECT_EQ(tiny.below, 0u);
    EXPECT_LT(tiny.fraction, 1);
    // Around the number that follows the largest finite one.
    const double end = std::ldexp(1, Traits(format).emax + 1);
    EXPECT_LT(LocateNear(format, end, -1).fraction, 1);
    EXPECT_GT(LocateNear(format, end, 1).fraction, 1);
    EXPECT_EQ(LocateNear(format, end, 1).below, MaxFinite(format));
  }
}

template <Format kFormat>
void CompareConversions(std::uint64_t step) {
  for (Bits bits = 0; bits <= (SignMask(kFormat) | MagnitudeMask(kFormat)); bits += step) {
    if (!IsFinite(kFormat, bits)) continue;
    ASSERT_EQ(std::bit_cast<Bits>(FiniteToDouble<kFormat>(bits)),
              std::bit_cast<Bits>(ToDouble(kFormat, bits)))
        << bits;
  }
}

TEST(FiniteToDouble, IsExact) {
  CompareConversions<Format::kHalf>(1);
  CompareConversions<Format::kBfloat16>(1);
  CompareConversions<Format::kFloat>(10007);
}

struct Case {
  Function function;
  const FastPath* path;
};

std::vector<Case> OwnPaths() {
  std::vector<Case> cases;
  for (const FunctionInfo& info : AllFunctions()) {
    const FastPath* path = FindUncertifiedFastPath(info.function, Format::kFloat);
    if (path != nullptr && CertifiedAs(info.function) == info.function) {
      cases.push_back({info.function, path});
    }
  }
  return cases;
}

double RandomArgument(std::mt19937_64& random, bool integer) {
  if (integer) {
    const auto n = static_cast<std::int32_t>(random());
    return random() % 2 == 0 ? n % 40 : n;
  }
  Bits bits = random() & 0xffffffff;
  const Bits any = random();
  if (any % 4 == 1) bits = (bits & 0x80000000) | (0x3f800000 + (bits >> any % 23 & 0xfffff));
  if (any % 4 >= 2) bits = (bits & 0x807fffff) | ((119 + any / 4 % 17) << 23);
  if (!IsFinite(Format::kFloat, bits) || IsZero(Format::kFloat, bits)) bits = 0x3fc00000;
  return ToDouble(Format::kFloat, bits);
}

// |approximation - exact| / |exact| with the exact value from the function at double.
double RelativeError(const Exact& exact, double approximation) {
  const double below = ToDouble(Format::kDouble, exact.below);
  const double gap = std::nextafter(std::fabs(below), INFINITY) - std::fabs(below);
  return std::fabs((std::fabs(approximation) - std::fabs(below)) / gap - exact.fraction) * gap /
         std::fabs(below);
}

TEST(FastPath, ErrorBoundsHold) {
  std::mt19937_64 random(3);
  for (const Case& c : OwnPaths()) {
    const FunctionInfo& info = Info(c.function);
    if (!info.Supports(Format::kDouble) || info.results.size() != 1) continue;
    double worst = 0;
    for (int i = 0; i < 4000; ++i) {
      double args[3] = {1, 1, 1};
      Bits bits[3] = {};
      for (std::size_t j = 0; j < info.operands.size(); ++j) {
        const bool integer = info.operands[j] == 'I';
        args[j] = RandomArgument(random, integer);
        bits[j] = integer ? static_cast<std::uint32_t>(static_cast<std::int32_t>(args[j]))
                          : std::bit_cast<Bits>(args[j]);
      }
      const double value = c.path->unary != nullptr    ? c.path->unary(args[0])
                           : c.path->binary != nullptr ? c.path->binary(args[0], args[1])
                                                       : c.path->ternary(args[0], args[1], args[2]);
      if (!(std::fabs(value) > 0x1p-299 && std::fabs(value) < 0x1p299)) continue;
      Exact exact;
      EvaluateExact(Operation::Builtin(c.function, Format::kDouble),
                    std::span<const Bits>(bits).first(info.operands.size()), {&exact, 1});
      if (exact.kind != ResultKind::kFinite) continue;
      ASSERT_EQ(std::signbit(value), IsNegative(Format::kDouble, exact.below)) << info.name;
      worst = std::max(worst, RelativeError(exact, value));
    }
    EXPECT_LE(worst, c.path->relative_error * (1 + 0x1p-20)) << info.name;
    EXPECT_LE(c.path->relative_error, 0x1p-46) << info.name << ": fractions true to 2^-22";
  }
}

TEST(FastPath, EveryPathAgreesWithMpfrOnASample) {
  for (Format format : kFormats) {
    for (const Case& c : OwnPaths()) {
      if (!Info(c.function).Supports(format)) continue;
      CertifyOptions options{.samples = 1000, .seed = 20};
      const bool unary = Info(c.function).Arity() == 1;
      if (unary && format != Format::kFloat) options.stride = 61;
      const Expected<CertifyTask> task = CertifyTask::Make(c.function, format, options);
      ASSERT_TRUE(task) << task.error().message;
      // The many pairs of special values take their turn in `assay certify`.
      const std::uint64_t begin = unary ? 0 : task->Count() - 1250;
      const auto statistics = task->Run(begin, task->Count(), 1);
      ASSERT_TRUE(statistics);
      EXPECT_EQ(statistics->differences, 0u) << Info(c.function).name << ' ' << NameOf(format);
      EXPECT_GT(statistics->compared, 500u) << Info(c.function).name << ' ' << NameOf(format);
    }
  }
}

// Common arguments must not go to MPFR: half of all floats are huge, tiny, negative or integers.
TEST(FastPath, AlgebraDecidesWhereTheApproximationCannot) {
  struct Question {
    Function function;
    double x, y;
  };
  using enum Function;
  const Question questions[] = {
      {sin, 0x1p-100, 0},     {cos, 0x1p-100, 0},    {tan, -0x1p-149, 0},  {exp, 0x1p-60, 0},
      {exp, -300, 0},         {exp, 1e30, 0},        {exp2, 100, 0},       {exp2, -149, 0},
      {exp10, 3, 0},          {expm1, -50, 0},       {expm1, 0x1p-70, 0},  {log, -1, 0},
      {log2, 0x1p-149, 0},    {log10, 1000, 0},      {log1p, -0x1p-99, 0}, {tanh, 30, 0},
      {sinh, 0x1p-40, 0},     {cosh, 0x1p-40, 0},    {sinpi, 0x1p30, 0},   {sinpi, -3, 0},
      {sinpi, 2.5, 0},        {cospi, 0.5, 0},       {cospi, 0x1p100, 0},  {tanpi, 0.25, 0},
      {tanpi, 1.5, 0},        {tanpi, -3, 0},        {acospi, 0x1p-60, 0}, {asinpi, 1, 0},
      {atanpi, 0x1p90, 0},    {atan2pi, 3, -3},      {atan2, 0x1p-90, 1},  {erf, 9, 0},
      {erfc, -9, 0},          {erfc, 0x1p-80, 0},    {erfc, 100, 0},       {tgamma, -3, 0},
      {tgamma, 0x1p80, 0},    {tgamma, -80.5, 0},    {lgamma, -5, 0},      {lgamma, 0x1p127, 0},
      {sqrt, 2.25, 0},        {sqrt, -1, 0},         {rsqrt, 16, 0},       {cbrt, 27, 0},
      {recip_div, 0x1p-3, 0}, {div, 9, 3},           {hypot, 3, 4},        {hypot, 1, 0x1p-90},
      {add, 1, 0x1p-90},      {sub, 1, -0x1p-90},    {fmod, 6, 3},         {remainder, -6, 4},
      {fdim, 1, 2},           {pow, 3, 5},           {pow, -2, -3},        {pow, 2.25, 0.5},
      {pow, 1.5, 0x1p-60},    {pow, -1.5, 0.5},      {powr, 16, 0.25},     {pown, -3, 3},
      {rootn, -27, 3},        {rootn, 4, 2147483647}};
  for (const Question& q : questions) {
    const FunctionInfo& info = Info(q.function);
    const double args[3] = {q.x, q.y, 0};
    Bits bits[2] = {FromDouble(Format::kFloat, q.x), FromDouble(Format::kFloat, q.y)};
    if (info.operands == "FI") bits[1] = static_cast<std::uint32_t>(static_cast<std::int32_t>(q.y));
    Exact fast, truth;
    ASSERT_TRUE(
        Answer(*FindUncertifiedFastPath(q.function, Format::kFloat), Format::kFloat, args, &fast))
        << info.name << ' ' << q.x << ' ' << q.y;
    EvaluateExact(Operation::Builtin(q.function, Format::kFloat),
                  std::span<const Bits>(bits).first(info.operands.size()), {&truth, 1});
    EXPECT_TRUE(Agrees(fast, truth, Format::kFloat))
        << info.name << ' ' << q.x << ' ' << q.y << ": " << fast.below << " + " << fast.fraction
        << ", MPFR " << truth.below << " + " << truth.fraction;
  }
}

// The batch loop against the evaluator that asks MPFR alone, special operands included.
TEST(FastBatch, AnswersAsMpfrDoes) {
  using enum Function;
  std::mt19937_64 random(4);
  for (Function function : {sin, sincos, pow, pown, fma, hypot, lgamma, lgamma_r, remquo, div}) {
    for (Format format : kFormats) {
      const Operation operation = Operation::Builtin(function, format);
      const auto batch = FastBatch::Find(operation);
      if (CertifiedCoverage(CertifiedAs(function), format) == Coverage::kNone) {
        EXPECT_FALSE(batch);
        continue;
      }
      ASSERT_TRUE(batch);
      constexpr std::size_t kItems = 600;
      std::vector<std::vector<std::byte>> memory;
      std::vector<ConstColumn> columns;
      for (const Slot& slot : operation.Inputs()) {
        auto& bytes = memory.emplace_back(kItems * SizeOf(slot.type));
        for (std::size_t i = 0; i < kItems; ++i) {
          const Bits special[] = {0, SignMask(format), Infinity(format), QuietNan(format)};
          const bool ordinary = i >= 16 || !IsFloating(slot.type);
          const std::size_t place = columns.empty() ? i % 4 : i / 4;
          StoreElement(slot.type, bytes.data(), i, ordinary ? random() : special[place]);
        }
        columns.push_back({slot, bytes.data()});
      }
      const BatchEvaluator mpfr(operation, Path::kMpfrOnly);
      const auto count = static_cast<std::size_t>(operation.ResultCount());
      std::vector<Exact> fast(kItems * count), truth(kItems * count);
      mpfr.Evaluate(columns, 0, kItems, truth.data());
      const auto slow = [&](std::size_t item, Exact* results) {
        mpfr.Evaluate(columns, item, item + 1, results);
      };
      batch->Evaluate(columns, 0, 500, fast.data(), slow);
      batch->Evaluate(columns, 500, kItems, fast.data() + 500 * count, slow);
      for (std::size_t i = 0; i < fast.size(); ++i) {
        ASSERT_TRUE(Agrees(fast[i], truth[i], format)) << operation.Name() << " item " << i / count;
      }
    }
  }
}

TEST(FindFastPath, AnswersOnlyWithACertificate) {
  for (const FunctionInfo& info : AllFunctions()) {
    for (Format format : kAllFormats) {
      const bool certified = CertifiedCoverage(info.function, format) != Coverage::kNone;
      const bool has_path = FindUncertifiedFastPath(info.function, format) != nullptr;
      const bool single = info.results.size() == 1;
      EXPECT_EQ(FindFastPath(info.function, format) != nullptr, certified && has_path && single)
          << info.name << ' ' << NameOf(format);
    }
  }
  EXPECT_EQ(CertifiedAs(Function::native_exp), Function::exp);
}

}  // namespace
}  // namespace assay::numerics
