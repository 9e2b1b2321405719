// The first run of a launch under detectors, by a program that is optimised as one without them:
// with it and without it a launch computes the same and is told the same.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/compilers.h"
#include "interp/testing/findings.h"

namespace assay::interp {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t kItems = 128, kGroup = 64;

struct Outcome {
  std::vector<std::uint32_t> values;
  std::vector<std::string> findings;
  std::uint64_t instructions = 0;
  LaunchEnd end = LaunchEnd::kCompleted;
};

// Kernel k(global uint* p, local uint* l) over small numbers.
Outcome Run(const std::string& source, const SessionOptions& options, int threads = 1) {
  auto session = TestSession::FromC(source, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  std::vector<std::uint32_t> values(4 * kItems);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 2654435761u >> 24;
  const auto buffer = session->Buffer(values);
  const auto result =
      session->Launch({buffer, LocalArgument{4 * kGroup}}, kItems, {.threads = threads}, kGroup);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  Outcome outcome{.values = session->Read<std::uint32_t>(buffer),
                  .findings = {},
                  .instructions = result->instructions,
                  .end = result->end};
  for (const Finding& finding : result->findings) outcome.findings.push_back(Sentence(finding));
  return outcome;
}

// What the kernel is told, the same in all ways; its body comes after `uint i`, the local id `t`.
std::vector<std::string> Compare(const std::string& body, const std::string& before = "") {
  const std::string source = before +
                             "kernel void k(global uint* p, local uint* l) {\n"
                             "const uint i = get_global_id(0), t = get_local_id(0);\n" +
                             body + "}\n";
  const auto run = [&](bool screens, int width, int threads) {
    return Run(source, {.detectors = DetectorSet::All(), .screens = screens, .batch_width = width},
               threads);
  };
  const Outcome precise = run(false, 64, 1);
  for (const int width : {64, 16, 5}) {
    for (const int threads : {1, 2}) {
      const Outcome screened = run(true, width, threads);
      EXPECT_EQ(screened.values, precise.values) << source << width;
      EXPECT_EQ(screened.findings, precise.findings) << source << width;
      EXPECT_EQ(screened.instructions, precise.instructions) << source << width;
      EXPECT_EQ(screened.end, precise.end) << source << width;
    }
  }
  return precise.findings;
}

TEST(Screen, WhatIsRightIsRight) {
  for (const char* const body : {
           // An array and scalars of a structure, and cases of a switch that do the same with them.
           "struct { uint a[8]; uint n, m; } s; s.n = s.m = 0; for (uint k = 0; k < 8; ++k)\n"
           "s.a[k] = p[i] + k; for (uint k = 0; k < 20; ++k) switch ((p[i] + k) % 4) {\n"
           "case 0: s.a[s.n++ & 7] += k; break; case 1: s.a[--s.n & 7] ^= 3; break;\n"
           "case 2: s.m = s.a[s.n & 7]; break; default: s.n += s.m & 3; }\n"
           "p[i] = s.a[s.n & 7] + s.m;",
           // Some elements begin to be defined later than others, or in some work-items only.
           "uint w[16]; for (uint k = 0; k < 4; ++k) w[k] = p[i] * k;\n"
           "for (uint k = 4; k < 16; ++k) w[k] = w[k - 4] + w[k - 1]; p[i] = w[p[i] & 15];",
           "uint w[8]; if (t & 1) for (uint k = 0; k < 8; ++k) w[k] = k + p[i];\n"
           "if (t & 1) p[i] = w[p[i] & 7];",
           // A variable that begins to live again in each round.
           "uint x = 0; for (uint r = 0; r < 5; ++r) { uint w[4]; for (uint k = 0; k < 4; ++k)\n"
           "w[k] = x + k * r; x += w[(x + p[i]) & 3]; } p[i] = x;",
           // Tiles of local memory between barriers.
           "uint x = 0; for (uint r = 0; r < 4; ++r) { l[t] = p[i] + r;\n"
           "barrier(CLK_LOCAL_MEM_FENCE); for (uint k = 0; k < 32; ++k) x += l[k] * l[k ^ 5];\n"
           "barrier(CLK_LOCAL_MEM_FENCE); } p[i] = x;",
           // Work-items that part for long.
           "uint x = p[i]; if (t == 9) for (uint k = 0; k < 900; ++k) x = x * 5 + 1; p[i] = x;",
       }) {
    EXPECT_THAT(Compare(body), IsEmpty()) << body;
  }
}

// In each of these, what is left out of a program that screens is what would find the error.
TEST(Screen, UndefinedElements) {
  const struct {
    const char *body, *rule;
  } cases[] = {
      {"uint w[8]; for (uint k = 0; k < 8; ++k) if (k != 5) w[k] = p[i];\n"
       "if (w[p[i] & 7] > 3) p[i] = 1;",
       "uninitialized"},
      // One work-item only.
      {"uint w[8]; for (uint k = 0; k < 8; ++k) if (k != 5 || t != 11) w[k] = p[i];\n"
       "p[i] = w[t & 7 ? 5 : 4];",
       "uninitialized"},
      // What was defined before the variable began to live again.
      {"uint x = 0; for (uint r = 0; r < 3; ++r) { uint w[4]; for (uint k = r; k < 4; ++k)\n"
       "w[k] = x + k; x += w[p[i] & 3]; } p[i] = x;",
       "uninitialized"},
      // A scalar beside an array, which lives in a register then.
      {"struct { uint a[8]; uint n; } s; for (uint k = 0; k < 8; ++k) s.a[k] = p[i];\n"
       "if (p[i] & 1) s.n = 2; p[i] = s.a[s.n & 7];",
       "uninitialized"},
      // Local memory of a group after another one's, in which all of it was defined.
      {"if (get_group_id(0) == 0 || t != 7) l[t] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
       "uint x = 0; for (uint k = 0; k < 32; ++k) x += l[k]; p[i] = x;",
       "uninitialized"},
  };
  for (const auto& [body, rule] : cases) {
    EXPECT_THAT(Compare(body), Contains(HasSubstr(rule))) << body;
  }
}

TEST(Screen, RacesInLocalMemory) {
  for (const char* const body : {
           // No barrier at the end of a round.
           "uint x = 0; for (uint r = 0; r < 4; ++r) { l[t] = p[i] + r;\n"
           "barrier(CLK_LOCAL_MEM_FENCE); x += l[(t + 7) & 31]; } p[i] = x;",
           // One that does not order local memory.
           "l[t] = i; barrier(CLK_GLOBAL_MEM_FENCE); p[i] = l[(t + 7) & 31];",
           // One on a way that is not taken.
           "l[t] = i; if (p[0] > 1000) barrier(CLK_LOCAL_MEM_FENCE); p[i] = l[(t + 7) & 31];",
           // A store after the load.
           "l[t] = i; barrier(CLK_LOCAL_MEM_FENCE); p[i] = l[(t + 7) & 31]; l[t] = 2;",
           // To one of two objects.
           "local uint m[64]; l[t] = i; m[t] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
           "p[i] = l[(t + 7) & 31] + m[t]; local uint* q = p[i] > 40 ? l : m; q[t] = 1;",
           // A store to a place that is known before, which others read.
           "local uint m[64]; m[t] = i; barrier(CLK_LOCAL_MEM_FENCE); uint x = 0;\n"
           "for (uint r = 0; r < 3; ++r) { x += m[(t + 1) & 63]; if (t == 7) m[5] = x;\n"
           "barrier(CLK_LOCAL_MEM_FENCE); } p[i] = x;",
           "local uint m[2][64]; m[0][t] = m[1][t] = i; barrier(CLK_LOCAL_MEM_FENCE); uint x = 0;\n"
           "for (uint r = 0; r < 3; ++r) { x += m[r & 1][(t + 1) & 63]; m[1][t] = x;\n"
           "barrier(CLK_LOCAL_MEM_FENCE); } p[i] = x;",
           // A store by way of another object.
           "local uint m[64]; m[t] = i; barrier(CLK_LOCAL_MEM_FENCE); uint x = 0;\n"
           "long d = (long)(ulong)&m[t] - (long)(ulong)p; for (uint r = 0; r < 3; ++r) {\n"
           "x += m[(t + 1) & 63]; *(uint*)((global char*)p + d) = x;\n"
           "barrier(CLK_LOCAL_MEM_FENCE); } p[i] = x;",
           // By an atomic operation.
           "l[t] = i; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&l[3]); p[i] = l[(t + 7) & 31];",
       }) {
    EXPECT_THAT(Compare(body), Contains(HasSubstr("race"))) << body;
  }
}

TEST(Screen, OtherErrors) {
  const struct {
    const char *body, *rule;
  } cases[] = {
      {"uint w[8]; for (uint k = 0; k < 8; ++k) w[k] = k; p[i] = w[p[i] + (t == 3 ? 600 : 0) & "
       "1023];",
       "out-of-bounds"},
      {"uchar c[16]; for (uint k = 0; k < 16; ++k) c[k] = k; p[i] = *(uint*)(c + (p[i] & 7 | 1));",
       "alignment"},
      {"uchar c[16]; for (uint k = 0; k < 4; ++k) *(uint*)(c + 4 * k + 1) = k;\n"
       "p[i] = c[p[i] & 15];",
       "alignment"},
      {"global uchar* c = (global uchar*)p; p[i] = *(global uint*)(c + 4 * i + (t == 5));",
       "alignment"},
      {"p[i] = 7 / (int)(p[i] - p[9]);", "division"},
      {"p[i] = p[(i + 1) % 128];", "race"},
      {"l[t] = i; if (t < 9) barrier(CLK_LOCAL_MEM_FENCE); p[i] = l[63 - t];", "barrier"},
  };
  for (const auto& [body, rule] : cases) {
    EXPECT_THAT(Compare(body), Contains(HasSubstr(rule))) << body;
  }
}

// A pure function writes to its caller's structure, which would live in registers.
TEST(Screen, PromisesOfFunctions) {
  if (!frontend::HasCompiler(frontend::Compiler::kClang15)) GTEST_SKIP() << "others leave it out";
  const auto findings = Compare(
      "struct s v; v.n = p[i]; for (uint k = 0; k < 4; ++k) v.a[k] = k; p[i] = f(&v);\n"
      "p[i] += v.a[p[i] & 3] + v.n;",
      "struct s { uint a[4]; uint n; };\n"
      "__attribute__((pure, noinline)) uint f(struct s* v) { v->n = 3; return v->a[2]; }\n");
  EXPECT_THAT(findings, Contains(HasSubstr("function-attribute")));
}

// What was written before the first run ended is not there when the next one begins.
TEST(Screen, BuffersAreAsBefore) {
  const std::string body =
      "p[i] += 1; uint w[4]; for (uint k = 0; k < 4; ++k) if (k != 2 || i != 127) w[k] = k;\n"
      "if (w[2] > 9) p[i] = 0;";
  EXPECT_THAT(Compare(body), Not(IsEmpty()));
}

// Nor in a buffer to which the kernel has no pointer, and of which no copy is kept.
TEST(Screen, OtherBuffersAreAsBefore) {
  const std::string source =
      "kernel void k(global uint* p, ulong distance) { uint i = get_global_id(0), x = 0;\n"
      "*(global uint*)((global char*)p + distance + 4 * i) += 1; uint w[4];\n"
      "for (uint k = 0; k < 4; ++k) if (k != 2 || i != 127) w[k] = k;\n"
      "if (w[2] > 9) p[i] = 0; }";
  for (const bool screens : {false, true}) {
    auto session =
        TestSession::FromC(source, {.detectors = DetectorSet::All(), .screens = screens});
    ASSERT_TRUE(session) << session.error().message;
    const auto buffer = session->Buffer(std::vector<std::uint32_t>(kItems));
    const auto other = session->Buffer(std::vector<std::uint32_t>(kItems, 7));
    const auto result = session->Launch(
        {buffer, Bytes<std::uint64_t>(other.address - buffer.address)}, kItems, {.threads = 1});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_FALSE(result->findings.empty());
    EXPECT_EQ(session->Read<std::uint32_t>(other), std::vector<std::uint32_t>(kItems, 8));
  }
}

// Where much would have to be kept for few work-items nothing is, and findings are the same.
TEST(Screen, LargeBuffersOfSmallLaunches) {
  const std::string source =
      "kernel void k(global uint* p) { uint i = get_global_id(0); uint w[4];\n"
      "for (uint k = 0; k < 4; ++k) if (k != 2 || i != 5) w[k] = k; p[i] = w[i & 3 ? 2 : 1]; }";
  std::vector<std::vector<std::string>> all;
  for (const std::size_t values : {64, 1 << 20}) {
    for (const bool screens : {false, true}) {
      auto session =
          TestSession::FromC(source, {.detectors = DetectorSet::All(), .screens = screens});
      ASSERT_TRUE(session) << session.error().message;
      const auto buffer = session->Buffer(std::vector<std::uint32_t>(values));
      for (int i = 0; i < 2; ++i) {
        const auto result = session->Launch({buffer}, 64, {.threads = 1});
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(result->end, LaunchEnd::kCompleted);
        all.emplace_back();
        for (const Finding& finding : result->findings) all.back().push_back(Sentence(finding));
      }
    }
  }
  for (const auto& findings : all) EXPECT_EQ(findings, all[0]);
  EXPECT_FALSE(all[0].empty());
}

// Launch after launch, with a kernel of which a first run came to nothing.
TEST(Screen, LaunchesOneAfterTheOther) {
  auto session = TestSession::FromC(
      "kernel void k(global uint* p) { uint i = get_global_id(0); uint w[4];\n"
      "for (uint k = p[0]; k < 4; ++k) w[k] = i; if (w[p[i] & 3] > 9) p[i] = 3; }",
      {.detectors = DetectorSet::All()});
  ASSERT_TRUE(session) << session.error().message;
  for (const std::uint32_t first : {0u, 1u, 0u, 1u}) {
    const auto buffer = session->Buffer(std::vector<std::uint32_t>(64, first));
    const auto result = session->Launch({buffer}, 64);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->end, LaunchEnd::kCompleted);
    EXPECT_TRUE(result->findings.empty());
    const auto last = session->Buffer(std::vector<std::uint32_t>{first, 0, 0, 0});
    const auto found = session->Launch({last}, 4);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->findings.empty(), first == 0);
  }
}

}  // namespace
}  // namespace assay::interp
