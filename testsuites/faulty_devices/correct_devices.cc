// Correct but unusual devices: every freedom that the chapter grants, taken.
#include <array>
#include <cmath>

#include "numerics/function.h"
#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

constexpr Setting kFlushesFloat{.flushes_float = true};
constexpr Setting kFlushesHalf{.flushes_half = true};
constexpr Setting kRelaxed{.math = oracle::MathMode::kRelaxed};
constexpr Setting kEmbedded{.profile = oracle::Profile::kEmbedded};
constexpr Setting kEmbeddedRtz{.profile = oracle::Profile::kEmbedded, .rounding = Rounding::kRtz};
constexpr Format kFloat = Format::kFloat;

// A zero of either sign, by the parity of the first operand.
Bits SomeZero(const Answer& a) { return (a.args[0] & 1) != 0 ? numerics::SignMask(a.format()) : 0; }

// Every subnormal operand taken as zero of its sign.
std::array<Bits, 3> Flushed(const Answer& a) {
  std::array<Bits, 3> args{};
  for (std::size_t i = 0; i < a.args.size() && i < 3; ++i) {
    args[i] = a.IsSubnormal(i)
                  ? a.args[i] & numerics::SignMask(numerics::FormatOf(a.argument_types[i]))
                  : a.args[i];
  }
  return args;
}

template <Function kFunction>
std::optional<Bits> FlushedOperands(const Answer& a) {
  const std::array<Bits, 3> args = Flushed(a);
  const bool any = a.IsSubnormal(0) || (a.args.size() > 1 && a.IsSubnormal(1)) ||
                   (a.args.size() > 2 && a.IsSubnormal(2));
  if (!any) return std::nullopt;
  // 7.5: a prescribed value is not subject to flushing.
  if (a.Truth().prescribed || a.Truth().kind == numerics::ResultKind::kNan) return std::nullopt;
  if (a.args.size() == 1) return Compute(kFunction, a.format(), {args[0]});
  if (a.args.size() == 2) return Compute(kFunction, a.format(), {args[0], args[1]});
  return Compute(kFunction, a.format(), {args[0], args[1], args[2]});
}

std::optional<Bits> FlushedResult(const Answer& a) {
  return If(a.IsSubnormalResult() && !a.Truth().prescribed, SomeZero(a));
}

std::optional<Bits> MulThenAdd(const Answer& a) {
  const Bits product = Compute(Function::mul, a.format(), {a.args[0], a.args[1]});
  return Compute(Function::add, a.format(), {product, a.args[2]});
}

const Case kCases[] = {
    // Flush to zero (7.5.3).
    {.name = "FlushesProducts",
     .function = "mul",
     .format = "float",
     .fault = FlushedResult,
     .setting = kFlushesFloat},
    {.name = "FlushesProductsBeforeRounding",
     .function = "mul",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(numerics::IsSubnormalBeforeRounding(a.Truth(), a.format()), SomeZero(a));
         },
     .setting = kFlushesFloat},
    {.name = "FlushesHalfProducts",
     .function = "mul",
     .format = "half",
     .fault = FlushedResult,
     .setting = kFlushesHalf},
    {.name = "FlushesExp",
     .function = "exp",
     .format = "float",
     .fault = FlushedResult,
     .setting = kFlushesFloat},
    {.name = "FlushesSin",
     .function = "sin",
     .format = "float",
     .fault = FlushedResult,
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfAdd",
     .function = "add",
     .format = "float",
     .fault = FlushedOperands<Function::add>,
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfDiv",
     .function = "div",
     .format = "float",
     .fault = FlushedOperands<Function::div>,
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfSqrt",
     .function = "sqrt",
     .format = "float",
     .fault = FlushedOperands<Function::sqrt>,
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfFma",
     .function = "fma",
     .format = "float",
     .fault = FlushedOperands<Function::fma>,
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfLog",
     .function = "log2",
     .format = "float",
     .fault = FlushedOperands<Function::log2>,
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfAtan2",
     .function = "atan2",
     .format = "float",
     .fault = FlushedOperands<Function::atan2>,
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfFloor",
     .function = "floor",
     .format = "float",
     .fault = FlushedOperands<Function::floor>,
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfFrexp",
     .function = "frexp",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), a.result == 0 ? SomeZero(a) : 0); },
     .result = kEveryResult,
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfIlogb",
     .function = "ilogb",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), 0x80000000u); },
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfFmax",
     .function = "fmax",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(a.IsSubnormalResult() && a.AllFinite(), SomeZero(a)); },
     .setting = kFlushesFloat},
    {.name = "FlushesOperandsOfDot",
     .function = "dot",
     .format = "float2",
     .fault = FlushedResult,
     .setting = kFlushesFloat},
    {.name = "NextafterWithoutSubnormals",
     .function = "nextafter",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const bool leaves = a.IsMinusZero(0) && a.Y() > 0;
           const bool arrives = a.args[0] == a.MinNormal() && a.Y() < 0x1p-126;
           return If(leaves || arrives, leaves ? a.MinNormal() : 0);
         },
     .setting = kFlushesFloat},
    {.name = "NextafterOfEqualSubnormals",
     .function = "nextafter",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsSubnormal(0) && a.args[0] == a.args[1], SomeZero(a));
         },
     .setting = kFlushesFloat},
    {.name = "FlushesConversionFromDouble",
     .function = "convert_float",
     .format = "double",
     .fault = FlushedResult,
     .setting = kFlushesFloat},
    {.name = "FlushesConversionToDouble",
     .function = "convert_double",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), SomeZero(a)); },
     .setting = kFlushesFloat},
    {.name = "FlushesHalfRecip",
     .function = "half_recip",
     .format = "float",
     .fault = FlushedResult},
    {.name = "FlushesOperandsOfHalfSqrt",
     .function = "half_sqrt",
     .format = "float",
     .fault = FlushedOperands<Function::sqrt>},
    {.name = "RelaxedFlushes",
     .function = "mul",
     .format = "float",
     .fault = FlushedResult,
     .setting = kRelaxed},
    // -cl-denorms-are-zero, which unsafe math includes, lets doubles be flushed too.
    {.name = "RelaxedFlushesDouble",
     .function = "mul",
     .format = "double",
     .fault = FlushedResult,
     .setting = kRelaxed},

    // Up to the limit.
    {.name = "SinUpToTheLimit",
     .function = "sin",
     .format = "float",
     .fault = [](const Answer& a) { return If(!a.IsZero(), a.Under(4)); }},
    {.name = "ExpUpToTheLimit",
     .function = "exp",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && a.X() != 0, a.Under(2)); }},
    {.name = "CbrtUpToTheLimit",
     .function = "cbrt",
     .format = "double",
     .fault = [](const Answer& a) { return If(!a.IsZero(), a.Under(2)); }},
    {.name = "PowUpToTheLimit",
     .function = "pow",
     .format = "float",
     .fault = [](const Answer& a) { return If(!a.Truth().prescribed, a.Under(16)); }},
    {.name = "DivUpToTheLimit",
     .function = "div",
     .format = "float",
     .fault = [](const Answer& a) { return If(!a.IsZero(), a.Under(2.5)); }},
    {.name = "SqrtUpToTheLimit",
     .function = "sqrt",
     .format = "float",
     .fault = [](const Answer& a) { return If(!a.IsZero(), a.Under(3)); }},
    {.name = "NormalizeUpToTheLimit",
     .function = "normalize",
     .format = "float4",
     .fault = [](const Answer& a) { return If(a.AllFinite() && !a.IsZero(), a.Under(6)); },
     .result = kEveryResult},
    {.name = "HalfLogUpToTheLimit",
     .function = "half_log",
     .format = "float",
     .fault = [](const Answer& a) { return If(!a.Truth().prescribed, a.Under(8192)); }},
    {.name = "EmbeddedRecipUpToTheLimit",
     .function = "recip_div",
     .format = "double",
     .fault = [](const Answer& a) { return If(!a.IsZero(), a.Under(3)); },
     .setting = kEmbedded},
    {.name = "MixUpToTheLimit",
     .function = "mix",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && std::fabs(a.Value()) < 100, a.Number(a.Value() + 0.9e-3));
         }},
    {.name = "SmoothstepUpToTheLimit",
     .function = "smoothstep",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && a.Truth().fraction != 0, a.Number(a.Value() + 0.9e-5));
         }},
    {.name = "DotWithinTheTolerance",
     .function = "dot",
     .format = "double3",
     .fault =
         [](const Answer& a) {
           double largest = 0;
           for (std::size_t i = 0; i < 6; ++i)
             largest = std::fmax(largest, std::fabs(a.Argument(i)));
           const bool ordinary = a.AllFinite() && largest < 1e100 && largest > 1e-100;
           return If(ordinary, a.Number(a.Value() + largest * largest * 4 * 0x1p-23));
         }},

    // Overflow within the limit: 2^128 counts as a number.
    {.name = "Exp2FiniteWhereItOverflows",
     .function = "exp2",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 128, a.MaxFinite()); }},
    {.name = "DegreesInfiniteBelowOverflow",
     .function = "degrees",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.X() == 1143, a.Infinity()); },
     .setting = {.level = oracle::Level::kStandard}},
    {.name = "DivFiniteWhereItOverflows",
     .function = "div",
     .format = "half",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.Right() == a.Infinity() && a.Truth().fraction <= 1 &&
                         a.Truth().kind == numerics::ResultKind::kFinite,
                     a.MaxFinite());
         },
     .setting = {.level = oracle::Level::kStandard, .samples = 20000}},

    // Round to zero by default, as the embedded profile allows.
    {.name = "EmbeddedAddTowardZero",
     .function = "add",
     .format = "float",
     .setting = kEmbeddedRtz},
    {.name = "EmbeddedMulTowardZero", .function = "mul", .format = "half", .setting = kEmbeddedRtz},
    {.name = "EmbeddedConvertTowardZero",
     .function = "convert_float",
     .format = "int",
     .setting = kEmbeddedRtz},
    {.name = "EmbeddedStoreTowardZero",
     .function = "vstore_half",
     .format = "float",
     .setting = kEmbeddedRtz},
    {.name = "EmbeddedDivTowardZero",
     .function = "div",
     .format = "float",
     .setting = kEmbeddedRtz},
    // 6.15.2: math functions as if to nearest, which a device without that mode cannot do itself.
    {.name = "EmbeddedFmaToNearest", .function = "fma", .format = "float", .setting = kEmbeddedRtz},
    {.name = "EmbeddedFmaTowardZero",
     .function = "fma",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(true, Round(a.Truth(), a.format(), Rounding::kRtz)); },
     .setting = kEmbeddedRtz},

    {.name = "EmbeddedExpOverflowsTowardZero",
     .function = "exp",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && !a.IsNumber(), a.MaxFinite()); },
     .setting = kEmbeddedRtz},

    // Other computations.
    {.name = "MadAsFma", .function = "mad", .format = "float"},
    {.name = "MadAsMulThenAdd", .function = "mad", .format = "float", .fault = MulThenAdd},
    {.name = "MadAsMulThenAddDouble", .function = "mad", .format = "double", .fault = MulThenAdd},
    {.name = "ExpressionContracted", .function = "mul_add", .format = "float"},
    {.name = "ExpressionNotContracted",
     .function = "mul_add",
     .format = "half",
     .fault = MulThenAdd},
    {.name = "EmbeddedMadArbitrary",
     .function = "mad",
     .format = "float",
     .fault = [](const Answer& a) { return If(true, (a.args[0] & 1) != 0 ? a.NaN() : 0); },
     .setting = kEmbedded},

    // Relaxed math.
    {.name = "RelaxedPowDerived",
     .function = "pow",
     .format = "float",
     .fault =
         [](const Answer& a) {
           if (!(a.X() > 0) || !a.AllFinite()) return std::optional<Bits>();
           const Bits logarithm = Compute(Function::log2, kFloat, {a.args[0]});
           const Bits exponent = Compute(Function::mul, kFloat, {a.args[1], logarithm});
           return If(true, Compute(Function::exp2, kFloat, {exponent}));
         },
     .setting = kRelaxed},
    {.name = "RelaxedTanDerived",
     .function = "tan",
     .format = "float",
     .fault =
         [](const Answer& a) {
           if (!(std::fabs(a.X()) < 3)) return std::optional<Bits>();
           const Bits inverse =
               Compute(Function::recip_div, kFloat, {Compute(Function::cos, kFloat, {a.args[0]})});
           return If(true, Compute(Function::mul, kFloat,
                                   {Compute(Function::sin, kFloat, {a.args[0]}), inverse}));
         },
     .setting = kRelaxed},
    {.name = "RelaxedSinUpToTheLimit",
     .function = "sin",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(std::fabs(a.X()) <= 3.14, a.Number(a.Value() + 0x1.fp-12));
         },
     .setting = kRelaxed},
    {.name = "RelaxedSinBeyondPi",
     .function = "sin",
     .format = "float",
     .fault = [](const Answer& a) { return If(std::fabs(a.X()) > 3.15, a.Number(0.25)); },
     .setting = kRelaxed},
    {.name = "RelaxedInfinitiesAndNan",
     .function = "exp",
     .format = "float",
     .fault = [](const Answer& a) { return If(!a.IsFinite(0) || !a.IsNumber(), 0); },
     .setting = kRelaxed},
    {.name = "RelaxedOverflowOfAdd",
     .function = "add",
     .format = "float",
     .fault = [](const Answer& a) { return If(!a.IsNumber(), a.MaxFinite()); },
     .setting = kRelaxed},
    {.name = "RelaxedZeroSigns",
     .function = "trunc",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsZero(), a.Negated()); },
     .setting = kRelaxed},

    // Left open.
    {.name = "RemquoWithMoreBits",
     .function = "remquo",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const auto quotient = static_cast<std::int32_t>(a.Right());
           const bool usable = a.AllFinite() && a.Y() != 0 && quotient != 0;
           return If(usable, static_cast<std::uint32_t>(quotient + (quotient < 0 ? -1280 : 1280)));
         },
     .result = 1},
    {.name = "FmaxOfZeros",
     .function = "fmax",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.X() == 0 && a.Y() == 0 && a.args[0] != a.args[1], a.Negated());
         }},
    {.name = "FminOfZeros",
     .function = "fmin",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.X() == 0 && a.Y() == 0 && a.args[0] != a.args[1], a.Negated());
         }},
    {.name = "FmaxOfSignalingNan",
     .function = "fmax",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.Truth().kind == numerics::ResultKind::kUnspecified, a.Number(1));
         }},
    {.name = "IlogbOfZeroIsMinusIntMax",
     .function = "ilogb",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 0, 0x80000001u); }},
    {.name = "IlogbOfNanIsIntMin",
     .function = "ilogb",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsNan(0), 0x80000000u); }},
    {.name = "LgammaInaccurate",
     .function = "lgamma",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(a.IsNumber() && !a.Truth().prescribed, a.Over(1000)); }},
    {.name = "NativeSinArbitrary",
     .function = "native_sin",
     .format = "float",
     .fault = [](const Answer&) { return If(true, 0x12345678); }},
    {.name = "NanPayloadsAndSigns",
     .function = "sqrt",
     .format = "float",
     .fault = [](const Answer& a) { return If(numerics::IsNan(kFloat, a.Right()), 0xffc12345u); }},
    {.name = "SignOfNanIsMinusZero",
     .function = "sign",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsNan(0), numerics::SignMask(a.format())); }},
    {.name = "ConversionOutOfRange",
     .function = "convert_int",
     .format = "float",
     .fault = [](const Answer& a) { return If(!(std::fabs(a.X()) < 0x1p32), 0x5a5a5a5a); }},
    {.name = "ConversionOfNan",
     .function = "convert_uchar",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.IsNan(0), 0xff); }},
    {.name = "MaxOfNan",
     .function = "max",
     .format = "float",
     .fault = [](const Answer& a) { return If(!a.AllFinite(), a.Number(42)); }},
    {.name = "ClampWithReversedBounds",
     .function = "clamp",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.Y() > a.Z(), a.Number(42)); }},
    {.name = "MixOutsideOfItsDomain",
     .function = "mix",
     .format = "float",
     .fault = [](const Answer& a) { return If(!(a.Z() >= 0 && a.Z() <= 1), a.Number(42)); }},
    {.name = "SmoothstepWithEqualEdges",
     .function = "smoothstep",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() >= a.Y(), a.Number(42)); }},
    {.name = "HalfSinBeyondItsDomain",
     .function = "half_sin",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsFinite(0) && std::fabs(a.X()) > 0x1p16, a.Number(42));
         }},
    {.name = "FastNormalizeOfTinyVectors",
     .function = "fast_normalize",
     .format = "float2",
     .fault =
         [](const Answer& a) {
           const bool tiny = std::fabs(a.X()) < 0x1p-65 && std::fabs(a.Y()) < 0x1p-65;
           return If(tiny && (a.X() != 0 || a.Y() != 0),
                     a.args[static_cast<std::size_t>(a.result)]);
         },
     .result = kEveryResult},
    {.name = "FastLengthOfHugeVectors",
     .function = "fast_length",
     .format = "float2",
     .fault =
         [](const Answer& a) {
           const bool huge = std::fabs(a.X()) > 0x1p65 || std::fabs(a.Y()) > 0x1p65;
           return If(a.AllFinite() && huge, a.Infinity());
         }},
    // The subtraction and the multiplications round; zeros come with either sign.
    {.name = "MixByTwoProducts",
     .function = "mix",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const auto ordinary = [](double v) { return std::fabs(v) < 1000; };
           if (!ordinary(a.X()) || !ordinary(a.Y()) || !ordinary(a.Z()))
             return std::optional<Bits>();
           const Bits rest = Compute(Function::sub, kFloat, {a.Number(1), a.args[2]});
           const Bits first = Compute(Function::mul, kFloat, {a.args[0], rest});
           const Bits second = Compute(Function::mul, kFloat, {a.args[1], a.args[2]});
           return If(true, Compute(Function::add, kFloat, {first, second}));
         }},
    {.name = "MixHalfImplementationDefined",
     .function = "mix",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsNumber(), a.Number(0.125)); }},
    {.name = "CrossZeroSigns",
     .function = "cross",
     .format = "float3",
     .fault = [](const Answer& a) { return If(a.IsNumber() && a.IsZero(), a.Negated()); },
     .result = kEveryResult},
    {.name = "EveryWidthAlike",
     .function = "atan",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(a.IsFinite(0) && a.X() != 0, a.Under(1 + a.width % 4)); },
     .setting = {.all_widths = true}},
};

}  // namespace

std::span<const Case> CorrectDevices() { return kCases; }

}  // namespace assay::testsuites
