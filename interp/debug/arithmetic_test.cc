// The values of expressions beside those that a compiled kernel computes.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "interp/debug/core.h"
#include "interp/debug/server.h"
#include "interp/testing/debug.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

// Each is computed by the kernel, where a compiler chose its type and its instructions, and by the
// debugger from the same variables.  NaN is in none: its bits are anyone's.
constexpr const char* kExpressions[] = {
    // Promotion and the usual arithmetic conversions.
    "c + c",
    "uc + uc",
    "s - us",
    "c * uc",
    "i + u",
    "u - (i + 1)",
    "l + u",
    "ul + l",
    "i + f",
    "u * d",
    "f + d",
    "l * f",
    "h + h",
    "h * i",
    "h + f",
    "h / (half)3",
    "-c",
    "~uc",
    "-u",
    "+s",
    "-h",
    "~l",
    "i * i",
    "c == -3",
    "u > -1",
    "i < u",
    "l < u",
    "uc < c",
    "f == d",
    "h < f",
    // Division, remainder and shifts.
    "i / 7",
    "-i / 7",
    "i % -7",
    "-i % 7",
    "u / 7",
    "u % 7u",
    "l / i",
    "f / 3",
    "d / f",
    "c / 2",
    "i << 33",
    "i >> 35",
    "u >> 33",
    "c << 3",
    "c >> 1",
    "uc >> 1",
    "l << 65",
    "ul >> 70",
    "s << 4",
    "(i & 12) | (u ^ 5)",
    "l & c",
    "ul | uc",
    // Logic and ?:
    "!i",
    "!f",
    "i && d",
    "(i - i) || f",
    "1 ? 5 : 2.0",
    "(1 ? i : d) / 2",
    "0 ? 1u : -1",
    "(0 ? u : -1) > 0",
    "1 ? c : s",
    "1 ? h : f",
    "i > 0 ? l : u",
    "1 ? v : f",
    "w > 0 ? w : -w",
    "(w > 0) ? 1 : 2",
    "(v < 2.0f) ? v : (float4)(9)",
    "w ? w : 7",
    "vd > 1 ? vd : (double2)(3)",
    "vc ? vc : (char)5",
    // Vectors, and scalars beside them.
    "v + f",
    "v * 2",
    "2 / v",
    "w + i",
    "w << 3",
    "w >> (int4)(1, 33, 2, 0)",
    "vc + vc",
    "vc * (char)3",
    "vu / (ushort)3",
    "vu % (ushort2)(7, 9)",
    "v == v",
    "v < 2.0f",
    "v != v.wzyx",
    "w >= (int4)(0)",
    "vd > 1.0",
    "vh * vh",
    "vh < (half)2",
    "!w",
    "!v",
    "w && w.yxzw",
    "w || (int4)(0)",
    "-v",
    "-w",
    "~w",
    "w & 6",
    "v.xz",
    "v.hi",
    "v3.zyx",
    "(float4)(v.xy, 1, 2)",
    "(int2)(i)",
    "vu.even",
    // Casts.
    "(char)i",
    "(uchar)255.5f",
    "(uint)-0.5f",
    "(int)-2.9",
    "(long)f",
    "(ulong)1e19",
    "(float)l",
    "(half)f",
    "(double)h",
    "(short)u",
    "(bool)f",
    "(float)ul",
    "(half)70000.0f",
    "(long)c",
    "(ulong)c",
    "(int)(float)16777217",
    // Built-ins and macros.
    "isnan(f)",
    "isinf(v)",
    "isfinite(d)",
    "isnormal(vh)",
    "signbit(v)",
    "isequal(v, v.yxzw)",
    "isgreater(f, 1.0f)",
    "islessgreater(d, d)",
    "isordered(f, f)",
    "isunordered(v, v)",
    "isnotequal(h, h)",
    "isless(d, 1.0)",
    "select(v, -v, w)",
    "select(i, 5, 1)",
    "select(w, (int4)(7), (uint4)(0, 0x80000000, 1, 0))",
    "bitselect(i, 5, 3)",
    "bitselect(f, 2.0f, 1.0f)",
    "any(w)",
    "all(w)",
    "all(w < 0)",
    "min(i, 5)",
    "max(u, 7u)",
    "max(c, (char)2)",
    "min(w, 1)",
    "clamp(i, -5, 5)",
    "clamp(v, 0.0f, 1.0f)",
    "abs(c)",
    "abs(w)",
    "abs_diff(i, -5)",
    "popcount(us)",
    "popcount(c)",
    "clz(uc)",
    "mul_hi(l, 3L)",
    "mul_hi(u, u)",
    "rotate(u, 5u)",
    "add_sat(c, (char)-128)",
    "sub_sat(uc, (uchar)255)",
    "mad24(i, 3, 4)",
    "mul24(i, 3)",
    "hadd(w, w.yxzw)",
    "rhadd(uc, uc)",
    "upsample(c, uc)",
    "upsample(i, u)",
    "mad_hi(i, i, i)",
    "mad_sat(c, c, c)",
    "convert_int(f)",
    "convert_uchar_sat(i)",
    "convert_int_sat_rte(f * 1e10f)",
    "convert_float4(w)",
    "convert_int4_rtp(v)",
    "convert_char2(vu)",
    "convert_half(d)",
    "convert_float_rtz(d)",
    "as_int(f)",
    "as_float(u)",
    "as_uchar4(f)",
    "as_short2(u)",
    "dot(v, v)",
    "length(v)",
    "fmax(f, 1.0f)",
    "M_PI_F",
    "M_PI",
    "M_SQRT1_2_F",
    "M_2_SQRTPI",
    "INT_MAX",
    "INT_MIN",
    "FLT_MAX",
    "FLT_EPSILON",
    "HUGE_VALF",
    "INFINITY",
    "UINT_MAX",
    "LONG_MIN",
    "SCHAR_MIN",
    "DBL_EPSILON",
    "DBL_MAX",
    "CHAR_BIT",
    // Sizes and pointers.
    "sizeof(float3)",
    "sizeof(v3)",
    "sizeof(c + c)",
    "sizeof(h)",
    "sizeof(1 ? c : d)",
    "&a[3] - &a[1]",
    "&a[3] > &a[1]",
    "*(a + 2)",
    "p == 0",
    "p != a",
    "(p + 1) - a",
    "sizeof(*p)",
};

constexpr std::size_t kSlot = 64;

std::string Kernel() {
  std::string source =
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
      "void store(const uchar* from, int n, global uchar* to) "
      "{ for (int i = 0; i < n; ++i) to[i] = from[i]; }\n"
      "#define STORE(N, E) { __typeof__(E) x = (E); store((const uchar*)&x, sizeof(x), out + 64 * "
      "N); "
      "sizes[N] = sizeof(x); }\n"
      "kernel void k(global uchar* out, global int* sizes, int one) {\n"
      "  char c = -3 * one; uchar uc = 250 * one; short s = -1234 * one; ushort us = 60000 * one;\n"
      "  int i = 100003 * one; uint u = 4000000000u * one; long l = -5000000000L * one;\n"
      "  ulong ul = 0xf000000000000001UL * one; half h = (half)1.1f * (half)one;\n"
      "  float f = 2.7f * one; double d = 0.1 * one;\n"
      "  float4 v = (float4)(1.5f, -2.0f, 0.0f, 3.25f) * one; float3 v3 = v.xyz;\n"
      "  int4 w = (int4)(1, -2, 0, 2000000000) * one; char2 vc = (char2)(100, -7) * (char)one;\n"
      "  ushort2 vu = (ushort2)(65535, 12) * (ushort)one; double2 vd = (double2)(0.5, 4) * one;\n"
      "  half2 vh = (half2)((half)1.5f, (half)300.0f) * (half)one;\n"
      "  int a[5] = {1, 2, 3, 4, 5}; int* p = a + one;\n";
  std::size_t number = 0;
  for (const char* expression : kExpressions) {
    source += "  STORE(" + std::to_string(number++) + ", " + expression + ")\n";
  }
  return source + "}\n";
}

TEST(DebugArithmetic, ComputesWhatACompiledKernelDoes) {
  const std::string source = Kernel();
  auto session = TestSession::FromC(source);
  ASSERT_TRUE(session) << session.error().message;
  const std::size_t count = std::size(kExpressions);
  const BufferArgument out = session->Buffer(std::vector<std::byte>(count * kSlot));
  const BufferArgument sizes = session->Buffer(std::vector<std::int32_t>(count));
  std::vector<std::vector<std::byte>> computed;
  DebugCore* core = nullptr;
  Script script([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      // The first expression's line: all variables are there.
      ASSERT_TRUE(core->Add({.number = 1, .location = "14"}));
      return;
    }
    const auto scope = ScopeOf(core->program(), core->current(), 0, 0);
    ASSERT_TRUE(scope) << scope.error().message;
    for (const char* expression : kExpressions) {
      const auto parsed = ParseDebugExpression(expression, &core->program()->types);
      ASSERT_TRUE(parsed) << expression << ": " << parsed.error().message;
      const auto value = DebugEvaluator(*scope).Evaluate(*parsed);
      EXPECT_TRUE(value) << expression << ": " << value.error().message;
      computed.push_back(value ? value->bytes : std::vector<std::byte>());
    }
    core->RemoveAll();
  });
  DebugCore debugger(&script);
  core = &debugger;
  LaunchOptions options;
  options.debug = &debugger;
  const auto result = session->Launch({out, sizes, Bytes(1)}, 1, options);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(computed.size(), count);
  const auto bytes = session->Read<std::byte>(out);
  const auto lengths = session->Read<std::int32_t>(sizes);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(computed[i].size(), static_cast<std::size_t>(lengths[i])) << kExpressions[i];
    // The fourth component of a vector of three is nobody's.
    std::size_t length =
        std::min<std::size_t>(computed[i].size(), static_cast<std::size_t>(lengths[i]));
    if (std::strstr(kExpressions[i], "v3.") == kExpressions[i]) length = 12;
    const std::vector<std::byte> kernel(
        bytes.begin() + static_cast<std::ptrdiff_t>(i * kSlot),
        bytes.begin() + static_cast<std::ptrdiff_t>(i * kSlot + length));
    const std::vector<std::byte> own(computed[i].begin(),
                                     computed[i].begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(testing::PrintToString(own), testing::PrintToString(kernel)) << kExpressions[i];
  }
}

}  // namespace
}  // namespace assay::interp
