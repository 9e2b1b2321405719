// A launch's result depends on nothing but its module, memory, arguments and options.
#include "interp/launch/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <tuple>

#include "interp/rules/rule.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

// --- determinism ------------------------------------------------------------------------------

struct Seen {
  std::vector<std::uint32_t> memory;
  std::string output;
  std::uint64_t instructions = 0;
  bool operator==(const Seen&) const = default;
};

Seen RunKernel(const std::string& source, int width, int threads, const NdRange& range,
               const std::string& build_options = "") {
  auto session = TestSession::FromC(source, {.batch_width = width}, build_options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto buffer = session->Buffer(std::vector<std::uint32_t>(4096));
  LaunchRequest request{.kernel = "k", .range = range, .arguments = {buffer}};
  request.options.threads = threads;
  const auto result = session->Launch(request);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
  EXPECT_THAT(result->findings, IsEmpty());
  return {session->Read<std::uint32_t>(buffer), result->output, result->instructions};
}

NdRange Range(std::vector<std::uint64_t> global, std::vector<std::uint64_t> local = {},
              std::vector<std::uint64_t> offset = {}) {
  NdRange range;
  range.dimensions = static_cast<int>(global.size());
  std::copy(global.begin(), global.end(), range.global.begin());
  std::copy(offset.begin(), offset.end(), range.offset.begin());
  if (!local.empty()) {
    range.local = {{1, 1, 1}};
    std::copy(local.begin(), local.end(), range.local->begin());
  }
  return range;
}

class Determinism : public testing::TestWithParam<const char*> {};

TEST_P(Determinism, WidthsAndThreadsChangeNothing) {
  const NdRange range = Range({1000}, {48});
  const Seen first = RunKernel(GetParam(), 64, 1, range);
  EXPECT_FALSE(std::set(first.memory.begin(), first.memory.end()).size() < 2 &&
               first.output.empty())
      << "the kernel does nothing that could differ";
  for (const int width : {1, 2, 7, 16, 17, 33, 64}) {
    for (const int threads : {1, 2, 5}) {
      EXPECT_EQ(RunKernel(GetParam(), width, threads, range), first)
          << "width " << width << ", threads " << threads;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Determinism,
    testing::Values(
        // What atomics return, over the whole device and within a group.
        "kernel void k(volatile global uint* o) {\n"
        "  uint i = get_global_id(0); o[16 + atomic_add(o, 1)] = i; }",
        "kernel void k(volatile global uint* o) {\n"
        "  local uint n; if (get_local_id(0) == 0) n = 0; barrier(1);\n"
        "  o[get_global_id(0)] = atomic_inc(&n); }",
        // Atomics whose order cannot be seen.
        "kernel void k(volatile global uint* o) {\n"
        "  uint i = get_global_id(0); atomic_add(o + i % 13, i * 2654435761u); }",
        "kernel void k(volatile global uint* o) {\n"
        "  uint i = get_global_id(0); atomic_xchg(o + i % 13, i); }",
        // A lock.
        "kernel void k(volatile global uint* o) {\n"
        "  for (int done = 0; !done;) if (atomic_cmpxchg(o, 0, 1) == 0) {\n"
        "    uint n = o[1]++; o[2 + n] = get_global_id(0); atomic_xchg(o, 0); done = 1; } }",
        // Output in the order of work-items, in several places.
        "kernel void k(global uint* o) {\n"
        "  uint i = get_global_id(0); if (i % 3 == 0) printf(\"a%d \", i);\n"
        "  for (uint j = 0; j < i % 4; j++) printf(\"b%d.%d \", i, j); }",
        // Barriers, and control flow that differs.
        "kernel void k(global uint* o) {\n"
        "  local uint s[48]; uint l = get_local_id(0), n = get_local_size(0);\n"
        "  s[l] = get_global_id(0); barrier(1);\n"
        "  for (uint d = 1; d < n; d *= 2) {\n"
        "    uint v = l >= d ? s[l - d] : 0; barrier(1); s[l] += v; barrier(1); }\n"
        "  uint c = s[l]; while (c > 1) c = c & 1 ? 3 * c + 1 : c / 2, o[get_global_id(0)]++; }"));

TEST(Launch, PrintfOfOneInstructionIsInTheOrderOfWorkItems) {
  const Seen seen =
      RunKernel("kernel void k(global uint* o) { printf(\"%d \", (int)get_global_id(0)); }", 64, 4,
                Range({70}, {35}));
  std::string expected;
  for (int i = 0; i < 70; ++i) expected += std::to_string(i) + " ";
  EXPECT_EQ(seen.output, expected);
}

// Where nothing watches, a batch executes its atomic operations in one piece.
TEST(Launch, AtomicsReturnTheSameWithAndWithoutDetectors) {
  constexpr const char* kSource = R"(kernel void k(volatile global uint* o) {
    uint i = get_global_id(0), r = 0;
    local uint n;
    if (get_local_id(0) == 0) n = 5;
    barrier(1);
    for (uint j = 0; j < 3; ++j) {
      volatile global uint* p = o + (i * 7 + j) % (j == 1 ? 1 : 13);
      r = r * 31 + atomic_add(p, i * 2654435761u);
      r = r * 31 + atomic_sub(p, j);
      r = r * 31 + atomic_inc(p);
      r = r * 31 + atomic_dec(o + 3);
      if (i % 3 == j) r = r * 31 + atomic_xchg(p, r);
      r = r * 31 + atomic_cmpxchg(p, r & 7, i);
      r = r * 31 + atomic_min(p, 0x80000000u ^ r);
      r = r * 31 + atomic_max((volatile global int*)p, (int)r);
      r = r * 31 + atomic_and(p, ~(1u << (i & 31)));
      r = r * 31 + atomic_or(p, i);
      r = r * 31 + atomic_xor(&n, r | 1);
      r = r * 31 + atomic_add(&n, 1);
    }
    o[64 + i] = r; })";
  std::vector<std::vector<std::uint32_t>> seen;
  for (const DetectorSet detectors : {DetectorSet::All(), DetectorSet()}) {
    for (const int width : {1, 17, 64}) {
      auto session =
          TestSession::FromC(kSource, {.detectors = detectors, .batch_width = width}, "");
      ASSERT_TRUE(session) << session.error().message;
      const auto buffer = session->Buffer(std::vector<std::uint32_t>(1100));
      const auto result = session->Launch({buffer}, 1000, {}, 40);
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(result->end, LaunchEnd::kCompleted) << result->message;
      seen.push_back(session->Read<std::uint32_t>(buffer));
    }
  }
  EXPECT_GT(std::set(seen[0].begin(), seen[0].end()).size(), 900U);
  for (const auto& memory : seen) EXPECT_EQ(memory, seen[0]);
}

TEST(Launch, AnAtomicOutsideOfItsBufferIsToldWithoutDetectors) {
  auto session = TestSession::FromC(
      "kernel void k(volatile global int* o) {\n"
      "  uint i = get_global_id(0); o[i] = atomic_add(o + (i == 5 ? 99 : 7), 1); }",
      {.detectors = DetectorSet()});
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer(std::vector<std::int32_t>(8));
  const auto result = session->Launch({buffer}, 7, {}, 7);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->findings.size(), 1U);
  EXPECT_EQ(result->findings[0].rule, Rule::kMemoryOutOfBounds);
  // What is outside returns 0, and nothing is changed there.
  EXPECT_THAT(session->Read<std::int32_t>(buffer), testing::ElementsAre(0, 1, 2, 3, 4, 0, 5, 6));
}

// As translators wrote it for SPIR-V 1.0, and as pyopencl's tests have it.
TEST(Launch, BuiltInVariablesMayBeImportsInConstantMemory) {
  auto session = TestSession::FromText(R"(
    OpEntryPoint Kernel %k "k"
    OpDecorate %id BuiltIn GlobalInvocationId
    OpDecorate %id Constant
    OpDecorate %id LinkageAttributes "__spirv_BuiltInGlobalInvocationId" Import
    %ulong = OpTypeInt 64 0
    %triple = OpTypeVector %ulong 3
    %in = OpTypePointer UniformConstant %triple
    %out = OpTypePointer CrossWorkgroup %ulong
    %void = OpTypeVoid
    %function = OpTypeFunction %void %out
    %id = OpVariable %in UniformConstant
    %k = OpFunction %void None %function
    %o = OpFunctionParameter %out
    %entry = OpLabel
    %ids = OpLoad %triple %id
    %x = OpCompositeExtract %ulong %ids 0
    %place = OpInBoundsPtrAccessChain %out %o %x
    OpStore %place %x Aligned 8
    OpReturn
    OpFunctionEnd)");
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer(std::vector<std::uint64_t>(3, 9));
  const auto result = session->Launch({buffer}, 3);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->findings, IsEmpty());
  EXPECT_THAT(session->Read<std::uint64_t>(buffer), testing::ElementsAre(0, 1, 2));
}

TEST(Launch, OutputGoesToItsCallback) {
  auto session = TestSession::FromC("kernel void k() { printf(\"%d \", (int)get_global_id(0)); }");
  ASSERT_TRUE(session) << session.error().message;
  std::string output;
  const auto result = session->Launch(
      {}, 6, {.threads = 3, .output = [&](std::string_view text) { output += text; }}, 2);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(output, "0 1 2 3 4 5 ");
  EXPECT_EQ(result->output, "");
}

// --- index spaces -----------------------------------------------------------------------------

constexpr const char* kIds = R"(kernel void k(global uint* o) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2);
  size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
  bool good = x == get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0) &&
              y == get_group_id(1) * get_enqueued_local_size(1) + get_local_id(1) &&
              z == get_group_id(2) * get_enqueued_local_size(2) + get_local_id(2) &&
              i == get_global_linear_id() &&
              get_local_linear_id() == (get_local_id(2) * get_local_size(1) + get_local_id(1)) *
                                           get_local_size(0) + get_local_id(0);
  for (int d = 0; d < 3; d++)
    good = good && get_local_id(d) < get_local_size(d) && get_group_id(d) < get_num_groups(d) &&
           (get_local_size(d) == get_enqueued_local_size(d) ||
            get_group_id(d) == get_num_groups(d) - 1);
  o[i] += good ? get_work_dim() : 100;
})";

TEST(Launch, OutputBeforeALimitIsKept) {
  auto session = TestSession::FromC(
      "kernel void k() { printf(\"here %d\\n\", (int)get_global_id(0)); for (;;); }");
  ASSERT_TRUE(session) << session.error().message;
  const auto result =
      session->Launch(std::vector<Argument>(), 2, {.threads = 1, .max_instructions = 10000}, 1);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, LaunchEnd::kInstructionLimit);
  EXPECT_EQ(result->output, "here 0\n");
}

// One that is cut off is the same run with any number of threads, too.
TEST(Launch, AnInstructionLimitCutsAtOnePlace) {
  constexpr const char* kSource =
      "kernel void k(global int* o) { for (int i = 0; i < 50; i++) o[get_global_id(0)] += i; }";
  const auto run = [&](int width, const LaunchOptions& options) {
    auto session = TestSession::FromC(kSource, {.batch_width = width});
    EXPECT_TRUE(session) << session.error().message;
    const BufferArgument buffer = session->Buffer(std::vector<int>(64));
    const auto result = session->Launch({buffer}, 64, options, 8);
    EXPECT_TRUE(result) << result.error().message;
    return std::tuple(result->end, result->message, result->instructions,
                      session->Read<int>(buffer));
  };
  const std::uint64_t all = std::get<2>(run(64, {.threads = 1}));
  // Each of three threads stays below the second limit.
  for (const std::uint64_t limit : {all / 3, all - 1}) {
    const auto expected = run(64, {.threads = 1, .max_instructions = limit});
    EXPECT_EQ(std::get<0>(expected), LaunchEnd::kInstructionLimit);
    for (const int width : {64, 3}) {
      EXPECT_EQ(run(width, {.threads = 3, .max_instructions = limit, .deal = 2}), expected)
          << limit << " instructions, width " << width;
    }
  }
  EXPECT_EQ(std::get<0>(run(64, {.threads = 3, .max_instructions = all})), LaunchEnd::kCompleted);
}

// ... and one that may have no finding at all, as a later launch of a job.
TEST(Launch, TheLastFindingCutsAtOnePlace) {
  const auto run = [](const LaunchOptions& options) {
    auto session = TestSession::FromC(
        "kernel void k(global int* o) { int i = get_global_id(0); o[i] = 1; o[i + 7] = 2; }",
        {.detectors = DetectorSet::All()});
    EXPECT_TRUE(session) << session.error().message;
    const BufferArgument buffer = session->Buffer(std::vector<int>(8));
    const auto result = session->Launch({buffer}, 8, options, 1);
    EXPECT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->end, LaunchEnd::kFindingLimit);
    return session->Read<int>(buffer);
  };
  const std::vector<int> expected = run({.threads = 1, .max_findings = 0});
  for (const std::uint64_t deal : {1, 2, 3}) {
    EXPECT_EQ(run({.threads = 4, .max_findings = 0, .deal = deal}), expected) << deal;
  }
}

// Who asks for an end gets what was found by then, and no second run.
TEST(Launch, AnEndOnRequestKeepsTheFindings) {
  auto session = TestSession::FromC(
      "kernel void k(global int* o) { if (get_group_id(0) == 0) { o[9] = 1; for (;;); } }",
      {.detectors = DetectorSet::All()});
  ASSERT_TRUE(session) << session.error().message;
  const BufferArgument buffer = session->Buffer(std::vector<int>(4));
  int looks = 0;
  LaunchOptions options{.threads = 2, .deal = 1};
  options.should_stop = [&] { return ++looks > 3; };
  const auto result = session->Launch({buffer}, 2, options, 1);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, LaunchEnd::kStopped);
  ASSERT_EQ(result->findings.size(), 1U);
  EXPECT_EQ(NameOf(result->findings[0].rule), "memory-out-of-bounds");
}

TEST(Launch, EveryWorkItemOnceWithItsIds) {
  const NdRange ranges[] = {
      Range({1}),
      Range({1000}),
      Range({1000}, {7}),
      Range({100}, {128}),
      Range({64, 3}),
      Range({13, 11}, {4, 3}),
      Range({5, 6, 7}),
      Range({5, 6, 7}, {2, 4, 3}),
      Range({13, 11}, {4, 3}, {1000, 5}),
      Range({3, 3, 3}, {}, {1, 2, 3}),
  };
  for (const NdRange& range : ranges) {
    for (const int width : {5, 64}) {
      const Seen seen = RunKernel(kIds, width, 2, range, "-cl-std=CL3.0");
      const std::uint64_t items = range.global[0] * range.global[1] * range.global[2];
      const std::vector<std::uint32_t> inside(seen.memory.begin(),
                                              seen.memory.begin() + std::ptrdiff_t(items));
      EXPECT_THAT(inside, Each(static_cast<std::uint32_t>(range.dimensions)));
      EXPECT_EQ(std::accumulate(seen.memory.begin(), seen.memory.end(), std::uint64_t{0}),
                items * static_cast<std::uint64_t>(range.dimensions));
    }
  }
}

TEST(Launch, AnIndexSpaceOfNothing) {
  const Seen seen = RunKernel("kernel void k(global uint* o) { o[0] = 1; }", 64, 2, Range({0}));
  EXPECT_EQ(seen.memory[0], 0u);
  EXPECT_EQ(seen.instructions, 0u);
}

TEST(Launch, RequiredLocalSizes) {
  const std::string source =
      "__attribute__((reqd_work_group_size(4, 2, 1))) kernel void k(global uint* o) {\n"
      "  o[get_global_id(1) * 8 + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);}";
  const Seen seen = RunKernel(source, 64, 1, Range({8, 4}));
  EXPECT_EQ(seen.memory[31], 42u);
  auto session = TestSession::FromC(source);
  ASSERT_TRUE(session) << session.error().message;
  LaunchRequest request{.kernel = "k", .range = Range({8, 4}, {8, 1})};
  request.arguments = {session->Buffer(std::vector<std::uint32_t>(32))};
  const auto refused = session->Launch(request);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("requires work-groups of 4,2,1"));
}

TEST(Launch, IndexSpacesThatAreRefused) {
  auto session = TestSession::FromC("kernel void k(global uint* o) { o[get_global_id(0)] = 1; }");
  ASSERT_TRUE(session) << session.error().message;
  const auto error_of = [&](const NdRange& range) {
    LaunchRequest request{.kernel = "k", .range = range};
    request.arguments = {session->Buffer(std::vector<std::uint32_t>(8))};
    const auto result = session->Launch(request);
    EXPECT_FALSE(result);
    if (result) return std::string();
    EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
    return result.error().message;
  };
  using testing::HasSubstr;
  NdRange range = Range({8});
  range.dimensions = 4;
  EXPECT_THAT(error_of(range), HasSubstr("1, 2 or 3 dimensions"));
  EXPECT_THAT(error_of(Range({8}, {0})), HasSubstr("work-groups of 0x1x1 work-items; 1 to 65536"));
  EXPECT_THAT(error_of(Range({8}, {65537})), HasSubstr("work-groups of 65537x1x1"));
  EXPECT_THAT(error_of(Range({8, 8, 8}, {64, 64, 64})), HasSubstr("work-groups of 64x64x64"));
  EXPECT_THAT(error_of(Range({std::uint64_t{1} << 40, 1 << 10})), HasSubstr("more than 2^48"));
  range = Range({8});
  range.offset[0] = ~std::uint64_t{0} - 4;
  EXPECT_THAT(error_of(range), HasSubstr("8 work-items from 18446744073709551611 on"));
}

TEST(Launch, ChooseLocalSize) {
  EXPECT_THAT(ChooseLocalSize(Range({1})), ElementsAre(1, 1, 1));
  EXPECT_THAT(ChooseLocalSize(Range({1024})), ElementsAre(64, 1, 1));
  EXPECT_THAT(ChooseLocalSize(Range({48})), ElementsAre(48, 1, 1));
  EXPECT_THAT(ChooseLocalSize(Range({8, 8})), ElementsAre(8, 8, 1));
  EXPECT_THAT(ChooseLocalSize(Range({16, 16, 16})), ElementsAre(16, 4, 1));
  EXPECT_THAT(ChooseLocalSize(Range({1009})), ElementsAre(64, 1, 1)) << "a prime number";
  for (std::uint64_t size = 0; size < 300; ++size) {
    const auto local = ChooseLocalSize(Range({size, 3, 5}));
    EXPECT_LE(local[0] * local[1] * local[2], 64u);
    EXPECT_GE(local[0] * local[1] * local[2], 1u);
  }
}

TEST(Launch, ProgramScopeVariablesStay) {
  auto session = TestSession::FromC(
      "global uint n = 5; kernel void k(global uint* o) { o[0] = n++; }", {}, "-cl-std=CL3.0");
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer(std::vector<std::uint32_t>(1));
  for (const std::uint32_t expected : {5u, 6u, 7u}) {
    ASSERT_TRUE(session->Launch({buffer}));
    EXPECT_THAT(session->Read<std::uint32_t>(buffer), ElementsAre(expected));
  }
}

TEST(Launch, InstructionCounts) {
  auto session = TestSession::FromC("kernel void k(global uint* o) { o[0] *= 3; }");
  ASSERT_TRUE(session) << session.error().message;
  const auto buffer = session->Buffer(std::vector<std::uint32_t>(1));
  const auto result = session->Launch({buffer}, 100, {.count_instructions = true});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->instruction_counts.at("OpIMul"), 100u);
  std::uint64_t sum = 0;
  for (const auto& [name, count] : result->instruction_counts) sum += count;
  EXPECT_EQ(sum, result->instructions);
}

}  // namespace
}  // namespace assay::interp
