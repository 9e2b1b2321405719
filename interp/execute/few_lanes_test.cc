// Where few work-items of a batch are active, most of them somewhere else: what these have is left
// alone, and programs without detectors compute and count what those with detectors do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "interp/execute/running_batch.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

struct Executed {
  std::vector<std::uint32_t> values;
  std::uint64_t instructions = 0;
  std::uint64_t findings = 0;
};

Executed Execute(const std::string& source, const SessionOptions& options) {
  constexpr std::uint64_t kItems = 320;
  Executed executed;
  auto session = TestSession::FromC(source, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return executed;
  std::vector<std::uint32_t> values(kItems * 4);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 2654435761u;
  const auto buffer = session->Buffer(values);
  const auto result = session->Launch({buffer}, kItems, {.threads = 1}, 64);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return executed;
  executed.values = session->Read<std::uint32_t>(buffer);
  executed.instructions = result->instructions;
  executed.findings = result->findings.size();
  return executed;
}

// The body of a kernel over numbers `x` of all sizes, which leaves its result in `r`.
void CompareFew(const std::string& body, bool is_right = true) {
  const std::string source =
      "kernel void k(global uint* v) {\nuint i = get_global_id(0), x = v[i], r = 0;\n" + body +
      "\nv[i] = r;\n}";
  for (const int width : {64, 48, 7}) {
    const Executed watched =
        Execute(source, {.detectors = DetectorSet::All(), .batch_width = width});
    const Executed plain = Execute(source, {.batch_width = width});
    EXPECT_EQ(plain.values, watched.values) << source << "\nwidth " << width;
    EXPECT_EQ(plain.instructions, watched.instructions) << source << "\nwidth " << width;
    if (is_right) {
      EXPECT_EQ(watched.findings, 0) << source;
    }
  }
}

// Each step is another one's place in the list, so that the lanes of a batch are everywhere.
TEST(FewLanes, ScalarsOfEverySize) {
  for (const std::string type : {"uchar", "ushort", "uint", "ulong", "float", "double"}) {
    CompareFew(type + " a = x & 63, b = x >> 8 & 31;\n" + R"(
      for (uint j = 0; j < 24; ++j) {
        switch ((x >> (j & 15)) % 7) {
          case 0: a = a + b; b = a * 3 - b; break;
          case 1: b = a > b ? a - b : b + 1; break;
          case 2: a = (a + 5) / ((b < 0 ? -b : b) + 1); break;
          case 3: r += (uint)a < (uint)b ? 3 : 4; a = 7; break;
          case 4: if (a == b) r ^= 99; else b = a; break;
          case 5: a = b; b = r & 15; break;
        }
        a = a > 1000 ? 1 : a; b = b > 1000 ? 2 : b < 0 ? 3 : b;
        r = r * 7 + (uint)a + (uint)b;
      })");
  }
}

TEST(FewLanes, ElementsOfEverySize) {
  for (const std::string type : {"uchar", "ushort", "uint", "ulong"}) {
    CompareFew(type + " a[16];\nglobal const " + type + "* g = (global const " + type +
               "*)(v + 640);" +
               R"(
      for (uint j = 0; j < 16; ++j) a[j] = x >> j;
      for (uint j = 0; j < 24; ++j) {
        uint at = (x >> (j & 7)) + j;
        switch (at % 11) {
          case 0: a[at & 15] += a[(at >> 4) & 15]; break;
          case 1: a[j & 15] = a[(at >> 2) & 15] * 3; break;
          case 2: r += a[at >> 3 & 15]; a[at & 15] = r; break;
          case 3: r += a[5]; a[6] = r; break;
          case 4: case 7: r ^= g[at & 255]; break;
          case 5: r += g[255 - (at & 127)]; a[at & 15] = g[r & 31]; break;
          case 6: if (x & 1) r += a[(at & 7) + 8]; break;
          default: r = r * 3 + a[at >> 1 & 15];
        }
      }
      for (uint j = 0; j < 16; ++j) r = r * 5 + (uint)a[j];)");
  }
}

TEST(FewLanes, OutsideOfAnArray) {
  CompareFew("uint a[4] = {1, 2, 3, 4}; if (x % 9 == 2) r = a[x % 5]; else r = a[x & 3];", false);
  CompareFew("uint a[4] = {1, 2, 3, 4}; if (x % 3 == 2) a[x % 7] = 5; r = a[x & 3];", false);
}

TEST(Switch, CasesOfEveryKind) {
  // Some go to one block, some to the default, some are far from the others.
  CompareFew(
      R"(switch (x % 13) { case 1: case 4: r = 1; break; case 3: r = x; case 5: r += 2; break;
    case 9: r = 9; break; default: r = 100; } r = r * 3 + 1;)");
  CompareFew(R"(switch ((int)(x % 13) - 6) { case -6: r = 1; break; case -1: r = 2; break;
    case 0: r = 3; break; case 6: r = 4; } )");
  CompareFew(R"(switch ((ulong)x << 30) { case 0: r = 5; break; case 1ul << 62: r = 6; break;
    case 3ul << 62: r = 7; break; default: r = 8; })");
  CompareFew("switch ((uchar)x) { case 255: r = 1; break; case 0: r = 2; break; case 7: r = 3; }");
  for (const int cases : {63, 64, 65, 200, 300}) {
    std::string body = "switch (x % 310) {\n";
    for (int c = 0; c < cases; ++c) {
      body += "case " + std::to_string(c) + ": r = x * " + std::to_string(2 * c + 3) + "; break;\n";
    }
    CompareFew(body + "default: r = 1; }");
  }
}

// Against a map.
TEST(StandingList, IsInOrder) {
  std::mt19937 random(20);
  const auto below = [&](std::uint32_t count) { return random() % count; };
  for (int round = 0; round < 200; ++round) {
    StandingList list;
    std::map<std::uint32_t, std::uint64_t> expected;
    for (int step = 0; step < 100; ++step) {
      const std::uint32_t what = below(8);
      if (what < 5 || expected.empty()) {
        const std::uint32_t block = below(20);
        const std::uint64_t lanes = std::uint64_t{1} << below(64);
        list.Insert(block, lanes);
        expected[block] |= lanes;
      } else if (what == 7 && step % 50 == 49) {
        list.assign({3, 5});
        expected = {{3, 5}};
      } else {
        const auto one = what < 7 ? expected.begin() : std::prev(expected.end());
        const Standing taken = what < 7 ? list.TakeFirst() : list.TakeLast();
        EXPECT_EQ(taken.block, one->first);
        EXPECT_EQ(taken.lanes, one->second);
        expected.erase(one);
      }
      ASSERT_EQ(list.size(), expected.size());
      ASSERT_EQ(list.empty(), expected.empty());
      ASSERT_TRUE(std::ranges::equal(list, expected, [](const Standing& a, const auto& b) {
        return a.block == b.first && a.lanes == b.second;
      }));
      if (!expected.empty()) {
        ASSERT_EQ(list.front().block, expected.begin()->first);
      }
    }
  }
}

}  // namespace
}  // namespace assay::interp
