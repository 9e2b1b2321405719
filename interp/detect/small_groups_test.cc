// What is found of groups that are executed several at once (interp/execute/packing.h) is what is
// found of each by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "interp/testing/findings.h"

namespace assay::interp {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;

using Sizes = std::array<std::uint64_t, 3>;

// Of the group, of a work-item in it and in the launch.
constexpr char kPlaces[] = R"(
  #define L (uint)get_local_linear_id()
  #define N (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2))
  #define I (uint)get_global_linear_id()
  #define E(d) get_enqueued_local_size(d)
  #define MOST (uint)(E(0) * E(1) * E(2))
  #define G (uint)(get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2)))
  #define LOCAL barrier(CLK_LOCAL_MEM_FENCE)
  #define GLOBAL barrier(CLK_GLOBAL_MEM_FENCE)
)";

// With a kernel k(global uint* o, local uint* s); each by itself where instructions are limited.
std::vector<Finding> Run(const std::string& source, const Sizes& global, const Sizes& local,
                         int width, const LaunchOptions& options) {
  auto session = TestSession::FromC(source, {.detectors = DetectorSet::All(), .batch_width = width},
                                    "-cl-std=CL3.0");
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto buffer = session->Buffer(std::vector<std::uint32_t>(8192));
  LaunchRequest request{
      .kernel = "k", .arguments = {buffer, LocalArgument{1024}}, .options = options};
  request.range.dimensions = 3;
  request.range.global = global;
  request.range.local = local;
  auto result = session->Launch(request);
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(result->findings) : std::vector<Finding>();
}

std::vector<std::string> SentencesOf(const std::vector<Finding>& findings) {
  std::vector<std::string> sentences;
  for (const Finding& finding : findings) sentences.push_back(Sentence(finding));
  return sentences;
}

constexpr std::array<std::pair<Sizes, Sizes>, 9> kRanges = {{{{61, 1, 1}, {1, 1, 1}},
                                                             {{62, 1, 1}, {3, 1, 1}},
                                                             {{64, 1, 1}, {4, 1, 1}},
                                                             {{96, 1, 1}, {16, 1, 1}},
                                                             {{124, 1, 1}, {31, 1, 1}},
                                                             {{100, 1, 1}, {31, 1, 1}},
                                                             {{16, 8, 1}, {4, 4, 1}},
                                                             {{22, 9, 1}, {4, 4, 1}},
                                                             {{7, 6, 5}, {2, 2, 3}}}};

// The rules that are found for groups of each size, which are the same with and without others
// beside them, in batches of any width and on any number of threads.
std::vector<std::vector<std::string>> RulesOfAll(const std::string& body) {
  const std::string source =
      kPlaces + ("kernel void k(global uint* o, local uint* s) {" + body + "}");
  std::vector<std::vector<std::string>> all;
  for (const auto& [global, local] : kRanges) {
    const std::vector<Finding> alone =
        Run(source, global, local, 64, {.threads = 1, .max_instructions = std::uint64_t{1} << 40});
    for (const int width : {64, 40}) {
      for (const int threads : {1, 3}) {
        EXPECT_EQ(SentencesOf(Run(source, global, local, width, {.threads = threads})),
                  SentencesOf(alone))
            << body << " in groups of " << local[0] << "x" << local[1] << "x" << local[2];
      }
    }
    all.push_back(RulesOf(alone));
  }
  return all;
}

void ExpectNothing(const std::string& body) {
  for (const auto& rules : RulesOfAll(body)) EXPECT_THAT(rules, IsEmpty()) << body;
}
// A rule that begins so, in groups of at least so many work-items.
void ExpectFound(const std::string& body, const std::string& rule, std::uint64_t least = 1) {
  const auto all = RulesOfAll(body);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Sizes& local = kRanges[i].second;
    if (local[0] * local[1] * local[2] < least) continue;
    EXPECT_THAT(all[i], Contains(StartsWith(rule))) << body << " in groups of " << local[0];
  }
}

TEST(SmallGroups, LocalMemoryIsTheirOwn) {
  ExpectNothing(R"(
    local uint sum;
    if (L == 0) sum = 5;
    s[L] = I;
    LOCAL;
    uint x = s[(L + 1) % N] + sum;
    LOCAL;
    s[N - 1 - L] = x;
    LOCAL;
    for (uint d = 1; d < N; d <<= 1) {
      uint y = L >= d ? s[L - d] : 0;
      LOCAL;
      s[L] += y;
      LOCAL;
    }
    atomic_add(&sum, x);
    if (L == 0) x += atomic_xchg(&sum, 3);
    LOCAL;
    o[I] = s[L] + x + sum;)");
}

TEST(SmallGroups, GlobalMemoryInTheGroup) {
  ExpectNothing(R"(
    o[G * MOST + L] = I;
    GLOBAL;
    uint x = o[G * MOST + (L + 1) % N] + o[G * MOST];
    GLOBAL;
    o[G * MOST + N - 1 - L] = x;
    atomic_inc(&o[4000 + (I & 3)]);
    atomic_inc(&o[5000 + G]);
    GLOBAL;
    if (L == 0) o[5000 + G] += x;)");
}

TEST(SmallGroups, RacesInLocalMemory) {
  ExpectFound("s[L] = I; o[I] = s[(L + 1) % N];", "race-nonatomic", 2);
  ExpectFound("s[L] = I; LOCAL; uint x = s[(L + 1) % N]; s[L] = x; o[I] = x;", "race-nonatomic", 2);
  ExpectFound("s[L] = I; GLOBAL; o[I] = s[N - 1 - L];", "race-fence-flags", 2);
  // In one group, after so many barriers.
  ExpectFound("s[L] = I; LOCAL; LOCAL; if (G == 1 && L < 2) s[100] = L; o[I] = s[N - 1 - L];",
              "race-nonatomic", 2);
  ExpectFound(R"(
    s[L] = I;
    for (uint i = 0; i < 1 + G % 3; ++i) LOCAL;
    uint x = s[N - 1 - L];
    if (G % 3 == 2) LOCAL;
    if (G == 1) s[L] = x;)",
              "race-nonatomic", 3);
  ExpectFound(
      "local uint c; if (L == 0) c = 0; LOCAL; if (G == 1 && L == 1) c = 5; atomic_inc(&c);",
      "race-mixed-atomic", 2);
}

TEST(SmallGroups, RacesInGlobalMemory) {
  ExpectFound("o[L] = I;", "race-");
  ExpectFound("o[I / 2] = I;", "race-");
  ExpectFound("uint x = o[G]; o[I] = x;", "race-", 2);
  ExpectFound("if (L == 0) o[G] = I; GLOBAL; if (L == N - 1) o[2000 + G] = o[G == 1 ? 0 : G];",
              "race-");
  // The barriers of one group are none of another one's.
  ExpectFound(R"(
    if (G == 2 && L == 0) o[7] = 1;
    GLOBAL; GLOBAL;
    if (G == 1 && L == 0) o[7] = 2;)",
              "race-");
  ExpectFound("o[G * MOST + L] = 1; GLOBAL; if (G == 1) GLOBAL; if (G == 0 && L == 0) o[MOST] = 4;",
              "race-");
  ExpectFound("o[I] = 1; if (G == 1) o[I ^ 1] = 3;", "race-", 2);
  ExpectFound("atomic_inc(&o[3]); if (I == 5) o[3] = 4;", "race-mixed-atomic");
}

// Of several loads two are kept: of two groups, if there are.
TEST(SmallGroups, ReadersOfSeveralGroups) {
  // One of the second group reads, then others of the first one do, and one of them stores.
  ExpectFound(R"(
    uint x = 0;
    if (G == 1 && L == 0) x += o[3000];
    if (G == 0 && L < 2) x += o[3000];
    GLOBAL;
    if (G == 0 && L == 0) o[3000] = 1;
    if (x == 77) o[I] = x;)",
              "race-");
  ExpectFound(R"(
    uint x = 0;
    if (G == 1) x += o[3000];
    if (G == 0) x += o[3000];
    GLOBAL;
    if (G < 2) x += o[3000];
    GLOBAL;
    if (G == 0 && L == 0) o[3000] = 1;
    if (x == 77) o[I] = x;)",
              "race-");
  // All groups of a batch at once.
  ExpectFound("uint x = o[3000]; GLOBAL; if (I == 0) o[3000] = x + 1;", "race-");
  ExpectFound("uint x = o[3000 + (L & 1)]; GLOBAL; if (I == 0) o[3000] = x + 1;", "race-");
  ExpectFound("uint x = o[3000 + L]; GLOBAL; if (G == 1) o[3000 + L] = x + 1;", "race-");
  // The group's own.
  ExpectNothing("uint x = o[3000 + G]; GLOBAL; if (L == 0) o[3000 + G] = x + 1;");
}

TEST(SmallGroups, UndefinedValues) {
  ExpectNothing("uint x = s[L]; s[L] = 1; LOCAL; o[I] = s[N - 1 - L]; LOCAL; s[L] = x;");
  ExpectFound("if (L == 0) s[0] = 3; LOCAL; if (s[G == 1] == 5) o[I] = 3;", "uninitialized-value");
  ExpectFound("if (G != 1) s[L] = 3; LOCAL; o[I] = s[L];", "uninitialized-value");
  ExpectFound("if (L != 0 || G == 0) s[L] = 3; LOCAL; o[I] = s[0];", "uninitialized-value");
  ExpectFound("local uint c; if (G == 0) c = 0; LOCAL; atomic_inc(&c);", "undefined-atomic");
}

TEST(SmallGroups, InstructionsOfAGroup) {
  ExpectFound("if (G == 1 && L == 0) return; LOCAL; o[I] = 1;", "barrier-divergence", 2);
  ExpectFound("if (G == 1 && L == 0) LOCAL; else LOCAL; o[I] = 1;", "barrier-deadlock", 2);
  ExpectFound("for (uint i = 0; i < 3; ++i) { if (G == 1 && L == 0 && i == 0) continue; LOCAL; }",
              "barrier-", 2);
  ExpectFound(
      "for (uint i = 0; i < 4; ++i) { if ((i == 0 && L == 0 || i == 1 && L != 0) && G == 1) "
      "continue; LOCAL; }",
      "barrier-iteration", 2);
  ExpectFound("uint x = work_group_broadcast(I, G == 1 ? 100 : 0, 0, 0); o[I] = x;",
              "collective-range");
  ExpectFound("uint x = work_group_broadcast(I, G == 1 ? L & 1 : 0, 0, 0); o[I] = x;",
              "collective-operands", 2);
  ExpectNothing(R"(
    uint x = work_group_scan_inclusive_add(I);
    for (uint i = 0; i < 1 + G % 4; ++i) { LOCAL; x += work_group_reduce_max(x); }
    o[I] = x;)");
}

TEST(SmallGroups, AccessesOutsideOfObjects) {
  ExpectFound("if (G == 1) s[L + 256] = 3; o[I] = 1;", "memory-out-of-bounds");
  ExpectFound("s[L] = 3; LOCAL; if (G == 1) o[I] = s[L - 300];", "memory-out-of-bounds");
  ExpectFound("o[I + (G == 1 ? 100000 : 0)] = 1;", "memory-out-of-bounds");
  ExpectFound("if (I == 9) *(global ushort*)((global uchar*)o + 3) = 1;", "alignment-access");
}

// Copies and pointers in memory are kept of one group: it has the batch for itself.
TEST(SmallGroups, WhatIsKeptOfOneGroup) {
  ExpectFound(R"(
    event_t e = async_work_group_copy(s, o + 4000, MOST, 0);
    if (G != 1) wait_group_events(1, &e);
    LOCAL;
    o[I] = 1;)",
              "async-unwaited");
  ExpectFound(R"(
    local local uint* p[32];
    if (L == 0) p[0] = s;
    LOCAL;
    p[0][L] = 1;
    if (G == 0 && L == 0) *(global ulong*)(o + 6000) = (ulong)p[0];
    if (G == 1 && L == 0) *(local uint*)*(global ulong*)(o + 6000) = 3;)",
              "race-other-group");
}

}  // namespace
}  // namespace assay::interp
