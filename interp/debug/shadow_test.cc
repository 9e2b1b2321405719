#include "interp/debug/shadow.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "interp/debug/server.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;

// Stops once, at the breakpoint.
class OneStop : public DebugClient {
 public:
  OneStop(std::string place, std::function<void()> look)
      : place_(std::move(place)), look_(std::move(look)) {}
  void Stopped(const DebugStop& stop) override {
    if (stop.reason == DebugStop::Reason::kStart) {
      const auto added = core->Add({.number = 1, .location = place_});
      EXPECT_TRUE(added) << added.error().message;
    } else {
      look_();
    }
  }
  void Pause(bool) override {}
  DebugCore* core = nullptr;

 private:
  std::string place_;
  std::function<void()> look_;
};

class DebugShadowTest : public testing::Test {
 protected:
  // The kernel k(out, x, n) over one work-item, stopped where `stop` stands in the source.
  std::vector<float> Run(
      std::string source, const std::vector<float>& x, std::function<void()> look = [] {},
      int bits = 256, const std::string& build_options = "") {
    const std::size_t stop = source.find("/*stop*/");
    const auto line = 1 + std::count(source.begin(), source.begin() + std::ptrdiff_t(stop), '\n');
    OneStop client(std::to_string(line), std::move(look));
    DebugCore core(&client);
    client.core = core_ = &core;
    if (bits != 0) core.KeepShadows(bits);
    auto session = TestSession::FromC(source, {}, build_options);
    EXPECT_TRUE(session) << session.error().message;
    const BufferArgument out = session->Buffer(std::vector<float>(4));
    const BufferArgument in = session->Buffer(x);
    LaunchOptions launch;
    launch.debug = &core;
    const auto result = session->Launch({out, in, Bytes(static_cast<int>(x.size()))}, 1, launch);
    EXPECT_TRUE(result) << result.error().message;
    report_ = DebugServer(&core).Ask(debug::ShadowReportRequest());
    return session->Read<float>(out);
  }
  Expected<debug::NumericPart> Ask(const std::string& expression, bool accumulated) {
    const auto answer = DebugServer(core_).Ask(
        debug::NumericsRequest{.expression = expression, .accumulated = accumulated});
    if (!answer) return tl::unexpected(answer.error());
    return answer->parts.at(0);
  }
  // Nothing where there is no answer, or the number counts as exact.
  std::optional<debug::AccumulatedError> Error(const std::string& expression) {
    const auto part = Ask(expression, true);
    return part ? part->accumulated : std::nullopt;
  }
  bool IsExact(const std::string& expression) {
    const auto part = Ask(expression, true);
    return part && !part->missing && !part->accumulated;
  }
  // Without members where there is no answer.
  debug::InstructionError Ulp(const std::string& expression) {
    const auto part = Ask(expression, false);
    EXPECT_TRUE(part && part->instruction) << expression;
    return part && part->instruction ? *part->instruction : debug::InstructionError();
  }
  std::string Shadow(const std::string& expression) {
    const auto error = Error(expression);
    return error ? error->shadow : "none";
  }
  double Kept(const std::string& expression) {
    const auto error = Error(expression);
    return error ? error->kept : -1;
  }

  // "kernel.cl:3:20", in whatever folder.
  static std::string SourceOf(const debug::NumericPlace& place) {
    return place.source.substr(place.source.rfind('/') + 1);
  }

  DebugCore* core_ = nullptr;
  Expected<debug::ShadowReportAnswer> report_;
};

constexpr const char* kCancel = R"(kernel void k(global float* out, global float* x, int n) {
  float sum = x[0] + x[1];
  float back = sum - x[0];
  float scaled = back * 3.0f;
  out[0] = scaled; /*stop*/
}
)";

TEST_F(DebugShadowTest, FindsACancellation) {
  const auto out = Run(kCancel, {1e8F, 1}, [&] {
    EXPECT_EQ(Shadow("sum"), "100000001");
    EXPECT_EQ(Kept("sum"), 24) << "one in a hundred million is less than half an ulp";
    EXPECT_EQ(Shadow("back"), "1");
    EXPECT_EQ(Kept("back"), 0);
    EXPECT_EQ(Shadow("scaled"), "3");
    EXPECT_TRUE(IsExact("x[0]"));
    // The subtraction itself was exact.
    EXPECT_EQ(Ulp("back").ulp, 0);
    EXPECT_EQ(Ulp("sum").exact, "100000001");
    EXPECT_EQ(Ulp("sum").ulp, 0.125);
  });
  EXPECT_EQ(out[0], 0);
  ASSERT_TRUE(report_ && report_->losses.size() == 1);
  const debug::Loss& loss = report_->losses[0];
  EXPECT_EQ(loss.lost, 24);
  EXPECT_EQ(loss.reason, "subtraction of nearly equal numbers");
  EXPECT_EQ(SourceOf(loss.place), "kernel.cl:3:20");
  EXPECT_EQ(loss.executions, 1);
  EXPECT_EQ(loss.own_error, 0);
  EXPECT_EQ(report_->operations, 3);
}

TEST_F(DebugShadowTest, IsTheSameInOptimisedCode) {
  Run(
      kCancel, {1e8F, 1}, [] {}, 256, "-O2");
  ASSERT_TRUE(report_ && report_->losses.size() == 1);
  EXPECT_EQ(report_->losses[0].lost, 24);
  EXPECT_EQ(SourceOf(report_->losses[0].place), "kernel.cl:3:20");
}

// The shadow's own precision is what is asked for.
TEST_F(DebugShadowTest, LosesWhatItsPrecisionCannotHold) {
  Run(
      kCancel, {0x1p80F, 1}, [&] { EXPECT_EQ(Shadow("back"), "0"); }, 64);
  Run(
      kCancel, {0x1p80F, 1}, [&] { EXPECT_EQ(Shadow("back"), "1"); }, 128);
}

constexpr const char* kSums = R"(kernel void k(global float* out, global float* x, int n) {
  float sum = 0.0f, kahan = 0.0f, lost = 0.0f;
  for (int i = 0; i < n; ++i) {
    sum += x[i];
    float term = x[i] - lost;
    float next = kahan + term;
    lost = (next - kahan) - term;
    kahan = next;
  }
  out[0] = sum; /*stop*/
  out[1] = kahan;
}
)";

TEST_F(DebugShadowTest, TellsANaiveSumFromKahans) {
  const std::vector<float> tenths(1000, 0.1F);
  const double exact = 1000.0 * double(0.1F);
  double kept = 0;
  const auto out = Run(kSums, tenths, [&] {
    EXPECT_EQ(Shadow("sum"), Shadow("kahan"));
    EXPECT_NEAR(std::stod(Shadow("sum")), exact, 1e-12);
    kept = Kept("sum");
    EXPECT_LT(kept, 20);
    EXPECT_GT(Kept("kahan"), 23);
  });
  EXPECT_NE(out[0], static_cast<float>(exact));
  EXPECT_EQ(out[1], static_cast<float>(exact));
  for (const debug::Loss& loss : report_->losses) {
    if (SourceOf(loss.place) != "kernel.cl:4:9") continue;
    EXPECT_EQ(loss.executions, 1000);
    // As many as the number lacks now.
    EXPECT_NEAR(loss.lost_in_chain, 24 - kept, 1e-9);
    return;
  }
  ADD_FAILURE() << "the sum is not among " << report_->losses.size() << " losses";
}

constexpr const char* kRoots = R"(float2 roots(float b) {
  float root = sqrt(b * b - 1.0f);
  return (float2)(b - root, 1.0f / (b + root));
}
kernel void k(global float* out, global float* x, int n) {
  float2 both = roots(x[0]);
  vstore2(both, 0, out);
  float again = out[0]; /*stop*/
  out[2] = again;
}
)";

// Through a function, a vector and memory.
TEST_F(DebugShadowTest, FollowsValuesThroughCallsVectorsAndMemory) {
  Run(kRoots, {5000.25F}, [&] {
    const double b = 5000.25;
    const double exact = 1 / (b + std::sqrt(b * b - 1));
    EXPECT_NEAR(std::stod(Shadow("both.x")), exact, exact * 1e-9);
    EXPECT_NEAR(std::stod(Shadow("both.y")), exact, exact * 1e-9);
    EXPECT_EQ(Shadow("both.x"), Shadow("out[0]"));
    EXPECT_LT(Kept("both.x"), 4);
    EXPECT_GT(Kept("both.y"), 22);
  });
  EXPECT_EQ(report_->losses[0].reason, "subtraction of nearly equal numbers");
  EXPECT_EQ(SourceOf(report_->losses[0].place), "kernel.cl:3:21");
}

TEST_F(DebugShadowTest, ForgetsNumbersThatSomethingElseWrote) {
  Run(R"(kernel void k(global float* out, global float* x, int n) {
  out[0] = x[0] / 3.0f;
  out[1] = out[0];
  ((global int*)out)[0] ^= 1;
  out[2] = as_float(as_int(out[1]));
  ((global uchar*)out)[7] ^= 0;
  n = 0; /*stop*/
}
)",
      {1}, [&] {
        EXPECT_TRUE(IsExact("out[0]"));
        EXPECT_EQ(Shadow("out[2]"), "0.33333333333333333333");
        EXPECT_TRUE(IsExact("out[1]"));
      });
}

TEST_F(DebugShadowTest, FollowsCopiesOfStructures) {
  Run(R"(typedef struct { int n; float third; double ninth; } Parts;
kernel void k(global float* out, global float* x, int n) {
  Parts first = {1, x[0] / 3.0f, (double)x[0] / 9.0};
  Parts second = first;
  Parts third = n > 0 ? second : first;
  first.third = 0.0f;
  out[0] = third.third; /*stop*/
}
)",
      {1}, [&] {
        EXPECT_EQ(Shadow("third.third"), "0.33333333333333333333");
        EXPECT_EQ(Shadow("third.ninth"), "0.11111111111111111111");
        EXPECT_TRUE(IsExact("first.third"));
      });
}

TEST_F(DebugShadowTest, NoticesDecisionsThatExactValuesWouldMakeOtherwise) {
  Run(R"(kernel void k(global float* out, global float* x, int n) {
  float sum = 0.0f;
  for (int i = 0; i < 10; ++i) sum += x[0];
  out[0] = sum > 1.0f ? 1.0f : 2.0f;
  out[1] = (int)(x[1] * 10.0f); /*stop*/
}
)",
      {0.1F, 0.3F});
  std::string all;
  for (const debug::Loss& loss : report_->losses) {
    if (loss.otherwise != 0) all += SourceOf(loss.place) + " ";
  }
  // Ten times 0.1F is more than one, as is the float 1.0000001; 0.3F is more than 0.3.
  EXPECT_EQ(all, "");
  Run(R"(kernel void k(global float* out, global float* x, int n) {
  float third = x[0] / 3.0f;
  float whole = third * 3.0f;
  out[0] = whole < 1.0f ? 1.0f : 2.0f;
  out[1] = (int)(x[1] / 3.0f * 3.0f * x[2]);
  out[2] = (int)((x[1] + x[2]) - x[1]); /*stop*/
}
)",
      {1, 0x1p24F, 1});
  for (const debug::Loss& loss : report_->losses) {
    if (loss.otherwise != 0) all += SourceOf(loss.place) + " ";
  }
  EXPECT_EQ(all, "kernel.cl:6:12 ");
}

TEST_F(DebugShadowTest, KnowsTheLastInstructionsErrorWithoutShadows) {
  Run(
      kCancel, {1e8F, 1},
      [&] {
        EXPECT_EQ(Ulp("sum").ulp, 0.125);
        EXPECT_EQ(SourceOf(Ulp("sum").place), "kernel.cl:2:20");
        EXPECT_THAT(Ulp("sum").operands, ElementsAre("100000000", "1"));
        EXPECT_FALSE(Ask("x[0]", false));
        EXPECT_FALSE(Ask("sum", true));
      },
      0);
  EXPECT_FALSE(report_);
}

TEST_F(DebugShadowTest, RefusesWhatIsNoNumberOfTheKernels) {
  Run(kCancel, {1e8F, 1}, [&] {
    EXPECT_FALSE(Ask("n", true));
    EXPECT_FALSE(Ask("sum * 2", true));
    EXPECT_FALSE(Ask("x", false));
    EXPECT_FALSE(Ask("x[0]", false));
    EXPECT_FALSE(Ask("1 +", true));
  });
}

}  // namespace
}  // namespace assay::interp
