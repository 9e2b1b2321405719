// Launches that may have to be made again.
#include <gtest/gtest.h>

#include <cstdint>
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
    const auto buffer = session->Buffer(std::vector<std::uint32_t>(kBuffer / 4));
    const auto result = session->Launch({buffer}, 1024, {.threads = 1}, 64);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
    EXPECT_EQ(!result->findings.empty(), races);
  }
}

}  // namespace
}  // namespace assay::interp
