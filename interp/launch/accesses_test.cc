// LaunchResult::accesses against the bytes that a kernel's text says.
#include <gtest/gtest.h>

#include <set>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

// Bytes from an address on that were accessed.
std::set<std::uint64_t> BytesOf(const LaunchResult& result, Address object, std::uint64_t size,
                                bool writes) {
  std::set<std::uint64_t> bytes;
  for (const AccessedBytes& run : result.accesses) {
    if (run.writes != writes || run.address < object || run.address >= object + size) continue;
    for (std::uint64_t i = 0; i < run.bytes; ++i) bytes.insert(run.address - object + i);
  }
  return bytes;
}

constexpr const char* kKernel = R"(
kernel void k(global const uchar* in, global int* out, global int* count) {
  size_t i = get_global_id(0);
  if (i % 3 == 0) out[i] = in[i + 5];
  atomic_inc(count);
})";

class Accesses : public testing::TestWithParam<int> {};

TEST_P(Accesses, AreThoseOfTheKernel) {
  constexpr std::uint64_t kItems = 200;
  auto session = TestSession::FromC(kKernel, {.detectors = DetectorSet::All(), .batch_width = 16});
  ASSERT_TRUE(session) << session.error().message;
  const auto in = session->Buffer(std::vector<std::uint8_t>(300));
  const auto out = session->Buffer(std::vector<std::int32_t>(300));
  const auto count = session->Buffer(std::vector<std::int32_t>(1));
  LaunchRequest request{.kernel = "k", .arguments = {in, out, count}};
  request.range.global = {kItems, 1, 1};
  request.range.local = {{10, 1, 1}};
  request.options.threads = GetParam();
  auto result = session->Launch(request);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->accesses.empty()) << "nobody asked";
  request.keep_accesses = true;
  result = session->Launch(request);
  ASSERT_TRUE(result) << result.error().message;
  std::set<std::uint64_t> read;
  std::set<std::uint64_t> written;
  for (std::uint64_t i = 0; i < kItems; i += 3) {
    read.insert(i + 5);
    for (std::uint64_t byte = 0; byte < 4; ++byte) written.insert(4 * i + byte);
  }
  EXPECT_EQ(BytesOf(*result, in.address, 300, false), read);
  EXPECT_TRUE(BytesOf(*result, in.address, 300, true).empty());
  EXPECT_EQ(BytesOf(*result, out.address, 1200, true), written);
  EXPECT_TRUE(BytesOf(*result, out.address, 1200, false).empty());
  EXPECT_TRUE(BytesOf(*result, count.address, 4, true).empty()) << "atomic accesses are no races";
  EXPECT_TRUE(result->findings.empty());
}
INSTANTIATE_TEST_SUITE_P(Threads, Accesses, testing::Values(1, 2));

TEST(AlsoReached, MemoryIsWatchedThatIsNoArgument) {
  auto session = TestSession::FromC(
      "kernel void k(global ulong* in, global int* out) { *out = *(global int*)*in; }",
      {.detectors = DetectorSet::All()});
  ASSERT_TRUE(session) << session.error().message;
  const auto hidden = session->Buffer(std::vector<std::int32_t>(4));
  const auto in = session->Buffer(std::vector<std::uint64_t>{hidden.address + 8});
  const auto out = session->Buffer(std::vector<std::int32_t>(1));
  LaunchRequest request{.kernel = "k", .arguments = {in, out}};
  request.keep_accesses = true;
  request.also_reached = {hidden.address};
  const auto result = session->Launch(request);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(BytesOf(*result, hidden.address, 16, false), (std::set<std::uint64_t>{8, 9, 10, 11}));
}

}  // namespace
}  // namespace assay::interp
