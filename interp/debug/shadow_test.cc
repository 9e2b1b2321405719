#include "interp/debug/shadow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "interp/debug/server.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

using Json = DebugServer::Json;

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
    report_ = DebugServer(&core).Answer({{"do", "shadow_report"}});
    return session->Read<float>(out);
  }
  Json Ask(const char* what, const std::string& expression) {
    Json answer = DebugServer(core_).Answer({{"do", what}, {"expression", expression}});
    if (answer.contains("error")) return answer;
    return answer.at("parts").at(0);
  }
  std::string Shadow(const std::string& expression) {
    return Ask("error", expression).value("shadow", std::string("none"));
  }
  double Kept(const std::string& expression) {
    return Ask("error", expression).value("kept", -1.0);
  }

  // "kernel.cl:3:20", in whatever folder.
  static std::string SourceOf(const Json& loss) {
    const std::string source = loss.at("source");
    return source.substr(source.rfind('/') + 1);
  }

  DebugCore* core_ = nullptr;
  Json report_;
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
    EXPECT_TRUE(Ask("error", "x[0]").at("exact").get<bool>());
    // The subtraction itself was exact.
    EXPECT_EQ(Ask("ulp", "back").at("ulp"), 0);
    EXPECT_EQ(Ask("ulp", "sum").at("exact"), "100000001");
    EXPECT_EQ(Ask("ulp", "sum").at("ulp"), 0.125);
  });
  EXPECT_EQ(out[0], 0);
  ASSERT_EQ(report_.at("losses").size(), 1);
  const Json& loss = report_.at("losses")[0];
  EXPECT_EQ(loss.at("lost"), 24);
  EXPECT_EQ(loss.at("reason"), "subtraction of nearly equal numbers");
  EXPECT_EQ(SourceOf(loss), "kernel.cl:3:20");
  EXPECT_EQ(loss.at("executions"), 1);
  EXPECT_EQ(loss.at("own_error"), 0);
  EXPECT_EQ(report_.at("operations"), 3);
}

TEST_F(DebugShadowTest, IsTheSameInOptimisedCode) {
  Run(
      kCancel, {1e8F, 1}, [] {}, 256, "-O2");
  ASSERT_EQ(report_.at("losses").size(), 1);
  EXPECT_EQ(report_.at("losses")[0].at("lost"), 24);
  EXPECT_EQ(SourceOf(report_.at("losses")[0]), "kernel.cl:3:20");
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
  for (const Json& loss : report_.at("losses")) {
    if (SourceOf(loss) != "kernel.cl:4:9") continue;
    EXPECT_EQ(loss.at("executions"), 1000);
    // As many as the number lacks now.
    EXPECT_NEAR(loss.at("lost_in_chain"), 24 - kept, 1e-9);
    return;
  }
  ADD_FAILURE() << "the sum is not there: " << report_.dump(1);
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
  EXPECT_EQ(report_.at("losses")[0].at("reason"), "subtraction of nearly equal numbers");
  EXPECT_EQ(SourceOf(report_.at("losses")[0]), "kernel.cl:3:21");
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
        EXPECT_TRUE(Ask("error", "out[0]").at("exact").get<bool>());
        EXPECT_EQ(Shadow("out[2]"), "0.33333333333333333333");
        EXPECT_TRUE(Ask("error", "out[1]").at("exact").get<bool>());
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
        EXPECT_TRUE(Ask("error", "first.third").at("exact").get<bool>());
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
  for (const Json& loss : report_.at("losses")) {
    if (loss.at("otherwise") != 0) all += SourceOf(loss) + " ";
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
  for (const Json& loss : report_.at("losses")) {
    if (loss.at("otherwise") != 0) all += SourceOf(loss) + " ";
  }
  EXPECT_EQ(all, "kernel.cl:6:12 ") << report_.dump(1);
}

TEST_F(DebugShadowTest, KnowsTheLastInstructionsErrorWithoutShadows) {
  Run(
      kCancel, {1e8F, 1},
      [&] {
        EXPECT_EQ(Ask("ulp", "sum").at("ulp"), 0.125);
        EXPECT_EQ(SourceOf(Ask("ulp", "sum").at("place")), "kernel.cl:2:20");
        EXPECT_EQ(Ask("ulp", "sum").at("operands"), Json({"100000000", "1"}));
        EXPECT_TRUE(Ask("ulp", "x[0]").contains("error"));
        EXPECT_TRUE(Ask("error", "sum").contains("error"));
      },
      0);
  EXPECT_TRUE(report_.contains("error"));
}

TEST_F(DebugShadowTest, RefusesWhatIsNoNumberOfTheKernels) {
  Run(kCancel, {1e8F, 1}, [&] {
    EXPECT_TRUE(Ask("error", "n").contains("error"));
    EXPECT_TRUE(Ask("error", "sum * 2").contains("error"));
    EXPECT_TRUE(Ask("ulp", "x").contains("error"));
    EXPECT_TRUE(Ask("ulp", "x[0]").contains("error"));
    EXPECT_TRUE(Ask("error", "1 +").contains("error"));
  });
}

}  // namespace
}  // namespace assay::interp
