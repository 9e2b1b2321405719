// Groups that are executed several at once compute and find what each does by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::IsEmpty;
using testing::Not;

using Sizes = std::array<std::uint64_t, 3>;

constexpr DetectorSet kNoDetectors{};

struct Outcome {
  std::vector<std::uint32_t> out;
  std::uint64_t instructions = 0;
  std::vector<std::string> findings;
};

// Kernel k(global uint* out, local uint* s), with `local_bytes` of local memory.
Outcome Run(TestSession* session, const Sizes& global, const Sizes& local,
            const LaunchOptions& options, std::uint64_t local_bytes) {
  Outcome outcome;
  const std::uint64_t count = 4 * global[0] * global[1] * global[2] + 64;
  std::vector<std::uint32_t> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = static_cast<std::uint32_t>(i) * 2654435761u;
  const auto buffer = session->Buffer(values);
  LaunchRequest request{
      .kernel = "k", .arguments = {buffer, LocalArgument{local_bytes}}, .options = options};
  request.range.dimensions = 3;
  request.range.global = global;
  request.range.local = local;
  const auto result = session->Launch(request);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return outcome;
  outcome.out = session->Read<std::uint32_t>(buffer);
  outcome.instructions = result->instructions;
  for (const Finding& finding : result->findings) {
    outcome.findings.push_back(
        finding.message + " " + std::to_string(finding.global_id[0]) + "," +
        std::to_string(finding.global_id[1]) + "," + std::to_string(finding.global_id[2]) +
        " group " + std::to_string(finding.group_id[0]) + " times " +
        std::to_string(finding.count) + (finding.after_undefined_behavior ? " after" : ""));
  }
  return outcome;
}

// Each by itself: where instructions are limited.
LaunchOptions Alone() { return {.threads = 1, .max_instructions = std::uint64_t{1} << 40}; }

Outcome Expect(const std::string& source, std::uint64_t local_bytes = 256) {
  Outcome last;
  for (const int width : {64, 40, 7}) {
    auto session = TestSession::FromC(source, {.detectors = kNoDetectors, .batch_width = width},
                                      "-cl-std=CL3.0");
    EXPECT_TRUE(session) << session.error().message;
    if (!session) return last;
    const std::array<std::pair<Sizes, Sizes>, 8> ranges = {{{{192, 1, 1}, {16, 1, 1}},
                                                            {{24, 8, 1}, {4, 4, 1}},
                                                            {{61, 1, 1}, {1, 1, 1}},
                                                            {{12, 6, 9}, {3, 2, 3}},
                                                            {{50, 10, 1}, {8, 3, 1}},
                                                            {{230, 1, 1}, {23, 1, 1}},
                                                            {{130, 1, 2}, {32, 1, 1}},
                                                            {{23, 20, 1}, {2, 1, 1}}}};
    for (const auto& [global, local] : ranges) {
      const Outcome expected = Run(&*session, global, local, Alone(), local_bytes);
      for (const int threads : {1, 3}) {
        const Outcome seen = Run(&*session, global, local, {.threads = threads}, local_bytes);
        EXPECT_EQ(seen.out, expected.out) << "width " << width << ", groups of " << local[0] << "x"
                                          << local[1] << "x" << local[2];
        EXPECT_EQ(seen.instructions, expected.instructions);
        // Of several threads each knows its own undefined behavior only.
        if (threads == 1) {
          EXPECT_EQ(seen.findings, expected.findings);
        }
      }
      last = expected;
    }
  }
  return last;
}

// Of the group, of a work-item in it and in the launch.
constexpr char kPlaces[] = R"(
  #define L (uint)get_local_linear_id()
  #define N (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2))
  #define I (uint)get_global_linear_id()
  #define E(d) get_enqueued_local_size(d)
  #define MOST (E(0) * E(1) * E(2))
  #define ALL (get_global_size(0) * get_global_size(1) * get_global_size(2))
)";

Outcome ExpectIn(const std::string& body, std::uint64_t local_bytes = 256) {
  return Expect(std::string(kPlaces) + body, local_bytes);
}

TEST(Packing, LocalMemoryAndBarriers) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    local ushort half_of[64][2];
    uint l = L, n = N;
    s[l] = out[I];
    half_of[l][0] = (ushort)out[I];
    half_of[l][1] = (ushort)(out[I] >> 16);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 1; k < n; k <<= 1) {
      uint a = l >= k ? s[l - k] : 7;
      barrier(CLK_LOCAL_MEM_FENCE);
      s[l] += a;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    vstore2((uint2)(s[n - 1 - l], half_of[(l + 1) % n][l & 1] + s[0]), I, out + ALL);
  })");
}

TEST(Packing, NothingHasAValueAtFirst) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    uint seen = s[L];
    s[L] = I;
    out[I] = seen;
  })");
}

TEST(Packing, VectorsAndUnevenAddresses) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    local uint4 wide[64];
    local uchar3 odd[64];
    uint l = L, n = N, x = out[I];
    wide[l] = (uint4)(x, x + 1, l, n);
    odd[l] = (uchar3)(x, l, 9);
    vstore3((uchar3)(x, x >> 8, 1), l, (local uchar*)s);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 w = wide[(l * 7 + 3) % n];
    uchar3 o = odd[(l + n / 2) % n];
    uchar3 p = vload3((l + 1) % n, (local uchar*)s);
    out[I] = w.x ^ w.y * 3 ^ w.z << 7 ^ w.w ^ o.x + o.y ^ p.x * 5 + p.y;
  })");
}

TEST(Packing, SomeReturnBeforeABarrier) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    uint l = L, n = N, x = out[I];
    s[l] = x;
    if (l > n / 2 && get_group_id(0) % 3 != 1) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x & 4) x += s[(l + 1) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[I] = s[0] + x;
  })");
}

// Undefined, but it goes on alike.
TEST(Packing, DifferentBarriersAndLoops) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    uint l = L, x = out[I];
    s[l] = x;
    for (uint i = 0; i < 1 + (x >> 5) % 4; ++i) {
      if (x & 1) { barrier(CLK_LOCAL_MEM_FENCE); x += s[0] + i; }
      else { x ^= s[l] * 3; barrier(CLK_LOCAL_MEM_FENCE); s[l] = x; }
      x = x * 5 + get_group_id(0);
    }
    out[I] = x;
  })");
}

TEST(Packing, GroupFunctionsAndCopies) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    uint n = N, l = L;
    size_t row = get_group_id(1) + get_num_groups(1) * get_group_id(2);
    size_t g = get_group_id(0) + get_num_groups(0) * row;
    event_t e = async_work_group_copy(s, out + ALL + g * MOST, n, 0);
    wait_group_events(1, &e);
    uint x = s[l] + work_group_scan_inclusive_add(s[l]);
    x ^= work_group_reduce_max(x & 0xffff) + work_group_any(x == 5) * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] = x + (get_work_dim() == 3 ? work_group_broadcast(x, 0, get_local_size(1) - 1, 0) : 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[I] = s[n - 1 - l];
  })");
}

TEST(Packing, AtomicsInLocalMemory) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    local uint count[8], last;
    uint l = L, n = N, x = out[I];
    for (uint i = l; i < 8; i += n) count[i] = 0;
    if (l == 0) last = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = atomic_inc(&count[x >> 9 & 7]);
    if (x & 64) at += atomic_xchg(&last, x) ^ 5;
    else at ^= atomic_add(&count[l & 7], 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[I] = at + count[l & 7] * 16 + last;
  })");
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    local uint sum;
    if (L == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, out[I] >> 20);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[I] = sum;
  })");
}

TEST(Packing, PlacesWithoutBarriers) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    uint x = 0, y = out[I];
    for (uint d = 0; d < 4; ++d)
      x = x * 31 + get_global_id(d) * 7 + get_local_id(d) + get_group_id(d) * 3 + get_local_size(d)
        + get_num_groups(d) + get_enqueued_local_size(d) * 5 + get_global_size(d);
    uint table[4] = {x, y, L, N};
    for (uint i = 0; i < (y & 15); ++i) table[i & 3] += table[(y >> i) & 3];
    out[I] = x ^ table[y & 3];
  })");
}

TEST(Packing, FindingsAreThoseOfTheFirstGroup) {
  const Outcome outcome = ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    uint l = L, g = get_group_id(0), x = I;
    for (uint i = 0; i < 9; ++i) {
      if (g % 3 == 0 && i == 7) x += s[l + 1000];
      if (g % 3 == 1 && i == 2) x += s[l + 1001];
      if (i == 8 - g % 4) s[l + 2000] = x;
      if (i + g == 5) out[x + 100000000 + l] = 1;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[I] = x;
  })");
  EXPECT_THAT(outcome.findings, Not(IsEmpty()));
}

// The next group's are at odd addresses of the machine.
TEST(Packing, AtomicsInObjectsOfUnevenSize) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    uint l = L, x = out[I];
    s[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 9; ++i) atomic_add(s + (l + i) % N, x >> i);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[I] = s[l];
  })",
           259);
}

// Groups of four wait for earlier ones, which set flags that are not atomic. Undefined behaviour,
// but programs do it: beside the group that sets the flag, others would look at it for ever.
void ExpectThatGroupsWait(const std::string& flags, const std::string& wait) {
  auto session = TestSession::FromC(std::string(kPlaces) + "kernel void k(" + flags +
                                        " uint* out, local uint* s) { " + flags +
                                        R"( uint* flags = out + ALL;
    uint l = L, g = get_group_id(0);
    if (l == 0) *s = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g > 0) )" + wait + R"(
    uint turn = atomic_inc(s);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[I] = turn + *s;
    if (l == 0) flags[g] = 1;
  })",
                                    {.detectors = kNoDetectors});
  ASSERT_TRUE(session) << session.error().message;
  const Outcome expected = Run(&*session, {32, 1, 1}, {4, 1, 1}, Alone(), 4);
  // So that the test comes to an end.
  const LaunchOptions options = {.threads = 1, .timeout_seconds = 10};
  const Outcome seen = Run(&*session, {32, 1, 1}, {4, 1, 1}, options, 4);
  EXPECT_EQ(seen.out, expected.out) << wait;
  EXPECT_EQ(seen.instructions, expected.instructions) << wait;
}

TEST(Packing, NotWhereGroupsWaitForEarlierOnes) {
  ExpectThatGroupsWait("volatile global", "for (uint k = 1; flags[g - k] != 1;) k = k % g + 1;");
  ExpectThatGroupsWait("global", "while (flags[g - 1] != 1) mem_fence(CLK_GLOBAL_MEM_FENCE);");
  ExpectThatGroupsWait("global", "while (flags[g - 1] != 1 || flags[0] != 1) {}");
  ExpectThatGroupsWait("global", R"(do {
    if (l == 0) s[0] = flags[g - 1];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  } while (s[0] != 1);)");
  ExpectThatGroupsWait("global", R"({
    int place = (int)g - 1;
    while (place >= 0) {
      uint flag = flags[place];
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      if (flag == 1) --place;
    }
  })");
}

void ExpectTheFirstFinding(const std::string& body) {
  auto session = TestSession::FromC(kPlaces + body, {.detectors = kNoDetectors});
  ASSERT_TRUE(session) << session.error().message;
  LaunchOptions alone = Alone();
  alone.max_findings = 1;
  const Outcome expected = Run(&*session, {64, 1, 1}, {4, 1, 1}, alone, 16);
  const LaunchOptions options = {.threads = 1, .max_findings = 1};
  const Outcome seen = Run(&*session, {64, 1, 1}, {4, 1, 1}, options, 16);
  EXPECT_EQ(seen.findings, expected.findings);
  EXPECT_EQ(seen.instructions, expected.instructions);
}

TEST(Packing, NotWhereTheFirstFindingsAreAskedFor) {
  ExpectTheFirstFinding(R"(kernel void k(global uint* out, local uint* s) {
    uint l = L, g = get_group_id(0), x = 0;
    s[l] = l;
    if (g == 3) x += s[l + 4];
    if (g == 4) x += s[l + 5];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g == 0) x += s[l + 6];
    if (g == 1) x += s[l + 7];
    out[I] = x;
  })");
}

TEST(Packing, NoMoreThanLocalMemoryHasRoomFor) {
  ExpectIn(R"(kernel void k(global uint* out, local uint* s) {
    s[L * 300] = out[I];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[I] = s[(L + 1) % N * 300] + I;
  })",
           100000);
}

}  // namespace
}  // namespace assay::interp
