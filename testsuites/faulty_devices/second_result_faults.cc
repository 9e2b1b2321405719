// Built-ins with two results: swapped, inconsistent or unchecked second ones.
#include <cmath>

#include "numerics/function.h"
#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

using oracle::Rule;
constexpr auto kInteger = Rule::kWrongInteger;

std::uint32_t Int(const Answer& a) { return static_cast<std::uint32_t>(a.Right()); }

const Case kCases[] = {
    {.name = "SincosSwapped",
     .function = "sincos",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.AllFinite(), a.right[a.result == 0 ? 1 : 0]); },
     .result = kEveryResult,
     .rule = std::nullopt,
     .every_is_wrong = false},
    {.name = "SincosCosineOfLarge",
     .function = "sincos",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.AllFinite() && a.X() > 0x1p300, a.Over(4)); },
     .result = 1},
    {.name = "FrexpInOneToTwo",
     .function = "frexp",
     .format = "float",
     .fault =
         [](const Answer& a) {
           if (!a.AllFinite() || a.X() == 0) return std::optional<Bits>();
           return If(true, a.result == 0 ? a.Number(2 * a.Value()) : (Int(a) - 1) & 0xffffffffu);
         },
     .result = kEveryResult},
    {.name = "FrexpExponentOfSubnormal",
     .function = "frexp",
     .format = "double",
     .fault =
         [](const Answer& a) { return If(a.IsSubnormal(0), static_cast<std::uint32_t>(-1021)); },
     .result = 1,
     .rule = kInteger,
     .every_is_wrong = false},
    {.name = "FrexpExponentOffByOne",
     .function = "frexp",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.X() < -1 && a.AllFinite(), Int(a) + 1); },
     .result = 1,
     .rule = kInteger},
    {.name = "ModfSwapped",
     .function = "modf",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.X() > 1 && a.X() < 2, a.right[a.result == 0 ? 1 : 0]);
         },
     .result = kEveryResult,
     .rule = Rule::kOverLimit},
    {.name = "ModfWholeRounds",
     .function = "modf",
     .format = "half",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && std::fabs(a.X()) > 1, a.Number(std::round(a.X())));
         },
     .result = 1},
    {.name = "FractFloorTruncates",
     .function = "fract",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.X() < -1, a.Number(std::trunc(a.X())));
         },
     .result = 1},
    {.name = "RemquoQuotientWithoutSign",
     .function = "remquo",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(static_cast<std::int32_t>(Int(a)) < 0, Bits{0} - Int(a));
         },
     .result = 1,
     .rule = kInteger},
    {.name = "RemquoQuotientOffByOne",
     .function = "remquo",
     .format = "double",
     .fault = [](const Answer& a) { return If(Int(a) == 1, 2); },
     .result = 1,
     .rule = kInteger},
    {.name = "RemquoQuotientThreeBits",
     .function = "remquo",
     .format = "half",
     .fault = [](const Answer& a) { return If(static_cast<std::int32_t>(Int(a)) > 7, Int(a) & 7); },
     .result = 1,
     .rule = kInteger},
    {.name = "RemquoTruncates",
     .function = "remquo",
     .format = "float",
     .fault =
         [](const Answer& a) {
           if (!a.AllFinite() || a.Y() == 0 || a.IsZero()) return std::optional<Bits>();
           return If(true, Compute(Function::fmod, a.format(), {a.args[0], a.args[1]}));
         }},
    {.name = "LgammaConstant",
     .function = "lgamma",
     .format = "float",
     .fault = [](const Answer&) { return If(true, 0); },
     .rule = std::nullopt,
     .every_is_wrong = false},
    {.name = "LgammaConstantAndNan",
     .function = "lgamma",
     .format = "double",
     .fault = [](const Answer& a) { return If(!a.IsNan(0), 0); },
     .rule = std::nullopt,
     .every_is_wrong = false},
    {.name = "LgammaSignOfNegative",
     .function = "lgamma_r",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == -0.5, 1); },
     .result = 1,
     .rule = kInteger,
     .at = "-0.5"},
    {.name = "LgammaSignConstant",
     .function = "lgamma_r",
     .format = "double",
     .fault = [](const Answer&) { return If(true, 1); },
     .result = 1,
     .rule = kInteger,
     .every_is_wrong = false},
    {.name = "LgammaRConstant",
     .function = "lgamma_r",
     .format = "half",
     .fault = [](const Answer& a) { return If(!a.IsNan(0), 0); },
     .rule = std::nullopt,
     .every_is_wrong = false},
};

}  // namespace

std::span<const Case> SecondResultFaults() { return kCases; }

}  // namespace assay::testsuites
