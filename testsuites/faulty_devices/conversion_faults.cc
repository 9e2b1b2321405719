// convert_T and vstore_half: rounding, saturation, NaN and wrapping (OpenCL C 6.4.3, 6.15.7).
#include <cmath>

#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

using oracle::Rule;
constexpr auto kInteger = Rule::kWrongInteger;

Bits ViaFloat(const Answer& a, ScalarType to, Rounding rounding) {
  const Bits once =
      numerics::Convert(a.argument_types[0], ScalarType::kFloat, a.args[0], Rounding::kRte, false);
  return numerics::Convert(ScalarType::kFloat, to, once, rounding, false);
}

Bits ViaDouble(const Answer& a, ScalarType to) {
  const Bits once =
      numerics::Convert(a.argument_types[0], ScalarType::kDouble, a.args[0], Rounding::kRte, false);
  return numerics::Convert(ScalarType::kDouble, to, once, Rounding::kRte, false);
}

Bits AsInt(double v) { return static_cast<std::uint32_t>(static_cast<std::int32_t>(v)); }
bool FitsInt(double v) { return std::fabs(v) < 0x1p31; }

const Case kCases[] = {
    {.name = "ToIntRteTruncates",
     .function = "convert_int_rte",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(FitsInt(a.X()), AsInt(FitsInt(a.X()) ? std::trunc(a.X()) : 0));
         },
     .rule = kInteger},
    {.name = "ToIntRteTiesAway",
     .function = "convert_int_rte",
     .format = "double",
     .fault =
         [](const Answer& a) {
           const bool fits = std::fabs(a.X()) < 1000;
           return If(fits, AsInt(fits ? std::round(a.X()) : 0));
         },
     .rule = kInteger},
    {.name = "ToIntRounds",
     .function = "convert_int",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const bool fits = std::fabs(a.X()) < 0x1p30;
           return If(fits, AsInt(fits ? std::nearbyint(a.X()) : 0));
         },
     .rule = kInteger},
    {.name = "ToIntRtnTruncates",
     .function = "convert_int_rtn",
     .format = "half",
     .fault =
         [](const Answer& a) {
           return If(a.X() < 0 && FitsInt(a.X()), AsInt(FitsInt(a.X()) ? std::trunc(a.X()) : 0));
         },
     .rule = kInteger},
    {.name = "ToCharRtpIsOffByOne",
     .function = "convert_char_rtp",
     .format = "float",
     .fault =
         [](const Answer& a) {
           return If(a.X() > 0 && a.X() < 100 && std::trunc(a.X()) == a.X(), a.Right() + 1);
         },
     .rule = kInteger},
    {.name = "ToUcharSatWraps",
     .function = "convert_uchar_sat",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const bool beyond = a.X() > 255 && a.X() < 0x1p31;
           return If(beyond, AsInt(beyond ? a.X() : 0) & 0xff);
         },
     .rule = kInteger,
     .every_is_wrong = false},
    {.name = "ToUcharSatOfNegative",
     .function = "convert_uchar_sat",
     .format = "int",
     .fault = [](const Answer& a) { return If(a.X() < 0, a.args[0] & 0xff); },
     .rule = kInteger,
     .every_is_wrong = false},
    {.name = "ToShortSatWraps",
     .function = "convert_short_sat",
     .format = "int",
     .fault = [](const Answer& a) { return If(std::fabs(a.X()) > 40000, a.args[0] & 0xffff); },
     .rule = kInteger,
     .every_is_wrong = false},
    {.name = "ToIntSatOfNan",
     .function = "convert_int_sat",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsNan(0), 0x80000000u); },
     .rule = kInteger},
    {.name = "ToIntSatOfTwoTo31",
     .function = "convert_int_sat",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() >= 0x1p31, 0x80000000u); },
     .rule = kInteger},
    {.name = "ToLongSatOfTwoTo63",
     .function = "convert_long_sat",
     .format = "double",
     .fault = [](const Answer& a) { return If(a.X() >= 0x1p63, Bits{1} << 63); },
     .rule = kInteger},
    {.name = "ToUlongSatOfNegative",
     .function = "convert_ulong_sat",
     .format = "long",
     .fault = [](const Answer& a) { return If(a.X() < 0, a.args[0]); },
     .rule = kInteger},
    {.name = "ToCharClamps",
     .function = "convert_char",
     .format = "int",
     .fault = [](const Answer& a) { return If(a.X() > 127, 127); },
     .rule = kInteger,
     .every_is_wrong = false},
    {.name = "ToUintBySignedConversion",
     .function = "convert_uint",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.X() > 0x1p31 && a.X() < 0x1p32, 0x80000000u); },
     .rule = kInteger},
    {.name = "ToUlongOfSmallSource",
     .function = "convert_ulong",
     .format = "char",
     .fault = [](const Answer& a) { return If(a.X() < 0, a.args[0]); },
     .rule = kInteger},
    {.name = "ToFloatFromUlongRoundsTwice",
     .function = "convert_float",
     .format = "ulong",
     .fault = [](const Answer& a) { return If(true, ViaDouble(a, ScalarType::kFloat)); }},
    {.name = "ToFloatFromIntTruncates",
     .function = "convert_float",
     .format = "int",
     .fault =
         [](const Answer& a) {
           return If(true, Round(a.Truth(), Format::kFloat, Rounding::kRtz));
         }},
    {.name = "ToFloatRtpRoundsToNearest",
     .function = "convert_float_rtp",
     .format = "int",
     .fault =
         [](const Answer& a) {
           return If(true, Round(a.Truth(), Format::kFloat, Rounding::kRte));
         }},
    {.name = "ToFloatRtnRoundsTowardZero",
     .function = "convert_float_rtn",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(a.X() < 0 && a.IsNumber() && !a.IsSubnormalResult() && !a.IsZero(),
                     Round(a.Truth(), Format::kFloat, Rounding::kRtz));
         }},
    {.name = "ToDoubleFromUlongAsSigned",
     .function = "convert_double",
     .format = "ulong",
     .fault =
         [](const Answer& a) {
           return If(a.X() >= 0x1p63,
                     a.Number(static_cast<double>(static_cast<std::int64_t>(a.args[0]))));
         }},
    {.name = "ToHalfFromDoubleRoundsTwice",
     .function = "convert_half",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(!a.IsNan(0), ViaFloat(a, ScalarType::kHalf, Rounding::kRte));
         }},
    {.name = "ToHalfRtzOverflows",
     .function = "convert_half_rtz",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && a.X() > 65536, a.Infinity()); }},
    {.name = "ToHalfFromUintSaturates",
     .function = "convert_half",
     .format = "uint",
     .fault = [](const Answer& a) { return If(!a.IsNumber(), a.MaxFinite()); }},
    {.name = "StoreRtzRoundsToNearest",
     .function = "vstore_half_rtz",
     .format = "float",
     .fault =
         [](const Answer& a) {
           const Bits nearest = Round(a.Truth(), Format::kHalf, Rounding::kRte);
           return If(!a.IsNan(0), nearest);
         }},
    {.name = "StoreFromDoubleRoundsTwice",
     .function = "vstore_half",
     .format = "double",
     .fault =
         [](const Answer& a) {
           return If(!a.IsNan(0), ViaFloat(a, ScalarType::kHalf, Rounding::kRte));
         }},
    {.name = "StoreOverflowSaturates",
     .function = "vstore_half",
     .format = "float",
     .fault = [](const Answer& a) { return If(a.IsFinite(0) && a.X() > 65536, a.MaxFinite()); }},
    {.name = "StoreRtpOfTinyPositive",
     .function = "vstore_half_rtp",
     .format = "float",
     .fault =
         [](const Answer& a) { return If(a.X() > 0 && a.X() < 0x1p-24 && !a.IsSubnormal(0), 0); }},
};

}  // namespace

std::span<const Case> ConversionFaults() { return kCases; }

}  // namespace assay::testsuites
