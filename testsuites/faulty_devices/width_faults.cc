// Faults of one vector width or one lane only, as a wrong vector code path or shuffle gives them.
#include <cmath>

#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

constexpr Setting kWidths{.all_widths = true};

const Case kCases[] = {
    {.name = "WidthThreeOnly",
     .function = "cos",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.width == 3 && a.X() > 100, a.Over(4)); },
     .setting = kWidths},
    {.name = "WidthSixteenOnly",
     .function = "sqrt",
     .format = "half",
     .fault =
         [](const Answer& a) {
           return If(a.width == 16 && a.X() > 1 && a.IsFinite(0), a.Over(1.5));
         },
     .setting = kWidths},
    {.name = "EveryWidthButScalars",
     .function = "rint",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.width > 1 && a.X() == 2.5, a.Number(3)); },
     .setting = kWidths,
     .at = "2.5"},
    {.name = "EveryWidthAlike",
     .function = "ceil",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == 2.5, a.Number(2)); },
     .setting = kWidths,
     .at = "2.5"},
    {.name = "LaneTwoOfFour",
     .function = "mul",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.width == 4 && a.lane == 2 && a.IsNumber() && !a.IsZero(), a.Negated());
         },
     .setting = kWidths},
    // The second batch of a sweep begins in the middle of no vector.
    {.name = "LaneTwoOfThree",
     .function = "fabs",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.width == 3 && a.lane == 2 && a.X() < -1 && a.IsFinite(0), a.args[0]);
         },
     .setting = {.all_widths = true, .samples = 70000}},
    {.name = "LastLaneOfSixteenWithNegativeResult",
     .function = "log",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.width == 16 && a.lane == 15 && a.IsNumber() && a.Value() < 0, a.Over(3));
         },
     .setting = kWidths},
    {.name = "LaneFiveOfEightOfIntegers",
     .function = "convert_int_sat",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.width == 8 && a.lane == 5 && a.X() > 0x1p31, 0x80000000u);
         },
     .setting = kWidths,
     .rule = oracle::Rule::kWrongInteger},
    {.name = "PartialVectors",
     .function = "floor",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.partial_vector && a.IsNumber(), a.Number(7.5)); },
     .setting = {.all_widths = true, .samples = 2047}},
    {.name = "SecondResultInWidthTwo",
     .function = "sincos",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(
               a.width == 2 && a.AllFinite() && std::fabs(a.X()) > 1 && std::fabs(a.X()) < 1.5,
               a.right[0]);
         },
     .result = 1,
     .setting = kWidths},
    {.name = "DifferentInEveryWidth",
     .function = "exp2",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.width > 1 && a.X() > 10 && a.X() < 20, a.Over(3 + a.width));
         },
     .setting = kWidths},
};

}  // namespace

std::span<const Case> WidthFaults() { return kCases; }

}  // namespace assay::testsuites
