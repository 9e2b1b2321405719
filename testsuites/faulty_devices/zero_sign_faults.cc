// A zero of the wrong sign where IEEE 754, C99 Annex F or OpenCL C 7.5.1 prescribes it.
#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

using oracle::Rule;
constexpr auto kSign = Rule::kWrongZeroSign;
constexpr Setting kStandard{.level = oracle::Level::kStandard, .samples = 64};

// A zero gets the other sign wherever the condition holds.
std::optional<Bits> FlipZero(const Answer& a, bool condition) {
  return If(condition && a.IsNumber() && a.IsZero(), a.Negated());
}

const Case kCases[] = {
    {.name = "SinOfMinusZero", .function = "sin", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0)); },
     .rule = kSign, .at = "-0"},
    {.name = "CbrtOfMinusZero", .function = "cbrt", .format = "double",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0)); },
     .rule = kSign, .at = "-0"},
    {.name = "SqrtOfMinusZero", .function = "sqrt", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0)); },
     .rule = kSign, .at = "-0"},
    {.name = "SignOfMinusZero", .function = "sign", .format = "half",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0)); },
     .rule = kSign, .at = "-0"},
    {.name = "AcosOfOne", .function = "acos", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == 1); },
     .rule = kSign, .at = "1"},
    {.name = "LogOfOne", .function = "log", .format = "half",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == 1); },
     .rule = kSign, .at = "1"},
    {.name = "LgammaOfTwo", .function = "lgamma", .format = "double",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == 2); },
     .rule = kSign, .at = "2"},
    {.name = "SinpiOfMinusThree", .function = "sinpi", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == -3); },
     .setting = kStandard, .rule = kSign, .at = "-3"},
    {.name = "TanpiOfOne", .function = "tanpi", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == 1); },
     .rule = kSign, .at = "1"},
    {.name = "CospiOfHalf", .function = "cospi", .format = "half",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == 0.5); },
     .rule = kSign, .at = "0.5"},
    {.name = "Atan2piOfZeros", .function = "atan2pi", .format = "float",
     .fault = [](const Answer& a) {
       return FlipZero(a, a.IsMinusZero(0) && a.Y() == 0 && !a.IsMinusZero(1));
     },
     .rule = kSign, .at = "-0,0"},
    {.name = "CeilOfMinusHalf", .function = "ceil", .format = "half",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == -0.5); },
     .rule = kSign, .at = "-0.5"},
    {.name = "RintOfMinusFraction", .function = "rint", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() < 0); }, .rule = kSign},
    {.name = "TruncOfMinusFraction", .function = "trunc", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() < 0); }, .rule = kSign},
    {.name = "RoundOfMinusFraction", .function = "round", .format = "double",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() < 0); }, .rule = kSign},
    {.name = "FmodOfNegative", .function = "fmod", .format = "double",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() < 0); }, .rule = kSign},
    {.name = "RemainderOfNegative", .function = "remainder", .format = "half",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() < 0); }, .rule = kSign},
    {.name = "ProductWithZero", .function = "mul", .format = "half",
     .fault = [](const Answer& a) {
       return FlipZero(a, a.IsFinite(0) && a.X() < 0 && a.Y() == 0 && !a.IsMinusZero(1));
     },
     .rule = kSign},
    {.name = "DifferenceOfEquals", .function = "sub", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == a.Y() && a.X() != 0); },
     .rule = kSign},
    {.name = "SumOfMinusZeros", .function = "add", .format = "double",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0) && a.IsMinusZero(1)); },
     .rule = kSign, .at = "-0,-0"},
    {.name = "FmaOfMinusZeros", .function = "fma", .format = "float",
     .fault = [](const Answer& a) {
       return FlipZero(a, a.X() == 0 && a.IsMinusZero(2) && numerics::IsNegative(a.format(), a.Right()));
     },
     .rule = kSign},
    {.name = "LdexpOfMinusZero", .function = "ldexp", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0)); }, .rule = kSign},
    {.name = "PowOfMinusZero", .function = "pow", .format = "double",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0) && a.Y() == 3); },
     .setting = kStandard, .rule = kSign, .at = "-0,3"},
    {.name = "PownOfMinusZero", .function = "pown", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0) && a.Y() == 1); },
     .rule = kSign, .at = "-0,1"},
    {.name = "FmaxOfMinusZeros", .function = "fmax", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0) && a.IsMinusZero(1)); },
     .rule = kSign, .at = "-0,-0"},
    {.name = "CopysignOfZero", .function = "copysign", .format = "half",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == 0 && a.Y() == -1); },
     .rule = kSign},
    {.name = "FractOfMinusZero", .function = "fract", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0)); },
     .rule = kSign, .at = "-0"},
    {.name = "ModfFractionOfNegativeInteger", .function = "modf", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() < 0 && a.IsFinite(0)); },
     .rule = kSign},
    {.name = "ModfWholeOfMinusHalf", .function = "modf", .format = "double",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == -0.5); },
     .result = 1, .rule = kSign, .at = "-0.5"},
    {.name = "NormalizeOfMinusZero", .function = "normalize", .format = "float2",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() == 0 && a.Y() == 0); },
     .result = kEveryResult, .rule = kSign},
    {.name = "ConvertOfMinusZero", .function = "convert_double", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0)); },
     .rule = kSign, .at = "-0"},
    {.name = "LoadOfMinusZero", .function = "vload_half", .format = "half",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsMinusZero(0)); },
     .rule = kSign, .at = "-0"},
    {.name = "StoreOfTinyNegative", .function = "vstore_half", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.X() < 0); }, .rule = kSign},
    // 7.5: "The usual allowances for ... flushing behavior shall not apply for those values for which
    // ... prescribe a result (e.g. ceil(-1 < x < 0) returns -0)."
    {.name = "CeilOfMinusSubnormalFlushed", .function = "ceil", .format = "float",
     .fault = [](const Answer& a) { return FlipZero(a, a.IsSubnormal(0) && a.X() < 0); },
     .setting = {.flushes_float = true}, .rule = kSign},
};

}  // namespace

std::span<const Case> ZeroSignFaults() { return kCases; }

}  // namespace assay::testsuites
