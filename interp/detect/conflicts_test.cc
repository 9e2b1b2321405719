// Races between groups that different threads execute are found at any number of threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "interp/testing/findings.h"

namespace assay::interp {
namespace {

using testing::IsEmpty;
using testing::Not;

// More granules than are compared at once.
constexpr std::uint64_t kMany = std::uint64_t{3} << 17;

std::vector<std::string> Found(const std::string& body, int threads) {
  auto session = TestSession::FromC(
      "kernel void k(global uint* p, global uint* q) {\n"
      "uint i = get_global_id(0), n = get_global_size(0);\n" +
          body + "}",
      {.detectors = DetectorSet::All()}, "-cl-std=CL3.0");
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto first = session->Buffer(std::vector<std::uint32_t>(kMany));
  const auto second = session->Buffer(std::vector<std::uint32_t>(kMany));
  LaunchRequest request{
      .kernel = "k", .arguments = {first, second}, .options = {.threads = threads}};
  request.range.global = {kMany, 1, 1};
  request.range.local = {{64, 1, 1}};
  const auto result = session->Launch(request);
  EXPECT_TRUE(result) << result.error().message;
  std::vector<std::string> sentences;
  if (!result) return sentences;
  for (const Finding& finding : result->findings) sentences.push_back(Sentence(finding));
  return sentences;
}

TEST(Conflicts, OfGroupsOnDifferentThreadsAreFound) {
  for (const std::string body : {
           // The last group stores what the first one stores, loads, or changes atomically.
           "p[i] = i; if (i == n - 1) p[3] = 7;",
           "q[i] = p[i]; if (i == n - 1) p[3] = 7;",
           "if (i != 3) p[i] = i; else q[0] = p[n - 1];",
           "if (i == 3) atomic_inc((volatile global int*)p); if (i == n - 1) p[0] = 1;",
           "if (i == n - 1) q[0] = p[5]; if (i == 3) atomic_inc((volatile global int*)p + 5);",
           "if (i == 3 || i == n - 1) atomic_fetch_add_explicit((volatile global atomic_int*)p, "
           "1,\n"
           "    memory_order_relaxed, memory_scope_work_group);",
       }) {
    const std::vector<std::string> one = Found(body, 1);
    EXPECT_THAT(one, Not(IsEmpty())) << body;
    for (const int threads : {2, 5, 16}) EXPECT_EQ(Found(body, threads), one) << body;
  }
}

TEST(Conflicts, AreNoneWhereGroupsStoreBesideEachOther) {
  for (const std::string body : {
           "p[i] = i;",
           "p[i] = q[0] + q[i];",
           "p[n - 1 - i] = q[i]; if (i == 0) q[0] = q[0];",
           "atomic_inc((volatile global int*)p); q[i] = i;",
           "((global uchar*)p)[i] = i;",
       }) {
    for (const int threads : {2, 16}) EXPECT_THAT(Found(body, threads), IsEmpty()) << body;
  }
}

}  // namespace
}  // namespace assay::interp
