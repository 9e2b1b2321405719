// Calls that are kept and calls that are expanded: the same results, findings at the same places.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint32_t kKeep = 0;  // SessionOptions::max_expanded
constexpr std::uint32_t kExpand = 1 << 18;

struct Outcome {
  std::vector<int> buffer;
  std::string output;
  std::vector<Finding> findings;
  // Rules and instructions: a place is one finding for each way to expand it, or for all together.
  std::set<std::pair<std::string, std::uint32_t>> places;
  std::uint64_t instructions = 0;
};

// A kernel k(global int* o) over 80 work-items in groups of 40, which have 2 integers each.
Outcome RunKernel(const std::string& source, std::uint32_t max_expanded, int width = 64,
                  DetectorSet detectors = DetectorSet::All(),
                  const std::string& build_options = "") {
  auto session = TestSession::FromC(
      source, {.detectors = detectors, .batch_width = width, .max_expanded = max_expanded},
      build_options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  std::vector<int> values(160);
  for (int i = 0; i < 160; ++i) values[i] = i * 7 % 31;
  const BufferArgument buffer = session->Buffer(values);
  const auto result =
      session->Launch({buffer}, 80, {.threads = 1, .max_instructions = 10'000'000}, 40);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
  Outcome outcome{.buffer = session->Read<int>(buffer),
                  .output = result->output,
                  .findings = result->findings,
                  .places = {},
                  .instructions = result->instructions};
  for (const Finding& finding : result->findings) {
    outcome.places.emplace(NameOf(finding.rule), finding.place.instruction);
  }
  return outcome;
}

// What the kernel does with calls kept, which is what it does with calls expanded, in any width.
Outcome Same(const std::string& source, const std::string& build_options = "") {
  const Outcome expanded = RunKernel(source, kExpand, 64, DetectorSet::All(), build_options);
  const Outcome kept = RunKernel(source, kKeep, 64, DetectorSet::All(), build_options);
  for (const int width : {1, 7, 64}) {
    for (const DetectorSet detectors : {DetectorSet::All(), DetectorSet()}) {
      const Outcome again = RunKernel(source, kKeep, width, detectors, build_options);
      EXPECT_EQ(again.buffer, expanded.buffer) << "batches of " << width << "\n" << source;
      EXPECT_EQ(again.output, kept.output) << "batches of " << width << "\n" << source;
      EXPECT_EQ(again.instructions, expanded.instructions) << source;
      if (!detectors.IsEmpty()) {
        EXPECT_EQ(again.places, expanded.places) << source;
      }
    }
  }
  return kept;
}

std::vector<std::string> RulesOf(const Outcome& outcome) {
  std::vector<std::string> rules;
  for (const auto& [rule, place] : outcome.places) rules.push_back(rule);
  return rules;
}

constexpr const char* kId = "int id = get_global_id(0);\n";

TEST(KeptCalls, InALoopThatWorkItemsLeaveAtDifferentTimes) {
  const Outcome outcome = Same(std::string(R"(
    int next(int x) { if (x & 1) return 3 * x + 1; return x / 2; }
    kernel void k(global int* o) {)") +
                               kId + R"(
      int x = id + 1, steps = 0;
      while (x != 1) { x = next(x); ++steps; }
      o[id] = steps;
    })");
  EXPECT_EQ(outcome.buffer[26], 111);  // of 27
  EXPECT_THAT(outcome.findings, IsEmpty());
}

TEST(KeptCalls, OfFunctionsThatCallKeptFunctions) {
  Same(std::string(R"(
    int c(int x) { return x * x + 1; }
    int b(int x, int y) { return c(x) - c(y) + c(x + y); }
    int a(int x) { int s = b(x, 3); if (s > 100) return b(s, x); return s + b(2, s); }
    kernel void k(global int* o) {)") +
       kId + R"(
      o[id] = a(id) + b(id, a(o[id])) + c(id);
    })");
}

TEST(KeptCalls, FromTwoPlacesByWorkItemsOfABatchAtATime) {
  Same(std::string(R"(
    int f(int x) { int s = 0; for (int i = 0; i < (x & 7); ++i) s += i * x; return s; }
    kernel void k(global int* o) {)") +
       kId + R"(
      if (id & 1) o[id] = f(id) + 1000; else o[id] = -f(o[id]);
      if (id % 3 == 0) o[80 + id] = f(f(id));
    })");
}

TEST(KeptCalls, WithSeveralReturns) {
  Same(std::string(R"(
    int f(int x) {
      if (x < 0) return -1;
      for (int i = 0; i < 10; ++i) { if (i * i > x) return i; if (x == 77) return 5; }
      switch (x & 3) { case 0: return 40; case 1: break; default: return x; }
      return 12;
    }
    void g(global int* o, int x) { if (x & 1) return; o[x] += f(x * 2); }
    kernel void k(global int* o) {)") +
       kId + R"(
      o[80 + id] = f(id - 5); g(o, id); g(o + 80, id);
    })");
}

// A value of a call does not change when the function is called again.
TEST(KeptCalls, LeaveTheResultsOfEarlierCallsAlone) {
  const Outcome outcome = Same(std::string(R"(
    int same(int x) { return x; }
    int twice(int x) { int a = same(x); int b = same(a + x); return same(b); }
    kernel void k(global int* o) {)") +
                                   kId + R"(
      int a = same(id), b = same(a + 1), c = twice(b);
      int sum = 0;
      for (int i = 0; i < 5; ++i) { int before = same(i); sum += before * same(i + a); }
      o[id] = a * 100 + b * 10 + c; o[80 + id] = sum;
    })",
                               "-O2 -fno-inline");
  EXPECT_EQ(outcome.buffer[4], 400 + 50 + 10);
}

// llvm-spirv writes memmove with a variable in the loop, which SPIR-V has in the first block only.
TEST(KeptCalls, WithMemmoveInALoop) {
  for (const std::string options : {"-O2", "-O2 -fno-inline", "-Os"}) {
    const Outcome outcome = Same(std::string(R"(
    int shifted(int x, int n) {
      int queue[40];
      for (int i = 0; i < 40; ++i) queue[i] = i * x;
      for (int turn = 0; turn < n; ++turn) {
        for (int i = 0; i < 38; ++i) queue[i] = queue[i + 1];
        queue[39] += queue[n];
      }
      return queue[0] + 1000 * queue[39];
    }
    kernel void k(global int* o) {)") +
                                     kId + R"(
      o[id] = shifted(id, id & 7);
    })",
                                 options);
    EXPECT_EQ(outcome.buffer[3], 3 * 3 + 1000 * (3 * 39 + 3 * 4 + 3 * 5 + 3 * 6)) << options;
    EXPECT_THAT(outcome.findings, IsEmpty()) << options;
  }
}

TEST(KeptCalls, WithVectorsAndStructures) {
  Same(std::string(R"(
    typedef struct { float4 v; int n[3]; char c; } S;
    S make(int x) { S s; s.v = (float4)(x, x + 1, x * 2, -x); s.n[0] = x; s.n[1] = 2; s.n[2] = 3;
                    s.c = 'a'; return s; }
    float4 turn(float4 v, int by) { return by & 1 ? v.yzwx : v.wzyx * 2.0f; }
    int sum(S s) { float4 t = turn(s.v, s.n[0]); return t.x + t.y * 3 + t.z * 5 + s.n[1] + s.c; }
    kernel void k(global int* o) {)") +
       kId + R"(
      S s = make(id); s.v = turn(s.v, id / 2); o[id] = sum(s); s.n[0]++; o[80 + id] = sum(s);
    })");
}

TEST(KeptCalls, WithPointersToTheCallersVariables) {
  Same(std::string(R"(
    void swap(int* a, int* b) { int t = *a; *a = *b; *b = t; }
    void sort3(int* v) { if (v[0] > v[1]) swap(v, v + 1); if (v[1] > v[2]) swap(v + 1, v + 2);
                         if (v[0] > v[1]) swap(v, v + 1); }
    kernel void k(global int* o) {)") +
       kId + R"(
      int v[3] = {o[id], o[79 - id], id}; int a = id, b = 5; swap(&a, &b);
      sort3(v); o[80 + id] = v[0] * 10000 + v[1] * 100 + v[2] + a - b;
    })");
}

TEST(KeptCalls, HavePrivateArraysThatBeginUndefinedEachTime) {
  const Outcome outcome = Same(std::string(R"(
    int f(int x, int fill) { int a[8]; if (fill) a[x & 7] = x; return a[x & 7] > 3 ? 1 : 2; }
    kernel void k(global int* o) {)") +
                               kId + R"(
      o[id] = f(id, 1); o[80 + id] = f(id, 0);
    })");
  EXPECT_THAT(RulesOf(outcome), ElementsAre("uninitialized-value"));
  EXPECT_EQ(outcome.findings[0].count, 80u);
}

TEST(KeptCalls, TellAnUndefinedResult) {
  const Outcome outcome = Same(std::string(R"(
    int f(int x) { int r; if (x > 3) r = x; return r; }
    kernel void k(global int* o) {)") +
                               kId + R"(
      o[id] = f(id + 4); if (f(id)) o[80 + id] = 1;
    })");
  EXPECT_THAT(RulesOf(outcome), ElementsAre("uninitialized-value"));
  EXPECT_EQ(outcome.findings[0].count, 4u);
}

// The call is the work-item's, and not that of whoever came first.
TEST(KeptCalls, NameTheCallsThatLedToAFinding) {
  const std::string source = std::string(R"(
    void store(global int* o, int at) { o[at] = 1; }
    void outer(global int* o, int at) { store(o, at); }
    kernel void k(global int* o) {)") +
                             kId + R"(
      outer(o, id);
      if (id == 50) store(o, 90);
      if (id == 60) outer(o, 2000);
    })";
  const Outcome kept = RunKernel(source, kKeep);
  const Outcome expanded = RunKernel(source, kExpand);
  ASSERT_THAT(kept.findings, SizeIs(1));
  ASSERT_THAT(expanded.findings, SizeIs(1));
  EXPECT_EQ(NameOf(kept.findings[0].rule), "memory-out-of-bounds");
  EXPECT_EQ(kept.findings[0].global_id[0], 60u);
  EXPECT_EQ(kept.findings[0].place.instruction, expanded.findings[0].place.instruction);
  // With that of the function that llvm-spirv makes of a kernel.
  EXPECT_THAT(kept.findings[0].place.calls, SizeIs(3));
  EXPECT_EQ(kept.findings[0].place.calls, expanded.findings[0].place.calls);
}

TEST(KeptCalls, TellOfUseAfterTheEndOfAVariable) {
  // The variable is in memory, since its address is handed over: the access is wrong already.
  const Outcome outcome = RunKernel(std::string(R"(
    int* leak(int x) { int v = x; int* p = &v; return p; }
    kernel void k(global int* o) {)") + kId +
                                        R"(
      int* p = leak(id); if (id == 7) o[id] = *p;
    })",
                                    kKeep);
  EXPECT_THAT(RulesOf(outcome), testing::Contains("memory-lifetime-ended"));
}

TEST(KeptCalls, UseBuiltInVariablesAndProgramScope) {
  Same(std::string(R"(
    constant int table[4] = {5, 6, 7, 8};
    int f(void) { return get_global_id(0) * 10 + get_local_id(0) + get_group_id(0); }
    int g(int x) { return f() + table[x & 3] + (int)get_global_size(0); }
    kernel void k(global int* o) {)") +
       kId + R"(
      o[id] = f() + g(id); o[80 + id] = g(f());
    })");
}

TEST(KeptCalls, DoAtomicsAndPrint) {
  const Outcome outcome = Same(std::string(R"(
    int add(global int* o, int x) { return atomic_add(o, x); }
    void say(int x) { if (x % 40 == 3) printf("%d\n", x); }
    kernel void k(global int* o) {)") +
                               kId + R"(
      if (id & 1) atomic_inc(o + 80); else add(o + 81, id);
      add(o + 82, 2); say(id);
    })");
  EXPECT_EQ(outcome.output, "3\n43\n");
}

// A pointer outside of its object is a mistake of its own only where it is more than accessed.
TEST(KeptCalls, SayNoMoreOfAPointerThatIsOnlyAccessed) {
  const Outcome outcome = Same(std::string(R"(
    int get(global int* p) { return *p; }
    global int* move(global int* p, int by) { return p + by; }
    kernel void k(global int* o) {)") +
                               kId + R"(
      if (id == 3) o[id] = get(o + 1000);
      if (id == 4) o[id] = *move(o, 2000);
    })");
  EXPECT_THAT(RulesOf(outcome), ElementsAre("memory-out-of-bounds", "memory-out-of-bounds"));
}

TEST(KeptCalls, AreWatchedForRaces) {
  const Outcome outcome = Same(std::string(R"(
    void put(global int* o, int x) { o[100] = x; }
    kernel void k(global int* o) {)") +
                               kId + R"(
      if (id < 2) put(o, id);
    })");
  EXPECT_THAT(RulesOf(outcome), ElementsAre(HasSubstr("race")));
}

TEST(KeptCalls, ThatAreNestedTakeNoMoreThanTheirCode) {
  std::string source = "int f0(int x) { return x + 1; }\n";
  for (int i = 1; i <= 40; ++i) {
    source += fmt::format("int f{}(int x) {{ if (x > 0) return f{}(x - 1); return f{}(x); }}\n", i,
                          i - 1, i - 1);
  }
  auto session = TestSession::FromC(source + R"(
    kernel void k(global int* o) { o[get_global_id(0)] = f40(get_global_id(0)); })");
  ASSERT_TRUE(session) << session.error().message;
  const BufferArgument buffer = session->Buffer(std::vector<int>(80));
  const auto result = session->Launch({buffer}, 80);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(session->Read<int>(buffer)[60], 21);
  EXPECT_EQ(session->Read<int>(buffer)[10], 1);
}

TEST(KeptCalls, WithABarrierAreExpanded) {
  const Outcome outcome = Same(R"(
    void meet(void) { barrier(CLK_LOCAL_MEM_FENCE); }
    int f(local int* l, int x) { meet(); l[x] = x; meet(); return l[39 - x]; }
    kernel void k(global int* o) {
      local int l[40];
      o[get_global_id(0)] = f(l, get_local_id(0)) + f(l, get_local_id(0));
    })");
  EXPECT_EQ(outcome.buffer[1], 76);
}

}  // namespace
}  // namespace assay::interp
