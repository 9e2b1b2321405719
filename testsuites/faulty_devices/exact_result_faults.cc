// Functions whose results are exact or correctly rounded: one wrong bit is wrong.
#include <cmath>

#include "numerics/function.h"
#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

using oracle::Rule;
constexpr Setting kStandard{.level = oracle::Level::kStandard, .samples = 256};

// Rounds twice; both results are numbers, so that only their rounding differs.
std::optional<Bits> MulThenAdd(const Answer& a) {
  const Bits product = Compute(Function::mul, a.format(), {a.args[0], a.args[1]});
  const Bits sum = Compute(Function::add, a.format(), {product, a.args[2]});
  const bool comparable = a.IsNumber() && numerics::IsFinite(a.format(), sum) &&
                          !(a.IsZero() && numerics::IsZero(a.format(), sum));
  return If(comparable, sum);
}

// x * 2^n in two steps, of which the first rounds where the result is subnormal.
Bits LdexpInTwoSteps(const Answer& a) {
  const auto n = static_cast<std::int32_t>(a.args[1]);
  const Bits near =
      Compute(Function::ldexp, a.format(), {a.args[0], static_cast<std::uint32_t>(n + 1)});
  return Compute(Function::ldexp, a.format(), {near, static_cast<std::uint32_t>(-1)});
}

bool IsTie(double v) { return std::isfinite(v) && std::fabs(v - std::trunc(v)) == 0.5; }

const Case kCases[] = {
    {.name = "SumWithSubnormalResult",
     .function = "add",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), a.Moved(1)); }},
    {.name = "SumTiesAway",
     .function = "add",
     .format = "half",
     .fault =
         [](const Answer& a) {
           const bool down = a.Truth().fraction == 0.5 && a.Right() == a.Truth().below;
           return If(down, a.Moved(1));
         }},
    {.name = "ProductWithSubnormalResult",
     .function = "mul",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), a.Moved(1)); }},
    {.name = "ProductTruncated",
     .function = "mul",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && a.Truth().fraction > 0.5, a.Truth().below);
         }},
    {.name = "DifferenceReversed",
     .function = "sub",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsNumber() && !a.IsZero(), a.Negated()); }},
    {.name = "FmaInTwoRoundings",
     .function = "fma",
     .format = "float",
     .fault = MulThenAdd,
     .setting = kStandard},
    {.name = "FmaInTwoRoundingsHalf", .function = "fma", .format = "half", .fault = MulThenAdd},
    {.name = "MadInaccurate",
     .function = "mad",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsNumber() && a.X() > 1, a.Moved(2)); },
     .every_is_wrong = false},
    {.name = "ContractionInaccurate",
     .function = "mul_add",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.IsNumber() && a.X() < -1, a.Moved(1)); },
     .every_is_wrong = false},
    {.name = "RoundTiesToEven",
     .function = "round",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(IsTie(a.X()), a.Number(2 * std::nearbyint(a.X() / 2))); },
     .rule = std::nullopt,
     .every_is_wrong = false},
    {.name = "RintTiesAway",
     .function = "rint",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(IsTie(a.X()) && std::fabs(a.X()) > 1, a.Number(std::round(a.X())));
         },
     .setting = kStandard},
    {.name = "FloorOfNegativeTruncates",
     .function = "floor",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsFinite(0) && a.X() < 0, a.Number(std::trunc(a.X())));
         }},
    {.name = "CeilOfPositiveTruncates",
     .function = "ceil",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.IsFinite(0) && a.X() > 0, a.Number(std::trunc(a.X())));
         }},
    // Common where the integer part goes through a 32-bit integer.
    {.name = "TruncBeyondTwoTo31",
     .function = "trunc",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(a.IsFinite(0) && a.X() > 0x1p31, a.Number(0x1p31)); }},
    {.name = "FractReturnsOne",
     .function = "fract",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.X() < 0 && a.X() > -0x1p-30 && !a.IsSubnormal(0), a.Number(1));
         }},
    {.name = "FractOfNegative",
     .function = "fract",
     .format = "half",
     .fault =
         [](const Answer& a) {
           return If(a.X() < 0 && a.IsFinite(0) && !a.IsZero(),
                     a.Number(a.X() - std::trunc(a.X())));
         }},
    {.name = "FmodTakesTheSignOfY",
     .function = "fmod",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && !a.IsZero() && a.X() > 0 && a.Y() < 0 && !a.IsInfinite(1),
                     a.Negated());
         }},
    {.name = "FmodOfDistantExponents",
     .function = "fmod",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && !a.IsZero() && std::fabs(a.X()) > 0x1p60 * std::fabs(a.Y()),
                     a.Moved(1));
         }},
    {.name = "RemainderRoundsTiesAway",
     .function = "remainder",
     .format = "half",
     .fault =
         [](const Answer& a) {
           // Halfway between multiples the even one counts; the other has the opposite remainder.
           const bool tie = a.IsNumber() && 2 * std::fabs(a.Value()) == std::fabs(a.Y());
           return If(tie, a.Negated());
         }},
    {.name = "NextafterGoesTheOtherWay",
     .function = "nextafter",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.IsFinite(0) && a.X() < -1 && a.Y() < a.X(), a.args[0] - 1);
         }},
    {.name = "NextafterOfMinusZero",
     .function = "nextafter",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsMinusZero(0) && a.Y() > 0, a.MinNormal()); },
     .rule = Rule::kWrongPrescribed},
    {.name = "NextafterOfEquals",
     .function = "nextafter",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.X() == a.Y() && a.X() == 1, a.Moved(1)); },
     .rule = Rule::kWrongPrescribed,
     .at = "1,1"},
    {.name = "LdexpRoundsTwice",
     .function = "ldexp",
     .format = "half",
     .fault =
         [](const Answer& a) {
           const bool room = std::fabs(a.Y()) < 1000 && a.Y() != 0 && a.IsSubnormalResult();
           return If(room, room ? LdexpInTwoSteps(a) : 0);
         },
     .setting = kStandard},
    {.name = "LdexpClampsTheExponent",
     .function = "ldexp",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.Y() > 127 && a.IsNumber() && !a.IsZero(),
                     Compute(Function::ldexp, a.format(), {a.args[0], 127}));
         }},
    {.name = "LogbOfSubnormal",
     .function = "logb",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), a.Number(-126)); },
     .every_is_wrong = true},
    {.name = "IlogbOfSubnormal",
     .function = "ilogb",
     .format = "double",
     .fault =
         [](const Answer& a) { return If(a.IsSubnormal(0), static_cast<std::uint32_t>(-1022)); },
     .rule = Rule::kWrongInteger},
    {.name = "FabsOfNegativeSubnormal",
     .function = "fabs",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0) && a.X() < 0, a.args[0]); }},
    {.name = "CopysignOfTheFirst",
     .function = "copysign",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.X() != 0 && std::fabs(a.X()) < 10 && !a.IsNan(1), a.args[0]);
         }},
    {.name = "FdimOfSmaller",
     .function = "fdim",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const bool below = a.X() < a.Y() && a.AllFinite();
           return If(below, Compute(Function::sub, a.format(), {a.args[0], a.args[1]}));
         }},
    {.name = "FminOfOpposites",
     .function = "fmin",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.X() == -1 && a.Y() == 1, a.Negated()); },
     .at = "-1,1"},
    {.name = "FmaxComparesMagnitudes",
     .function = "fmax",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.X() < 0 && a.Y() < a.X(), a.args[1]);
         }},
    {.name = "MaxmagOfOpposites",
     .function = "maxmag",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsFinite(0) && a.X() < 0 && a.Y() == -a.X(), a.args[0]);
         }},
    {.name = "MinmagOfOpposites",
     .function = "minmag",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.IsFinite(0) && a.X() > 0 && a.Y() == -a.X(), a.args[0]);
         }},
    {.name = "SqrtDoubleTruncated",
     .function = "sqrt",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && a.Truth().fraction > 0.5, a.Truth().below);
         }},
};

}  // namespace

std::span<const Case> ExactResultFaults() { return kCases; }

}  // namespace assay::testsuites
