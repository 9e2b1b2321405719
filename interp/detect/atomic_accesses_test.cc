// Atomic operations of whole batches, among accesses that are not atomic.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "interp/rules/rule.h"
#include "interp/testing/findings.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::AllOf;
using testing::Each;
using testing::IsEmpty;
using testing::Not;

// The rules of what is found in two groups of 128 work-items, or in one.
std::vector<std::string> RulesIn(const std::string& body, std::uint64_t groups = 2) {
  WatchedKernel kernel;
  kernel.source =
      "kernel void k(global int* o, int n, local int* l) {\n"
      "  int i = get_local_id(0), g = get_group_id(0);\n" +
      body + "\n}";
  kernel.global = {128 * groups, 1, 1};
  kernel.local = {128, 1, 1};
  return RulesOf(FindingsOf(kernel));
}

auto Only(const std::string& rule) { return AllOf(Not(IsEmpty()), Each(rule)); }

TEST(AtomicAccesses, WhoseResultsNobodyUses) {
  EXPECT_THAT(RulesIn("atomic_inc(&o[i % 5]);"), IsEmpty());
  EXPECT_THAT(RulesIn("atomic_inc(&o[i]); if (i < 64) o[512 + i + 64 * g] = i;"), IsEmpty());
  EXPECT_THAT(RulesIn("if (i == 77) o[512 + g] = o[3]; atomic_inc(&o[i % 5]);"),
              Only("race-mixed-atomic"));
  EXPECT_THAT(RulesIn("atomic_inc(&o[i % 5]); if (i == 77 && g == 0) o[3] = 2;"),
              Only("race-mixed-atomic"));
  EXPECT_THAT(RulesIn("atomic_inc(&o[i % 5]); barrier(CLK_GLOBAL_MEM_FENCE); o[64 + i] = o[3];", 1),
              IsEmpty());
  EXPECT_THAT(
      RulesIn("if (i < 5) l[i] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
              "atomic_inc(&l[i % 5]); barrier(CLK_LOCAL_MEM_FENCE); atomic_add(o, l[i % 5]);"),
      IsEmpty());
  EXPECT_THAT(RulesIn("if (i < 5) l[i] = i; barrier(CLK_GLOBAL_MEM_FENCE);\n"
                      "atomic_inc(&l[i % 5]);"),
              Only("race-mixed-atomic"));
}

TEST(AtomicAccesses, WhoseResultsAreUsed) {
  EXPECT_THAT(RulesIn("int p = atomic_inc(o); o[8 + p] = i;"), IsEmpty());
  EXPECT_THAT(RulesIn("int p = atomic_inc(o); o[8 + p / 2] = i;"), Only("race-nonatomic"));
  EXPECT_THAT(RulesIn("if (i == 5 && g == 0) o[0] = 0; int p = atomic_inc(o); o[8 + p] = i;"),
              Only("race-mixed-atomic"));
  EXPECT_THAT(RulesIn("int p = atomic_inc(o); o[8 + p] = i; if (i == 99) o[512 + g] = o[0];"),
              Only("race-mixed-atomic"));
  EXPECT_THAT(RulesIn("atomic_add(o, i); atomic_min(o + 1, i); atomic_max(o + 2 + i % 3, g);"),
              IsEmpty());
  EXPECT_THAT(RulesIn("int p = atomic_cmpxchg(&o[i / 2], 0, i + 1); if (p > 200) o[512 + i] = 1;"),
              IsEmpty());
  EXPECT_THAT(RulesIn("if (i == 3) o[9] = 1; int p = atomic_cmpxchg(&o[i / 2], 0, i + 1);\n"
                      "if (p > 200) o[512 + i] = 1;"),
              Not(IsEmpty()));
  EXPECT_THAT(RulesIn("int p = atomic_xchg(&o[i / 4], i); if (p > 200) o[512 + i] = 1;"),
              IsEmpty());
}

// What is recorded for all work-items of a batch is then added without asking for each.
TEST(AtomicAccesses, LeaveWhatTheyLeaveWithoutDetectors) {
  const auto run = [](const std::string& body, DetectorSet detectors, int threads) {
    auto session = TestSession::FromC(
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "kernel void k(global int* o, global long* w, local int* l) {\n"
        "  int i = get_local_id(0), g = get_group_id(0);\n" +
            body + "\n}",
        {.detectors = detectors});
    EXPECT_TRUE(session) << session.error().message;
    std::vector<long> left;
    if (!session) return left;
    const auto ints = session->Buffer(std::vector<int>(256, 3));
    const auto longs = session->Buffer(std::vector<long>(64, -7));
    const auto result =
        session->Launch({ints, longs, LocalArgument{256}}, 400, {.threads = threads}, 100);
    EXPECT_TRUE(result) << result.error().message;
    for (const int value : session->Read<int>(ints)) left.push_back(value);
    for (const long value : session->Read<long>(longs)) left.push_back(value);
    return left;
  };
  for (const std::string body : {
           "atomic_inc(&o[i * 7 % 13]);",
           "if (i % 3 != 1) atomic_add(&o[i * i % 200], i - 50);",
           "atom_add(&w[i % 5], (long)i << 33); atom_inc(&w[i % 64]);",
           "if (i < 64) l[i] = g; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&l[i % 9], i);\n"
           "barrier(CLK_LOCAL_MEM_FENCE); if (i < 9) atomic_add(&o[i], l[i]);",
           "atomic_sub(&o[i % 5], i); ",
           "atomic_max(&o[i % 5], i);",
           // Of a batch some have objects elsewhere, or outside.
           "atomic_add(i % 2 == 0 ? &o[i % 9] : (global int*)&w[i % 9], 5);",
           "if (i < 64) l[i] = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
           "atomic_add(&o[i == 70 ? 256 : i % 9], 5);",
       }) {
    EXPECT_EQ(run(body, DetectorSet::All(), 1), run(body, {}, 1)) << body;
    EXPECT_EQ(run(body, DetectorSet::All(), 2), run(body, {}, 1)) << body;
  }
}

TEST(AtomicAccesses, OfWhatIsUndefined) {
  EXPECT_THAT(RulesIn("int p = atomic_inc(&l[i % 3]); if (i < 0) o[p & 1] = p;"),
              Only("undefined-atomic"));
  EXPECT_THAT(RulesIn("if (i < 3) l[i] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
                      "int p = atomic_inc(&l[i % 3]); o[128 * g + i] = p;"),
              IsEmpty());
  EXPECT_THAT(RulesIn("if (i < 3) l[i] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
                      "int p = atomic_inc(&l[i % 4]); if (i < 0) o[p & 1] = p;"),
              Only("undefined-atomic"));
}

// One work-item's object is not like those of the others beside it, with cells of four bytes and of
// one.
TEST(AtomicAccesses, OfWhichOneIsNotLikeTheOthers) {
  for (const std::string bytes : {"", "((local uchar*)l)[1020] = 1;\n"}) {
    for (const int odd : {0, 21, 127}) {
      const auto of = [&](const std::string& body) {
        WatchedKernel kernel;
        kernel.source =
            "kernel void k(global int* o, int n, local int* l) {\n"
            "  int i = get_local_id(0);\n  if (i == 100) {" +
            bytes + "}\n" + body + "\n}";
        kernel.n = odd;
        kernel.global = kernel.local = {128, 1, 1};
        std::string text;
        for (const Finding& finding : FindingsOf(kernel)) {
          text += fmt::format("{} ({}) x{};", NameOf(finding.rule), finding.global_id[0],
                              finding.count);
        }
        return text;
      };
      const std::string zero = "l[i] = 0; barrier(CLK_LOCAL_MEM_FENCE);";
      EXPECT_EQ(of(zero + " atomic_inc(&l[i]); atomic_inc(&l[i / 3]);"), "");
      EXPECT_EQ(
          of(zero + " if (i == 0) l[n] = 3; atomic_inc(&l[i]);"),
          odd == 0 ? "" : fmt::format("race-mixed-atomic ({}) x{};", odd, bytes.empty() ? 1 : 4));
      EXPECT_EQ(of("if (i != n) l[i] = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&l[i]);"),
                fmt::format("undefined-atomic ({}) x1;", odd));
      EXPECT_EQ(of(zero + " atomic_inc(&l[i == n ? 256 + n : i]);"),
                fmt::format("memory-out-of-bounds ({}) x1;", odd));
    }
  }
}

}  // namespace
}  // namespace assay::interp
