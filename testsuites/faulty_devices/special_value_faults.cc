// NaN, infinities and the values that a clause prescribes for special operands.
#include "testsuites/faulty_devices/faulty_device.h"

#include <cmath>

namespace assay::testsuites {
namespace {

using oracle::Rule;
constexpr auto kNan = Rule::kWrongNan;
constexpr auto kInfinity = Rule::kWrongInfinity;
constexpr auto kPrescribed = Rule::kWrongPrescribed;
constexpr auto kInteger = Rule::kWrongInteger;
constexpr Setting kStandard{.level = oracle::Level::kStandard, .samples = 64};

bool IsEven(double v) { return std::fmod(v, 2) == 0; }
bool IsInteger(double v) { return std::isfinite(v) && std::trunc(v) == v; }

const Case kCases[] = {
    // A number for NaN.
    {.name = "AcosBeyondOne", .function = "acos", .format = "float",
     .fault = [](const Answer& a) { return If(std::fabs(a.X()) > 1, 0); }, .rule = kNan},
    {.name = "AsinpiBeyondOne", .function = "asinpi", .format = "half",
     .fault = [](const Answer& a) { return If(a.X() > 1, a.Number(0.5)); }, .rule = kNan},
    {.name = "SqrtOfNegative", .function = "sqrt", .format = "double",
     .fault = [](const Answer& a) { return If(a.X() < 0, 0); }, .rule = kNan},
    {.name = "LogOfNegative", .function = "log", .format = "float",
     .fault = [](const Answer& a) {
       return If(a.X() < 0, numerics::Negate(a.format(), a.Infinity()));
     },
     .rule = kNan},
    {.name = "PowOfNegativeAndFraction", .function = "pow", .format = "half",
     .fault = [](const Answer& a) { return If(a.X() < 0 && a.IsFinite(0) && a.Y() == 0.5, 0); },
     .rule = kNan},
    {.name = "PowrOfZeros", .function = "powr", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 0 && a.Y() == 0, a.Number(1)); },
     .rule = kNan},
    {.name = "PowrOfNegative", .function = "powr", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() < 0 && IsEven(a.Y()), a.Number(1)); },
     .rule = kNan},
    {.name = "PowrOfOneAndInfinity", .function = "powr", .format = "double",
     .fault = [](const Answer& a) { return If(a.X() == 1 && a.IsInfinite(1), a.Number(1)); },
     .rule = kNan},
    {.name = "RootnOfNegativeAndEven", .function = "rootn", .format = "float",
     .fault = [](const Answer& a) {
       return If(a.X() < 0 && IsEven(a.Y()) && a.Y() != 0, a.Number(-1));
     },
     .rule = kNan},
    {.name = "RootnOfIndexZero", .function = "rootn", .format = "double",
     .fault = [](const Answer& a) { return If(a.Y() == 0, a.Number(1)); }, .rule = kNan},
    {.name = "FmodByZero", .function = "fmod", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && a.Y() == 0, a.args[0]); },
     .rule = kNan},
    {.name = "RemainderOfInfinity", .function = "remainder", .format = "double",
     .fault = [](const Answer& a) { return If(a.IsInfinite(0) && a.IsFinite(1), 0); },
     .rule = kNan},
    {.name = "TgammaOfMinusOne", .function = "tgamma", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == -1, a.Infinity()); },
     .rule = kNan, .at = "-1"},
    {.name = "SinOfInfinity", .function = "sin", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsInfinite(0) && a.X() > 0, 0); },
     .rule = kNan, .at = "inf"},
    {.name = "FdimOfNan", .function = "fdim", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsNan(0), 0); }, .rule = kNan},
    {.name = "NanOfCode", .function = "nan", .format = "float",
     .fault = [](const Answer& a) { return If(a.args[0] == 0, 0); }, .rule = kNan, .at = "0"},
    {.name = "NormalizeKeepsOtherElementsOfNan", .function = "normalize", .format = "float3",
     .fault = [](const Answer& a) {
       const bool any = a.IsNan(0) || a.IsNan(1) || a.IsNan(2);
       return If(any && !a.IsNan(static_cast<std::size_t>(a.result)), 0);
     },
     .result = kEveryResult, .rule = kNan},
    {.name = "StoreOfNan", .function = "vstore_half", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsNan(0), a.Infinity()); }, .rule = kNan},
    {.name = "LoadOfNan", .function = "vload_half", .format = "half",
     .fault = [](const Answer& a) { return If(a.IsNan(0), 0); }, .rule = kNan},

    // NaN for a number.
    {.name = "PowOfOneAndNan", .function = "pow", .format = "float",
     .fault = [](const Answer& a) {
       return If(a.X() == 1 && a.IsNan(1) && a.IsNumber(), a.NaN());
     },
     .rule = kNan},
    {.name = "PownOfNanAndZero", .function = "pown", .format = "double",
     .fault = [](const Answer& a) {
       return If(a.IsNan(0) && a.Y() == 0 && a.IsNumber(), a.NaN());
     },
     .rule = kNan},
    {.name = "PowOfMinusOneAndInfinity", .function = "pow", .format = "double",
     .fault = [](const Answer& a) { return If(a.X() == -1 && a.IsInfinite(1), a.NaN()); },
     .rule = kNan},
    {.name = "FmaxOfNan", .function = "fmax", .format = "float",
     .fault = [](const Answer& a) {
       return If((a.IsNan(0) || a.IsNan(1)) && a.IsNumber(), a.NaN());
     },
     .rule = kNan},
    {.name = "FminOfNan", .function = "fmin", .format = "half",
     .fault = [](const Answer& a) {
       return If((a.IsNan(0) || a.IsNan(1)) && a.IsNumber(), a.NaN());
     },
     .rule = kNan},
    {.name = "HypotOfInfinityAndNan", .function = "hypot", .format = "float",
     .fault = [](const Answer& a) {
       const bool prescribed = a.Truth().kind == numerics::ResultKind::kInfinite;
       return If(prescribed && (a.IsNan(0) || a.IsNan(1)), a.NaN());
     },
     .rule = kNan},
    {.name = "SinOfHugeOperand", .function = "sin", .format = "double",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && a.X() > 0x1p600, a.NaN()); },
     .rule = kNan},
    {.name = "TanhOfInfinity", .function = "tanh", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsInfinite(0), a.NaN()); }, .rule = kNan},
    {.name = "SignOfNan", .function = "sign", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsNan(0), a.NaN()); }, .rule = kNan},
    {.name = "TanpiOfHalf", .function = "tanpi", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 0.5, a.NaN()); },
     .rule = kNan, .at = "0.5"},
    {.name = "ReciprocalOfInfinity", .function = "recip_div", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsInfinite(0), a.NaN()); }, .rule = kNan},
    {.name = "NormalizeOfInfiniteElement", .function = "normalize", .format = "float4",
     .fault = [](const Answer& a) {
       bool infinite = false;
       for (std::size_t i = 0; i < 4; ++i) infinite |= a.IsInfinite(i);
       return If(infinite && a.IsNumber(), a.NaN());
     },
     .result = kEveryResult, .rule = kNan},

    // Infinities.
    {.name = "TanpiOfOneAndAHalf", .function = "tanpi", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 1.5, a.Infinity()); },
     .setting = kStandard, .rule = kInfinity, .at = "1.5"},
    {.name = "LogbOfZero", .function = "logb", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 0, a.Number(-127)); }, .rule = kInfinity},
    {.name = "AtanhOfOne", .function = "atanh", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 1, a.MaxFinite()); },
     .rule = kInfinity, .at = "1"},
    {.name = "ReciprocalOfMinusZero", .function = "recip_div", .format = "half",
     .fault = [](const Answer& a) { return If(a.IsMinusZero(0), a.Infinity()); },
     .rule = kInfinity, .at = "-0"},
    {.name = "LgammaOfMinusTwo", .function = "lgamma", .format = "double",
     .fault = [](const Answer& a) { return If(a.X() == -2, a.Negated()); },
     .rule = kInfinity, .at = "-2"},
    {.name = "PownOfMinusZeroAndMinusOne", .function = "pown", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsMinusZero(0) && a.Y() == -1, a.Infinity()); },
     .rule = kInfinity, .at = "-0,-1"},
    {.name = "LoadOfInfinity", .function = "vload_half", .format = "half",
     .fault = [](const Answer& a) { return If(a.IsInfinite(0) && a.X() > 0, a.Number(65536)); },
     .rule = kInfinity, .at = "inf"},

    // Prescribed numbers.
    {.name = "Atan2piOfZeroAndMinusZero", .function = "atan2pi", .format = "float",
     .fault = [](const Answer& a) {
       return If(a.X() == 0 && !a.IsMinusZero(0) && a.IsMinusZero(1), 0);
     },
     .rule = kPrescribed, .at = "0,-0"},
    {.name = "Atan2piOfInfinities", .function = "atan2pi", .format = "double",
     .fault = [](const Answer& a) {
       return If(a.IsInfinite(0) && a.IsInfinite(1), a.Number(0.5));
     },
     .rule = kPrescribed},
    {.name = "Expm1OfMinusInfinity", .function = "expm1", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsInfinite(0) && a.X() < 0, a.Moved(-1)); },
     .rule = kPrescribed, .at = "-inf"},
    {.name = "CoshOfZero", .function = "cosh", .format = "half",
     .fault = [](const Answer& a) { return If(a.X() == 0, a.Moved(1)); }, .rule = kPrescribed},
    {.name = "Exp2OfZero", .function = "exp2", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 0, a.Moved(-1)); }, .rule = kPrescribed},
    {.name = "HypotOfZero", .function = "hypot", .format = "float",
     .fault = [](const Answer& a) {
       return If(a.Y() == 0 && a.IsFinite(0) && a.X() != 0, a.Moved(1));
     },
     .rule = kPrescribed},
    {.name = "LgammaOfOne", .function = "lgamma", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 1, 1); }, .rule = kPrescribed, .at = "1"},
    {.name = "SinpiOfLargeInteger", .function = "sinpi", .format = "float",
     .fault = [](const Answer& a) {
       return If(IsInteger(a.X()) && std::fabs(a.X()) > 0x1p22, a.Number(0x1p-20));
     },
     .rule = kPrescribed},

    // Integers.
    {.name = "IlogbOfZero", .function = "ilogb", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 0, 0); }, .rule = kInteger},
    {.name = "IlogbOfNan", .function = "ilogb", .format = "half",
     .fault = [](const Answer& a) { return If(a.IsNan(0), 0); }, .rule = kInteger},
    {.name = "IlogbOfInfinity", .function = "ilogb", .format = "double",
     .fault = [](const Answer& a) { return If(a.IsInfinite(0), 1024); }, .rule = kInteger},
    {.name = "FrexpExponentOfInfinity", .function = "frexp", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsInfinite(0), 129); },
     .result = 1, .rule = kInteger},
    {.name = "LgammaSignAtPole", .function = "lgamma_r", .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == -1, 1); },
     .result = 1, .rule = kInteger, .at = "-1"},
    {.name = "RemquoQuotientOfInfinity", .function = "remquo", .format = "float",
     .fault = [](const Answer& a) { return If(a.IsInfinite(0), 1); },
     .result = 1, .rule = kInteger},
};

}  // namespace

std::span<const Case> SpecialValueFaults() { return kCases; }

}  // namespace assay::testsuites
