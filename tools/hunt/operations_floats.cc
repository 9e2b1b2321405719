// Operations of floating point where one result is right: exact or correctly rounded.  Of fmin and
// fmax the sign of a zero is open, so no operand of theirs is zero: others are multiples of a power
// of two.
#include "tools/hunt/operations.h"

namespace assay::tools {
namespace {

constexpr HuntKind kFloat = HuntKind::kFloats;

constexpr HuntOperation kFloatOperations[] = {
    {"fadd", "($0 + $1)", 'f', '*', "TT", kFloat, "7.4"},
    {"fsub", "($0 - $1)", 'f', '*', "TT", kFloat, "7.4"},
    {"fmul", "($0 * $1)", 'f', '*', "TT", kFloat, "7.4"},
    {"fneg", "(-$0)", 'f', '*', "T", kFloat, "6.5.2"},
    {"fma", "fma($0, $1, $2)", 'f', '*', "TTT", kFloat, "7.4"},
    {"fabs", "fabs($0)", 'f', '*', "T", kFloat, "7.4"},
    {"fmin", "fmin($0 + ($B)0.001f, $1 + ($B)0.001f)", 'f', '*', "TT", kFloat, "7.4"},
    {"fmax", "fmax($0 + ($B)0.001f, $1 + ($B)0.001f)", 'f', '*', "TT", kFloat, "7.4"},
    {"fclamp", "clamp($0 + ($B)0.001f, ($T)(-3), ($T)2)", 'f', '*', "T", kFloat, "6.15.4"},
    {"floor", "floor($0)", 'f', '*', "T", kFloat, "7.4"},
    {"ceil", "ceil($0)", 'f', '*', "T", kFloat, "7.4"},
    {"trunc", "trunc($0)", 'f', '*', "T", kFloat, "7.4"},
    {"rint", "rint($0)", 'f', '*', "T", kFloat, "7.4"},
    {"round", "round($0)", 'f', '*', "T", kFloat, "7.4"},
    {"copysign", "copysign($0, $1)", 'f', '*', "TT", kFloat, "7.4"},
    {"fmod", "fmod($0, fabs($1) + ($T)1)", 'f', '*', "TT", kFloat, "7.4"},
    {"step", "step($0, $1)", 'f', '*', "TT", kFloat, "6.15.4"},
    {"fselect", "select($0, $1, $2)", 'f', '*', "TTS", kFloat, "6.15.6"},
    {"convert_float", "convert_$T_rtz($0)", 'f', '*', "A", kFloat, "6.4.3.3", true},
    {"convert_float", "convert_$T_rte($0)", 'f', '*', "A", kFloat, "6.4.3.3", true},
    {"convert_float", "convert_$T_rtp($0)", 'f', '*', "A", kFloat, "6.4.3.3", true},
    {"convert_float", "convert_$T_rtn($0)", 'f', '*', "A", kFloat, "6.4.3.3", true},
    {"convert_integer", "convert_$T_sat_rtz($0)", 'i', '*', "D", kFloat, "6.4.3.3"},
    {"convert_integer", "convert_$T_sat_rte($0)", 'i', '*', "D", kFloat, "6.4.3.3"},
    {"convert_integer", "convert_$T_sat_rtp($0)", 'i', '*', "D", kFloat, "6.4.3.3"},
    {"convert_integer", "convert_$T_sat_rtn($0)", 'i', '*', "D", kFloat, "6.4.3.3"},
    {"isless", "isless($0, $1)", 'e', 'v', "FF", kFloat, "6.15.6"},
    {"isgreaterequal", "isgreaterequal($0, $1)", 'e', 'v', "FF", kFloat, "6.15.6"},
    {"isequal", "isequal($0, $1)", 'e', 'v', "FF", kFloat, "6.15.6"},
    {"isnotequal", "isnotequal($0, $1)", 'k', '1', "FF", kFloat, "6.15.6"},
    {"islessgreater", "islessgreater($0, $1)", 'k', '1', "FF", kFloat, "6.15.6"},
    {"signbit", "signbit($0)", 'k', '1', "F", kFloat, "6.15.6"},
    {"float_less", "($0 < $1)", 'k', '1', "FF", kFloat, "6.5.4"},
    {"float_less", "($0 < $1)", 'e', 'v', "FF", kFloat, "6.5.4"},
    // Relations of special values.
    {"isnan", "isnan($0)", 'e', 'v', "y", kFloat, "6.15.6"},
    {"isnan", "isnan($0)", 'k', '1', "y", kFloat, "6.15.6"},
    {"isinf", "isinf($0)", 'e', 'v', "y", kFloat, "6.15.6"},
    {"isinf", "isinf($0)", 'k', '1', "y", kFloat, "6.15.6"},
    {"isfinite", "isfinite($0)", 'e', 'v', "y", kFloat, "6.15.6"},
    {"isfinite", "isfinite($0)", 'k', '1', "y", kFloat, "6.15.6"},
    {"isnormal", "isnormal($0)", 'e', 'v', "y", kFloat, "6.15.6"},
    {"isnormal", "isnormal($0)", 'k', '1', "y", kFloat, "6.15.6"},
    {"isordered", "isordered($0, $1)", 'e', 'v', "yy", kFloat, "6.15.6"},
    {"isordered", "isordered($0, $1)", 'k', '1', "yy", kFloat, "6.15.6"},
    {"isunordered", "isunordered($0, $1)", 'e', 'v', "yy", kFloat, "6.15.6"},
    {"isunordered", "isunordered($0, $1)", 'k', '1', "yy", kFloat, "6.15.6"},
    {"isgreater", "isgreater($0, $1)", 'e', 'v', "yy", kFloat, "6.15.6"},
    {"isgreater", "isgreater($0, $1)", 'k', '1', "yy", kFloat, "6.15.6"},
    {"isless", "isless($0, $1)", 'e', 'v', "yy", kFloat, "6.15.6"},
    {"isless", "isless($0, $1)", 'k', '1', "yy", kFloat, "6.15.6"},
    {"islessequal", "islessequal($0, $1)", 'e', 'v', "yy", kFloat, "6.15.6"},
    {"isgreaterequal", "isgreaterequal($0, $1)", 'k', '1', "yy", kFloat, "6.15.6"},
    {"isequal", "isequal($0, $1)", 'e', 'v', "yy", kFloat, "6.15.6"},
    {"isequal", "isequal($0, $1)", 'k', '1', "yy", kFloat, "6.15.6"},
    {"isnotequal", "isnotequal($0, $1)", 'e', 'v', "yy", kFloat, "6.15.6"},
    {"islessgreater", "islessgreater($0, $1)", 'e', 'v', "yy", kFloat, "6.15.6"},
    {"signbit", "signbit($0)", 'e', 'v', "y", kFloat, "6.15.6"},
    {"signbit", "signbit($0)", 'k', '1', "y", kFloat, "6.15.6"},
    {"float_equal", "($0 == $1)", 'e', 'v', "yy", kFloat, "6.5.5"},
    {"float_equal", "($0 == $1)", 'k', '1', "yy", kFloat, "6.5.5"},
    {"float_not_equal", "($0 != $1)", 'e', 'v', "yy", kFloat, "6.5.5"},
    {"float_not_equal", "($0 != $1)", 'k', '1', "yy", kFloat, "6.5.5"},
    {"float_greater", "($0 > $1)", 'e', 'v', "yy", kFloat, "6.5.4"},
    {"float_less_equal", "($0 <= $1)", 'e', 'v', "yy", kFloat, "6.5.4"},
    {"float_less_equal", "($0 <= $1)", 'k', '1', "yy", kFloat, "6.5.4"},
    {"float_not", "(!$0)", 'e', 'v', "y", kFloat, "6.5.8"},
    {"float_not", "(!$0)", 'k', '1', "y", kFloat, "6.5.8"},
    {"float_and", "($0 && $1)", 'e', 'v', "yy", kFloat, "6.5.7"},
    {"float_or", "($0 || $1)", 'e', 'v', "yy", kFloat, "6.5.7"},
    {"float_bitselect", "bitselect($0, $1, $2)", 'f', '*', "TTT", kFloat, "6.15.6", true},
    {"float_select", "select($0, $1, $2)", 'f', '*', "TTU", kFloat, "6.15.6"},
    {"float_shuffle", "shuffle($0, $1)", 'f', 'p', "2U", kFloat, "6.15.13"},
    {"float_shuffle2", "shuffle2($0, $1, $2)", 'f', 'p', "22U", kFloat, "6.15.13"},
    {"float_conditional", "($2 ? $0 : $1)", 'f', 'v', "TTS", kFloat, "6.5.9"},
    {"float_swizzle", "$0.s$L", 'f', 'v', "3", kFloat, "6.3.7"},
};

}  // namespace

std::span<const HuntOperation> FloatOperations() { return kFloatOperations; }

}  // namespace assay::tools
