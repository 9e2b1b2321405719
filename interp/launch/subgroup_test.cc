// Sub-groups: who executes an instruction together, what orders memory, and what is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/testing/findings.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The same with every batch width, seed and forward or backward deal.
std::vector<int> ResultsOf(const std::string& source, std::uint32_t size, std::size_t items,
                           std::size_t local) {
  std::vector<int> results;
  for (const int width : {64, 7, 1}) {
    for (const std::uint64_t seed : {0, 1, 5}) {
      auto session = TestSession::FromC(source, {.batch_width = width, .subgroup_size = size});
      EXPECT_TRUE(session) << session.error().message;
      if (!session) return {};
      const BufferArgument buffer = session->Buffer(std::vector<int>(items));
      const auto result =
          session->Launch({buffer}, items, {.seed = seed, .max_instructions = 10'000'000}, local);
      EXPECT_TRUE(result) << result.error().message;
      if (!result) return {};
      EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
      const auto now = session->Read<int>(buffer);
      if (results.empty()) results = now;
      EXPECT_EQ(now, results) << "width " << width << ", seed " << seed;
    }
  }
  return results;
}

std::string ErrorOf(const std::string& source, std::uint32_t size) {
  auto session = TestSession::FromC(source, {.subgroup_size = size});
  if (!session) return session.error().message;
  const BufferArgument buffer = session->Buffer(std::vector<int>(8));
  const auto result = session->Launch({buffer}, 8, {}, 8);
  return result ? "" : result.error().message;
}

WatchedKernel Watched(const std::string& body) {
  WatchedKernel kernel;
  kernel.source =
      "kernel void k(global int* o, int n, local int* l) {\n"
      "  int i = get_local_id(0);\n" +
      body + "\n}";
  kernel.global = kernel.local = {32, 1, 1};
  kernel.subgroup_size = 8;
  return kernel;
}

// Some work-items leave an iteration early, and wait where the others come later.
TEST(Subgroups, WorkItemsOfOneIterationExecuteTogether) {
  const auto results = ResultsOf(R"(
kernel void k(global int* o) {
  int i = get_global_id(0), seen = 0;
  for (int round = 0; round < 3; ++round) {
    if ((i + round) % 3 == 0) continue;
    seen = seen * 16 + popcount(sub_group_ballot(1).x);
  }
  o[i] = seen;
})",
                                 6, 6, 6);
  // In each round four of the six come; a work-item misses one round of three.
  EXPECT_EQ(results, std::vector<int>(6, 0x44));
}

TEST(Subgroups, WaysThatMeetAgainMeet) {
  const auto results = ResultsOf(R"(
kernel void k(global int* o) {
  int i = get_global_id(0), seen;
  if (i % 4 == 0) seen = popcount(sub_group_ballot(1).x);
  else if (i % 4 == 1) seen = 10 * popcount(sub_group_ballot(1).x);
  else seen = 0;
  o[i] = seen + 100 * popcount(sub_group_ballot(1).x);
})",
                                 8, 8, 8);
  EXPECT_THAT(results, ElementsAre(802, 820, 800, 800, 802, 820, 800, 800));
}

TEST(Subgroups, OfNestedLoopsTheOuterCountsFirst) {
  const auto results = ResultsOf(R"(
kernel void k(global int* o) {
  int i = get_global_id(0), seen = 0;
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b <= i; ++b) seen = seen * 4 + popcount(sub_group_ballot(1).x);
  }
  o[i] = seen;
})",
                                 3, 3, 3);
  EXPECT_THAT(results, ElementsAre(3 * 4 + 3, ((3 * 4 + 2) * 4 + 3) * 4 + 2,
                                   ((((3 * 4 + 2) * 4 + 1) * 4 + 3) * 4 + 2) * 4 + 1));
}

// The others spin until the first sub-group has done its work, which needs its sub-group only.
TEST(Subgroups, DoNotWaitForWorkItemsOfOthers) {
  const auto results = ResultsOf(R"(
kernel void k(global int* o) {
  local atomic_int ready;
  if (get_local_id(0) == 0) atomic_init(&ready, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  int seen;
  if (get_sub_group_id() == 0) {
    int sum = sub_group_reduce_add((int)get_local_id(0));
    if (get_sub_group_local_id() == 0) atomic_store(&ready, sum);
    seen = sum;
  } else {
    while ((seen = atomic_load(&ready)) == 0) {}
  }
  o[get_global_id(0)] = seen;
})",
                                 4, 12, 12);
  EXPECT_THAT(results, testing::Contains(6).Times(12));
}

TEST(Subgroups, AreAsLargeAsTheKernelRequires) {
  const std::string source = R"(
kernel __attribute__((intel_reqd_sub_group_size(4))) void k(global int* o) {
  o[get_global_id(0)] = get_sub_group_size();
})";
  EXPECT_THAT(ResultsOf(source, 0, 6, 6), ElementsAre(4, 4, 4, 4, 2, 2));
  EXPECT_EQ(ErrorOf(source, 4), "");
  EXPECT_THAT(ErrorOf(source, 8), HasSubstr("kernel k requires sub-groups of 4 work-items, and 8 "
                                            "are asked for (--sub-group-size)"));
}

TEST(Subgroups, TheLargestIsOneOfTheLaunch) {
  EXPECT_THAT(ResultsOf("kernel void k(global int* o) {\n"
                        "o[get_global_id(0)] = get_max_sub_group_size() * 100 + "
                        "get_num_sub_groups(); }",
                        16, 3, 3),
              ElementsAre(301, 301, 301));
}

TEST(Subgroups, TheirBarriersOrderTheirMemory) {
  const std::string exchange = "l[i] = i; sub_group_barrier(CLK_LOCAL_MEM_FENCE); o[i] = l[{}];";
  EXPECT_THAT(FindingsOf(Watched(fmt::format(fmt::runtime(exchange), "i ^ 1"))), IsEmpty());
  EXPECT_THAT(RulesOf(FindingsOf(Watched(fmt::format(fmt::runtime(exchange), "i ^ 8")))),
              testing::Each("race-nonatomic"));
  EXPECT_FALSE(FindingsOf(Watched(fmt::format(fmt::runtime(exchange), "i ^ 8"))).empty());
  EXPECT_FALSE(FindingsOf(Watched("l[i] = i; sub_group_barrier(CLK_GLOBAL_MEM_FENCE);"
                                  "o[i] = l[i ^ 1];"))
                   .empty())
      << "global memory only";
  EXPECT_FALSE(FindingsOf(Watched("l[i] = i; int s = sub_group_reduce_add(i);"
                                  "o[i] = l[i ^ 1] + s;"))
                   .empty())
      << "a reduction orders nothing";
}

TEST(Subgroups, AScopeOfTheirsIncludesTheirWorkItemsOnly) {
  const auto kernel = [](const char* place) {
    return Watched(fmt::format(
        "atomic_fetch_add_explicit((global atomic_int*)o + {}, 1, memory_order_relaxed, "
        "memory_scope_sub_group);",
        place));
  };
  EXPECT_THAT(FindingsOf(kernel("i / 8")), IsEmpty());
  EXPECT_THAT(RulesOf(FindingsOf(kernel("0"))), testing::Each("race-scope"));
  EXPECT_FALSE(FindingsOf(kernel("0")).empty());
}

TEST(Subgroups, ValuesThatMoveStayUndefined) {
  EXPECT_THAT(FindingsOf(Watched("int x; if (i != 3) x = i;"
                                 "int y = sub_group_shuffle_xor(x, 1);"
                                 "o[i] = i == 2 ? 0 : y;")),
              IsEmpty());
  EXPECT_FALSE(FindingsOf(Watched("int x; if (i != 3) x = i;"
                                  "o[i] = sub_group_shuffle_xor(x, 1);"))
                   .empty());
}

}  // namespace
}  // namespace assay::interp
