// Work-items that are put aside compute what they would have computed among those of their group,
// and are called by their own names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// What kernel `k` makes of its only buffer, in batches and groups of several sizes.
void Expect(const std::string& source,
            const std::function<std::uint32_t(std::uint32_t)>& expected) {
  constexpr std::uint32_t kItems = 3000;
  for (const int width : {64, 48, 5}) {
    auto session = TestSession::FromC(source, {.batch_width = width});
    ASSERT_TRUE(session) << session.error().message;
    for (const std::uint64_t local : {std::uint64_t{100}, std::uint64_t{4}}) {
      std::uint64_t instructions = 0;
      // With a seed work-items stay in their groups.
      for (const std::uint64_t seed : {0, 1}) {
        for (const int threads : {1, 3}) {
          const auto buffer = session->Buffer(std::vector<std::uint32_t>(kItems));
          const auto result =
              session->Launch({buffer}, kItems, {.threads = threads, .seed = seed}, local);
          ASSERT_TRUE(result) << result.error().message;
          EXPECT_THAT(result->findings, IsEmpty());
          if (instructions == 0) instructions = result->instructions;
          EXPECT_EQ(result->instructions, instructions);
          const auto seen = session->Read<std::uint32_t>(buffer);
          for (std::uint32_t i = 0; i < kItems; ++i) {
            ASSERT_EQ(seen[i], expected(i)) << "item " << i << ", width " << width << ", groups of "
                                            << local << ", seed " << seed;
          }
        }
      }
    }
  }
}

// Where a work-item is, is known after the loop, too.
constexpr char kPlace[] = "(uint)(get_group_id(0) * get_local_size(0) + get_local_id(0))";

TEST(Stragglers, LoopsThatFewAreIn) {
  Expect(std::string(R"(kernel void k(global uint* out) {
    uint i = get_global_id(0), x = i * 2654435761u;
    ulong sum = 0;
    uchar step = (uchar)i;
    if (i % 37 == 5) {
      for (uint n = 0; n < 300 + i % 91; ++n) { x = x * 1664525u + 1013904223u; sum += x; step += 3; }
    } else if (i % 41 == 7) {
      while ((x & 255) != 77) { x = x * 22695477u + 1; sum ^= x; }
    }
    out[i] = x + (uint)(sum >> 8) + step + )") +
             kPlace + "; }",
         [](std::uint32_t i) {
           std::uint32_t x = i * 2654435761u;
           std::uint64_t sum = 0;
           auto step = static_cast<std::uint8_t>(i);
           if (i % 37 == 5) {
             for (std::uint32_t n = 0; n < 300 + i % 91; ++n) {
               x = x * 1664525u + 1013904223u;
               sum += x;
               step = static_cast<std::uint8_t>(step + 3);
             }
           } else if (i % 41 == 7) {
             while ((x & 255) != 77) {
               x = x * 22695477u + 1;
               sum ^= x;
             }
           }
           return x + static_cast<std::uint32_t>(sum >> 8) + step + i;
         });
}

TEST(Stragglers, TheirPrivateVariables) {
  Expect(std::string(R"(kernel void k(global uint* out) {
    uint i = get_global_id(0), table[16], at = i;
    for (uint n = 0; n < 16; ++n) table[n] = n * i;
    if (i % 29 == 3) {
      uint other[8] = {i, 1, 2, 3, 4, 5, 6, 7};
      for (uint n = 0; n < 400; ++n) {
        at = at * 5 + table[at & 15] + other[at >> 7 & 7];
        table[n & 15] ^= at;
        if (at & 64) other[n & 7] += n;
      }
    }
    out[i] = at + table[i & 15] + )") +
             kPlace + "; }",
         [](std::uint32_t i) {
           std::uint32_t table[16];
           std::uint32_t at = i;
           for (std::uint32_t n = 0; n < 16; ++n) table[n] = n * i;
           if (i % 29 == 3) {
             std::uint32_t other[8] = {i, 1, 2, 3, 4, 5, 6, 7};
             for (std::uint32_t n = 0; n < 400; ++n) {
               at = at * 5 + table[at & 15] + other[at >> 7 & 7];
               table[n & 15] ^= at;
               if ((at & 64) != 0) other[n & 7] += n;
             }
           }
           return at + table[i & 15] + i;
         });
}

TEST(Stragglers, AreCalledByTheirNames) {
  auto session = TestSession::FromC(R"(kernel void k(global uint* out) {
    uint i = get_global_id(0), x = i;
    if (i % 64 == 9) {
      for (uint n = 0; n < 1000; ++n) x = x * 5 + 1;
      if (i / 64 == 12) out[i + 1000000] = x;
    }
    out[i] = x;
  })");
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer(std::vector<std::uint32_t>(64 * 64));
  const auto result = session->Launch({buffer}, 64 * 64, {.threads = 1}, 64);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_THAT(result->findings, SizeIs(1));
  EXPECT_THAT(result->findings[0].global_id, ElementsAre(12 * 64 + 9, 0, 0));
  EXPECT_THAT(result->findings[0].group_id, ElementsAre(12, 0, 0));
}

// Nothing orders them, but a run that ends with everybody in his group does not hang.
TEST(Stragglers, AreNotWaitedForInVain) {
  auto session = TestSession::FromC(R"(kernel void k(volatile global uint* out) {
    uint i = get_global_id(0), x = i;
    if (i == 0) {
      for (uint n = 0; n < 1000; ++n) x = x * 5 + 1;
      out[64] = 1;
    } else {
      while (out[64] == 0);
    }
    out[i] = x;
  })");
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer(std::vector<std::uint32_t>(65));
  const auto result =
      session->Launch({buffer}, 64, {.threads = 1, .max_instructions = 1u << 28}, 64);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
}

// A limit that is met among them ends the launch, wherever they stand.
TEST(Stragglers, EndWithTheLaunch) {
  auto session = TestSession::FromC(R"(kernel void k(global uint* out) {
    uint i = get_global_id(0), x = i;
    if (i % 64 == 9) for (uint n = 0; n < 200000; ++n) x = x * 5 + (x >> 3);
    out[i] = x;
  })");
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer(std::vector<std::uint32_t>(4096));
  for (const std::uint64_t limit : {1u << 19, 3u << 20, 1u << 23}) {
    const auto result =
        session->Launch({buffer}, 4096, {.threads = 1, .max_instructions = limit}, 64);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->end, LaunchEnd::kInstructionLimit) << result->message;
  }
}

// With a seed nobody is put aside, also after a look at the limits.
TEST(Stragglers, StayInTheirGroupsWithASeed) {
  constexpr std::uint32_t kItems = 600;
  auto session = TestSession::FromC(
      "kernel void k(global uint* o) { uint i = get_global_id(0), h = i;\n"
      "for (uint n = 0; n < (i % 32 == 1 ? 100000u : 1u); ++n) h = h * 31 + n; o[i] = h | 1; }");
  ASSERT_TRUE(session) << session.error().message;
  std::vector<std::uint32_t> expected;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto buffer = session->Buffer(std::vector<std::uint32_t>(kItems));
    const auto result = session->Launch({buffer}, kItems, {.threads = 1, .seed = seed}, 25);
    ASSERT_TRUE(result) << result.error().message;
    if (seed == 0) expected = session->Read<std::uint32_t>(buffer);
    EXPECT_EQ(session->Read<std::uint32_t>(buffer), expected) << seed;
  }
}

}  // namespace
}  // namespace assay::interp
