// Instructions that a whole work-group executes together: each rule with a kernel that breaks it
// and one that almost does.
#include "interp/detect/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/rules/rule.h"
#include "interp/testing/findings.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

WatchedKernel Kernel(const std::string& body, int n = 0, std::uint64_t items = 8) {
  return {.source =
              "kernel void k(global int* o, int n, local int* l) {\n"
              "  size_t i = get_local_id(0);\n" +
              body + "\n}",
          .n = n,
          .global = {items, 1, 1},
          .local = {items, 1, 1}};
}

void ExpectNothing(const WatchedKernel& kernel) {
  for (const Finding& finding : FindingsOf(kernel)) {
    ADD_FAILURE() << Sentence(finding) << "\n" << kernel.source;
  }
}

Finding ExpectOne(const WatchedKernel& kernel, const std::string& rule,
                  const std::string& message) {
  const std::vector<Finding> findings = FindingsOf(kernel);
  EXPECT_THAT(RulesOf(findings), ElementsAre(rule)) << kernel.source;
  if (findings.empty()) return Finding(Rule::kLivelock);
  EXPECT_EQ(findings[0].finding_class, FindingClass::kUndefinedBehavior);
  EXPECT_THAT(findings[0].message, HasSubstr(message));
  return findings[0];
}

// --- who comes --------------------------------------------------------------------------------

TEST(Groups, BarrierThatSomeDoNotReach) {
  ExpectOne(Kernel("if (i < n) barrier(CLK_LOCAL_MEM_FENCE);", 3), "barrier-divergence",
            "a barrier is reached by 3 of the work-group's 8 work-items; work-item (3,0,0) has "
            "returned");
  ExpectOne(Kernel("if (i == 0) return; barrier(0); barrier(0);"), "barrier-divergence",
            "reached by 7 of the work-group's 8 work-items; work-item (0,0,0) has returned");
  ExpectOne(Kernel("for (int j = 0; j < i; ++j) barrier(0);", 0, 100), "barrier-divergence",
            "reached by 99 of the work-group's 100 work-items; work-item (0,0,0) has returned");
  ExpectNothing(Kernel("if (n < 3) barrier(CLK_LOCAL_MEM_FENCE);", 2));
}

TEST(Groups, BarrierIsDivergentWithoutDetectors) {
  WatchedKernel kernel = Kernel("if (i < n) barrier(CLK_LOCAL_MEM_FENCE);", 3);
  kernel.detectors = {};
  ExpectOne(kernel, "barrier-divergence", "has returned");
}

TEST(Groups, BarriersThatWaitForEachOther) {
  const Finding finding = ExpectOne(
      Kernel("if (i < n) {\n barrier(0);\n o[0] = 1;\n} else {\n barrier(0);\n o[1] = 1;\n}", 1, 2),
      "barrier-deadlock",
      "a barrier is reached by 1 of the work-group's 2 work-items; work-item (1,0,0) waits at "
      "another barrier, and none of them can go on");
  ASSERT_EQ(finding.history.size(), 2u);
  EXPECT_THAT(finding.history[0], HasSubstr("kernel.cl:4:2: OpControlBarrier"));
  EXPECT_THAT(finding.history[1], HasSubstr("kernel.cl:7:2: OpControlBarrier"));
  // Some have returned and others wait: those that wait are named.
  ExpectOne(Kernel("if (i == 0) return; if (i < n) barrier(0); else barrier(1);", 3),
            "barrier-deadlock", "work-item (3,0,0) waits at another barrier");
  ExpectNothing(Kernel("if (n < 3) { barrier(0); } else { barrier(0); }", 3));
}

TEST(Groups, EveryGroupIsLookedAt) {
  WatchedKernel kernel = Kernel("if (get_global_id(0) < n) barrier(0);", 12);
  kernel.global = {16, 1, 1};
  const Finding finding = ExpectOne(kernel, "barrier-divergence", "(12,0,0) has returned");
  EXPECT_THAT(finding.global_id, ElementsAre(8, 0, 0));
  kernel.global = {24, 1, 1};
  kernel.n = 16;
  ExpectNothing(kernel);
}

TEST(Groups, CollectivesThatSomeDoNotReach) {
  ExpectOne(Kernel("if (i < n) o[i] = work_group_all(n);", 5), "collective-divergence",
            "a work-group function is reached by 5 of the work-group's 8 work-items; work-item "
            "(5,0,0) has returned");
  ExpectOne(Kernel("if (i < n) o[i] = work_group_reduce_add(n); else barrier(0);", 5),
            "collective-divergence", "work-item (5,0,0) waits at a barrier");
  ExpectNothing(Kernel("o[i] = work_group_scan_inclusive_add(n);", 5));
}

TEST(Groups, AsynchronousCopiesThatSomeDoNotReach) {
  ExpectOne(Kernel("if (i < n) { event_t e = async_work_group_copy(l, o, 4, 0);"
                   " wait_group_events(1, &e); }",
                   7),
            "async-divergence", "an asynchronous copy is reached by 7 of");
  ExpectOne(Kernel("event_t e = async_work_group_copy(l, o, 4, 0);"
                   " if (i < n) wait_group_events(1, &e);",
                   7),
            "async-divergence", "a wait for events is reached by 7 of");
}

// --- iterations -------------------------------------------------------------------------------

TEST(Groups, BarrierInDifferentIterations) {
  ExpectOne(Kernel("for (int j = 0; j < 8; ++j) {\n if (j >= i) barrier(0);\n}"),
            "barrier-iteration",
            "a barrier is reached in different iterations of the loop around it: by work-item "
            "(0,0,0) in iteration 1, by work-item (1,0,0) in iteration 2");
  ExpectOne(Kernel("for (int j = 0; j < 8; ++j) {\n if (j == i) barrier(0);\n}"),
            "barrier-iteration", "in iteration 2");
  ExpectOne(Kernel("for (int j = 0; j < 8; ++j) if (j == i) o[i] = work_group_any(n);"),
            "barrier-iteration", "a work-group function is reached in different iterations");
  ExpectNothing(Kernel("for (int j = 0; j < 8; ++j) {\n if (j >= n) barrier(0);\n}", 3));
}

TEST(Groups, BarrierInNestedLoops) {
  ExpectOne(Kernel("for (int j = 0; j < 3; ++j) for (int m = 0; m < 3; ++m)\n"
                   "  if (j == i % 3 && m == 1) barrier(0);"),
            "barrier-iteration", "of loop 1 of the 2 around it, counted from the outermost");
  ExpectOne(Kernel("for (int j = 0; j < 3; ++j) for (int m = 0; m < 2; ++m)\n"
                   "  if (m == i % 2) barrier(0);"),
            "barrier-iteration", "of loop 2 of the 2 around it");
  // Each entry counts the inner loop again.
  ExpectNothing(
      Kernel("for (int j = 0; j < 3; ++j) { for (int m = 0; m < j; ++m) barrier(0); o[i] = j; "
             "barrier(0); }"));
}

TEST(Groups, LoopsWithoutBarriersAreNotCounted) {
  const char* body =
      "for (int j = 0; j < 4; ++j) {\n"
      "  for (int m = 0; m < i; ++m) o[i] += m;\n"
      "  barrier(0);\n"
      "  for (int m = 8; m > i; --m) { if (m == 3) continue; o[i] += m; }\n"
      "}";
  ExpectNothing(Kernel(body));
  // Where an optimizer lets the loops share a head.
  WatchedKernel optimized =
      Kernel("int j = 0; for (;;) { while (o[i] < i) ++o[i]; barrier(0); if (++j == 3) break; }");
  ExpectNothing(optimized);
  optimized.build_options = "-O2";
  ExpectNothing(optimized);
}

TEST(Groups, OptimizedLoopsAreTheSame) {
  WatchedKernel kernel =
      Kernel("for (int j = 0; j < n; ++j) { if (i < j) o[i] += j; barrier(0); }", 5);
  for (const char* options : {"-O1", "-O2", "-O3"}) {
    kernel.build_options = options;
    ExpectNothing(kernel);
  }
}

// --- operands ---------------------------------------------------------------------------------

constexpr const char* kBarrierModule = R"(
               OpEntryPoint Kernel %k "k" %id
               OpDecorate %id BuiltIn LocalInvocationIndex
       %void = OpTypeVoid
       %uint = OpTypeInt 32 0
        %ptr = OpTypePointer Input %uint
         %id = OpVariable %ptr Input
          %2 = OpConstant %uint 2
        %256 = OpConstant %uint 256
          %3 = OpConstant %uint 3
         %fn = OpTypeFunction %void
          %k = OpFunction %void None %fn
      %entry = OpLabel
          %i = OpLoad %uint %id Aligned 4
  )";

std::vector<std::string> RulesOfBarrier(const std::string& body) {
  auto session = TestSession::FromText(kBarrierModule + body + "\nOpReturn\nOpFunctionEnd\n",
                                       {.detectors = DetectorSet::All()});
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto result = session->Launch({}, 4, {}, 4);
  EXPECT_TRUE(result) << result.error().message;
  return result ? RulesOf(result->findings) : std::vector<std::string>();
}

TEST(Groups, BarrierWithDifferentFlags) {
  EXPECT_THAT(RulesOfBarrier("%f = OpIAdd %uint %256 %i\nOpControlBarrier %2 %2 %f"),
              ElementsAre("barrier-operands"));
  EXPECT_THAT(RulesOfBarrier("%s = OpUMod %uint %i %3\nOpControlBarrier %2 %s %256"),
              ElementsAre("barrier-operands"));
  EXPECT_THAT(RulesOfBarrier("%z = OpISub %uint %i %i\n%f = OpIAdd %uint %256 %z\n"
                             "OpControlBarrier %2 %2 %f"),
              IsEmpty());
  EXPECT_THAT(RulesOfBarrier("OpControlBarrier %2 %2 %256"), IsEmpty());
}

TEST(Groups, BroadcastsOfDifferentWorkItems) {
  ExpectOne(Kernel("o[i] = work_group_broadcast(n, i);"), "collective-operands",
            "work-items of the group give a work-group function different local ids: work-item "
            "(0,0,0) gives 0x0, work-item (1,0,0) gives 0x1");
  ExpectOne(Kernel("for (int j = 0; j < 2; ++j) o[i] = work_group_broadcast(n, i == 5);"),
            "collective-operands", "work-item (5,0,0) gives 0x1");
  // The value differs, the id does not.
  ExpectNothing(Kernel("for (int j = 0; j < 8; ++j) o[i] = work_group_broadcast((int)i, j);"));
}

TEST(Groups, BroadcastsOfNobody) {
  ExpectOne(Kernel("o[i] = work_group_broadcast(n, 8);"), "collective-range",
            "the value of the work-item with local id (8) is asked for, in a work-group of (8)");
  WatchedKernel square = Kernel("o[0] = work_group_broadcast(n, (size_t)n, 1ul);", 4);
  square.source =
      "kernel void k(global int* o, int n, local int* l) {\n"
      "  o[get_local_linear_id()] = work_group_broadcast(n, (size_t)n, 1ul); }";
  square.global = square.local = {4, 2, 1};
  // As a linear id it would be there.
  ExpectOne(square, "collective-range",
            "the work-item with local id (4,1) is asked for, in a work-group of (4,2)");
  square.n = 3;
  ExpectNothing(square);
}

TEST(Groups, AsynchronousCopiesWithDifferentArguments) {
  const std::string wait = " wait_group_events(1, &e);";
  ExpectOne(Kernel("event_t e = async_work_group_copy(l, o + (i == 3), 4, 0);" + wait),
            "async-divergence", "give an asynchronous copy different sources: work-item (0,0,0)");
  ExpectOne(Kernel("event_t e = async_work_group_copy(l, o, i == 3 ? 4 : 5, 0);" + wait),
            "async-divergence",
            "different numbers of elements: work-item (0,0,0) gives 0x5, work-item (3,0,0) gives "
            "0x4");
  ExpectNothing(Kernel("event_t e = async_work_group_copy(l, o + n, n, 0);" + wait, 3));
}

TEST(Groups, WaitsForDifferentEvents) {
  const std::string copies =
      "event_t e[2]; e[0] = async_work_group_copy(l, o, 4, 0);"
      " e[1] = async_work_group_copy(l + 4, o + 4, 4, 0);";
  ExpectOne(Kernel(copies + " wait_group_events(i == 2 ? 1 : 2, e);"), "async-divergence",
            "give a wait for events different numbers of events");
  ExpectOne(Kernel(copies + " wait_group_events(1, e + (i == 2)); wait_group_events(1, e + 1);"),
            "async-divergence",
            "wait for different events: event 0 of the list is another for work-item (2,0,0)");
  ExpectNothing(Kernel(copies + " wait_group_events(2, e);"));
}

// --- asynchronous copies ----------------------------------------------------------------------

TEST(Groups, CopiesThatNobodyWaitsFor) {
  ExpectOne(Kernel("async_work_group_copy(l, o, 4, 0);"), "async-unwaited",
            "ends with an asynchronous copy that no wait_group_events has waited for");
  ExpectOne(Kernel("event_t e = async_work_group_copy(l, o, 4, 0);"
                   " event_t f = async_work_group_copy(l + 4, o + 4, 4, 0);"
                   " wait_group_events(1, &e);"),
            "async-unwaited", "");
  // One event for both.
  ExpectNothing(
      Kernel("event_t e = async_work_group_copy(l, o, 4, 0);"
             " e = async_work_group_copy(l + 4, o + 4, 4, e); wait_group_events(1, &e);"));
}

TEST(Groups, WaitsForEventsThatAreNone) {
  const std::string copy = "event_t e = async_work_group_copy(l, o, 4, 0);";
  ExpectOne(Kernel(copy + " wait_group_events(1, &e); wait_group_events(1, &e);"), "async-event",
            "event 0 of 1 that are waited for was waited for already, which released it");
  ExpectOne(Kernel(copy + " event_t f[2]; f[0] = e; wait_group_events(2, f);"), "async-event",
            "event 1 of 2 that are waited for was never given a value");
  ExpectOne(Kernel("event_t e = 0; wait_group_events(1, &e);"), "async-event",
            "no asynchronous copy of this work-group returned");
  // Twice in one list, of two copies that share it.
  ExpectNothing(Kernel(copy + " event_t f[2]; f[0] = e; f[1] = async_work_group_copy(l + 4, o + 4,"
                              " 4, e); wait_group_events(2, f);"));
  ExpectNothing(
      Kernel("for (int j = 0; j < 3; ++j) { event_t e = async_work_group_copy(l, o, 4, "
             "0); wait_group_events(1, &e); barrier(1); }"));
}

TEST(Groups, EventsOfAnotherGroupAreNone) {
  WatchedKernel kernel = Kernel(
      "if (get_group_id(0) == 1) { event_t e = *(event_t*)&i; wait_group_events(1, &e); }"
      " else { event_t e = async_work_group_copy(l, o, 4, 0); wait_group_events(1, &e); }");
  kernel.source =
      "kernel void k(global int* o, int n, local int* l) {\n"
      " ulong i = 1; event_t e;\n"
      " if (get_group_id(0) == 0) e = async_work_group_copy(l, o, 4, 0);\n"
      " else *(ulong*)&e = i;\n"
      " wait_group_events(1, &e); }";
  kernel.global = {16, 1, 1};
  ExpectOne(kernel, "async-event", "no asynchronous copy of this work-group returned");
}

TEST(Groups, StridesOfNothingAndOfTooMuch) {
  const std::string wait = " wait_group_events(1, &e);";
  ExpectOne(Kernel("event_t e = async_work_group_strided_copy(l, o, 4, n, 0);" + wait),
            "async-stride", "with a stride of 0");
  // It would come back to where it began.
  const std::vector<Finding> findings = FindingsOf(
      Kernel("event_t e = async_work_group_strided_copy(l, o, 5, 1ul << 60, 0);" + wait));
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(NameOf(findings[0].rule), "async-stride");
  EXPECT_THAT(findings[0].message, HasSubstr("which leads beyond the end of the address space"));
  ExpectNothing(Kernel("event_t e = async_work_group_strided_copy(l, o, 4, n, 0);" + wait, 255));
  ExpectNothing(Kernel("event_t e = async_work_group_strided_copy(l, o, 1, ~0ul, 0);" + wait));
}

// --- fences, promises -------------------------------------------------------------------------

TEST(Groups, FencesWithoutMemory) {
  ExpectOne(Kernel("atomic_work_item_fence(0, memory_order_acq_rel, memory_scope_work_group);"),
            "fence-flags", "a fence that names no memory to order");
  ExpectNothing(
      Kernel("atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, "
             "memory_scope_work_group);"));
  // A barrier may have none (6.15.8).
  ExpectNothing(Kernel("work_group_barrier(0);"));
}

TEST(Groups, PromisesThatAreBroken) {
  ExpectOne(Kernel("if (i >= n) __builtin_unreachable(); o[i] = 1;", 7), "unreachable-reached",
            "cannot be reached");
  ExpectNothing(Kernel("if (i >= n) __builtin_unreachable(); o[i] = 1;", 8));
  const auto rules = [](const char* condition) {
    auto session = TestSession::FromText(std::string(R"(
               OpCapability ExpectAssumeKHR
               OpExtension "SPV_KHR_expect_assume"
               OpEntryPoint Kernel %k "k" %id
               OpDecorate %id BuiltIn LocalInvocationIndex
       %void = OpTypeVoid
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
        %ptr = OpTypePointer Input %uint
         %id = OpVariable %ptr Input
          %3 = OpConstant %uint 3
         %fn = OpTypeFunction %void
          %k = OpFunction %void None %fn
      %entry = OpLabel
          %i = OpLoad %uint %id Aligned 4
      %below = )") + condition + R"( %bool %i %3
               OpAssumeTrueKHR %below
               OpReturn
               OpFunctionEnd
  )",
                                         {.detectors = DetectorSet::All()});
    EXPECT_TRUE(session) << session.error().message;
    if (!session) return std::vector<std::string>();
    const auto result = session->Launch({}, 4, {}, 4);
    EXPECT_TRUE(result) << result.error().message;
    return result ? RulesOf(result->findings) : std::vector<std::string>();
  };
  EXPECT_THAT(rules("OpULessThan"), ElementsAre("assume-false"));
  EXPECT_THAT(rules("OpULessThanEqual"), IsEmpty());
}

}  // namespace
}  // namespace assay::interp
