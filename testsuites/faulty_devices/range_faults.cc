// Premature and missing overflow, and subnormal numbers flushed where they may not be.
#include <cmath>

#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

using oracle::Rule;
constexpr Setting kFlushesFloat{.flushes_float = true};

const Case kCases[] = {
    // Overflow.
    {.name = "ExpOverflowsOneBinadeEarly",
     .function = "exp",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && a.Value() >= 0x1p127 && a.Value() < 0x1.8p127, a.Infinity());
         }},
    {.name = "Exp10NeverOverflows",
     .function = "exp10",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && !a.IsNumber(), a.MaxFinite()); },
     .every_is_wrong = false},
    {.name = "ProductSaturates",
     .function = "mul",
     .format = "half",
     .fault =
         [](const Answer& a) {
           const bool positive = a.Right() == a.Infinity();
           return If(a.AllFinite() && positive, a.MaxFinite());
         }},
    {.name = "SumOverflowsToNan",
     .function = "add",
     .format = "double",
     .fault =
         [](const Answer& a) { return If(a.AllFinite() && a.Right() == a.Infinity(), a.NaN()); },
     .rule = Rule::kWrongNan},
    {.name = "HypotOverflowsInTheSquares",
     .function = "hypot",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && a.Value() >= 0x1p64 && a.X() != 0 && a.Y() != 0, a.Infinity());
         },
     .every_is_wrong = false},
    {.name = "LengthOverflowsInTheSquares",
     .function = "length",
     .format = "float4",
     .fault = [](const Answer& a) { return If(a.IsNumber() && a.Value() >= 0x1p64, a.Infinity()); },
     .every_is_wrong = false},
    {.name = "DistanceUnderflowsInTheSquares",
     .function = "distance",
     .format = "float2",
     .fault =
         [](const Answer& a) { return If(a.IsNumber() && !a.IsZero() && a.Value() < 0x1p-75, 0); },
     .every_is_wrong = false},
    {.name = "NormalizeOverflowsInTheSquares",
     .function = "normalize",
     .format = "double2",
     .fault =
         [](const Answer& a) {
           const bool large = std::fabs(a.X()) > 0x1p512 || std::fabs(a.Y()) > 0x1p512;
           return If(a.AllFinite() && large && std::fabs(a.Value()) > 0.5, 0);
         },
     .result = kEveryResult},
    {.name = "SinhOverflowsWithExp",
     .function = "sinh",
     .format = "half",
     .fault =
         [](const Answer& a) {
           // exp(x) overflows where exp(x) / 2 does not.
           return If(a.IsNumber() && a.X() > 11.09, a.Infinity());
         },
     .every_is_wrong = false},
    {.name = "TgammaOverflowsEarly",
     .function = "tgamma",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsNumber() && a.X() > 30 && a.Value() < 0x1.8p127, a.Infinity());
         }},
    {.name = "ReciprocalOfSubnormalOverflows",
     .function = "recip_div",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsSubnormal(0) && a.X() > 0 && a.IsNumber() && a.Value() < 0x1.8p127,
                     a.Infinity());
         }},

    // Flushed results.
    {.name = "FlushedSum",
     .function = "add",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), 0); }},
    {.name = "FlushedProductHalf",
     .function = "mul",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), 0); }},
    {.name = "FlushedExp",
     .function = "exp",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), 0); },
     .every_is_wrong = false},
    {.name = "FlushedPowDouble",
     .function = "pow",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), 0); },
     .every_is_wrong = false},
    // Subnormal doubles are not optional, whatever a device says.
    {.name = "FlushedProductDoubleThoughDeclared",
     .function = "mul",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), 0); },
     .setting = {.flushes_double = true}},
    {.name = "FlushedQuotientDouble",
     .function = "div",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), 0); }},
    {.name = "FlushedLdexp",
     .function = "ldexp",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult() && a.Y() < 0, 0); }},
    {.name = "FlushedSinOfSubnormal",
     .function = "sin",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), 0); },
     .every_is_wrong = false},

    // Flushed operands.
    {.name = "FlushedOperandOfSqrt",
     .function = "sqrt",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0) && a.X() > 0, 0); }},
    {.name = "FlushedOperandOfFabs",
     .function = "fabs",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), 0); }},
    {.name = "FlushedOperandOfLog",
     .function = "log2",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.IsSubnormal(0) && a.X() > 0, numerics::Negate(a.format(), a.Infinity()));
         }},
    {.name = "FlushedOperandOfSign",
     .function = "sign",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), 0); }},
    {.name = "FlushedOperandOfFrexp",
     .function = "frexp",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), 0); },
     .result = kEveryResult,
     .rule = std::nullopt,
     .every_is_wrong = false},
    {.name = "FlushedOperandOfDiv",
     .function = "div",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.IsSubnormal(1) && a.X() != 0 && a.IsNumber(),
                     numerics::CopySign(a.format(), a.Infinity(), a.args[1]));
         },
     .every_is_wrong = false},

    // A device that does flush, but too much or to something else than zero.
    {.name = "FlushedToTheSmallestNormal",
     .function = "mul",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), a.MinNormal()); },
     .setting = kFlushesFloat,
     .every_is_wrong = false},
    {.name = "FlushedSmallNormals",
     .function = "mul",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const double size = std::fabs(a.Value());
           return If(size >= 0x1p-126 && size < 0x1p-120 && a.Truth().fraction == 0 &&
                         !a.IsSubnormal(0) && !a.IsSubnormal(1),
                     0);
         },
     .setting = kFlushesFloat},
    {.name = "FlushedSmallNormalsOfExp",
     .function = "exp",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(a.Value() >= 0x1.001p-126 && a.Value() < 0x1p-120, 0); },
     .setting = kFlushesFloat},
    {.name = "FlushedOperandsGiveNan",
     .function = "sqrt",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0) && a.X() > 0, a.NaN()); },
     .setting = kFlushesFloat,
     .rule = Rule::kWrongNan},
    // 6.1.1.2: half numbers in memory are never flushed, whatever float arithmetic does.
    {.name = "FlushedLoad",
     .function = "vload_half",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), 0); },
     .setting = kFlushesFloat},
    {.name = "FlushedStore",
     .function = "vstore_half",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), 0); },
     .setting = kFlushesFloat},
    // Each format is flushed as declared for itself.
    {.name = "FlushedConversionToHalf",
     .function = "convert_half",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), 0); },
     .setting = kFlushesFloat},
    {.name = "FlushedConversionFromHalf",
     .function = "convert_float",
     .format = "half",
     .fault = [](const Answer& a) { return If(a.IsSubnormal(0), 0); },
     .setting = kFlushesFloat},
    {.name = "FlushedConversionFromDouble",
     .function = "convert_float",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.IsSubnormalResult(), 0); }},

    // Default rounding.
    {.name = "SumToNearestThoughDeclaredRtz",
     .function = "add",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(true, Round(a.Truth(), a.format(), Rounding::kRte)); },
     .setting = {.profile = oracle::Profile::kEmbedded, .rounding = Rounding::kRtz}},
};

}  // namespace

std::span<const Case> RangeFaults() { return kCases; }

}  // namespace assay::testsuites
