// Relaxed math has limits too (the unsafe-math table of 7.4), and so have the half_ functions.
#include <cmath>

#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

constexpr Setting kRelaxed{.math = oracle::MathMode::kRelaxed};
constexpr double kPi = 0x1.921fb54442d18p+1;

const Case kCases[] = {
    {.name = "RelaxedSin",
     .function = "sin",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(std::fabs(a.X()) <= kPi, a.Number(a.Value() + 0x1p-10)); },
     .setting = kRelaxed},
    {.name = "RelaxedCosInOneLane",
     .function = "cos",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.width == 4 && a.lane == 3 && std::fabs(a.X()) <= 1,
                     a.Number(a.Value() - 0x1p-10));
         },
     .setting = {.math = oracle::MathMode::kRelaxed, .all_widths = true}},
    {.name = "RelaxedSincosCosine",
     .function = "sincos",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.X() > 1 && a.X() <= kPi, a.Number(a.Value() + 0x1.1p-11));
         },
     .result = 1,
     .setting = kRelaxed},
    {.name = "RelaxedExp",
     .function = "exp",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && std::fabs(a.X()) < 80 && a.X() != 0,
                     a.Over(3 + std::floor(std::fabs(2 * a.X()))));
         },
     .setting = kRelaxed},
    {.name = "RelaxedLogAroundOne",
     .function = "log",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.X() >= 0.5 && a.X() <= 2, a.Number(a.Value() + 0x1p-20));
         },
     .setting = kRelaxed},
    {.name = "RelaxedLogOfLarge",
     .function = "log2",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 2 && a.IsFinite(0), a.Over(3)); },
     .setting = kRelaxed},
    {.name = "RelaxedPow",
     .function = "pow",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const bool ordinary = a.X() > 0 && a.AllFinite() && a.IsNumber() &&
                                 std::fabs(a.Y()) < 50 && a.Y() != 0 &&
                                 std::fabs(std::log2(a.X())) < 2;
           return If(ordinary, a.Number(a.Value() * 1.5));
         },
     .setting = kRelaxed},
    {.name = "RelaxedTanh",
     .function = "tanh",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 1 && a.X() < 2, a.Number(a.Value() * 0.9)); },
     .setting = kRelaxed},
    {.name = "RelaxedAsin",
     .function = "asin",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(std::fabs(a.X()) > 0.25 && std::fabs(a.X()) < 1, a.Over(4096));
         },
     .setting = kRelaxed},
    {.name = "RelaxedDivide",
     .function = "div",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const auto ordinary = [](double v) { return std::fabs(v) > 1e-3 && std::fabs(v) < 1e3; };
           return If(ordinary(a.X()) && ordinary(a.Y()), a.Over(2.5));
         },
     .setting = kRelaxed},
    {.name = "RelaxedSum",
     .function = "add",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && a.Value() > 1 && a.AllFinite(), a.Moved(1));
         },
     .setting = kRelaxed},
    {.name = "RelaxedRintIsExact",
     .function = "rint",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 10 && a.IsFinite(0), a.Moved(1)); },
     .setting = kRelaxed},
    {.name = "RelaxedFabs",
     .function = "fabs",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() < -1 && a.IsFinite(0), a.args[0]); },
     .setting = kRelaxed},
    // The unsafe-math table is about float: double keeps the profile's limits.
    {.name = "RelaxedExpDouble",
     .function = "exp",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.X() > 10 && a.X() < 100, a.Over(3)); },
     .setting = kRelaxed},
    {.name = "HalfSqrtOfNegative",
     .function = "half_sqrt",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() < -1, 0); },
     .rule = oracle::Rule::kWrongNan},
    {.name = "HalfExpOfMinusZero",
     .function = "half_exp",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsMinusZero(0), a.Moved(1)); },
     .rule = oracle::Rule::kWrongPrescribed,
     .at = "-0"},
};

}  // namespace

std::span<const Case> RelaxedMathFaults() { return kCases; }

}  // namespace assay::testsuites
