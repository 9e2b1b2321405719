// Correct by a build option or by one reading of the specification alone
// (oracle/judge/math_options.h, oracle/judge/reading.h), each with a neighbour that goes a little
// further and is wrong.
#include <array>
#include <cmath>

#include "numerics/function.h"
#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

using oracle::Reading;

constexpr Setting kDenormsAreZero{.build_options = "-cl-denorms-are-zero"};
constexpr Setting kNoSignedZeros{.build_options = "-cl-no-signed-zeros"};
constexpr Setting kFiniteMath{.build_options = "-cl-finite-math-only"};
constexpr Setting kUnsafeMath{.build_options = "-cl-unsafe-math-optimizations"};
constexpr Setting kFastMath{.build_options = "-DN=4 -cl-fast-relaxed-math"};
constexpr Setting kMadEnable{.build_options = "-cl-mad-enable"};
constexpr Setting kCorrectlyRounded{.build_options = "-cl-fp32-correctly-rounded-divide-sqrt"};
constexpr Setting kOpenClC{.reading = Reading::kOpenClC};
constexpr Setting kSuite{.reading = Reading::kSuite};
constexpr Setting kSuiteFlushes{.flushes_float = true, .reading = Reading::kSuite};
constexpr Format kFloat = Format::kFloat;

Bits SomeZero(const Answer& a) { return (a.args[0] & 1) != 0 ? numerics::SignMask(a.format()) : 0; }

std::optional<Bits> FlushedResult(const Answer& a) {
  return If(a.IsSubnormalResult() && !a.Truth().prescribed, SomeZero(a));
}
// The smallest binade of normal numbers too.
std::optional<Bits> FlushedNormal(const Answer& a) {
  return If(a.IsNumber() && numerics::Magnitude(a.format(), a.Right()) < 2 * a.MinNormal(),
            SomeZero(a));
}

bool AnySubnormal(const Answer& a) {
  return a.IsSubnormal(0) || (a.args.size() > 1 && a.IsSubnormal(1));
}
// Every subnormal operand is a zero, whatever is prescribed.
template <Function kFunction>
std::optional<Bits> FlushedOperands(const Answer& a) {
  if (!AnySubnormal(a)) return std::nullopt;
  const auto flushed = [&](std::size_t i) {
    return a.IsSubnormal(i) ? a.args[i] & numerics::SignMask(a.format()) : a.args[i];
  };
  if (a.args.size() == 1) return Compute(kFunction, a.format(), {flushed(0)});
  return Compute(kFunction, a.format(), {flushed(0), flushed(1)});
}
// But where a result is prescribed (7.5).
template <Function kFunction>
std::optional<Bits> FlushedUnprescribed(const Answer& a) {
  const bool exempt = a.Truth().prescribed || a.Truth().kind == numerics::ResultKind::kNan;
  return exempt ? std::nullopt : FlushedOperands<kFunction>(a);
}
std::optional<Bits> SubnormalsBecomeOnes(const Answer& a) {
  return If(AnySubnormal(a), numerics::One(a.format()));
}

std::optional<Bits> OtherZero(const Answer& a) {
  return If(a.IsNumber() && a.IsZero(), a.Negated());
}
// Next to zero is not zero.
std::optional<Bits> AlmostZero(const Answer& a) { return If(a.IsNumber() && a.IsZero(), 1); }

std::optional<Bits> OneOff(const Answer& a) {
  return If(a.IsNumber() && !a.IsZero() && a.Right() != a.MaxFinite(), a.Moved(1));
}
template <int kUlp>
std::optional<Bits> Over(const Answer& a) {
  return If(a.IsNumber() && !a.IsZero(), a.Over(kUlp));
}
template <int kUlp>
std::optional<Bits> Under(const Answer& a) {
  return If(a.IsNumber() && !a.IsZero(), a.Under(kUlp));
}

std::optional<Bits> MulThenAdd(const Answer& a) {
  const Bits product = Compute(Function::mul, a.format(), {a.args[0], a.args[1]});
  return Compute(Function::add, a.format(), {product, a.args[2]});
}
std::optional<Bits> AnyValue(const Answer& a) {
  return If(true, (a.args[0] & 1) != 0 ? a.NaN() : a.Number(42));
}

std::optional<Bits> PowByLogarithm(const Answer& a) {
  if (!(a.X() > 0) || !a.AllFinite()) return std::nullopt;
  const Bits logarithm = Compute(Function::log2, kFloat, {a.args[0]});
  return Compute(Function::exp2, kFloat, {Compute(Function::mul, kFloat, {a.args[1], logarithm})});
}

const UnusualDevice kDevices[] = {
    // -cl-denorms-are-zero: float and double.
    {.device = {.name = "DenormsAreZeroInProducts",
                .function = "mul",
                .format = "float",
                .fault = FlushedResult,
                .setting = kDenormsAreZero},
     .wrong = FlushedNormal},
    {.device = {.name = "DenormsAreZeroInDoubleProducts",
                .function = "mul",
                .format = "double",
                .fault = FlushedResult,
                .setting = kDenormsAreZero},
     .wrong = FlushedNormal},
    {.device = {.name = "DenormsAreZeroInSqrt",
                .function = "sqrt",
                .format = "float",
                .fault = FlushedUnprescribed<Function::sqrt>,
                .setting = kDenormsAreZero},
     .wrong = SubnormalsBecomeOnes},
    {.device = {.name = "DenormsAreZeroInDoubleExp2",
                .function = "exp2",
                .format = "double",
                .fault = FlushedResult,
                .setting = kDenormsAreZero},
     .wrong = [](const Answer& a) { return If(a.IsSubnormalResult(), a.Number(1)); }},
    {.device = {.name = "DenormsAreZeroDoesNotNameHalf",
                .function = "mul",
                .format = "half",
                .setting = kDenormsAreZero},
     .wrong = FlushedResult},

    // -cl-no-signed-zeros: of results and of operands.
    {.device = {.name = "NoSignedZerosOfCeil",
                .function = "ceil",
                .format = "float",
                .fault = OtherZero,
                .setting = kNoSignedZeros},
     .wrong = AlmostZero},
    {.device = {.name = "NoSignedZerosOfSums",
                .function = "add",
                .format = "double",
                .fault = OtherZero,
                .setting = kNoSignedZeros},
     .wrong = AlmostZero},
    {.device = {.name = "NoSignedZerosUnderAtan2",
                .function = "atan2",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.X() == 0 && a.Y() == 0, a.Number(0)); },
                .setting = kNoSignedZeros},
     .wrong = [](const Answer& a) { return If(a.X() == 0 && a.Y() == 0, a.Number(1)); }},
    {.device = {.name = "NoSignedZerosUnderReciprocals",
                .function = "recip_div",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.X() == 0, a.Infinity()); },
                .setting = kNoSignedZeros},
     .wrong = [](const Answer& a) { return If(a.X() == 0, a.MaxFinite()); }},
    {.device = {.name = "NoSignedZerosKeepsSubnormals",
                .function = "mul",
                .format = "float",
                .fault = OtherZero,
                .setting = kNoSignedZeros},
     .wrong = FlushedResult},

    // -cl-finite-math-only: NaN and infinities alone.
    {.device = {.name = "FiniteMathOfExp",
                .function = "exp",
                .format = "float",
                .fault = [](const Answer& a) { return If(!a.IsFinite(0) || !a.IsNumber(), 0); },
                .setting = kFiniteMath},
     .wrong = [](const Answer& a) { return If(a.X() > 80, a.NaN()); }},
    {.device = {.name = "FiniteMathOfHalfSums",
                .function = "add",
                .format = "half",
                .fault = [](const Answer& a) { return If(!a.IsNumber(), a.MaxFinite()); },
                .setting = kFiniteMath},
     .wrong = [](const Answer& a) { return If(a.Right() == a.MaxFinite(), a.Infinity()); }},
    {.device = {.name = "FiniteMathOfFmax",
                .function = "fmax",
                .format = "float",
                .fault = [](const Answer& a) { return If(!a.AllFinite(), a.Number(7)); },
                .setting = kFiniteMath},
     .wrong = [](const Answer& a) { return If(a.X() > a.Y() && a.AllFinite(), a.args[1]); }},
    {.device = {.name = "FiniteMathKeepsSignsOfZero",
                .function = "ceil",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.IsNan(0), a.Number(0)); },
                .setting = kFiniteMath},
     .wrong = OtherZero},

    // -cl-unsafe-math-optimizations: the table, edge cases, flushing and signs of zero.
    {.device = {.name = "UnsafeSinByTheTable",
                .function = "sin",
                .format = "float",
                .fault =
                    [](const Answer& a) {
                      return If(std::fabs(a.X()) <= 3.14, a.Number(a.Value() + 0x1.fp-12));
                    },
                .setting = kUnsafeMath},
     .wrong =
         [](const Answer& a) {
           return If(std::fabs(a.X()) <= 3.14, a.Number(a.Value() + 0x1.1p-11));
         }},
    {.device = {.name = "UnsafePowByLogarithm",
                .function = "pow",
                .format = "float",
                .fault = PowByLogarithm,
                .setting = kUnsafeMath},
     .wrong =
         [](const Answer& a) {
           const auto moderate = [](double v) { return v > 1 && v < 4; };
           return If(moderate(a.X()) && moderate(a.Y()), a.Number(1.25 * a.Value()));
         }},
    {.device = {.name = "UnsafeDomainErrors",
                .function = "sqrt",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.X() < 0, a.Number(0)); },
                .setting = kUnsafeMath},
     .wrong = Over<3>},
    {.device = {.name = "UnsafeFlushesDouble",
                .function = "mul",
                .format = "double",
                .fault = FlushedResult,
                .setting = kUnsafeMath},
     .wrong = FlushedNormal},
    {.device = {.name = "UnsafeSignsOfZero",
                .function = "trunc",
                .format = "float",
                .fault = OtherZero,
                .setting = kUnsafeMath},
     .wrong = [](const Answer& a) { return If(a.Value() == 1, a.Number(2)); }},

    // -cl-fast-relaxed-math as a build option.
    {.device = {.name = "FastMathAsBuildOption",
                .function = "exp2",
                .format = "float",
                .fault =
                    [](const Answer& a) {
                      return a.AllFinite() && a.IsNumber() ? If(!a.IsZero(), a.Under(3))
                                                           : If(true, a.Number(0));
                    },
                .setting = kFastMath},
     .wrong = [](const Answer& a) { return If(std::fabs(a.X()) < 0.5, a.Over(4)); }},

    // -cl-mad-enable.
    {.device = {.name = "MadEnableInExpressions",
                .function = "mul_add",
                .format = "float",
                .fault = MulThenAdd,
                .setting = kMadEnable},
     .wrong = OneOff},
    {.device = {.name = "MadEnableInDoubleExpressions",
                .function = "mul_add",
                .format = "double",
                .fault = AnyValue,
                .setting = {.build_options = "-cl-mad-enable", .reading = Reading::kOpenClC}},
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "MadEnableLeavesProducts",
                .function = "mul",
                .format = "float",
                .setting = kMadEnable},
     .wrong = OneOff},

    // -cl-fp32-correctly-rounded-divide-sqrt, and -cl-single-precision-constant.
    {.device = {.name = "CorrectlyRoundedSqrt",
                .function = "sqrt",
                .format = "float",
                .setting = kCorrectlyRounded},
     .wrong = OneOff},
    {.device = {.name = "CorrectlyRoundedDivision",
                .function = "div",
                .format = "float",
                .setting = kCorrectlyRounded},
     .wrong = OneOff},
    {.device = {.name = "CorrectlyRoundedReciprocal",
                .function = "recip_div",
                .format = "float",
                .setting = kCorrectlyRounded},
     .wrong = OneOff},
    {.device = {.name = "CorrectlyRoundedIsOfFloat",
                .function = "div",
                .format = "half",
                .fault = Under<1>,
                .setting = kCorrectlyRounded},
     .wrong = Over<1>},
    {.device = {.name = "NotAskedToRoundCorrectly",
                .function = "sqrt",
                .format = "float",
                .fault = Under<3>,
                .setting = {.build_options = "-D -cl-fp32-correctly-rounded-divide-sqrt -cl-opt"}},
     .wrong = Over<3>},
    {.device = {.name = "SinglePrecisionConstant",
                .function = "sin",
                .format = "double",
                .fault = Under<4>,
                .setting = {.build_options = "-cl-single-precision-constant"}},
     .wrong = Over<4>},

    // OpenCL C leaves open what the environment does not.
    {.device = {.name = "MadOfDoubleIsAnyValue",
                .function = "mad",
                .format = "double",
                .fault = AnyValue,
                .setting = kOpenClC},
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "MadOfHalfIsAnyValue",
                .function = "mad",
                .format = "half",
                .fault = AnyValue,
                .setting = kOpenClC},
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "MadOfFloatIsNot",
                .function = "mad",
                .format = "float",
                .fault = MulThenAdd,
                .setting = kOpenClC},
     .wrong = AnyValue},
    {.device = {.name = "LgammaIsUndefined",
                .function = "lgamma",
                .format = "float",
                .fault =
                    [](const Answer& a) {
                      return If(a.IsNumber() && !a.Truth().prescribed, a.NaN());
                    },
                .setting = kOpenClC},
     .wrong = [](const Answer& a) { return If(a.IsNan(0), a.Number(1)); },
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "LgammaKeepsItsPoles",
                .function = "lgamma",
                .format = "double",
                .fault =
                    [](const Answer& a) {
                      return If(a.IsNumber() && !a.Truth().prescribed, a.Number(-3));
                    },
                .setting = kOpenClC},
     .wrong = [](const Answer& a) { return If(a.X() == 0, a.MaxFinite()); }},
    // Both texts leave open what the suite tests.
    {.device = {.name = "ConversionsThatRoundIntoRange",
                .function = "convert_uchar_rte",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.X() > 255 && a.X() < 255.5, 7); },
                .setting = kOpenClC},
     .wrong = [](const Answer& a) { return If(a.X() > 254.5 && a.X() <= 255, 0); },
     .refused_by = Reading::kSuite},
    {.device = {.name = "NegativeFractionsToUnsigned",
                .function = "convert_uint",
                .format = "double",
                .fault = [](const Answer& a) { return If(a.X() < 0, 0xffffffff); },
                .setting = kOpenClC},
     .wrong = [](const Answer& a) { return If(a.X() > 0 && a.X() < 1, 1); },
     .refused_by = Reading::kSuite},
    {.device = {.name = "HalfReciprocalWithinOneUlp",
                .function = "recip_div",
                .format = "half",
                .fault = Under<1>,
                .setting = kOpenClC},
     .wrong = Over<1>,
     .refused_by = Reading::kSuite},
    // The environment has a column of double for the embedded profile; OpenCL C and the suite not.
    {.device = {.name = "EmbeddedDoubleByTheEnvironment",
                .function = "div",
                .format = "double",
                .fault = Under<3>,
                .setting = {.profile = oracle::Profile::kEmbedded}},
     .wrong = Over<3>,
     .refused_by = Reading::kOpenClC},
    {.device = {.name = "EmbeddedDoubleByOpenClC",
                .function = "exp",
                .format = "double",
                .fault =
                    [](const Answer& a) {
                      return a.Truth().prescribed ? std::nullopt : Under<3>(a);
                    },
                .setting = {.profile = oracle::Profile::kEmbedded, .reading = Reading::kOpenClC}},
     .wrong = Over<3>},

    // The suite: flushed operands where a result is prescribed, signs of zero, prescribed values.
    {.device = {.name = "SuiteFlushesUnderFmax",
                .function = "fmax",
                .format = "float",
                .fault = FlushedOperands<Function::fmax>,
                .setting = kSuiteFlushes},
     .wrong = SubnormalsBecomeOnes,
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "SuiteFlushesUnderFmod",
                .function = "fmod",
                .format = "float",
                .fault = FlushedOperands<Function::fmod>,
                .setting = kSuiteFlushes},
     .wrong = SubnormalsBecomeOnes,
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "SuiteFlushesUnderPow",
                .function = "pow",
                .format = "float",
                .fault = FlushedOperands<Function::pow>,
                .setting = kSuiteFlushes},
     .wrong = [](const Answer& a) { return If(AnySubnormal(a), a.Number(3)); },
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "SuiteFlushesUnderAtan2pi",
                .function = "atan2pi",
                .format = "float",
                .fault = FlushedOperands<Function::atan2pi>,
                .setting = kSuiteFlushes},
     .wrong = [](const Answer& a) { return If(AnySubnormal(a), a.Number(3)); },
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "SuiteNextafterWithoutSubnormals",
                .function = "nextafter",
                .format = "float",
                .fault =
                    [](const Answer& a) {
                      const bool zero = a.X() == 0 || a.IsSubnormal(0);
                      return If(zero && !a.IsNan(1), std::signbit(a.Y())
                                                         ? numerics::Negate(kFloat, a.MinNormal())
                                                         : a.MinNormal());
                    },
                .setting = kSuiteFlushes},
     .wrong = [](const Answer& a) { return If(a.IsSubnormal(0) && !a.IsNan(1), a.Number(1)); },
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "SuiteLooksAtNoSignOfZero",
                .function = "tanpi",
                .format = "float",
                .fault = OtherZero,
                .setting = kSuite},
     .wrong = [](const Answer& a) { return If(a.IsZero(), a.Number(1)); },
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "SuiteMeasuresPrescribedValues",
                .function = "pow",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.Y() == 0, a.Moved(3)); },
                .setting = kSuite},
     .wrong = [](const Answer& a) { return If(a.Y() == 0, a.Moved(20)); },
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "SuiteLgammaAtPoles",
                .function = "lgamma",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.X() == 0, a.Number(88)); },
                .setting = kSuite},
     .wrong = [](const Answer& a) { return If(a.X() > 1, a.NaN()); },
     .refused_by = Reading::kEnvironment},
    {.device = {.name = "SuiteSignOfLgamma",
                .function = "lgamma_r",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.X() == 0, 1); },
                .result = 1,
                .setting = kSuite},
     .refused_by = Reading::kOpenClC},
    {.device = {.name = "SuiteQuotientBesideNan",
                .function = "remquo",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.Y() == 0, 77); },
                .result = 1,
                .setting = kSuite},
     .wrong = [](const Answer& a) { return If(a.AllFinite() && a.Right() == 1, 2); },
     .refused_by = Reading::kOpenClC},
    {.device = {.name = "SuiteConvertsNanToAnything",
                .function = "convert_int_sat",
                .format = "float",
                .fault = [](const Answer& a) { return If(a.IsNan(0), 0x80000000u); },
                .setting = kSuite},
     .wrong = [](const Answer& a) { return If(a.X() > 0x1p31, 0x80000000u); },
     .refused_by = Reading::kOpenClC},
};

}  // namespace

std::span<const UnusualDevice> UnusualDevices() { return kDevices; }

}  // namespace assay::testsuites
