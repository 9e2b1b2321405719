// Common and geometric functions (OpenCL C 6.15.4 and 6.15.5).
#include <cmath>

#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

using oracle::Rule;

bool Moderate(double v) { return std::fabs(v) > 1e-3 && std::fabs(v) < 1e3; }

const Case kCases[] = {
    {.name = "ClampSwapped",
     .function = "clamp",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.X() > a.Z() && a.Y() < a.Z(), a.args[1]);
         }},
    {.name = "ClampIgnoresTheLowerBound",
     .function = "clamp",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.X() < a.Y() && a.Y() < a.Z(), a.args[0]);
         }},
    {.name = "MaxReturnsTheFirst",
     .function = "max",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.AllFinite() && a.X() < a.Y(), a.args[0]); }},
    {.name = "MinOfNegatives",
     .function = "min",
     .format = "half",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.X() < a.Y() && a.Y() < 0, a.args[1]);
         }},
    {.name = "StepAtTheEdge",
     .function = "step",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() == a.Y(), 0); }},
    {.name = "StepOfNan",
     .function = "step",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsNan(0) || a.IsNan(1), 0); }},
    {.name = "StepSwapped",
     .function = "step",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.X() < a.Y() || a.X() > a.Y(), a.Number(a.X() < a.Y() ? 0 : 1));
         }},
    {.name = "SmoothstepBeyondTheEdges",
     .function = "smoothstep",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.X() < a.Y() && a.Z() > a.Y(), a.Number(1.0001));
         }},
    {.name = "SmoothstepLinear",
     .function = "smoothstep",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const double t = (a.Z() - a.X()) / (a.Y() - a.X());
           return If(a.AllFinite() && a.X() < a.Y() && t > 0.1 && t < 0.4, a.Number(t));
         }},
    {.name = "MixOffByTwoThousandths",
     .function = "mix",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && std::fabs(a.Value()) < 10 && a.Z() >= 0 && a.Z() <= 1,
                     a.Number(a.Value() + 2e-3));
         }},
    {.name = "MixReversed",
     .function = "mix",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.Z() == 0 && Moderate(a.X()) && Moderate(a.Y()), a.args[1]);
         },
     .every_is_wrong = false},
    {.name = "SignOfTiny",
     .function = "sign",
     .format = "double",
     .fault = [](const Answer& a) { return If(std::fabs(a.X()) < 1e-300 && a.X() != 0, 0); }},
    {.name = "DegreesOfSubnormal",
     .function = "degrees",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), a.args[0]); },
     .every_is_wrong = false},

    {.name = "DotDropsTheLastComponent",
     .function = "dot",
     .format = "float4",
     .fault =
         [](const Answer& a) {
           double sum = 0;
           for (std::size_t i = 0; i < 3; ++i) sum += a.Argument(i) * a.Argument(4 + i);
           return If(a.AllFinite() && a.IsNumber() && std::isfinite(sum) && sum != 0,
                     a.Number(sum));
         },
     .every_is_wrong = false},
    {.name = "DotInLowPrecision",
     .function = "dot",
     .format = "half3",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && Moderate(a.Value()), a.Number(a.Value() * 1.125));
         },
     .every_is_wrong = false},
    {.name = "CrossReversed",
     .function = "cross",
     .format = "float3",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite() && a.IsNumber() && !a.IsZero(), a.Negated());
         },
     .result = kEveryResult,
     .every_is_wrong = false},
    {.name = "CrossLastComponent",
     .function = "cross",
     .format = "float4",
     .fault = [](const Answer& a) { return If(a.AllFinite(), a.Number(1)); },
     .result = 3,
     .rule = Rule::kWrongPrescribed},
    {.name = "CrossComponentsRotated",
     .function = "cross",
     .format = "double3",
     .fault =
         [](const Answer& a) {
           return If(a.AllFinite(), a.right[static_cast<std::size_t>((a.result + 1) % 3)]);
         },
     .result = kEveryResult,
     .rule = std::nullopt,
     .every_is_wrong = false},
    {.name = "LengthOverTheLimit",
     .function = "length",
     .format = "half2",
     .fault = [](const Answer& a) { return If(Moderate(a.Value()), a.Over(1.25)); }},
    {.name = "LengthOfOneComponentKeepsTheSign",
     .function = "length",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && a.X() < 0, a.args[0]); },
     .every_is_wrong = false},
    {.name = "DistanceOverTheLimit",
     .function = "distance",
     .format = "double3",
     .fault = [](const Answer& a) { return If(Moderate(a.Value()), a.Over(11.5)); }},
    {.name = "DistanceAddsTheOperands",
     .function = "distance",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(Moderate(a.X()) && Moderate(a.Y()), a.Number(std::fabs(a.X() + a.Y())));
         }},
    {.name = "NormalizeOverTheLimit",
     .function = "normalize",
     .format = "float3",
     .fault = [](const Answer& a) { return If(a.AllFinite() && a.Value() > 0.1, a.Over(5)); },
     .result = kEveryResult},
    {.name = "NormalizeOfSmallVectors",
     .function = "normalize",
     .format = "float2",
     .fault =
         [](const Answer& a) {
           const bool small = std::fabs(a.X()) < 1e-30 && std::fabs(a.Y()) < 1e-30;
           return If(small && !a.IsZero(), 0);
         },
     .result = kEveryResult},
    {.name = "FastNormalizeOverTheLimit",
     .function = "fast_normalize",
     .format = "float2",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && std::fabs(a.Value()) > 0.1, a.Over(8194));
         },
     .result = kEveryResult},
    {.name = "FastDistanceOverTheLimit",
     .function = "fast_distance",
     .format = "float2",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && a.Value() > 1e-3 && a.Value() < 1e6, a.Over(8195.5));
         }},
};

}  // namespace

std::span<const Case> CommonAndGeometricFaults() { return kCases; }

}  // namespace assay::testsuites
