// What weak memory can and cannot do: the outcomes of litmus tests by many seeds, beside what the
// memory model allows (OpenCL API 3.3.6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interp/rules/rule.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

using Outcomes = std::set<std::vector<int>>;

struct Litmus {
  std::string source;
  std::uint64_t items = 2;
  std::uint64_t local = 1;
  std::size_t results = 2;  // of `out`
  int seeds = 300;
  bool needs_same_scope = false;  // as before OpenCL 3.1
};

struct Observed {
  Outcomes outcomes;
  std::set<std::string> rules;
};

// `x` and `y` are atomic objects, `data` is plain; all are 0.
Observed Observe(const Litmus& litmus) {
  constexpr std::string_view kBegin =
      "#define LOAD(p, order) atomic_load_explicit(p, memory_order_##order, memory_scope_device)\n"
      "#define STORE(p, v, order) \\\n"
      "  atomic_store_explicit(p, v, memory_order_##order, memory_scope_device)\n"
      "#define ADD(p, v, order) \\\n"
      "  atomic_fetch_add_explicit(p, v, memory_order_##order, memory_scope_device)\n"
      "#define FENCE(order) \\\n"
      "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_##order, memory_scope_device)\n"
      "kernel void k(global int* out, global atomic_int* x, global atomic_int* y,\n"
      "              global int* data) {\n"
      "  const int me = get_global_id(0);\n";
  Observed observed;
  auto session = TestSession::FromC(
      std::string(kBegin) + litmus.source + "\n}",
      {.detectors = DetectorSet::All(), .needs_same_scope = litmus.needs_same_scope},
      "-cl-std=CL3.0");
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return observed;
  for (int seed = 1; seed <= litmus.seeds; ++seed) {
    const BufferArgument out = session->Buffer<int>(std::vector<int>(8, 0));
    const auto zero = [&] { return session->Buffer<int>(std::vector<int>(1, 0)); };
    const BufferArgument x = zero(), y = zero(), data = zero();
    const auto result = session->Launch({out, x, y, data}, litmus.items,
                                        {.seed = static_cast<std::uint64_t>(seed)}, litmus.local);
    EXPECT_TRUE(result) << result.error().message;
    if (!result) return observed;
    for (const Finding& finding : result->findings)
      observed.rules.insert(std::string(NameOf(finding.rule)));
    std::vector<int> outcome = session->Read<int>(out);
    outcome.resize(litmus.results);
    outcome.push_back(session->Read<int>(x)[0]);
    outcome.push_back(session->Read<int>(y)[0]);
    observed.outcomes.insert(outcome);
  }
  return observed;
}

// --- release sequences ------------------------------------------------------------------------

constexpr const char* kRead = "else if (LOAD(x, acquire) == 3) out[0] = *data;";

// OpenCL's release sequence goes on with a store of the work-item that released.
TEST(WeakMemory, AStoreOfTheSameWorkItemContinuesAReleaseSequence) {
  const std::string begin = "if (me == 0) { *data = 1; STORE(x, 1, release); ";
  EXPECT_THAT(Observe({.source = begin + "STORE(x, 3, relaxed); }" + kRead}).rules, IsEmpty());
  EXPECT_THAT(Observe({.source = begin + "ADD(x, 2, relaxed); }" + kRead}).rules, IsEmpty());
  // Without the release there is none.
  EXPECT_THAT(
      Observe({.source = "if (me == 0) { *data = 1; STORE(x, 3, relaxed); }" + std::string(kRead)})
          .rules,
      Contains("race-other-group"));
}

TEST(WeakMemory, AStoreOfAnotherWorkItemEndsAReleaseSequence) {
  const std::string begin =
      "if (me == 0) { *data = 1; STORE(x, 1, release); }\n"
      "else if (me == 1) { while (LOAD(x, relaxed) != 1); ";
  EXPECT_THAT(Observe({.source = begin + "STORE(x, 3, relaxed); }" + kRead, .items = 3}).rules,
              Contains("race-other-group"));
  EXPECT_THAT(Observe({.source = begin + "ADD(x, 2, relaxed); }" + kRead, .items = 3}).rules,
              Not(Contains("race-other-group")));
  // The first one's own sequence goes on behind read-modify-writes of others.
  EXPECT_THAT(Observe({.source = "if (me == 0) { *data = 1; STORE(x, 1, release);\n"
                                 "  while (LOAD(x, relaxed) != 2); STORE(x, 3, relaxed); }\n"
                                 "else if (me == 1) { while (LOAD(x, relaxed) != 1);\n"
                                 "  ADD(x, 1, relaxed); }" +
                                 std::string(kRead),
                       .items = 3})
                  .rules,
              Not(Contains("race-other-group")));
}

// --- seq_cst ----------------------------------------------------------------------------------

// {out[0], out[1], x, y}
constexpr const char* kStoreBuffering =
    "if (me == 0) { STORE(x, 1, relaxed); FENCE(F); out[0] = LOAD(y, relaxed); }\n"
    "else { STORE(y, 1, relaxed); FENCE(F); out[1] = LOAD(x, relaxed); }";

std::string With(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(WeakMemory, SequentialFencesOrderStoresBeforeLoads) {
  EXPECT_EQ(Observe({.source = With(kStoreBuffering, "(F)", "(seq_cst)")}).outcomes,
            (Outcomes{{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}}));
  EXPECT_THAT(Observe({.source = With(kStoreBuffering, "(F)", "(acq_rel)")}).outcomes,
              Contains(std::vector{0, 0, 1, 1}));
}

// One side is a seq_cst operation, the other one a fence.
TEST(WeakMemory, SequentialFencesOrderWithOperations) {
  const char* const source =
      "if (me == 0) { STORE(x, 1, seq_cst); out[0] = LOAD(y, seq_cst); }\n"
      "else { STORE(y, 1, relaxed); FENCE(seq_cst); out[1] = LOAD(x, relaxed); }";
  EXPECT_EQ(Observe({.source = source}).outcomes,
            (Outcomes{{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}}));
}

// {x, y} at the end of 2+2W: both first stores are last only if each order of stores is reversed.
constexpr const char* kTwoPlusTwoWrites =
    "if (me == 0) { STORE(x, 1, relaxed); FENCE(F); STORE(y, 2, relaxed); }\n"
    "else { STORE(y, 1, relaxed); FENCE(F); STORE(x, 2, relaxed); }";

TEST(WeakMemory, StoresGoBehindLaterOnes) {
  EXPECT_EQ(Observe({.source = With(kTwoPlusTwoWrites, "FENCE(F);", ""), .results = 0}).outcomes,
            (Outcomes{{1, 1}, {1, 2}, {2, 1}, {2, 2}}));
  EXPECT_EQ(Observe({.source = With(kTwoPlusTwoWrites, "(F)", "(seq_cst)"), .results = 0}).outcomes,
            (Outcomes{{1, 2}, {2, 1}, {2, 2}}));
}

// S: who read the second store of an item does not go behind its first one, if the two synchronize.
TEST(WeakMemory, StoresDoNotGoBehindWhatHappensBefore) {
  const char* const source =
      "if (me == 0) { STORE(x, 2, relaxed); STORE(y, 1, A); }\n"
      "else { out[0] = LOAD(y, B); STORE(x, 1, relaxed); }";
  const std::vector<int> reversed = {1, 2, 1};
  EXPECT_THAT(
      Observe({.source = With(With(source, "A)", "relaxed)"), "B)", "relaxed)"), .results = 1})
          .outcomes,
      Contains(reversed));
  EXPECT_THAT(
      Observe({.source = With(With(source, "A)", "release)"), "B)", "acquire)"), .results = 1})
          .outcomes,
      Not(Contains(reversed)));
}

// IRIW: readers that load with seq_cst agree on the order of seq_cst stores.
TEST(WeakMemory, ReadersAgreeOnTheOrderOfSequentialStores) {
  const char* const source =
      "if (me == 0) STORE(x, 1, O); else if (me == 1) STORE(y, 1, O);\n"
      "else if (me == 2) { out[0] = LOAD(x, P); out[1] = LOAD(y, P); }\n"
      "else { out[2] = LOAD(y, P); out[3] = LOAD(x, P); }";
  const std::vector<int> disagreement = {1, 0, 1, 0, 1, 1};
  EXPECT_THAT(Observe({.source = With(With(source, "O)", "seq_cst)"), "P)", "seq_cst)"),
                       .items = 4,
                       .results = 4})
                  .outcomes,
              Not(Contains(disagreement)));
  EXPECT_THAT(Observe({.source = With(With(source, "O)", "release)"), "P)", "acquire)"),
                       .items = 4,
                       .results = 4,
                       .seeds = 1000})
                  .outcomes,
              Contains(disagreement));
}

// Two seq_cst operations that synchronize by an object in local memory order global memory, too.
TEST(WeakMemory, SequentialOperationsOrderBothKindsOfMemory) {
  const std::string source =
      "local atomic_int flag; if (me == 0) atomic_init(&flag, 0);\n"
      "barrier(CLK_LOCAL_MEM_FENCE);\n"
      "if (me == 0) { *data = 1; atomic_store_explicit(&flag, 1, memory_order_A, "
      "memory_scope_work_group); }\n"
      "else if (atomic_load_explicit(&flag, memory_order_B, memory_scope_work_group) == 1)\n"
      "  out[0] = *data;";
  EXPECT_THAT(
      Observe({.source = With(With(source, "order_A", "order_seq_cst"), "order_B", "order_seq_cst"),
               .local = 2})
          .rules,
      IsEmpty());
  EXPECT_THAT(
      Observe({.source = With(With(source, "order_A", "order_release"), "order_B", "order_acquire"),
               .local = 2})
          .rules,
      Contains("race-nonatomic"));
}

// --- scopes of fences -------------------------------------------------------------------------

TEST(WeakMemory, FencesSynchronizeIfTheirScopesInclude) {
  const std::string source =
      "if (me == 0) { *data = 1; FENCE(release); STORE(x, 1, relaxed); }\n"
      "else if (LOAD(x, relaxed) == 1) {\n"
      "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, SCOPE);\n"
      "  out[0] = *data; }";
  const std::string device = With(source, "SCOPE", "memory_scope_device");
  const std::string group = With(source, "SCOPE", "memory_scope_work_group");
  EXPECT_THAT(Observe({.source = device}).rules, IsEmpty());
  EXPECT_THAT(Observe({.source = group}).rules, Contains("race-other-group"));
  // In one group the narrower scope includes both from OpenCL 3.1 on.
  EXPECT_THAT(Observe({.source = group, .local = 2, .needs_same_scope = true}).rules,
              Contains("race-nonatomic"));
  EXPECT_THAT(Observe({.source = group, .local = 2}).rules, IsEmpty());
}

// The two fences of a barrier synchronize like others (OpenCL API 3.3.6.7).
TEST(WeakMemory, BarriersAreFences) {
  const std::string source =
      "if (me == 0) *data = 1;\n"
      "work_group_barrier(CLK_GLOBAL_MEM_FENCE, SCOPE);\n"
      "if (me == 0) STORE(x, 1, relaxed); else out[1] = LOAD(x, relaxed);\n"
      "work_group_barrier(CLK_GLOBAL_MEM_FENCE, SCOPE);\n"
      "if (me == 1 && out[1] == 1) out[0] = *data;";
  EXPECT_THAT(Observe({.source = With(source, "SCOPE", "memory_scope_device")}).rules, IsEmpty());
  EXPECT_THAT(Observe({.source = With(source, "SCOPE", "memory_scope_work_group")}).rules,
              Contains("race-other-group"));
}

// --- coherence --------------------------------------------------------------------------------

// What another work-item has read before it released is not forgotten by who acquires.
TEST(WeakMemory, LoadsOfWhoReleasedAreKnown) {
  const char* const source =
      "if (me == 0) STORE(x, 1, relaxed);\n"
      "else if (me == 1) { out[0] = LOAD(x, relaxed); STORE(y, 1, A); }\n"
      "else { out[1] = LOAD(y, B); out[2] = LOAD(x, relaxed); }";
  const std::vector<int> forgotten = {1, 1, 0, 1, 1};
  EXPECT_THAT(Observe({.source = With(With(source, "A)", "release)"), "B)", "acquire)"),
                       .items = 3,
                       .results = 3,
                       .seeds = 500})
                  .outcomes,
              Not(Contains(forgotten)));
  EXPECT_THAT(Observe({.source = With(With(source, "A)", "relaxed)"), "B)", "relaxed)"),
                       .items = 3,
                       .results = 3,
                       .seeds = 1000})
                  .outcomes,
              Contains(forgotten));
}

// The store is another group's, which the barrier does not order.
TEST(WeakMemory, LoadsBeforeABarrierAreKnownBehindIt) {
  const char* const source =
      "if (me == 3) STORE(x, 1, relaxed);\n"
      "if (me == 1) out[0] = LOAD(x, relaxed);\n"
      "BARRIER;\n"
      "if (me == 2) out[1] = LOAD(x, relaxed);";
  const std::vector<int> forgotten = {1, 0, 1, 0};
  for (const char* const barrier :
       {"barrier(CLK_GLOBAL_MEM_FENCE)", "sub_group_barrier(CLK_GLOBAL_MEM_FENCE)"}) {
    EXPECT_THAT(
        Observe({.source = With(source, "BARRIER", barrier), .items = 6, .local = 3, .seeds = 600})
            .outcomes,
        Not(Contains(forgotten)))
        << barrier;
  }
}

TEST(WeakMemory, StoresOfOneWorkItemStayInOrder) {
  const char* const source =
      "if (me == 0) { STORE(x, 1, relaxed); STORE(x, 2, relaxed); }\n"
      "else { out[0] = LOAD(x, relaxed); out[1] = LOAD(x, relaxed); STORE(y, 1, relaxed); }";
  EXPECT_EQ(
      Observe({.source = source}).outcomes,
      (Outcomes{
          {0, 0, 2, 1}, {0, 1, 2, 1}, {0, 2, 2, 1}, {1, 1, 2, 1}, {1, 2, 2, 1}, {2, 2, 2, 1}}));
}

// A read-modify-write follows the value that it read, so none is lost.
TEST(WeakMemory, ReadModifyWritesAreIndivisible) {
  EXPECT_EQ(Observe({.source = "out[me] = ADD(x, 1, relaxed);", .items = 3, .results = 0}).outcomes,
            (Outcomes{{3, 0}}));
  // Behind a store it goes on from it, before the store it is lost.
  EXPECT_EQ(
      Observe({.source = "if (me == 0) STORE(x, 8, relaxed); else out[1] = ADD(x, 1, relaxed);"})
          .outcomes,
      (Outcomes{{0, 0, 8, 0}, {0, 8, 9, 0}}));
}

}  // namespace
}  // namespace assay::interp
