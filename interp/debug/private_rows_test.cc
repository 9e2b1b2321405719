// What detectors say of private variables whose elements lie in rows, those of all work-items side
// by side, is what they say in a program for a debugger, where each work-item's lie by themselves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "interp/debug/core.h"
#include "interp/rules/rule.h"
#include "interp/testing/debug.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

constexpr std::uint64_t kItems = 72;  // the second batch has few

struct Told {
  std::vector<std::string> findings;
  std::vector<std::uint32_t> values;
};

Told Run(const std::string& source, int width, DebugHook* hook) {
  Told told;
  auto session =
      TestSession::FromC(source, {.detectors = DetectorSet::All(), .batch_width = width});
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return told;
  std::vector<std::uint32_t> values(kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) values[i] = i * 2654435761u >> 7;
  const auto buffer = session->Buffer(values);
  const auto nothing = session->Buffer(values);
  EXPECT_TRUE(session->memory().MakeUndefined(nothing.address));
  LaunchOptions options;
  options.threads = 1;
  options.debug = hook;
  const auto result = session->Launch({buffer, nothing}, kItems, options, kItems);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return told;
  // Which of the work-items of a batch is named, and whether a copy of a structure is one of its
  // members, is not the same for a debugger.
  for (const Finding& finding : result->findings) {
    told.findings.push_back(fmt::format("{} at {} [{}] x{}", NameOf(finding.rule), finding.source,
                                        finding.instruction, finding.count));
  }
  told.values = session->Read<std::uint32_t>(buffer);
  return told;
}

// The body of kernel `k` over numbers `x` of all sizes and numbers `u` that are undefined, which
// leaves its result in `r`. Returns what is found.
std::vector<std::string> Compare(const std::string& body, const std::string& before = "") {
  const std::string source = before + "\nkernel void k(global uint* v, global uint* nothing) {\n" +
                             "uint i = get_global_id(0), x = v[i], r = 0;\n" + body +
                             "\nv[i] = r;\n}";
  Script script([](const DebugStop&) {});
  DebugCore core(&script);
  const Told expected = Run(source, 64, &core);
  for (const int width : {64, 40, 5}) {
    const Told told = Run(source, width, nullptr);
    EXPECT_EQ(told.findings, expected.findings) << source << "\nwidth " << width;
    EXPECT_EQ(told.values, expected.values) << source << "\nwidth " << width;
  }
  return expected.findings;
}

void ExpectSilent(const std::string& body, const std::string& before = "") {
  EXPECT_THAT(Compare(body, before), testing::IsEmpty()) << body;
}
void ExpectSomething(const std::string& body, const std::string& before = "") {
  EXPECT_THAT(Compare(body, before), testing::Not(testing::IsEmpty())) << body;
}

TEST(PrivateRows, ElementsOfEverySize) {
  for (const std::string type : {"uchar", "ushort", "uint", "ulong", "float", "double"}) {
    const std::string declared = type + " a[16];\n";
    const std::string sum = "for (uint j = 0; j < 16; ++j) r = r * 5 + (uint)a[j];";
    ExpectSilent(declared +
                 "for (uint j = 0; j < 16; ++j) a[j] = x >> j & 127;\n"
                 "for (uint j = 1; j < (x & 15); ++j) a[j] = a[x >> j & 15] + 1;\n" +
                 sum);
    // One element, of some work-items, is not defined.
    ExpectSomething(declared +
                    "for (uint j = 0; j < 16; ++j) if (i < 60 || j != (x & 15)) "
                    "a[j] = x >> j & 127;\nif (a[x & 15] > 5) r = 1;");
    ExpectSomething(declared +
                    "for (uint j = 0; j < 15; ++j) a[j] = j;\n"
                    "if (i == 7) r = a[x & 8 | 7] > 3; else if (a[15] > 3) r = 2;");
    // What is stored is undefined, in one work-item or in all.
    ExpectSomething(declared +
                    "for (uint j = 0; j < 16; ++j) a[j] = j;\n"
                    "if (i == 9) a[x & 15] = nothing[i]; if (a[x & 15] > 5) r = 1;");
    ExpectSomething(declared +
                    "for (uint j = 0; j < 16; ++j) a[j] = nothing[i];\n"
                    "a[x & 15] = 1; if (a[x & 15] + a[x >> 4 & 15] > 5) r = 1;");
    ExpectSilent(declared +
                 "for (uint j = 0; j < 16; ++j) a[j] = nothing[i];\n"
                 "a[x & 15] = 1; if (a[x & 15] > 5) r = 1;");
  }
}

TEST(PrivateRows, VectorsMembersAndCopies) {
  ExpectSilent(R"(
    float4 a[4] = {(float4)(1, 2, 3, 4), (float4)(5), (float4)(x & 7), (float4)(9)};
    for (uint j = 0; j < 8; ++j) a[j & 3] += a[(x >> j) & 3].wzyx;
    for (uint j = 0; j < 4; ++j) r += (uint)a[j].x + 3 * (uint)a[j].w;)");
  ExpectSomething(R"(
    float4 a[4];
    a[x & 3].xyw = (float3)(1, 2, x); a[x >> 2 & 3].z = 3;
    if (a[x & 3].z > a[x & 3].x) r = 4;)");
  const std::string pair = "struct pair { uint a[5]; uint b; };";
  ExpectSilent(R"(
    struct pair p, q;
    for (uint j = 0; j < 5; ++j) { p.a[j] = x + j; p.b = j; }
    q = p;
    q.a[x % 5] = 7;
    for (uint j = 0; j < 5; ++j) r = r * 3 + p.a[j] + q.b;)",
               pair);
  ExpectSomething(R"(
    struct pair p, q;
    for (uint j = 0; j < 5; ++j) if (j != x % 7) p.a[j] = x + j;
    q = p;
    if (q.a[x % 5] > 3) r = 7;
    p.b = nothing[i];
    q = p;
    if (q.b > 3) r = 8;)",
                  pair);
  // Copies from and to memory of others.
  ExpectSomething(R"(
    struct pair p[2];
    for (uint j = 0; j < 5; ++j) p[x & 1].a[j] = j;
    for (uint j = 0; j < 5; ++j) p[~x & 1].a[j] = x;
    p[0].b = 3;
    local struct pair l[72];
    l[i] = p[x & 1];
    if (l[i].b > l[i].a[x % 5]) r = 2;
    p[0] = l[i];
    r += p[0].a[x % 5];)",
                  pair);
}

TEST(PrivateRows, WhatIsOutside) {
  ExpectSomething("uint a[4] = {1, 2, 3, 4}; r = a[x & 7];");
  ExpectSomething("uint a[4] = {1, 2, 3, 4}; if (i == 67) a[x | 4] = 3; r = a[x & 3];");
  ExpectSomething("ulong a[4]; for (uint j = 0; j <= 4; ++j) a[j] = j; r = a[x & 3];");
  ExpectSomething("uint4 a[4] = {1, 2, 3, 4}; r = a[x & 7].y;");
  ExpectSomething(
      "uchar a[64]; for (uint j = 0; j < 64; ++j) a[j] = j;\n"
      "r = *(uint*)&a[x & 63 & ~3] + ((uint4*)&a[(x & 15) * 4])->x;");
  ExpectSomething(
      "uint a[16]; for (uint j = 0; j < 16; ++j) a[j] = j;\n"
      "r = ((uint4*)&a[x & 7])->y;");
  ExpectSomething("uint a[4] = {1, 2, 3, 4}; r = a[nothing[i] & 3]; a[nothing[i] & 1] = 3;");
}

TEST(PrivateRows, VariablesThatBeginAgainOrEnd) {
  ExpectSomething(R"(
    for (uint pass = 0; pass < 3; ++pass) {
      volatile uint a[8];
      if (pass == 0) { for (uint j = 0; j < 8; ++j) { a[j] = nothing[i]; a[j] = 5; } }
      else if (a[x & 7] > 3) r += 1;
    })");
  ExpectSomething(R"(
    for (uint pass = 0; pass < (x & 3); ++pass) {
      uint a[8];
      a[x & 7] = pass;
      if (a[x >> 3 & 7] > 3) r += 1;
    })");
  ExpectSomething("uint* p; { uint a[4]; a[x & 3] = 1; p = &a[x & 3]; r = *p; } r += *p;");
}

// Work-items that are few in a long loop go on together, whatever groups they are of.
TEST(PrivateRows, ThoseThatAreFew) {
  const std::string loop = R"(
    uint a[16];
    for (uint j = 0; j < 16; ++j) if (j != 5 || x % 3 != 0) a[j] = j + x;
    for (uint j = 0; j < (x % 11 == 0 ? 3000 : 3); ++j) a[(x + j) & 3] += a[j & 3] + j;)";
  ExpectSilent(loop + "r = a[x & 3];");
  ExpectSomething(loop + "if (a[5] > 7) r = a[x & 3];");
}

}  // namespace
}  // namespace assay::interp
