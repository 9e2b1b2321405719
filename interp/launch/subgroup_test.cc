// Sub-groups: who executes an instruction together, what orders memory, and what is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "interp/rules/rule.h"
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

// Batches of 64 and 7 execute whole sub-groups on columns, those of 1 row by row. Floats of all
// classes: NaN, infinities, both zeros, subnormal ones.
TEST(Subgroups, ColumnsGiveWhatRowsGive) {
  const std::string source = R"(
#define ALL(T, x, F) \
  F(sub_group_reduce_add(x)); F(sub_group_reduce_min(x)); F(sub_group_reduce_max(x)); \
  F(sub_group_scan_inclusive_add(x)); F(sub_group_scan_inclusive_min(x)); \
  F(sub_group_scan_inclusive_max(x)); F(sub_group_scan_exclusive_add(x)); \
  F(sub_group_scan_exclusive_min(x)); F(sub_group_scan_exclusive_max(x)); \
  F(sub_group_broadcast(x, 0)); F(sub_group_shuffle(x, (id + 1) % size)); \
  F(sub_group_shuffle_xor(x, id)); \
  { const T up = sub_group_shuffle_up(x, 1); F(id >= 1 ? up : x); } \
  { const T down = sub_group_shuffle_down(x, 2); F(id + 2 < size ? down : x); }
kernel void k(global int* o) {
  const uint i = get_global_id(0), id = get_sub_group_local_id(), size = get_sub_group_size();
  uint n = i * 2654435761u;
  uint hash = 0;
  const float f = n % 11 == 0 ? NAN : n % 13 == 0 ? -INFINITY : n % 17 == 0 ? -0.0f
                : n % 5 == 0 ? as_float(n % 8388608) : (float)(int)n / 7;
  const double d = n % 11 == 0 ? -0.0 : (double)(int)n / 3;
  const long l = (long)(int)n << 20;
#define PUT32(x) hash = hash * 31 + as_uint(x)
#define PUT64(x) { const ulong bits = as_ulong(x); hash = (hash * 31 + (uint)bits) * 31 + (uint)(bits >> 32); }
  ALL(float, f, PUT32) ALL(int, (int)n, PUT32) ALL(uint, n, PUT32)
  ALL(double, d, PUT64) ALL(long, l, PUT64) ALL(ulong, (ulong)l, PUT64)
  PUT32(sub_group_any(n % 3 == 0)); PUT32(sub_group_all(n % 64 != 0));
  const uint4 ballot = sub_group_ballot(n & 64);
  PUT32(ballot.x); PUT32(ballot.y); PUT32(ballot.z); PUT32(ballot.w);
  o[i] = hash;
})";
  for (const std::uint32_t size : {1, 4, 7, 16, 32, 64, 128}) {
    SCOPED_TRACE(size);
    EXPECT_FALSE(ResultsOf(source, size, 300, 150).empty());
  }
}

// Rules that a lock is told to break, with every batch width and some seeds.
std::vector<std::string> RulesOfLock(ForwardProgress progress, std::uint32_t size,
                                     const std::string& who) {
  const std::string source = "kernel void k(global int* o) {\n  if (" + who + R"() {
    while (atomic_cmpxchg(o, 0, 1) != 0) {}
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    o[1] += 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(o, 0);
  }
})";
  std::set<std::string> rules;
  for (const int width : {64, 7, 1}) {
    for (const std::uint64_t seed : {0, 1, 5}) {
      auto session = TestSession::FromC(
          source, {.detectors = DetectorSet::All(), .batch_width = width, .subgroup_size = size});
      EXPECT_TRUE(session) << session.error().message;
      if (!session) return {};
      const BufferArgument buffer = session->Buffer(std::vector<int>(2));
      const auto result =
          session->Launch({buffer}, 32, {.seed = seed, .forward_progress = progress}, 32);
      EXPECT_TRUE(result) << result.error().message;
      if (!result) return {};
      EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
      std::set<std::string> told;
      for (const Finding& finding : result->findings) told.emplace(NameOf(finding.rule));
      if (width == 64 && seed == 0) rules = told;
      EXPECT_EQ(told, rules) << "width " << width << ", seed " << seed;
    }
  }
  return {rules.begin(), rules.end()};
}

TEST(Subgroups, ALockHangsWhereItsHolderGetsNoTurn) {
  constexpr auto kNone = ForwardProgress::kNone, kSubgroup = ForwardProgress::kSubgroup;
  const std::string all = "true", leaders = "get_local_id(0) % 8 == 0",
                    one = "get_local_id(0) == 9";
  EXPECT_THAT(RulesOfLock(kSubgroup, 8, all), ElementsAre("progress-lockstep"));
  EXPECT_THAT(RulesOfLock(kNone, 8, leaders), ElementsAre("item-progress"));
  EXPECT_THAT(RulesOfLock(kSubgroup, 8, leaders), IsEmpty());
  EXPECT_THAT(RulesOfLock(kSubgroup, 16, leaders), ElementsAre("progress-lockstep"));
  EXPECT_THAT(RulesOfLock(kSubgroup, 1, all), IsEmpty());
  EXPECT_THAT(RulesOfLock(kNone, 8, one), IsEmpty());
  EXPECT_THAT(RulesOfLock(ForwardProgress::kWorkItem, 8, all), IsEmpty());
  EXPECT_THAT(RulesOfLock(ForwardProgress::kUnstated, 8, all), ElementsAre("item-progress"));
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

// A counter of the kernel's own stands for the iterations only where it counts them from 0 on.
TEST(Subgroups, IterationsAreInOrderHoweverALoopCounts) {
  for (const char* loop : {"round = 0; round < 3; ++round", "round = -1; round < 2; ++round",
                           "round = 3; round > 0; --round", "round = i; round < i + 3; ++round",
                           "round = 0; round < 6; round += 2"}) {
    SCOPED_TRACE(loop);
    const auto results = ResultsOf(fmt::format(R"(
kernel void k(global int* o) {{
  int i = get_global_id(0), seen = 0, count = 0;
  for (int {}) {{
    if ((i + count++) % 3 == 0) continue;
    seen = seen * 16 + popcount(sub_group_ballot(1).x);
  }}
  o[i] = seen;
}})",
                                               loop),
                                   6, 6, 6);
    EXPECT_EQ(results, std::vector<int>(6, 0x44));
  }
}

// The first and the last batch of 64 come to their end in one turn; the work-items between wait for
// each other.
TEST(Subgroups, WaitBesideBatchesThatHaveEnded) {
  const auto results = ResultsOf(R"(
kernel void k(global int* o) {
  int i = get_global_id(0), seen = 0;
  for (int round = 0; round < 3; ++round) {
    if (i / 64 % 3 == 1 && (i + round) % 3 == 0) continue;
    seen = seen * 16 + popcount(sub_group_ballot(1).x);
  }
  o[i] = seen;
})",
                                 6, 384, 192);
  // Sub-groups of six do not end with a batch of 64, which has 60 work-items then.
  ASSERT_EQ(results.size(), 384u);
  EXPECT_EQ(results[0], 0x666);
  EXPECT_EQ(results[66], 0x44);
  EXPECT_EQ(results[95], 0x44);
  EXPECT_EQ(results[191], 0x666);
  EXPECT_EQ(results[383], 0x666);
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

// Whole sub-groups take the short way while other registers are undefined; a result that was
// undefined in the iteration before is not any more.
TEST(Subgroups, DefinedValuesMoveBesideUndefinedOnes) {
  const auto kernel = [](int iterations) {
    WatchedKernel made =
        Watched(fmt::format("int x, y, unused; int unused_too = unused;"
                            "for (int n = 0; n < {}; ++n) {{"
                            "  y = sub_group_shuffle_xor(x, 1);"
                            "  x = sub_group_reduce_add(1);"
                            "}}"
                            "o[i] = y;",
                            iterations));
    made.global = made.local = {64, 1, 1};  // a whole batch
    return made;
  };
  EXPECT_THAT(RulesOf(FindingsOf(kernel(1))), testing::Contains("uninitialized-value"));
  EXPECT_THAT(FindingsOf(kernel(2)), IsEmpty());
}

// SubgroupsPerWorkgroup (SPIR-V 3.6).
TEST(Subgroups, AsManyInAWorkGroupAsTheKernelRequires) {
  const auto error = [](std::uint32_t size, std::uint64_t local) -> std::string {
    auto session = TestSession::FromText(R"(
OpEntryPoint Kernel %k "k"
OpExecutionMode %k SubgroupsPerWorkgroup 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%k = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)",
                                         {.subgroup_size = size});
    if (!session) return session.error().message;
    const auto result = session->Launch(std::vector<Argument>(), 64, {}, local);
    return result ? "" : result.error().message;
  };
  EXPECT_EQ(error(8, 32), "");
  EXPECT_EQ(error(8, 30), "");
  EXPECT_THAT(error(8, 33), HasSubstr("requires work-groups of 4 sub-groups "
                                      "(SubgroupsPerWorkgroup); work-groups of 33 work-items have "
                                      "5 of 8"));
  EXPECT_THAT(error(16, 32), HasSubstr("have 2 of 16"));
}

}  // namespace
}  // namespace assay::interp
