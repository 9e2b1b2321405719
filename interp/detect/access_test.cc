// Alignment, and conditions on operands (interp/rules/checks.def): each is found, and its near miss
// is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/program/check_message.h"
#include "interp/rules/check.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Rules that a kernel's body breaks, with parameters o, n and f.
std::vector<std::string> RulesOf(const std::string& body, int n = 0, float f = 0,
                                 const std::string& options = "",
                                 DetectorSet detectors = DetectorSet::All()) {
  auto session =
      TestSession::FromC("kernel void k(global int* o, int n, float f) {\n" + body + "\n}",
                         {.detectors = detectors, .batch_width = 20}, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto result =
      session->Launch({session->Buffer<int>(std::vector<int>(64, 1)), Bytes(n), Bytes(f)});
  EXPECT_TRUE(result) << result.error().message;
  std::vector<std::string> rules;
  if (!result) return rules;
  for (const Finding& finding : result->findings) rules.emplace_back(NameOf(finding.rule));
  return rules;
}

TEST(Alignment, OfAccesses) {
  EXPECT_THAT(RulesOf("*(global int*)((global char*)o + n) = 1;", 1),
              ElementsAre("alignment-access"));
  EXPECT_THAT(RulesOf("*(global int*)((global char*)o + n) = 1;", 4), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = (*(global int4*)(o + n)).y;", 2), ElementsAre("alignment-access"));
  EXPECT_THAT(RulesOf("o[0] = (*(global int4*)(o + n)).y;", 8), IsEmpty());
  // Three components lie as four do.
  EXPECT_THAT(RulesOf("o[0] = (*(global int3*)(o + n)).y;", 2), ElementsAre("alignment-access"));
}

TEST(Alignment, OfVectorFunctions) {
  EXPECT_THAT(RulesOf("vstore4((int4)(1), 0, o + n);", 1), IsEmpty());
  EXPECT_THAT(RulesOf("vstore4((int4)(1), 0, (global int*)((global char*)o + n));", 2),
              ElementsAre("alignment-vload"));
  EXPECT_THAT(RulesOf("o[0] = vload_half(0, (global half*)((global char*)o + n));", 1),
              ElementsAre("alignment-vload"));
  EXPECT_THAT(RulesOf("o[0] = vloada_half4(0, (global half*)o + n).x;", 2),
              ElementsAre("alignment-vloada"));
  EXPECT_THAT(RulesOf("o[0] = vloada_half4(0, (global half*)o + n).x;", 4), IsEmpty());
}

TEST(Alignment, OfAtomics) {
  EXPECT_THAT(RulesOf("atomic_add((global int*)((global char*)o + n), 1);", 2),
              ElementsAre("alignment-atomic"));
  EXPECT_THAT(RulesOf("o[n] = atomic_add((global int*)((global char*)o + n), 1);", 8), IsEmpty());
}

TEST(Alignment, OnlyWhereItIsAskedFor) {
  DetectorSet races;
  races.Add(Detector::kRaces);
  EXPECT_THAT(RulesOf("*(global int*)((global char*)o + n) = 1;", 1, 0, "", races), IsEmpty());
}

TEST(Arithmetic, Division) {
  EXPECT_THAT(RulesOf("o[0] = o[1] / n;", 0), ElementsAre("arithmetic-division-by-zero"));
  EXPECT_THAT(RulesOf("o[0] = (uint)o[1] % (uint)n;", 0),
              ElementsAre("arithmetic-division-by-zero"));
  EXPECT_THAT(RulesOf("o[0] = o[1] / n;", 3), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = n / (o[1] - 2);", -2147483647 - 1),
              ElementsAre("arithmetic-division-overflow"));
  EXPECT_THAT(RulesOf("o[0] = n / (o[1] - 2);", -2147483647), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = convert_char((int)((char)n / (char)(o[1] - 2)));", -128), IsEmpty())
      << "C divides ints";
}

TEST(Arithmetic, FloatToInteger) {
  EXPECT_THAT(RulesOf("o[0] = (int)f;", 0, 2147483648.0f), ElementsAre("arithmetic-conversion"));
  EXPECT_THAT(RulesOf("o[0] = (int)f;", 0, 2147483520.0f), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = (int)f;", 0, -2147483648.0f), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = (uint)f;", 0, -1.0f), ElementsAre("arithmetic-conversion"));
  EXPECT_THAT(RulesOf("o[0] = (uint)f;", 0, -0.99f), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = (uchar)f;", 0, 256.0f), ElementsAre("arithmetic-conversion"));
  EXPECT_THAT(RulesOf("o[0] = (uchar)f;", 0, 255.9f), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = (char)f;", 0, -128.9f), IsEmpty()) << "truncated, it fits";
  EXPECT_THAT(RulesOf("o[0] = (char)f;", 0, -129.0f), ElementsAre("arithmetic-conversion"));
  EXPECT_THAT(RulesOf("o[0] = convert_int_sat(f);", 0, 1e30f), IsEmpty());
  // Compilers convert where nobody may need it.
  EXPECT_THAT(RulesOf("o[0] = f < 100.0f ? (int)f : 7;", 0, 1e30f), IsEmpty());
}

TEST(Arithmetic, Domains) {
  EXPECT_THAT(RulesOf("o[0] = clamp(o[1], n, 2);", 3), ElementsAre("arithmetic-clamp-order"));
  EXPECT_THAT(RulesOf("o[0] = clamp(o[1], n, 2);", 2), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = clamp((float)o[1], f, 2.0f) > 1;", 0, 2.5f),
              ElementsAre("arithmetic-clamp-order"));
  EXPECT_THAT(RulesOf("o[0] = mix(1.0f, 2.0f, f) > 1;", 0, 1.5f),
              ElementsAre("arithmetic-mix-range"));
  EXPECT_THAT(RulesOf("o[0] = mix(1.0f, 2.0f, f) > 1;", 0, 1.0f), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = smoothstep(f, 2.0f, 1.0f) > 0;", 0, 2.0f),
              ElementsAre("arithmetic-smoothstep"));
  EXPECT_THAT(RulesOf("o[0] = fmin(f, 1.0f) > 0;", 0, __builtin_inff()), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = half_sin(f) > 0;", 0, 65537.0f),
              ElementsAre("arithmetic-half-range"));
  EXPECT_THAT(RulesOf("o[0] = half_sin(f) > 0;", 0, 65536.0f), IsEmpty());
  EXPECT_THAT(RulesOf("o[0] = fast_normalize((float2)(f, 1)).x > 0;", 0, 1e20f),
              ElementsAre("arithmetic-normalize-overflow"));
}

TEST(Arithmetic, FastMath) {
  EXPECT_THAT(RulesOf("o[0] = f * 2 > 1;", 0, __builtin_nanf(""), "-cl-finite-math-only"),
              ElementsAre("arithmetic-fast-math"));
  EXPECT_THAT(RulesOf("o[0] = f * 2 > 1;", 0, 3e38f, "-cl-finite-math-only"),
              ElementsAre("arithmetic-fast-math"));
  EXPECT_THAT(RulesOf("o[0] = f * 2 > 1;", 0, 3e38f), IsEmpty());
}

// Arguments and results of all operators and functions, whatever the compiler writes beside them.
TEST(Arithmetic, FiniteMathIsPromisedOfAllArithmetic) {
  constexpr float kNan = __builtin_nanf(""), kInfinity = __builtin_inff();
  const auto rules = [](const std::string& body, float f) {
    std::vector<std::string> all;
    for (const char* option : {"-cl-finite-math-only", "-cl-fast-relaxed-math"}) {
      const auto found = RulesOf(body, 0, f, option);
      all.insert(all.end(), found.begin(), found.end());
    }
    EXPECT_THAT(RulesOf(body, 0, f), IsEmpty()) << body;
    EXPECT_THAT(RulesOf(body, 0, f, "-DNOTE=-cl-finite-math-only"), IsEmpty()) << body;
    return all;
  };
  const auto both = ElementsAre("arithmetic-fast-math", "arithmetic-fast-math");
  EXPECT_THAT(rules("o[0] = f != f ? 9 : 1;", kNan), both);
  EXPECT_THAT(rules("o[0] = f < 1;", kInfinity), both);
  EXPECT_THAT(rules("o[0] = isnan(f) ? 9 : 1;", kNan), both);
  EXPECT_THAT(rules("o[0] = isinf(f) ? 9 : 1;", kInfinity), both);
  EXPECT_THAT(rules("o[0] = rsqrt(f) > 1;", 0), both);
  EXPECT_THAT(rules("o[0] = log(f) > 1;", 0), both);
  EXPECT_THAT(rules("o[0] = exp(f) < 1;", -kInfinity), both);
  EXPECT_THAT(rules("o[0] = fmin(f, 1.0f) > 0;", kInfinity), both);
  EXPECT_THAT(rules("o[0] = 1 / f > 1;", kInfinity), both);
  EXPECT_THAT(rules("o[0] = length((float2)(f, 1)) > 1;", kInfinity), both);
  // What only moves a value promises nothing, and neither does a branch that is not taken.
  EXPECT_THAT(rules("o[0] = as_int(f);", kNan), IsEmpty());
  EXPECT_THAT(rules("float g = n == 0 ? f : 1; o[0] = as_int(g);", kInfinity), IsEmpty());
  EXPECT_THAT(rules("if (n == 1) o[0] = 1 / f > 1;", 0), IsEmpty());
  EXPECT_THAT(rules("o[0] = n == 1 ? 1 / f > 1 : 7;", 0), IsEmpty());
  EXPECT_THAT(rules("o[0] = rsqrt(f) * log(f) < 1;", 2), IsEmpty());
}

// What OpenCL C cannot say: instructions over a parameter of text SPIR-V.
std::vector<std::string> RulesOfText(const std::string& body, std::uint32_t n,
                                     const std::string& decorations = "") {
  auto session = TestSession::FromText("OpEntryPoint Kernel %k \"k\"\n" + decorations + R"(
      %void = OpTypeVoid
      %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
      %v2 = OpTypeVector %uint 2
      %one = OpConstant %uint 1
      %max = OpConstant %uint 0x7fffffff
      %all = OpConstant %uint 0xffffffff
      %half = OpConstant %float 0.5
      %zero = OpConstant %float 0
      %pair = OpConstantComposite %v2 %one %one
      %pointer = OpTypePointer CrossWorkgroup %uint
      %type = OpTypeFunction %void %pointer %uint
      %k = OpFunction %void None %type
      %p = OpFunctionParameter %pointer
      %n = OpFunctionParameter %uint
      %begin = OpLabel
      )" + body + "\nOpReturn\nOpFunctionEnd\n",
                                       {.detectors = DetectorSet::All()});
  EXPECT_TRUE(session) << session.error().message;
  const auto result = session->Launch({session->Buffer<int>({1, 2}), Bytes(n)}, 1);
  EXPECT_TRUE(result) << result.error().message;
  std::vector<std::string> rules;
  for (const Finding& finding : result->findings) rules.emplace_back(NameOf(finding.rule));
  return rules;
}

TEST(Arithmetic, Shifts) {
  for (const std::string op :
       {"OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic"}) {
    const std::string body = "%x = " + op + " %uint %one %n\nOpStore %p %x";
    EXPECT_THAT(RulesOfText(body, 32), ElementsAre("arithmetic-shift"));
    EXPECT_THAT(RulesOfText(body, 31), IsEmpty());
  }
}

TEST(Arithmetic, Wrapping) {
  const auto body = [](const std::string& op, const std::string& with) {
    return "%x = " + op + " %uint %n %" + with + "\nOpStore %p %x";
  };
  const std::string is_signed = "OpDecorate %x NoSignedWrap\n";
  const std::string is_unsigned = "OpDecorate %x NoUnsignedWrap\n";
  EXPECT_THAT(RulesOfText(body("OpIAdd", "max"), 1, is_signed), ElementsAre("arithmetic-wrap"));
  EXPECT_THAT(RulesOfText(body("OpIAdd", "max"), 0, is_signed), IsEmpty());
  EXPECT_THAT(RulesOfText(body("OpIAdd", "all"), 0, is_signed), IsEmpty());
  EXPECT_THAT(RulesOfText(body("OpIAdd", "all"), 1, is_unsigned), ElementsAre("arithmetic-wrap"));
  EXPECT_THAT(RulesOfText(body("OpISub", "one"), 0, is_unsigned), ElementsAre("arithmetic-wrap"));
  EXPECT_THAT(RulesOfText(body("OpISub", "one"), 0x80000000, is_signed),
              ElementsAre("arithmetic-wrap"));
  EXPECT_THAT(RulesOfText(body("OpIMul", "max"), 2, is_signed), ElementsAre("arithmetic-wrap"));
  EXPECT_THAT(RulesOfText(body("OpIMul", "all"), 5, is_signed), IsEmpty());
  EXPECT_THAT(RulesOfText(body("OpIMul", "all"), 2, is_unsigned), ElementsAre("arithmetic-wrap"));
  EXPECT_THAT(RulesOfText(body("OpShiftLeftLogical", "one"), 0x40000000, is_signed),
              ElementsAre("arithmetic-wrap"));
  EXPECT_THAT(RulesOfText(body("OpShiftLeftLogical", "one"), 0x40000000, is_unsigned), IsEmpty());
  EXPECT_THAT(RulesOfText("%x = OpSNegate %uint %n\nOpStore %p %x", 0x80000000, is_signed),
              ElementsAre("arithmetic-wrap"));
  EXPECT_THAT(RulesOfText(body("OpIAdd", "max"), 1), IsEmpty()) << "without a promise";
}

TEST(Arithmetic, OtherUndefinedResults) {
  EXPECT_THAT(RulesOfText("%x = OpBitFieldUExtract %uint %all %n %one\nOpStore %p %x", 32),
              ElementsAre("arithmetic-bit-field"));
  EXPECT_THAT(RulesOfText("%x = OpBitFieldUExtract %uint %all %n %one\nOpStore %p %x", 31),
              IsEmpty());
  const std::string remainder =
      "%f = OpConvertUToF %float %n\n%r = OpFRem %float %half %f\n%x = OpBitcast %uint %r\n"
      "OpStore %p %x";
  EXPECT_THAT(RulesOfText(remainder, 0), ElementsAre("arithmetic-remainder-by-zero"));
  EXPECT_THAT(RulesOfText(remainder, 1), IsEmpty());
  EXPECT_THAT(RulesOfText("%x = OpVectorExtractDynamic %uint %pair %n\nOpStore %p %x", 2),
              ElementsAre("vector-extract-index"));
  EXPECT_THAT(RulesOfText("%x = OpVectorExtractDynamic %uint %pair %n\nOpStore %p %x", 1),
              IsEmpty());
  EXPECT_THAT(RulesOfText("%v = OpVectorInsertDynamic %v2 %pair %one %n\n"
                          "%x = OpCompositeExtract %uint %v 0\nOpStore %p %x",
                          2),
              ElementsAre("vector-insert-index"));
  // What OpenCL C's min is; compilers write fmin.
  const std::string common =
      "%f = OpBitcast %float %n\n%m = OpExtInst %float %std fmin_common %f %half\n"
      "%x = OpBitcast %uint %m\nOpStore %p %x";
  EXPECT_THAT(RulesOfText(common, 0x7f800000), ElementsAre("arithmetic-common-nan"));
  EXPECT_THAT(RulesOfText(common, 0x7f7fffff), IsEmpty());
  // Nobody looks at it.
  EXPECT_THAT(RulesOfText("%x = OpShiftLeftLogical %uint %one %n", 32), IsEmpty());
}

TEST(Checks, Messages) {
  const CheckRow& division = RowOf(Check::kDivisionOverflow);
  EXPECT_EQ(CheckMessage(division, Kind::kI8, {0x80, 0xff, 0}),
            "the quotient of -128 and -1 does not fit");
  EXPECT_EQ(CheckMessage(RowOf(Check::kShiftRange), Kind::kI32, {0x10, 33, 0}),
            "0x10 is shifted by 33 bits, as many as it has or more");
  EXPECT_EQ(CheckMessage(RowOf(Check::kMixRange), Kind::kF32, {0x3fc00000, 0, 0}),
            "mix with a weight of 1.5, outside 0 to 1");
}

}  // namespace
}  // namespace assay::interp
