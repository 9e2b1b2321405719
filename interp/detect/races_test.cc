// Data races: each rule with a kernel that breaks it and one that almost does.
#include "interp/detect/races.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/rules/rule.h"
#include "interp/testing/findings.h"

namespace assay::interp {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kItems = 128;  // two full batches

// Groups of kItems work-items each.
WatchedKernel Kernel(const std::string& body, std::uint64_t groups = 1, int n = 0,
                     const std::string& before = "") {
  WatchedKernel kernel;
  kernel.source = before +
                  "kernel void k(global int* o, int n, local int* l) {\n"
                  "  size_t i = get_local_id(0), g = get_group_id(0);\n" +
                  body + "\n}";
  kernel.n = n;
  kernel.global = {kItems * groups, 1, 1};
  kernel.local = {kItems, 1, 1};
  kernel.detectors = {};
  kernel.detectors.Add(Detector::kRaces);
  return kernel;
}

void ExpectNothing(const WatchedKernel& kernel) {
  for (const Finding& finding : FindingsOf(kernel)) {
    ADD_FAILURE() << Sentence(finding) << "\n" << kernel.source;
  }
}

// All findings are the rule's: the accesses at both places of a race may come after the other.
// Returns the one with the message.
Finding ExpectOne(const WatchedKernel& kernel, const std::string& rule,
                  const std::string& message = "") {
  const std::vector<Finding> findings = FindingsOf(kernel);
  EXPECT_FALSE(findings.empty()) << "nothing was found; expected " << rule << "\n" << kernel.source;
  EXPECT_THAT(RulesOf(findings), Each(rule)) << kernel.source;
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.finding_class, FindingClass::kUndefinedBehavior);
    if (finding.message.find(message) != std::string::npos) return finding;
  }
  for (const Finding& finding : findings) ADD_FAILURE() << Sentence(finding);
  return Finding(Rule::kLivelock);
}

// --- the rules --------------------------------------------------------------------------------

TEST(Races, StoresToOnePlace) {
  const Finding finding =
      ExpectOne(Kernel("l[n] = (int)i;"), "race-nonatomic",
                "data race on local memory 'l' at offset 0: store to 4 bytes, after a store to it "
                "by work-item (0,0,0)");
  EXPECT_THAT(finding.global_id, ElementsAre(1, 0, 0));
  EXPECT_EQ(finding.count, kItems - 1);
  EXPECT_THAT(finding.history, Contains(HasSubstr("kernel.cl:3:6: OpStore")));
  EXPECT_THAT(finding.history, Contains("nothing orders the two"));
  ExpectOne(Kernel("o[n] = (int)i;"), "race-nonatomic", "global memory 'buffer'");
  ExpectNothing(Kernel("l[i] = (int)i; o[i] = l[i];"));
  ExpectNothing(Kernel("if (i == 77) l[n] = 1;"));
}

TEST(Races, LoadsOfWhatOthersStore) {
  ExpectOne(Kernel("l[i] = 1; o[i] = l[(i + 1) % 128];"), "race-nonatomic",
            "load from 4 bytes, after a store to it by work-item (1,0,0)");
  ExpectOne(Kernel("o[i] = l[(i + 1) % 128]; l[i] = 1;"), "race-nonatomic",
            "store to 4 bytes, after a load from it by work-item");
  ExpectNothing(Kernel("l[i] = 1; barrier(CLK_LOCAL_MEM_FENCE); o[i] = l[(i + 1) % 128];"));
  ExpectNothing(Kernel("o[i] = l[i]; o[128 + i] = l[(i + 1) % 128];"));
}

TEST(Races, StoresOfTheSameValue) {
  ExpectOne(Kernel("l[n] = 7;"), "race-same-value");
  ExpectNothing(Kernel("if (i == 0) l[n] = 7;"));
}

TEST(Races, AtomicAndOtherAccesses) {
  ExpectOne(Kernel("if (i == 0) o[n] = 5; else atomic_inc(o + n);"), "race-mixed-atomic");
  ExpectOne(Kernel("if (i != 0) atomic_inc(l + n); else o[1] = l[n];"), "race-mixed-atomic");
  ExpectNothing(Kernel("atomic_inc(o + n);"));
  ExpectNothing(Kernel("if (i == 0) o[n] = 5; barrier(CLK_GLOBAL_MEM_FENCE); atomic_inc(o + n);"));
}

// The last atomic operation is not the only one that an access has to come after.
TEST(Races, AtomicOperationsOfSeveral) {
  for (const char* reader : {"0", "1", "63", "64", "127"}) {
    const std::string load = std::string("if (i == ") + reader + ") o[9 + g] = ";
    ExpectOne(Kernel("atomic_inc(o);\n" + load + "o[0];"), "race-mixed-atomic",
              "load from 4 bytes, after an atomic operation on it by work-item");
    ExpectOne(Kernel("if (i == 0) l[0] = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "for (int j = 0; j < 3; ++j) atomic_inc(l);\n" +
                     load + "l[0];"),
              "race-mixed-atomic");
    ExpectNothing(Kernel("atomic_inc(o); barrier(CLK_GLOBAL_MEM_FENCE);\n" + load + "o[0];"));
    // A barrier of the group does not order what the other one does.
    ExpectOne(Kernel("atomic_inc(o); barrier(CLK_GLOBAL_MEM_FENCE);\n" + load + "o[0];", 2),
              "race-mixed-atomic");
  }
}

TEST(Races, AtomicLoadsDoNotHideOthers) {
  ExpectOne(Kernel("volatile global atomic_int* a = (volatile global atomic_int*)o;\n"
                   "if (i == 0) o[9] = o[0];\n"
                   "if (i != 0 && i != 5) o[9 + i] = atomic_load_explicit(a, memory_order_relaxed, "
                   "memory_scope_device);\n"
                   "if (i == 5) atomic_store_explicit(a, 1, memory_order_relaxed, "
                   "memory_scope_device);"),
            "race-mixed-atomic", "after a load from it by work-item (0,0,0)");
}

// The last one to arrive, which has acquired what all others released, may do as it likes.
TEST(Races, TheLastToArrive) {
  const auto body = [](const char* order) {
    return std::string(
               "volatile global atomic_int* a = (volatile global atomic_int*)o;\n"
               "o[256 + get_global_id(0)] = 1;\n"
               "int before = atomic_fetch_add_explicit(a, 1, ") +
           order +
           ", memory_scope_device);\n"
           "if (before == get_global_size(0) - 1) {\n int sum = 0;\n"
           " for (int j = 0; j < get_global_size(0); ++j) sum += o[256 + j];\n o[1] = sum; o[0] = "
           "0; }";
  };
  for (const std::uint64_t groups : {1, 2}) {
    ExpectNothing(Kernel(body("memory_order_acq_rel"), groups));
    EXPECT_THAT(RulesOf(FindingsOf(Kernel(body("memory_order_relaxed"), groups))),
                Contains("race-mixed-atomic"));
  }
}

TEST(Races, AtomicsThatDoNotIncludeEachOther) {
  const auto body = [](const char* scope) {
    return std::string(
               "atomic_fetch_add_explicit((global atomic_int*)o, 1, memory_order_seq_cst, ") +
           scope + ");";
  };
  ExpectOne(Kernel(body("memory_scope_work_group"), 2), "race-scope");
  ExpectNothing(Kernel(body("memory_scope_device"), 2));
  ExpectNothing(Kernel(body("memory_scope_work_group"), 1));
  // Long enough for threads to have a group each.
  const std::string often = "for (int j = 0; j < 200; ++j) ";
  ExpectOne(Kernel(often + body("memory_scope_work_group"), 2), "race-scope");
  ExpectNothing(Kernel(often + body("memory_scope_device"), 2));
  // Scopes within a group: only a work-item's own operations share its scope.
  const auto narrow = [](const std::string& scope, const std::string& condition) {
    WatchedKernel kernel = Kernel(condition +
                                  "atomic_fetch_add_explicit((global atomic_int*)o, 1, "
                                  "memory_order_relaxed, memory_scope_" +
                                  scope + ");");
    kernel.subgroup_size = 16;
    return kernel;
  };
  ExpectOne(narrow("sub_group", ""), "race-scope");
  ExpectNothing(narrow("sub_group", "if (i / 16 == 3) "));
  ExpectNothing(narrow("work_group", ""));
  ExpectOne(narrow("work_item", ""), "race-scope");
  ExpectNothing(narrow("work_item", "if (i == 70) for (int j = 0; j < 3; ++j) "));
}

TEST(Races, OtherGroups) {
  ExpectOne(Kernel("o[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE);"
                   " o[512 + get_global_id(0)] = o[(get_global_id(0) + 128) % 256];",
                   2),
            "race-other-group");
  ExpectOne(Kernel("o[i] = (int)g;", 2), "race-nonatomic");
  // Local memory is each group's own.
  ExpectNothing(
      Kernel("l[i] = (int)g; barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0)] = l[127 - i];", 3));
}

TEST(Races, BarriersOfOtherMemory) {
  const Finding finding = ExpectOne(
      Kernel("l[i] = 1; barrier(CLK_GLOBAL_MEM_FENCE); o[i] = l[127 - i];"), "race-fence-flags");
  EXPECT_THAT(finding.history, Contains("the barrier between the two does not order local memory"));
  ExpectOne(Kernel("o[i] = 1; barrier(CLK_LOCAL_MEM_FENCE); o[i + 256] = o[127 - i];"),
            "race-fence-flags");
  ExpectNothing(
      Kernel("l[i] = 1; barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);"
             " o[i] = l[127 - i];"));
}

TEST(Races, VolatileOrdersNothing) {
  ExpectOne(Kernel("volatile local int* v = l; if (i == 0) v[n] = 1; else o[i] = v[n];"),
            "race-volatile");
  ExpectNothing(Kernel("volatile local int* v = l; v[i] = 1; o[i] = v[i];"));
}

TEST(Races, CopiesInFlight) {
  const std::string copy = "event_t e = async_work_group_copy(l, o, 64, 0);";
  const std::string wait = "wait_group_events(1, &e);";
  const Finding finding = ExpectOne(Kernel(copy + " o[512 + i] = l[i];" + wait), "race-async-copy",
                                    "after an asynchronous copy to it by an asynchronous copy");
  EXPECT_THAT(finding.history, Contains("the copy was not waited for (wait_group_events)"));
  ExpectOne(Kernel(copy + " o[i] = 1;" + wait), "race-async-copy", "asynchronous copy from");
  ExpectNothing(Kernel(copy + wait + " barrier(CLK_LOCAL_MEM_FENCE); o[512 + i] = l[i];"));
  ExpectNothing(Kernel(copy + " o[512 + i] = o[i];" + wait));
}

// "This function does not perform any implicit synchronization of source data" (6.15.11).
TEST(Races, CopiesBeginWithTheFirstWorkItem) {
  const std::string copy =
      "event_t e = async_work_group_copy(o, l, 128, 0); wait_group_events(1, &e);";
  const Finding finding =
      ExpectOne(Kernel("l[i] = (int)i;" + copy), "race-async-copy", "after a store to it by");
  EXPECT_THAT(finding.history, Contains(HasSubstr("no barrier lies between the two")));
  ExpectNothing(Kernel("l[i] = (int)i; barrier(CLK_LOCAL_MEM_FENCE);" + copy));
  // The destination too: others may still read what is there.
  const std::string loop =
      "for (int j = 0; j < 2; ++j) { event_t e = async_work_group_copy(l, o, 128, 0);"
      " wait_group_events(1, &e); o[256 + i] += l[i];";
  ExpectOne(Kernel(loop + " }"), "race-async-copy");
  ExpectNothing(Kernel(loop + " barrier(CLK_LOCAL_MEM_FENCE); }"));
  WatchedKernel alone = Kernel("l[i] = (int)i;" + copy);
  alone.global = alone.local = {1, 1, 1};
  ExpectNothing(alone);
}

// In a group of one work-item the copy is somebody else all the same.
TEST(Races, CopiesInFlightOfOneWorkItem) {
  const auto alone = [](const std::string& body) {
    WatchedKernel kernel = Kernel("event_t e = async_work_group_copy(l, o, 64, 0);" + body);
    kernel.global = {3, 1, 1};
    kernel.local = {1, 1, 1};
    return kernel;
  };
  const std::string wait = " wait_group_events(1, &e);";
  for (const std::string access : {" l[5] = 1;", " o[512 + g] = l[5];",
                                   " event_t f = async_work_group_copy(l + 63, o, 2, 0);"
                                   " wait_group_events(1, &f);"}) {
    ExpectOne(alone(access + wait), "race-async-copy");
    ExpectOne(alone(" barrier(CLK_LOCAL_MEM_FENCE);" + access + wait), "race-async-copy");
    ExpectNothing(alone(wait + access));
  }
  ExpectNothing(alone(" l[64] = 1; o[512 + g] = l[64];" + wait));
}

TEST(Races, CopiesThatShareAnEvent) {
  const std::string copies =
      "event_t e = async_work_group_copy(l, o, 32, 0);"
      " e = async_work_group_copy(l + 32, o + 32, 32, e);";
  ExpectOne(Kernel(copies + " if (i >= 32) o[512 + i] = l[i]; wait_group_events(1, &e);"),
            "race-async-copy");
  ExpectNothing(Kernel(copies + " wait_group_events(1, &e); barrier(CLK_LOCAL_MEM_FENCE);"
                                " if (i < 64) o[512 + i] = l[i];"));
  // Also with a barrier between the copies, which orders neither.
  const std::string wait = " wait_group_events(1, &e);";
  const std::string to_local =
      "event_t e = 0; for (int r = 0; r < n; ++r) { if (r) barrier(CLK_LOCAL_MEM_FENCE);"
      " e = async_work_group_copy(l + r * 128, o + r * 128, 128, e); }";
  for (const std::string element : {"i", "(n - 1) * 128 + i"}) {
    const std::string load = " o[512 + i] = l[" + element + "];";
    ExpectOne(Kernel(to_local + load + wait, 1, 2), "race-async-copy");
    ExpectNothing(Kernel(to_local + wait + load, 1, 2));
  }
  const std::string to_global =
      "event_t e = 0; for (int r = 0; r < n; ++r) { l[128 + i] = r; barrier(CLK_LOCAL_MEM_FENCE);"
      " e = async_work_group_copy(o + r * 128, l, 128, e); }";
  ExpectOne(Kernel(to_global + " l[i] = 7;" + wait, 1, 2), "race-async-copy");
  ExpectNothing(Kernel(to_global + wait + " l[i] = 7;", 1, 2));
}

TEST(Races, BarriersDoNotWaitForCopies) {
  const std::string fence = " barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";
  const std::string wait = " wait_group_events(1, &e);";
  const std::string copy = "event_t e = async_work_group_copy(l, o, 128, 0);";
  ExpectOne(Kernel(copy + fence + " o[512 + i] = l[i];" + wait), "race-async-copy");
  ExpectOne(Kernel(copy + fence + " o[512 + i] = l[i * 3 % 128];" + wait), "race-async-copy");
  ExpectOne(Kernel(copy + fence + fence + " l[i] = 1;" + wait), "race-async-copy");
  ExpectOne(Kernel(copy + fence + " o[i] = 1;" + wait), "race-async-copy");
  ExpectNothing(Kernel(copy + fence + " o[512 + i] = o[i];" + wait));
  ExpectNothing(Kernel(copy + wait + fence + " o[512 + i] = l[127 - i]; o[i] = 1;"));
  ExpectNothing(Kernel(copy + fence + wait + " o[512 + i] = l[127 - i]; l[i + 128] = 1;"));
  // What barriers order otherwise, while a copy is under way.
  ExpectNothing(Kernel(copy + " l[128 + i] = 1;" + fence + " o[512 + i] = l[128 + 127 - i];" +
                       fence + " l[128 + i] = 2; o[639 - i] = 3;" + wait));
  ExpectOne(Kernel(copy + fence + " l[128 + i] = 1; o[512 + i] = l[128 + 127 - i];" + wait),
            "race-nonatomic");
  ExpectNothing(Kernel(copy + " atomic_inc(l + 128);" + fence + " if (i == 5) o[512] = l[128];" +
                       fence + " atomic_inc(l + 128);" + wait));
  // Two buffers in turns, of which one is waited for and used while the other is filled.
  const std::string turns =
      "event_t e[2]; e[0] = async_work_group_copy(l, o, 128, 0);\n"
      "for (int r = 0; r < n; ++r) {\n"
      "  if (r + 1 < n) e[(r + 1) % 2] = async_work_group_copy(l + (r + 1) % 2 * 128, o, 128, "
      "0);\n";
  const std::string use = "  o[512 + i] = l[r % 2 * 128 + 127 - i];\n";
  const std::string own = "  wait_group_events(1, &e[r % 2]);\n";
  ExpectNothing(Kernel(turns + own + use + fence + " }", 1, 6));
  ExpectOne(Kernel(turns + fence + use + own + fence + " }", 1, 6), "race-async-copy");
  // One event for all of them: what was waited for before a barrier stays so.
  ExpectNothing(
      Kernel("event_t e = 0; for (int r = 0; r < n; ++r) {"
             " e = async_work_group_copy(l + r * 128, o, 128, e);" +
                 fence + " if (r) o[512 + i] = l[(r - 1) * 128 + 127 - i];" + wait + fence + " }",
             1, 2));
}

// --- acquire and release ----------------------------------------------------------------------

// One work-item says with a flag that its data is there.
std::string Message(const std::string& data, const std::string& flag, const std::string& store,
                    const std::string& load, const std::string& scope,
                    const std::string& before_store = "", const std::string& after_load = "") {
  const std::string is_sender = "if (get_global_id(0) == 0) {\n";
  const std::string atomic =
      "((volatile " + flag + " atomic_int*)" + (flag == "local" ? "l" : "o") + ", ";
  return is_sender + data + " = 42;\n" + before_store + " atomic_store_explicit" + atomic + "1, " +
         store + ", " + scope + ");\n} else if (get_global_id(0) == get_global_size(0) - 1) {\n" +
         " while (atomic_load_explicit" + atomic.substr(0, atomic.size() - 2) + ", " + load + ", " +
         scope + ") == 0);\n" + after_load + " o[600] = " + data + ";\n}";
}

// Memory of the group is not zero when it begins.
const char* const kClear = "if (i == 0) l[0] = 0; barrier(CLK_LOCAL_MEM_FENCE);\n";

TEST(Races, MessagesInsideAGroup) {
  const std::string acquire = "memory_order_acquire", release = "memory_order_release";
  const std::string scope = "memory_scope_work_group";
  ExpectNothing(Kernel(kClear + Message("l[9]", "local", release, acquire, scope)));
  ExpectNothing(Kernel(Message("o[9]", "global", release, acquire, scope)));
  ExpectOne(Kernel(kClear + Message("l[9]", "local", "memory_order_relaxed", acquire, scope)),
            "race-nonatomic");
  ExpectOne(Kernel(kClear + Message("l[9]", "local", release, "memory_order_relaxed", scope)),
            "race-nonatomic");
  // A flag in local memory orders local memory only (OpenCL API 3.3.6.3).
  ExpectOne(Kernel(kClear + Message("o[9]", "local", release, acquire, scope)), "race-nonatomic");
}

TEST(Races, MessagesBetweenGroups) {
  const std::string acquire = "memory_order_acquire", release = "memory_order_release";
  ExpectNothing(Kernel(Message("o[9]", "global", release, acquire, "memory_scope_device"), 2));
  ExpectOne(
      Kernel(Message("o[9]", "global", release, "memory_order_relaxed", "memory_scope_device"), 2),
      "race-other-group");
  // The scope ends at the group: no order, and a race of the atomics themselves.
  const auto rules = RulesOf(FindingsOf(
      Kernel(Message("o[9]", "global", release, acquire, "memory_scope_work_group"), 2)));
  EXPECT_THAT(rules, Contains("race-scope"));
  EXPECT_THAT(rules, Contains("race-other-group"));
}

TEST(Races, FencesAndRelaxedAtomics) {
  const std::string relaxed = "memory_order_relaxed", scope = "memory_scope_device";
  const auto fence = [&](const char* order) {
    return std::string("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, ") + order + ", " + scope +
           ");";
  };
  const std::string release = fence("memory_order_release"),
                    acquire = fence("memory_order_acquire");
  for (const std::uint64_t groups : {1, 2}) {
    const std::string rule = groups == 1 ? "race-nonatomic" : "race-other-group";
    ExpectNothing(
        Kernel(Message("o[9]", "global", relaxed, relaxed, scope, release, acquire), groups));
    ExpectOne(Kernel(Message("o[9]", "global", relaxed, relaxed, scope, "", acquire), groups),
              rule);
    ExpectOne(Kernel(Message("o[9]", "global", relaxed, relaxed, scope, release, ""), groups),
              rule);
    // One side a fence, the other an operation.
    ExpectNothing(Kernel(
        Message("o[9]", "global", "memory_order_release", relaxed, scope, "", acquire), groups));
    ExpectNothing(Kernel(
        Message("o[9]", "global", relaxed, "memory_order_acquire", scope, release, ""), groups));
  }
}

TEST(Races, ReleaseSequences) {
  const auto chain = [](const char* middle) {
    return std::string(
               "volatile global atomic_int* a = (volatile global atomic_int*)o;\n"
               "if (i == 0) { o[9] = 42; atomic_store_explicit(a, 1, memory_order_release, "
               "memory_scope_device); }\n"
               "else if (i == 1) { while (atomic_load_explicit(a, memory_order_relaxed, "
               "memory_scope_device) != 1);\n ") +
           middle +
           " }\nelse if (i == 127) { while (atomic_load_explicit(a, memory_order_acquire, "
           "memory_scope_device) != 2);\n o[600] = o[9]; }";
  };
  // A read-modify-write continues the sequence, a store of another work-item ends it.
  ExpectNothing(
      Kernel(chain("atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);")));
  ExpectOne(
      Kernel(chain("atomic_store_explicit(a, 2, memory_order_relaxed, memory_scope_device);")),
      "race-nonatomic");
}

TEST(Races, SpinLock) {
  const auto lock = [](const char* acquire, const char* release) {
    return std::string(
               "volatile global atomic_int* a = (volatile global atomic_int*)o;\n"
               "int done = 0; while (!done) { int free = 0;\n"
               " if (atomic_compare_exchange_strong_explicit(a, &free, 1, ") +
           acquire + ", memory_order_relaxed, memory_scope_device)) {\n  o[1] += 1; done = 1;\n" +
           "  atomic_store_explicit(a, 0, " + release + ", memory_scope_device); } }";
  };
  ExpectNothing(Kernel(lock("memory_order_acquire", "memory_order_release")));
  ExpectNothing(Kernel(lock("memory_order_acquire", "memory_order_release"), 2));
  EXPECT_THAT(RulesOf(FindingsOf(Kernel(lock("memory_order_acquire", "memory_order_relaxed")))),
              Contains("race-nonatomic"));
  EXPECT_THAT(RulesOf(FindingsOf(Kernel(lock("memory_order_relaxed", "memory_order_release")))),
              Contains("race-nonatomic"));
}

// --- what is accessed -------------------------------------------------------------------------

TEST(Races, BytesOfOneWord) {
  ExpectNothing(Kernel("local char* b = (local char*)l; b[i] = (char)i;"));
  ExpectOne(Kernel("local char* b = (local char*)l; b[i] = (char)i; b[i + 1] = (char)i;"),
            "race-nonatomic", "store to 1 bytes");
  ExpectOne(Kernel("local char* b = (local char*)l; b[i + 4] = (char)i; if (i == 0) l[1] = -1;"),
            "race-nonatomic", "at offset 4: store to 4 bytes");
  ExpectNothing(Kernel("local short* b = (local short*)l; b[i] = (short)i;"));
}

TEST(Races, VectorsThatOverlap) {
  ExpectOne(Kernel("if (i < 2) vstore4((int4)((int)i), 0, l + 3 * i);"), "race-nonatomic",
            "store to 16 bytes");
  ExpectNothing(Kernel("if (i < 2) vstore4((int4)((int)i), 0, l + 4 * i);"));
  // The fourth component of three is nobody's.
  ExpectNothing(Kernel("vstore3((int3)((int)i), i, o);"));
}

TEST(Races, LoadsByTwoAndAStore) {
  for (const int writer : {2, 0, 1, 64, 65, 127}) {
    const auto body =
        fmt::format("if (i == 0 || i == 1) o[i] = l[n];\n if (i == {}) l[n] = 5;", writer);
    ExpectOne(Kernel(body), "race-nonatomic", "store to 4 bytes, after a load from it");
  }
  ExpectNothing(Kernel("if (i == 1) o[i] = l[n];\n if (i == 1) l[n] = 5;"));
}

TEST(Races, AfterABarrierTheRestIsNew) {
  ExpectOne(Kernel("l[i] = 1; barrier(CLK_LOCAL_MEM_FENCE); l[127 - i] = 2;"
                   " o[i] = l[i];"),
            "race-nonatomic", "load from");
  ExpectNothing(
      Kernel("for (int s = 64; s > 0; s /= 2) { if (i < s) l[i] += l[i + s];"
             " barrier(CLK_LOCAL_MEM_FENCE); }"));
  ExpectOne(Kernel("for (int s = 64; s > 0; s /= 2) { if (i < s) l[i] += l[i + s]; }"),
            "race-nonatomic");
}

// Of three loads, two of which are ordered before the store, not all can be remembered.
TEST(Races, LoadsThatReleasesOrder) {
  const auto body = [](const char* first, const char* last) {
    return std::string(
               "local atomic_int f; int x = 0;\n"
               "  if (i == 0) { atomic_init(&f, 0); l[0] = 1; }\n"
               "  barrier(CLK_LOCAL_MEM_FENCE);\n  if (") +
           first + ") x = l[0];\n  if (i == 1) x += l[0];\n  if (" + last +
           ") x += l[0];\n"
           "  if (i == 1 || i == 2) atomic_fetch_add_explicit(&f, 1, memory_order_acq_rel, "
           "memory_scope_work_group);\n"
           "  if (i == 3) {\n    while (atomic_load_explicit(&f, memory_order_acquire, "
           "memory_scope_work_group) != 2);\n    l[0] = 5;\n  }\n"
           "  o[i] = x;";
  };
  ExpectOne(Kernel(body("i == 2", "i == 0")), "race-nonatomic",
            "load from it by work-item (0,0,0)");
  (void)FindingsOf(Kernel(body("i == 0", "i == 2")));  // the same with every width, whatever it is
}

TEST(Races, GroupsOfTwoDimensions) {
  WatchedKernel kernel = Kernel("");
  kernel.global = {16, 16, 1};
  kernel.local = {8, 8, 1};
  const auto body = [](const char* place) {
    return std::string(
               "kernel void k(global int* o, int n, local int* l) {\n"
               "  size_t x = get_global_id(0), y = get_global_id(1);\n  o[") +
           place + "] = (int)(x + 16 * y);\n}";
  };
  kernel.source = body("16 * y + x");
  ExpectNothing(kernel);
  kernel.source = body("16 * y");
  const Finding finding = ExpectOne(kernel, "race-nonatomic", "by work-item (0,0,0)");
  EXPECT_THAT(finding.global_id, ElementsAre(1, 0, 0));
  kernel.source = body("x");
  ExpectOne(kernel, "race-nonatomic");
}

TEST(Races, HelpersAreNamed) {
  const Finding finding =
      ExpectOne(Kernel("put(l, (int)i);", 1, 0, "void put(local int* p, int v) { *p = v; }\n"),
                "race-nonatomic");
  EXPECT_FALSE(finding.place.calls.empty());
}

}  // namespace
}  // namespace assay::interp
