// Additions of several threads come to the same numbers as those of one, whatever else looks at
// them.
#include "interp/execute/additions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

TEST(Additions, AreInMemoryAfterFinish) {
  alignas(8) std::array<std::uint32_t, 8> memory = {1, 2, 3, 4, 5, 6, 7, 8};
  auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
  const std::array<AddedObject, 1> objects = {{{bytes + 8, 16}}};  // elements 2 to 5
  Additions additions(objects);
  EXPECT_TRUE(additions.Add<std::uint32_t>(bytes + 8, 10));
  EXPECT_TRUE(additions.Add<std::uint32_t>(bytes + 8, 20));
  EXPECT_TRUE(additions.Add<std::uint32_t>(bytes + 20, 0xffffffff));
  EXPECT_TRUE(additions.Add<std::uint64_t>(bytes + 8, std::uint64_t{1} << 32));
  EXPECT_FALSE(additions.Add<std::uint32_t>(bytes + 4, 1));   // before
  EXPECT_FALSE(additions.Add<std::uint32_t>(bytes + 24, 1));  // behind
  EXPECT_FALSE(additions.Add<std::uint32_t>(bytes + 9, 1));   // across two numbers
  EXPECT_FALSE(additions.Add<std::uint64_t>(bytes + 12, 1));
  EXPECT_EQ(memory[2], 3u);
  additions.Finish();
  EXPECT_THAT(memory, testing::ElementsAre(1, 2, 33, 5, 5, 5, 7, 8));
  additions.Finish();  // once
  EXPECT_THAT(memory, testing::ElementsAre(1, 2, 33, 5, 5, 5, 7, 8));
}

constexpr std::uint64_t kItems = std::uint64_t{1} << 14;

using Contents = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;

// `p` and `q` of kItems numbers each; `same`: both are one buffer.
Contents Run(const std::string& body, int threads, DetectorSet detectors, bool same) {
  auto session = TestSession::FromC(
      "kernel void k(volatile global uint* p, volatile global uint* q) {\n"
      "uint i = get_global_id(0), l = get_local_id(0), g = get_group_id(0);\n" +
          body + "}",
      {.detectors = detectors}, "-cl-std=CL3.0");
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  std::vector<std::uint32_t> values(kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) values[i] = i * 2654435761u;
  const auto first = session->Buffer(std::vector<std::uint32_t>(kItems, 1));
  const auto second = same ? first : session->Buffer(values);
  LaunchRequest request{
      .kernel = "k", .arguments = {first, second}, .options = {.threads = threads}};
  request.range.global = {kItems, 1, 1};
  request.range.local = {{64, 1, 1}};
  const auto result = session->Launch(request);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_THAT(result->findings, testing::IsEmpty()) << body;
  return {session->Read<std::uint32_t>(first), session->Read<std::uint32_t>(second)};
}

void ExpectSameAtAllThreads(const std::string& body, bool same) {
  for (const DetectorSet detectors : {DetectorSet(), DetectorSet::All()}) {
    const Contents one = Run(body, 1, detectors, same);
    for (const int threads : {2, 5, 16}) {
      EXPECT_EQ(Run(body, threads, detectors, same), one) << body << threads;
    }
  }
}

TEST(Additions, OfSeveralThreads) {
  for (const std::string body : {
           // A histogram; numbers of both sizes; one counter.
           "atomic_inc(&p[q[i] & 255]);",
           "atomic_add(&p[q[i] & 15], i);\n"
           "atomic_fetch_add_explicit((volatile global atomic_ulong*)(p + 64), 1ul << 31,\n"
           "    memory_order_relaxed, memory_scope_device);",
           "atomic_add(p, l);",
           // Not only additions.
           "atomic_add(&p[l], 1); atomic_or(&p[64 + (q[i] & 7)], 1u << (q[i] & 31));\n"
           "atomic_max(&p[128], q[i]); atomic_sub(&p[130], i);",
           "atomic_add(&p[i], 7); atomic_xchg(&p[i], 5);",
           "atomic_xchg(&p[i], 5); atomic_add(&p[i], 7);",
           // Read by the same group, the same work-item.
           "atomic_add(&p[g], l); barrier(CLK_GLOBAL_MEM_FENCE); if (l == 0) q[g] = p[g];",
           "atomic_add(&p[i], 3); q[i] = p[i];",
           "atomic_add(&p[i], 3); p[i] *= 2;",
       }) {
    ExpectSameAtAllThreads(body, false);
  }
}

TEST(Additions, ToABufferThatIsAlsoAnotherArgument) {
  ExpectSameAtAllThreads(
      "atomic_add(&p[g], l); barrier(CLK_GLOBAL_MEM_FENCE);\n"
      "if (l == 0) q[1024 + g] = q[g];",
      true);
  ExpectSameAtAllThreads("atomic_add(&p[i & 63], 1); if (i > 63) atomic_or(&q[i], 3);", true);
}

}  // namespace
}  // namespace assay::interp
