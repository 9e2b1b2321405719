// Launches that may have to be made again.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/limits.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

// Where a limit leaves no memory for a copy of the buffers, what needs none goes on.
TEST(Relaunch, WithoutMemoryForACopy) {
  for (const bool races : {false, true}) {
    // Of the buffer, as much as is not counted of the program is free; half of its size is left.
    constexpr std::uint64_t kBuffer = 4 * base::kProgramBytes;
    SessionOptions options{.detectors = DetectorSet::All()};
    options.budget = base::Budget::Start(
        {.memory_bytes = base::ResidentBytes() + kBuffer - base::kProgramBytes + kBuffer / 2});
    auto session = TestSession::FromC(
        std::string("kernel void k(global uint* o) { uint i = get_global_id(0), x = i;\n"
                    "if (i % 32 == 9) for (uint n = 0; n < 400; ++n) x = x * 5 + (x >> 3);\n") +
            (races ? "o[i / 2] = x; }" : "o[i] = x; }"),
        options);
    ASSERT_TRUE(session) << session.error().message;
    const auto buffer = session->ZeroBuffer(kBuffer);
    const auto result = session->Launch({buffer}, 1024, {.threads = 1}, 64);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
    EXPECT_EQ(!result->findings.empty(), races);
  }
}

// What is written to a buffer although the host forbade it is taken back before the second run.
TEST(Relaunch, BuffersThatMayNotBeWritten) {
  for (const int threads : {1, 2}) {
    auto session = TestSession::FromC(
        "kernel void k(global uint* o) { uint i = get_global_id(0), x = i;\n"
        "if (i % 32 == 9) for (uint n = 0; n < 400; ++n) x = x * 5 + (x >> 3);\n"
        "o[i] += 16; if (x == 7) o[i] = 5; }",
        {.detectors = DetectorSet::All()});
    ASSERT_TRUE(session) << session.error().message;
    const auto buffer = session->Buffer(std::vector<std::uint32_t>(256));
    session->memory().Restrict(buffer.address, true, false);
    const auto result = session->Launch({buffer}, 256, {.threads = threads}, 64);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_FALSE(result->findings.empty());
    EXPECT_EQ(session->Read<std::uint32_t>(buffer)[3], 16u) << threads;
  }
}

// Small launches of a kernel are made in another way once one has been: they find the same.
TEST(Relaunch, SmallLaunchesAfterTheFirst) {
  for (const bool is_wrong : {false, true}) {
    auto session = TestSession::FromC(
        "kernel void k(global uint* o, uint wrong, ulong distance) { uint i = get_global_id(0);\n"
        "o[i] += i; if (wrong) { o[(i + 1) % 96] = 7;\n"
        "*(global uint*)((global char*)o + distance + 4 * i) += 1; } }",
        {.detectors = DetectorSet::All()});
    ASSERT_TRUE(session) << session.error().message;
    const auto other = session->Buffer(std::vector<std::uint32_t>(96, 7));
    std::set<std::vector<std::string>> seen;
    for (int i = 1; i <= 3; ++i) {
      const auto buffer = session->Buffer(std::vector<std::uint32_t>(96, 5));
      const auto result = session->Launch({buffer, Bytes<std::uint32_t>(is_wrong),
                                           Bytes<std::uint64_t>(other.address - buffer.address)},
                                          96, {.threads = 2}, 16);
      ASSERT_TRUE(result) << result.error().message;
      std::vector<std::string> messages;
      for (const Finding& finding : result->findings) messages.push_back(finding.message);
      seen.insert(messages);
      EXPECT_EQ(session->Read<std::uint32_t>(other)[3], is_wrong ? 7u + i : 7u);
      if (is_wrong) continue;
      EXPECT_EQ(session->Read<std::uint32_t>(buffer)[95], 100u);
    }
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen.begin()->empty(), !is_wrong);
  }
}

// The record of a large buffer takes memory where the buffer is touched, not all at once.
TEST(Relaunch, LargeBuffersThatAreHardlyTouched) {
  constexpr std::uint64_t kBuffer = std::uint64_t{64} << 20;
  SessionOptions options{.detectors = DetectorSet::All()};
  // Of the buffer and half of its size: some of the program is not counted.
  options.budget = base::Budget::Start(
      {.memory_bytes = base::ResidentBytes() + kBuffer + kBuffer / 2 - base::kProgramBytes});
  auto session = TestSession::FromC(
      "kernel void k(global uint* o) { uint i = get_global_id(0);\n"
      "for (uint n = 0; n < 20000; ++n) o[i * 131072] += n; }",
      options);
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->ZeroBuffer(kBuffer);
  const auto result = session->Launch({buffer}, 128, {.threads = 1}, 64);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
}

}  // namespace
}  // namespace assay::interp
