#include "assay/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/judge.h"
#include "assay/version.h"

namespace assay::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kStore = R"(
kernel void store(global uint* a, uint value) { a[get_global_id(0)] = value; }
kernel void forever(global volatile uint* a) { while (a[0] == 0) a[1] = 0; }
kernel void say(global uint* a) { printf("%u\n", a[0]); }
)";

Session NewSession(const SessionOptions& options = {}) {
  const auto module = Module::Compile(kStore, "store.cl");
  EXPECT_TRUE(module) << module.error().message;
  auto session = Session::Make(*module, options);
  EXPECT_TRUE(session);
  return std::move(*session);
}

std::uint32_t WordAt(Session& session, Buffer buffer, std::size_t index) {
  std::uint32_t word = 0;
  std::memcpy(&word, session.Contents(buffer).data() + 4 * index, sizeof word);
  return word;
}

TEST(PublicSessionTest, RunsAKernel) {
  Session session = NewSession();
  EXPECT_THAT(session.KernelNames(), ElementsAre("store", "forever", "say"));
  EXPECT_THAT(*session.ParameterTypes("store"), ElementsAre("uint*", "uint"));
  const Buffer buffer = *session.Allocate(16, "a");
  const std::vector<Argument> arguments = {buffer, Value(std::uint32_t{7})};
  const auto launch = session.Run("store", {.global = {4}, .local = {2}}, arguments);
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_TRUE(launch->completed);
  EXPECT_TRUE(launch->findings.empty());
  EXPECT_EQ(WordAt(session, buffer, 3), 7u);
  const std::vector<Argument> one = {buffer};
  EXPECT_EQ(session.Run("say", {.global = {1}}, one)->output, "7\n");
}

TEST(PublicSessionTest, TellsAnAccessToAReleasedBuffer) {
  Session session = NewSession();
  const Buffer buffer = *session.Allocate(16, "gone");
  ASSERT_TRUE(session.Release(buffer));
  const std::vector<Argument> arguments = {buffer, Value(std::uint32_t{7})};
  const auto launch = session.Run("store", {.global = {1}}, arguments);
  const bool is_told = !launch || !launch->findings.empty();
  EXPECT_TRUE(is_told);
  EXPECT_TRUE(session.Contents(buffer).empty());
}

TEST(PublicSessionTest, RefusesWhatDoesNotFit) {
  Session session = NewSession();
  const Buffer buffer = *session.Allocate(16, "a");
  const std::vector<Argument> right = {buffer, Value(std::uint32_t{7})}, few = {buffer};
  const std::vector<Argument> wide = {buffer, Value(7.0)};
  EXPECT_THAT(session.Run("stroe", {.global = {1}}, right).error().message, HasSubstr("store"));
  EXPECT_FALSE(session.Run("store", {.global = {1}}, few));
  EXPECT_FALSE(session.Run("store", {.global = {1}}, wide));
  EXPECT_THAT(session.Run("store", {.global = {}}, right).error().message,
              HasSubstr("one to three"));
  EXPECT_FALSE(session.Run("store", {.global = {1}, .local = {1, 1}}, right));
  EXPECT_FALSE(session.Allocate(std::uint64_t{1} << 50, "huge"));
  EXPECT_FALSE(session.Release({1234}));
}

TEST(PublicSessionTest, EndsAtLimitsAndWhenItIsToldTo) {
  Session session = NewSession();
  const std::vector<Argument> arguments = {*session.Allocate(16, "a")};
  const auto limited =
      session.Run("forever", {.global = {1}}, arguments, {.max_instructions = 1000});
  EXPECT_FALSE(limited->completed);
  EXPECT_EQ(limited->end, "instruction-limit");
  const std::atomic<bool> stop{true};
  EXPECT_EQ(session.Run("forever", {.global = {1}}, arguments, {.stop = &stop})->end, "stopped");
}

// Meetings of which each may take long.
TEST(PublicSessionTest, EndsInTimeWithWhatWasFound) {
  const auto module = Module::Compile(R"(
    #pragma OPENCL EXTENSION cl_khr_subgroups : enable
    kernel void meet(global int* a) {
      if (get_global_id(0) == 3) a[100] = 1;
      for (;;) sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    })",
                                      "meet.cl", {.build_options = "-cl-std=CL3.0"});
  ASSERT_TRUE(module) << module.error().message;
  auto made = Session::Make(*module, {.detect = "all"});
  ASSERT_TRUE(made) << made.error().message;
  Session session = std::move(*made);
  const std::vector<Argument> arguments = {*session.Allocate(16, "a")};
  for (const std::uint64_t seed : {0u, 1u}) {
    const auto late = session.Run("meet", {.global = {16}, .local = {16}}, arguments,
                                  {.seed = seed, .timeout_seconds = 0.2});
    ASSERT_TRUE(late) << late.error().message;
    EXPECT_EQ(late->end, "time-limit");
    ASSERT_EQ(late->findings.size(), 1u);
    EXPECT_EQ(late->findings[0].rule, "memory-out-of-bounds");
  }
}

TEST(PublicSessionTest, RefusesModulesAndOptionsThatAreNone) {
  const std::vector<std::byte> garbage(64);
  EXPECT_THAT(Module::FromBytes(garbage, "garbage.spv").error().message, HasSubstr("garbage.spv"));
  EXPECT_THAT(Module::Compile("kernel void f( {", "bad.cl").error().message, HasSubstr("bad.cl"));
  EXPECT_THAT(
      Module::Compile(kStore, "s.cl", {.build_options = "", .compiler = "gcc"}).error().message,
      HasSubstr("clang-22"));
  const std::vector<std::string> paths = {"/no/such.spv"};
  EXPECT_FALSE(Module::Load(paths));
  const auto module = Module::Compile(kStore, "store.cl");
  EXPECT_THAT(Session::Make(*module, {.detect = "rases"}).error().message, HasSubstr("rases"));
}

TEST(PublicNumericsTest, WorksOnThreadsAndStops) {
  const auto sine = Function::Find("sin", "float");
  std::vector<float> x(100'000), one(x.size()), many(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 1000;
  const Column operands[] = {{x.data()}};
  void* const to_one[] = {one.data()};
  void* const to_many[] = {many.data()};
  EXPECT_TRUE(sine->Evaluate(operands, to_one, x.size(), Rounding::kRtz, {.threads = 1}));
  EXPECT_TRUE(sine->Evaluate(operands, to_many, x.size(), Rounding::kRtz, {.threads = 5}));
  EXPECT_EQ(one, many);
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(sine->Evaluate(operands, to_one, x.size(), Rounding::kRte, {.stop = &stop}));
  EXPECT_THAT(Function::Find("sine", "float").error().message, HasSubstr("'sin'"));
}

TEST(PublicNumericsTest, AnOperandMayRepeat) {
  const auto power = Function::Find("pow", "double");
  const std::vector<double> x = {1, 2, 3};
  const double two = 2;
  std::vector<double> squares(x.size());
  const Column operands[] = {{x.data()}, {&two, true}};
  void* const results[] = {squares.data()};
  power->Evaluate(operands, results, x.size());
  EXPECT_THAT(squares, ElementsAre(1, 4, 9));
}

TEST(PublicJudgeTest, KnowsLimitsAndRules) {
  const auto sine = Function::Find("sin", "float");
  EXPECT_EQ(Judge::Make(*sine, {})->limit().ulp, 4.0);
  EXPECT_EQ(Judge::Make(*sine, {})->limit().kind, "ulp");
  EXPECT_FALSE(Judge::Make(*Function::Find("sin", "bfloat16"), {}));
  EXPECT_EQ(RuleText(0), "within the limit");
  EXPECT_EQ(RuleText(255), "");
  EXPECT_THAT(LibraryVersion(), HasSubstr("."));
  EXPECT_THAT(TruthVersion(), HasSubstr("MPFR"));
}

}  // namespace
}  // namespace assay::api
