// Work-items that take turns as a choice source says: which outcomes seeds and choices reach, and
// that they reach the same one again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "interp/execute/choice.h"
#include "interp/testing/launch.h"
#include "numerics/float_environment.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Outcome {
  LaunchResult result;
  std::vector<int> out;
};

Outcome RunKernel(const std::string& source, const LaunchOptions& options, std::uint64_t items,
                  std::uint64_t local, int width = 64) {
  auto session = TestSession::FromC(source, {.detectors = DetectorSet::All(), .batch_width = width},
                                    "-cl-std=CL3.0");
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const BufferArgument out = session->Buffer<int>(std::vector<int>(8, 0));
  const BufferArgument shared = session->Buffer<int>(std::vector<int>(8, 0));
  const auto result = session->Launch({out, shared}, items, options, local);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  return {*result, session->Read<int>(out)};
}

TEST(ChoiceSource, IsAFunctionOfItsSeed) {
  const auto draw = [](std::uint64_t seed, std::vector<std::uint32_t> first) {
    ChoiceSource source(seed, first, true);
    std::vector<std::uint32_t> drawn;
    for (std::uint32_t options = 1; options < 20; ++options)
      drawn.push_back(source.Choose(options));
    return drawn;
  };
  EXPECT_EQ(draw(3, {}), draw(3, {}));
  EXPECT_NE(draw(3, {}), draw(4, {}));
  EXPECT_THAT(draw(0, {}), testing::Each(0u));
  const auto begun = draw(0, {1, 2, 9});
  EXPECT_THAT(std::vector(begun.begin(), begun.begin() + 5), ElementsAre(0u, 1u, 2u, 3u, 0u));
}

// Which work-item is first at a counter.
constexpr const char* kCounter = R"(
  kernel void k(global int* out, volatile global int* shared) {
    out[get_global_id(0)] = atomic_inc(shared);
  })";

TEST(Schedules, SeedsReachDifferentOrdersAndTheSameAgain) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Outcome one = RunKernel(kCounter, {.seed = seed}, 3, 3);
    EXPECT_THAT(one.result.findings, IsEmpty());
    EXPECT_EQ(one.out, RunKernel(kCounter, {.threads = 2, .seed = seed}, 3, 3, 7).out);
    orders.insert(one.out);
  }
  EXPECT_EQ(orders.size(), 6u) << "three work-items come in six orders";
}

TEST(Schedules, GroupsTakeTurnsToo) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    orders.insert(RunKernel(kCounter, {.seed = seed}, 3, 1).out);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(Schedules, EveryOrderIsReachedByChoices) {
  // Depth first, as assay run --explore does it.
  std::set<std::vector<int>> orders;
  std::vector<std::uint32_t> prefix;
  int runs = 0;
  for (;;) {
    const Outcome one = RunKernel(kCounter, {.choices = prefix, .record_choices = true}, 3, 3);
    ++runs;
    orders.insert(one.out);
    prefix.clear();
    for (const Choice& choice : one.result.choices) prefix.push_back(choice.chosen);
    while (!prefix.empty() && prefix.back() + 1 >= one.result.choices[prefix.size() - 1].options) {
      prefix.pop_back();
    }
    if (prefix.empty() || runs > 100) break;
    ++prefix.back();
  }
  EXPECT_EQ(orders.size(), 6u);
  EXPECT_EQ(runs, 6);
}

TEST(Schedules, TheProcessorIsLeftAsItWas) {
  const numerics::FloatEnvironment before = numerics::GetFloatEnvironment();
  auto session = TestSession::FromC(kCounter, {.detectors = DetectorSet::All(),
                                               .rounding = numerics::Rounding::kRtz,
                                               .flush_to_zero = true});
  ASSERT_TRUE(session) << session.error().message;
  const auto result = session->Launch(
      {session->Buffer<int>(std::vector<int>(8, 0)), session->Buffer<int>(std::vector<int>(8, 0))},
      4, {.seed = 3}, 1);
  ASSERT_TRUE(result) << result.error().message;
  constexpr numerics::FloatEnvironment kFlags = 0x3f;  // of exceptions that were met, on x86-64
  EXPECT_EQ(numerics::GetFloatEnvironment() | kFlags, before | kFlags);
}

// Store buffering: with relaxed atomics both loads may see what was there before.
constexpr const char* kStoreBuffering = R"(
  kernel void k(global int* out, global atomic_int* shared) {
    const int me = get_global_id(0);
    atomic_store_explicit(&shared[me], 1, ORDER, memory_scope_device);
    out[me] = atomic_load_explicit(&shared[1 - me], ORDER, memory_scope_device);
  })";

std::set<std::vector<int>> OutcomesOf(std::string source, const std::string& order, int seeds) {
  for (std::size_t at = 0; (at = source.find("ORDER", at)) != std::string::npos;) {
    source.replace(at, 5, order);
  }
  std::set<std::vector<int>> outcomes;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Outcome one = RunKernel(source, {.seed = static_cast<std::uint64_t>(seed)}, 2, 2);
    EXPECT_THAT(one.result.findings, IsEmpty());
    outcomes.insert({one.out[0], one.out[1]});
  }
  return outcomes;
}

TEST(WeakMemory, RelaxedLoadsSeeOlderValues) {
  const std::set<std::vector<int>> all = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_EQ(OutcomesOf(kStoreBuffering, "memory_order_relaxed", 100), all);
  const std::set<std::vector<int>> sequential = {{0, 1}, {1, 0}, {1, 1}};
  EXPECT_EQ(OutcomesOf(kStoreBuffering, "memory_order_seq_cst", 100), sequential);
}

// Load buffering: a store may be seen before an earlier load of its work-item is executed.
TEST(WeakMemory, StoresOvertakeRelaxedLoads) {
  constexpr const char* kLoadBuffering = R"(
    kernel void k(global int* out, global atomic_int* shared) {
      const int me = get_global_id(0);
      const int r = atomic_load_explicit(&shared[me], ORDER, memory_scope_device);
      atomic_store_explicit(&shared[1 - me], 1, ORDER, memory_scope_device);
      out[me] = r;
    })";
  const std::set<std::vector<int>> all = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_EQ(OutcomesOf(kLoadBuffering, "memory_order_relaxed", 400), all);
  const std::set<std::vector<int>> sequential = {{0, 0}, {0, 1}, {1, 0}};
  EXPECT_EQ(OutcomesOf(kLoadBuffering, "memory_order_seq_cst", 100), sequential);
}

// Coherence: who saw a later value does not see an earlier one.
TEST(WeakMemory, LoadsOfOneObjectDoNotGoBack) {
  constexpr const char* kCoherence = R"(
    kernel void k(global int* out, global atomic_int* shared) {
      if (get_global_id(0) == 0) {
        for (int i = 1; i < 4; ++i)
          atomic_store_explicit(shared, i, memory_order_relaxed, memory_scope_device);
      } else {
        for (int i = 0; i < 4; ++i)
          out[i] = atomic_load_explicit(shared, memory_order_relaxed, memory_scope_device);
      }
    })";
  bool stale = false;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Outcome one = RunKernel(kCoherence, {.seed = seed}, 2, 2);
    for (int i = 1; i < 4; ++i) EXPECT_LE(one.out[i - 1], one.out[i]) << "seed " << seed;
    stale = stale || one.out[3] < 3;
  }
  EXPECT_TRUE(stale);
}

// Message passing: released and acquired, the data is there; relaxed, it is a race.
std::string MessagePassing(const std::string& release, const std::string& acquire) {
  return R"(
    kernel void k(global int* out, global atomic_int* flag) {
      if (get_global_id(0) == 0) {
        out[1] = 42;
        atomic_store_explicit(flag, 1, )" +
         release + R"(, memory_scope_device);
      } else {
        while (atomic_load_explicit(flag, )" +
         acquire + R"(, memory_scope_device) == 0) ;
        out[0] = out[1];
      }
    })";
}

TEST(WeakMemory, MessagesNeedReleaseAndAcquire) {
  // In one work-group the reader counts on the writer's progress.
  const auto waits = [](const Finding& finding) { return NameOf(finding.rule) == "item-progress"; };
  for (std::uint64_t seed = 0; seed <= 20; ++seed) {
    for (const std::uint64_t local : {1u, 2u}) {
      Outcome good = RunKernel(MessagePassing("memory_order_release", "memory_order_acquire"),
                               {.seed = seed}, 2, local);
      std::erase_if(good.result.findings, waits);
      EXPECT_THAT(good.result.findings, IsEmpty()) << seed;
      EXPECT_EQ(good.out[0], 42) << seed;
      for (const auto& [release, acquire] :
           {std::pair("memory_order_relaxed", "memory_order_acquire"),
            std::pair("memory_order_release", "memory_order_relaxed")}) {
        Outcome bad = RunKernel(MessagePassing(release, acquire), {.seed = seed}, 2, local);
        std::erase_if(bad.result.findings, waits);
        ASSERT_FALSE(bad.result.findings.empty()) << seed << release << acquire;
        EXPECT_EQ(NameOf(bad.result.findings[0].rule).substr(0, 5), "race-");
      }
    }
  }
}

// --- fairness ---------------------------------------------------------------------------------

// Every run that differs from the first one in at most `bound` choices; how many there are.
int ExploreAll(const std::string& source, std::size_t bound,
               const std::function<void(const Outcome&)>& look) {
  constexpr int kMost = 3000;
  std::vector<std::uint32_t> prefix;
  for (int runs = 1;; ++runs) {
    const Outcome one = RunKernel(
        source, {.choices = prefix, .record_choices = true, .max_instructions = 1'000'000}, 2, 1);
    look(one);
    prefix.clear();
    for (const Choice& choice : one.result.choices) prefix.push_back(choice.chosen);
    const auto differs = [](std::uint32_t chosen) { return chosen != 0; };
    while (!prefix.empty() && (prefix.back() + 1 >= one.result.choices[prefix.size() - 1].options ||
                               static_cast<std::size_t>(std::count_if(
                                   prefix.begin(), prefix.end() - 1, differs)) >= bound)) {
      prefix.pop_back();
    }
    if (prefix.empty() || runs == kMost) return runs;
    ++prefix.back();
  }
}

// Peterson's lock: who waits looks at two variables by turns.
TEST(Fairness, AWaitForTwoVariablesGivesWay) {
  constexpr const char* kPeterson = R"(
    kernel void k(global int* out, global atomic_int* shared) {
      const int me = get_global_id(0), other = 1 - me;
      atomic_store(&shared[me], 1);
      atomic_store(&shared[2], other);
      while (atomic_load(&shared[other]) && atomic_load(&shared[2]) == other) ;
      *out += 1;
      atomic_store_explicit(&shared[me], 0, memory_order_release, memory_scope_device);
    })";
  const int runs = ExploreAll(kPeterson, 1, [](const Outcome& one) {
    ASSERT_EQ(one.result.end, LaunchEnd::kCompleted) << one.result.message;
    EXPECT_EQ(one.out[0], 2);
  });
  EXPECT_GT(runs, 3);
  EXPECT_LT(runs, 500);
}

// No schedule goes on for ever, however many choices differ; nor is an old value seen for ever.
TEST(Fairness, AWaitEndsInEverySchedule) {
  constexpr const char* kWaits = R"(
    kernel void k(global int* out, global atomic_int* shared) {
      if (get_global_id(0) == 0) {
        while (atomic_load_explicit(shared, memory_order_relaxed, memory_scope_device) == 0) ;
        out[0] = 1;
      } else {
        atomic_store_explicit(shared, 1, memory_order_relaxed, memory_scope_device);
      }
    })";
  const int runs = ExploreAll(kWaits, 1000, [](const Outcome& one) {
    ASSERT_EQ(one.result.end, LaunchEnd::kCompleted) << one.result.message;
    EXPECT_EQ(one.out[0], 1);
  });
  EXPECT_GT(runs, 17) << "the other one may come before any turn of a wait";
  EXPECT_LT(runs, 2000);
}

// Whoever changes something in each turn waits, too.
TEST(Fairness, ACountThatOthersEndGivesWay) {
  constexpr const char* kCounts = R"(
    kernel void k(global int* out, global atomic_int* shared) {
      if (get_global_id(0) == 0) {
        while (atomic_load(shared + 1) == 0) atomic_fetch_add(shared, 1);
        out[0] = 1;
      } else {
        while (atomic_load(shared) < 100) ;
        atomic_store(shared + 1, 1);
      }
    })";
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    const Outcome one =
        RunKernel(kCounts, {.seed = seed, .choices = {0}, .max_instructions = 1'000'000}, 2, 1);
    EXPECT_EQ(one.result.end, LaunchEnd::kCompleted) << one.result.message;
    EXPECT_EQ(one.out[0], 1);
  }
}

TEST(Livelock, NobodyMakesTheChange) {
  constexpr const char* kWaits = R"(
    kernel void k(global int* out, volatile global int* shared) {
      while (atomic_or(shared, 0) == 0) ;
      out[0] = 1;
    })";
  for (const std::uint64_t seed : {0u, 5u}) {
    const Outcome one = RunKernel(kWaits, {.seed = seed}, 2, 2);
    EXPECT_EQ(one.result.end, LaunchEnd::kDeadlock);
    ASSERT_EQ(one.result.findings.size(), 1u);
    EXPECT_EQ(NameOf(one.result.findings[0].rule), "livelock");
  }
}

// Loops that end by themselves, though their atomic operations change nothing for long.
TEST(Livelock, NotWhatCounts) {
  constexpr const char* kCounts[] = {
      "int n = 0; for (int i = 0; i < 200000; ++i) n += atomic_add(shared, 0) + (i & 1);",
      "int n = 100000; for (int i = 0; i < 800000; i += 4) atomic_min(shared + 1, i);",
      "int n = 0, i = 300000 + get_local_id(0);\n"
      "while (i > 5) { if (i & 1) i -= 1; else i -= 2; atomic_or(shared, 0); ++n; }",
  };
  for (const std::string body : kCounts) {
    for (const std::uint64_t seed : {0u, 5u}) {
      const Outcome one =
          RunKernel("kernel void k(global int* out, volatile global int* shared) {" + body +
                        "out[get_global_id(0)] = n; }",
                    {.seed = seed}, 4, 4);
      EXPECT_EQ(one.result.end, LaunchEnd::kCompleted) << body;
      EXPECT_THAT(one.result.findings, IsEmpty()) << body;
    }
  }
  // The flag is set where a branch on the result leads.
  constexpr const char* kWaits[] = {
      "int done = 0; while (!done) { if (atomic_or(shared, 0) != 0) done = 1; }",
      "int i = 0; for (;;) { if (atomic_or(shared, 0) != 0) { if (i > 5) break; } i = 6; }",
  };
  for (const std::string body : kWaits) {
    for (const std::uint64_t seed : {0u, 5u}) {
      const Outcome one =
          RunKernel("kernel void k(global int* out, volatile global int* shared) {" + body +
                        "out[get_global_id(0)] = 1; }",
                    {.seed = seed}, 2, 2);
      ASSERT_EQ(one.result.findings.size(), 1u) << body;
      EXPECT_EQ(NameOf(one.result.findings[0].rule), "livelock") << body;
    }
  }
}

TEST(Livelock, AGroupThatWaitsForALaterOne) {
  constexpr const char* kWaits = R"(
    kernel void k(global int* out, volatile global int* shared) {
      if (get_group_id(0) == 1) atomic_xchg(shared, 1);
      else while (atomic_or(shared, 0) == 0) ;
      out[get_global_id(0)] = 1;
    })";
  const Outcome one = RunKernel(kWaits, {}, 2, 1);
  EXPECT_EQ(one.result.end, LaunchEnd::kCompleted);
  EXPECT_EQ(one.out[0], 1);
  ASSERT_EQ(one.result.findings.size(), 1u);
  EXPECT_EQ(NameOf(one.result.findings[0].rule), "group-progress");
  EXPECT_EQ(one.result.findings[0].finding_class, FindingClass::kImplementationDefined);
}

// Plain loops give way too, so that the race in them can be found.
TEST(Livelock, WaitingWithoutAtomics) {
  constexpr const char* kWaits = R"(
    kernel void k(global int* out, volatile global int* shared) {
      if (get_global_id(0) == 0) { while (shared[0] == 0) ; out[0] = 7; }
      else shared[0] = 1;
    })";
  const Outcome one = RunKernel(kWaits, {}, 2, 2);
  EXPECT_EQ(one.result.end, LaunchEnd::kCompleted);
  ASSERT_FALSE(one.result.findings.empty());
  EXPECT_EQ(NameOf(one.result.findings[0].rule), "race-volatile");
}

}  // namespace
}  // namespace assay::interp
