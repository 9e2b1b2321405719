// Kernels that kernels enqueue: their order, limits, error codes, and what they share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "frontend/compilers.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

struct Family {
  LaunchResult result;
  std::vector<int> out;
};

// Kernel `k(global int* out)` with 32 zeros.
Family RunFamily(const std::string& source, const LaunchOptions& options = {},
                 std::uint64_t items = 1, std::uint64_t local = 0, int width = 64,
                 DetectorSet detectors = DetectorSet::All()) {
  auto session =
      TestSession::FromC(source, {.detectors = detectors, .batch_width = width}, "-cl-std=CL3.0");
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const BufferArgument out = session->Buffer<int>(std::vector<int>(32, 0));
  const auto result = session->Launch({out}, items, options, local);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  return {*result, session->Read<int>(out)};
}

std::vector<int> First(const Family& family, std::size_t count) {
  return {family.out.begin(), family.out.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Each block takes the next place in the list: who came when.
constexpr const char* kTickets = R"(
  kernel void k(global int* out) {
    const int id = (int)get_global_id(0);
    volatile global int* next = out + 31;
    for (int i = 0; i < 2; ++i)
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                     ^{ out[atomic_inc(next)] = 10 * id + i; });
  })";

TEST(Children, BeginInTheOrderInWhichTheyAreEnqueued) {
  for (const int width : {1, 7, 64}) {
    for (const int threads : {1, 4}) {
      const Family family = RunFamily(kTickets, {.threads = threads}, 4, 2, width);
      EXPECT_THAT(family.result.findings, IsEmpty());
      EXPECT_THAT(First(family, 8), ElementsAre(0, 10, 1, 11, 20, 30, 21, 31));
    }
  }
}

TEST(Children, SeedsDecideWhichComesNext) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Family family = RunFamily(kTickets, {.seed = seed}, 4, 2);
    EXPECT_THAT(family.result.findings, IsEmpty());
    EXPECT_EQ(family.out, RunFamily(kTickets, {.threads = 2, .seed = seed}, 4, 2, 7).out);
    std::vector<int> sorted = First(family, 8);
    orders.insert(sorted);
    std::ranges::sort(sorted);
    EXPECT_THAT(sorted, ElementsAre(0, 1, 10, 11, 20, 21, 30, 31));
  }
  EXPECT_GT(orders.size(), 10u);
}

TEST(Children, ChoicesRepeatARun) {
  const Family first = RunFamily(kTickets, {.seed = 5, .record_choices = true}, 4, 2);
  LaunchOptions again;
  for (const Choice& choice : first.result.choices) again.choices.push_back(choice.chosen);
  EXPECT_FALSE(again.choices.empty());
  EXPECT_EQ(RunFamily(kTickets, again, 4, 2).out, first.out);
}

TEST(Children, QueuesAreFull) {
  const std::string source = R"(
    kernel void k(global int* out) {
      for (int i = 0; i < 4; ++i)
        out[i] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                                ^{ out[8 + i] = 1; });
    })";
  const Family family = RunFamily(source, {.device_queue_size = 2});
  EXPECT_THAT(First(family, 12), ElementsAre(0, 0, -161, -161, 0, 0, 0, 0, 1, 1, 0, 0));
  EXPECT_EQ(family.result.end, LaunchEnd::kCompleted);
}

TEST(Children, ThereMayBeNoDefaultQueue) {
  if (!frontend::HasCompiler(frontend::Compiler::kClang15)) {
    GTEST_SKIP() << "later ones cannot compare queues";
  }
  const std::string source = R"(
    kernel void k(global int* out) {
      out[0] = get_default_queue() == CLK_NULL_QUEUE;
      out[1] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                              ^{ out[2] = 1; });
    })";
  EXPECT_THAT(First(RunFamily(source, {.device_queue_size = 0}), 3), ElementsAre(1, -102, 0));
  EXPECT_THAT(First(RunFamily(source), 3), ElementsAre(0, 0, 1));
}

TEST(Children, NullEventsAreNotValid) {
  const std::string source = R"(
    kernel void k(global int* out) {
      clk_event_t none = CLK_NULL_EVENT;
      out[0] = is_valid_event(none);
      out[1] = none == CLK_NULL_EVENT;
      clk_event_t gate = create_user_event();
      out[2] = is_valid_event(gate);
      set_user_event_status(gate, CL_COMPLETE);
      release_event(gate);
      out[3] = is_valid_event(gate);
    })";
  EXPECT_THAT(First(RunFamily(source), 4), ElementsAre(0, 1, 1, 0));
}

TEST(Children, ShareTheLimitOnInstructions) {
  const std::string source = R"(
    kernel void k(global int* out) {
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        for (volatile int i = 0; i >= 0; i = (i + 1) & 0xff) {}
      });
    })";
  const Family family = RunFamily(source, {.max_instructions = 100000});
  EXPECT_EQ(family.result.end, LaunchEnd::kInstructionLimit);
}

TEST(Children, PrintInTheirOrder) {
  const std::string source = R"(
    kernel void k(global int* out) {
      printf("parent\n");
      for (int i = 0; i < 3; ++i)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2),
                       ^{ printf("%d.%d\n", i, (int)get_global_id(0)); });
    })";
  EXPECT_EQ(RunFamily(source).result.output, "parent\n0.0\n0.1\n1.0\n1.1\n2.0\n2.1\n");
}

TEST(Children, DoNotRunAfterAnError) {
  const std::string source = R"(
    kernel void k(global int* out) {
      clk_event_t gate = create_user_event(), first;
      out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gate,
                              &first, ^{ out[4] = 1; });
      out[1] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &first,
                              NULL, ^{ out[5] = 1; });
      set_user_event_status(gate, -7);
      release_event(gate);
      release_event(first);
    })";
  const Family family = RunFamily(source);
  EXPECT_THAT(family.result.findings, IsEmpty());
  EXPECT_EQ(family.result.end, LaunchEnd::kCompleted);
  EXPECT_THAT(First(family, 6), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(Children, CaptureWhatIsNotDefined) {
  const std::string source = R"(
    kernel void k(global int* out) {
      int nothing;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                     ^{ out[0] = nothing > 3 ? 1 : 2; });
    })";
  const Family family = RunFamily(source);
  ASSERT_FALSE(family.result.findings.empty());
  EXPECT_THAT(family.result.findings,
              Each(Field(&Finding::finding_class, FindingClass::kUndefinedValue)));
}

TEST(Children, FindingsNameWhoEnqueuedThem) {
  const std::string source = R"(
    kernel void k(global int* out) {
      const size_t id = get_global_id(0);
      if (id == 2)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                       ^{ out[30 + id] = 1; });
    })";
  const Family family = RunFamily(source, {}, 4);
  ASSERT_EQ(family.result.findings.size(), 1u);
  const Finding& finding = family.result.findings[0];
  EXPECT_EQ(NameOf(finding.rule), "memory-out-of-bounds");
  EXPECT_THAT(finding.history.back(), AllOf(HasSubstr("in block k_block_invoke"),
                                            HasSubstr("enqueued by work-item (2,0,0) of k"),
                                            testing::ContainsRegex("kernel.cl:[56]:")));
}

// A parent is complete when its children are: the event of the first block waits for the second.
TEST(Children, EventsWaitForGrandchildren) {
  const std::string source = R"(
    kernel void k(global int* out) {
      clk_event_t whole;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &whole, ^{
        out[0] = 1;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
          out[0] = out[0] * 10 + 2;
        });
      });
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 1, &whole, NULL,
                     ^{ out[0] = out[0] * 10 + 3; });
      release_event(whole);
    })";
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Family family = RunFamily(source, {.seed = seed});
    EXPECT_THAT(family.result.findings, IsEmpty());
    EXPECT_EQ(family.out[0], 123);
  }
}

}  // namespace
}  // namespace assay::interp
