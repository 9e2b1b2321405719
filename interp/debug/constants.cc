// Macros of OpenCL C that are numbers (OpenCL C 6.15.2, 6.15.3).
#include <array>

#include "interp/debug/evaluate.h"
#include "numerics/literal.h"

namespace assay::interp {

using frontend::SourceKind;

namespace {

struct NumberMacro {
  std::string_view name;
  numerics::ScalarType type;
  std::string_view text;
};

constexpr auto kInt = numerics::ScalarType::kInt;
constexpr auto kFloat = numerics::ScalarType::kFloat;
constexpr auto kDouble = numerics::ScalarType::kDouble;
constexpr auto kHalf = numerics::ScalarType::kHalf;

constexpr NumberMacro kNumbers[] = {
    {"CHAR_BIT", kInt, "8"},
    {"CHAR_MAX", kInt, "127"},
    {"CHAR_MIN", kInt, "-128"},
    {"SCHAR_MAX", kInt, "127"},
    {"SCHAR_MIN", kInt, "-128"},
    {"UCHAR_MAX", kInt, "255"},
    {"SHRT_MAX", kInt, "32767"},
    {"SHRT_MIN", kInt, "-32768"},
    {"USHRT_MAX", kInt, "65535"},
    {"INT_MAX", kInt, "2147483647"},
    {"INT_MIN", kInt, "-2147483648"},
    {"UINT_MAX", numerics::ScalarType::kUint, "4294967295"},
    {"LONG_MAX", numerics::ScalarType::kLong, "9223372036854775807"},
    {"LONG_MIN", numerics::ScalarType::kLong, "-9223372036854775808"},
    {"ULONG_MAX", numerics::ScalarType::kUlong, "18446744073709551615"},
    {"FLT_DIG", kInt, "6"},
    {"FLT_MANT_DIG", kInt, "24"},
    {"FLT_MAX_EXP", kInt, "128"},
    {"FLT_MIN_EXP", kInt, "-125"},
    {"FLT_MAX_10_EXP", kInt, "38"},
    {"FLT_MIN_10_EXP", kInt, "-37"},
    {"FLT_RADIX", kInt, "2"},
    {"FLT_MAX", kFloat, "0x1.fffffep127"},
    {"MAXFLOAT", kFloat, "0x1.fffffep127"},
    {"FLT_MIN", kFloat, "0x1.0p-126"},
    {"FLT_EPSILON", kFloat, "0x1.0p-23"},
    {"HUGE_VALF", kFloat, "inf"},
    {"INFINITY", kFloat, "inf"},
    {"DBL_DIG", kInt, "15"},
    {"DBL_MANT_DIG", kInt, "53"},
    {"DBL_MAX_EXP", kInt, "1024"},
    {"DBL_MIN_EXP", kInt, "-1021"},
    {"DBL_MAX_10_EXP", kInt, "308"},
    {"DBL_MIN_10_EXP", kInt, "-307"},
    {"DBL_MAX", kDouble, "0x1.fffffffffffffp1023"},
    {"DBL_MIN", kDouble, "0x1.0p-1022"},
    {"DBL_EPSILON", kDouble, "0x1.0p-52"},
    {"HUGE_VAL", kDouble, "inf"},
    {"HALF_DIG", kInt, "3"},
    {"HALF_MANT_DIG", kInt, "11"},
    {"HALF_MAX_EXP", kInt, "16"},
    {"HALF_MIN_EXP", kInt, "-13"},
    {"HALF_MAX_10_EXP", kInt, "4"},
    {"HALF_MIN_10_EXP", kInt, "-4"},
    {"HALF_MAX", kHalf, "0x1.ffcp15"},
    {"HALF_MIN", kHalf, "0x1.0p-14"},
    {"HALF_EPSILON", kHalf, "0x1.0p-10"},
};

// With _F behind it the float, with _H the half.
constexpr std::pair<std::string_view, std::string_view> kMathematical[] = {
    {"M_E", "2.718281828459045235360287471352662498"},
    {"M_LOG2E", "1.442695040888963407359924681001892137"},
    {"M_LOG10E", "0.434294481903251827651128918916605082"},
    {"M_LN2", "0.693147180559945309417232121458176568"},
    {"M_LN10", "2.302585092994045684017991454684364208"},
    {"M_PI", "3.141592653589793238462643383279502884"},
    {"M_PI_2", "1.570796326794896619231321691639751442"},
    {"M_PI_4", "0.785398163397448309615660845819875721"},
    {"M_1_PI", "0.318309886183790671537767526745028724"},
    {"M_2_PI", "0.636619772367581343075535053490057448"},
    {"M_2_SQRTPI", "1.128379167095512573896158903121545172"},
    {"M_SQRT2", "1.414213562373095048801688724209698079"},
    {"M_SQRT1_2", "0.707106781186547524400844362104849039"},
};

}  // namespace

std::optional<DebugValue> DebugEvaluator::NumberOf(const std::string& name) const {
  const auto number = [&](numerics::ScalarType type, std::string_view text) {
    const auto bits = numerics::ParseLiteral(type, text);
    const SourceKind kind = IsFloating(type)           ? SourceKind::kFloat
                            : numerics::IsSigned(type) ? SourceKind::kSigned
                                                       : SourceKind::kUnsigned;
    return Make(
        scope_.program->types.Scalar(kind, static_cast<std::uint32_t>(numerics::WidthOf(type))),
        bits.value_or(0));
  };
  for (const NumberMacro& one : kNumbers) {
    if (one.name == name) return number(one.type, one.text);
  }
  for (const auto& [own, text] : kMathematical) {
    if (!name.starts_with(own)) continue;
    const std::string_view suffix = std::string_view(name).substr(own.size());
    if (suffix.empty()) return number(kDouble, text);
    if (suffix == "_F") return number(kFloat, text);
    if (suffix == "_H") return number(kHalf, text);
  }
  return std::nullopt;
}

}  // namespace assay::interp
