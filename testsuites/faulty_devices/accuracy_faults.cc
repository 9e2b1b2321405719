// Errors beyond the ulp limit of OpenCL C 7.4, each in one class of operands only.
#include <cmath>

#include "numerics/function.h"
#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

constexpr Setting kStandard{.level = oracle::Level::kStandard, .samples = 256};
constexpr Format kFloat = Format::kFloat;

// A device that computes in float what has to be computed with more bits.
Bits PowByLogarithm(const Answer& a) {
  const Bits logarithm = Compute(Function::log2, kFloat, {a.args[0]});
  const Bits exponent = Compute(Function::mul, kFloat, {a.args[1], logarithm});
  return Compute(Function::exp2, kFloat, {exponent});
}

Bits Expm1ByExp(const Answer& a) {
  return Compute(Function::sub, kFloat, {Compute(Function::exp, kFloat, {a.args[0]}), a.Number(1)});
}

Bits SinhByExp(const Answer& a) {
  const Bits up = Compute(Function::exp, kFloat, {a.args[0]});
  const Bits down = Compute(Function::exp, kFloat, {numerics::Negate(kFloat, a.args[0])});
  const Bits difference = Compute(Function::sub, kFloat, {up, down});
  return Compute(Function::mul, kFloat, {difference, a.Number(0.5)});
}

Bits AsinhByLog(const Answer& a) {
  const Bits square = Compute(Function::mul, kFloat, {a.args[0], a.args[0]});
  const Bits root =
      Compute(Function::sqrt, kFloat, {Compute(Function::add, kFloat, {square, a.Number(1)})});
  return Compute(Function::log, kFloat, {Compute(Function::add, kFloat, {a.args[0], root})});
}

const Case kCases[] = {
    {.name = "SqrtInOneBinade",
     .function = "sqrt",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.X() >= 1 && a.X() < 2, a.Moved(1)); }},
    {.name = "SinBeyondTwoTo22",
     .function = "sin",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && a.X() > 0x1p22, a.Over(4)); }},
    {.name = "SinOfNegative",
     .function = "sin",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.X() < -4, a.Over(2)); },
     .every_is_wrong = false},
    {.name = "CosNearItsZeros",
     .function = "cos",
     .format = "float",
     .fault = [](const Answer& a) { return If(std::fabs(a.Value()) < 0x1p-12, a.Over(4)); },
     .setting = kStandard},
    {.name = "TanNearItsPoles",
     .function = "tan",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(std::fabs(a.Value()) > 0x1p12 && std::fabs(a.X()) < 0x1p12, a.Over(5));
         },
     .setting = kStandard},
    {.name = "LogWithNegativeResult",
     .function = "log",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsNumber() && a.Value() < 0, a.Over(3)); }},
    {.name = "Log2InOneBinade",
     .function = "log2",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.X() >= 0.5 && a.X() < 1, a.Over(3)); }},
    {.name = "Log10OfSubnormals",
     .function = "log10",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0) && a.X() > 0, a.Over(3)); }},
    {.name = "Log1pOfTiny",
     .function = "log1p",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.X() != 0 && std::fabs(a.X()) > 0x1p-100 && std::fabs(a.X()) < 0x1p-24, 0);
         }},
    {.name = "ExpWithSubnormalResult",
     .function = "exp",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), a.Over(3)); }},
    {.name = "Exp2BeyondEight",
     .function = "exp2",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.X() > 8 && a.X() < 15, a.Over(2)); }},
    {.name = "Exp10BelowMinus200",
     .function = "exp10",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.X() < -200 && a.X() > -400, a.Over(3)); },
     .every_is_wrong = false},
    {.name = "Expm1ByCancellation",
     .function = "expm1",
     .format = "float",
     .fault = [](const Answer& a) { return If(std::fabs(a.X()) < 1 && a.X() != 0, Expm1ByExp(a)); },
     .every_is_wrong = false},
    {.name = "SinhByCancellation",
     .function = "sinh",
     .format = "float",
     .fault = [](const Answer& a) { return If(std::fabs(a.X()) < 1 && a.X() != 0, SinhByExp(a)); },
     .every_is_wrong = false},
    {.name = "AsinhOfNegative",
     .function = "asinh",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() < -1 && a.X() > -1e18, AsinhByLog(a)); },
     .rule = std::nullopt,
     .every_is_wrong = false},
    {.name = "CbrtOfNegative",
     .function = "cbrt",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.X() < 0, a.Over(2)); },
     .every_is_wrong = false},
    {.name = "ErfTail",
     .function = "erf",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 2 && a.X() < 3, a.Over(16)); }},
    {.name = "ErfcTail",
     .function = "erfc",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 9 && a.IsNumber() && a.X() < 10, 0); },
     .every_is_wrong = false},
    {.name = "TgammaOfNegative",
     .function = "tgamma",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.X() < 0 && a.X() > -150, a.Over(16)); },
     .every_is_wrong = false},
    {.name = "RsqrtInOneBinade",
     .function = "rsqrt",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.X() >= 2 && a.X() < 4, a.Over(1)); }},
    {.name = "HypotOfNegatives",
     .function = "hypot",
     .format = "half",
     .fault =
         [](const Answer& a) {
           return If(a.X() < 0 && a.Y() < 0 && a.AllFinite() && a.Value() < 1000, a.Over(2));
         }},
    {.name = "Atan2ThirdQuadrant",
     .function = "atan2",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() < 0 && a.Y() < 0, a.Over(6)); }},
    {.name = "AsinNearOne",
     .function = "asin",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 0.99 && a.X() <= 1, a.Over(4)); }},
    {.name = "AcospiNearMinusOne",
     .function = "acospi",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.X() < -0.9 && a.X() >= -1, a.Over(2)); }},
    {.name = "AtanpiOfLarge",
     .function = "atanpi",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(a.IsFinite(0) && std::fabs(a.X()) > 0x1p22, a.Over(5)); }},
    {.name = "CoshDouble",
     .function = "cosh",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.X() > 100 && a.X() < 700, a.Over(4)); }},
    {.name = "AcoshNearOne",
     .function = "acosh",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 1 && a.X() < 1.01, a.Over(4)); }},
    {.name = "AtanhOfNegative",
     .function = "atanh",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.X() < -0.25 && a.X() > -1, a.Over(5)); }},
    {.name = "PowByLogarithmInFloat",
     .function = "pow",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const bool ordinary = a.AllFinite() && a.X() > 0 && a.IsNumber() &&
                                 !a.IsSubnormalResult() && a.X() != 1 && a.Y() != 0;
           return If(ordinary, ordinary ? PowByLogarithm(a) : 0);
         },
     .every_is_wrong = false},
    {.name = "PownOfLargeExponentInFloat",
     .function = "pown",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == -1 && a.Y() > 0x1p24, a.Number(1)); },
     .every_is_wrong = false},
    {.name = "PownOfNegativeBase",
     .function = "pown",
     .format = "double",
     .fault =
         [](const Answer& a) { return If(a.X() < -1 && a.Y() != 0 && a.IsNumber(), a.Over(16)); },
     .every_is_wrong = false},
    {.name = "RootnOfNegative",
     .function = "rootn",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && a.X() < 0, a.Over(16)); }},
    {.name = "PowrBelowOne",
     .function = "powr",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.X() > 0.5 && a.X() < 1 && std::fabs(a.Y()) < 100 && a.Y() != 0, a.Over(16));
         }},
    {.name = "SinpiBeyondTwoTo22",
     .function = "sinpi",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(std::fabs(a.X()) > 0x1p22 && std::trunc(a.X()) != a.X(), a.Number(0.5));
         }},
    {.name = "DegreesOfLarge",
     .function = "degrees",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 100 && a.X() < 1e30, a.Over(2)); }},
    {.name = "RadiansOfHalf",
     .function = "radians",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.X() < -100 && a.IsFinite(0), a.Over(2)); }},
    {.name = "DivByLarge",
     .function = "div",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsFinite(1) && std::fabs(a.Y()) > 0x1p22 && a.X() != 0, a.Over(2.5));
         }},
    {.name = "DivDoubleOfNegative",
     .function = "div",
     .format = "double",
     .fault =
         [](const Answer& a) { return If(a.X() < 0 && a.IsNumber() && !a.IsZero(), a.Moved(1)); }},
    {.name = "ReciprocalOfSubnormal",
     .function = "recip_div",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), a.Over(1)); }},
    {.name = "HalfSinInOneBinade",
     .function = "half_sin",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() >= 1 && a.X() < 2, a.Over(8192)); }},
    {.name = "HalfDivideOfNegative",
     .function = "half_divide",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.X() < 0 && a.IsNumber() && std::fabs(a.Value()) < 0x1p100, a.Over(8192));
         },
     .every_is_wrong = false},
    {.name = "FastLengthOfThree",
     .function = "fast_length",
     .format = "float3",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && a.Value() > 1e-6 && a.Value() < 1e6, a.Over(8194.5));
         }},
    // The limits are those of the profile that the device declares.
    {.name = "ExpInTheEmbeddedProfile",
     .function = "exp",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 1 && a.X() < 80, a.Over(4)); },
     .setting = {.profile = oracle::Profile::kEmbedded}},
    {.name = "DivDeclaredCorrectlyRounded",
     .function = "div",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.X() > 1 && a.Y() > 1 && a.Truth().fraction != 0 && a.IsNumber(), a.Moved(1));
         },
     .setting = {.build_options = "-cl-fp32-correctly-rounded-divide-sqrt"}},
};

}  // namespace

std::span<const Case> AccuracyFaults() { return kCases; }

}  // namespace assay::testsuites
