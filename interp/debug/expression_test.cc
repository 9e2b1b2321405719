#include "interp/debug/expression.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "interp/debug/core.h"
#include "interp/debug/server.h"
#include "interp/testing/debug.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

class DebugExpressionTest : public testing::Test {
 protected:
  // Calls `look` once, where a kernel with an argument int* gets to a place.
  LaunchResult At(Expected<TestSession> session, const std::string& location,
                  const std::function<void()>& look) {
    EXPECT_TRUE(session) << session.error().message;
    if (!session) return {};
    Script script([&](const DebugStop& stop) {
      if (stop.reason == DebugStop::Reason::kStart) {
        const auto added = core_->Add({.number = 1, .location = location});
        EXPECT_TRUE(added) << added.error().message;
        return;
      }
      if (stop.reason == DebugStop::Reason::kBreakpoint) look();
      core_->RemoveAll();
    });
    DebugCore core(&script);
    core_ = &core;
    LaunchOptions options;
    options.debug = &core;
    const auto result =
        session->Launch({session->Buffer(std::vector<std::int32_t>(4))}, 1, options);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : LaunchResult{};
  }

  std::string Ask(const std::string& expression, bool assign, const std::string& format = "") {
    DebugServer server(core_);
    const auto answer = server.Ask(
        debug::EvaluateRequest{.expression = expression, .format = format, .assigns = assign});
    return answer ? answer->value : "error: " + answer.error().message;
  }
  std::string Print(const std::string& expression) { return Ask(expression, false); }
  std::string Set(const std::string& expression) { return Ask(expression, true); }
  std::string Condition(const std::string& condition) {
    DebugServer server(core_);
    const auto answer = server.Ask(debug::ResolveRequest{.location = "k", .condition = condition});
    return answer ? "" : answer.error().message;
  }

  DebugCore* core_ = nullptr;
};

constexpr const char* kSource = R"(typedef struct { char c; int i; double d; } P;
__constant char message[] = "hello";
kernel void k(global int* o) {
  P a[2]; P b = {1, 2, 3};
  a[1].i = 9;
  int u;
  int w = 3;
  unsigned t = 1;
  float4 v = (float4)(1, 2, 3, 4);
  float e = 1e10f;
  float* p = 0;
  o[0] = a[1].i + b.i + (int)v.x + message[o[1]] + t + (e > 0) + (p == 0);
  o[1] = w;
  o[2] = u;
}
)";

SessionOptions Definedness() {
  SessionOptions options;
  options.detectors = DetectorSet::All();
  return options;
}

TEST_F(DebugExpressionTest, UndefinedBitsStayUndefinedWhenTheyAreSet) {
  const LaunchResult result = At(TestSession::FromC(kSource, Definedness()), "12", [&] {
    Set("b = a[1]");
    EXPECT_EQ(Print("b.c"), Print("a[1].c"));
    EXPECT_TRUE(Print("b.c").starts_with("<undefined>")) << Print("b.c");
    EXPECT_TRUE(Print("b.i").starts_with("9 "));
    Set("w = u");
    EXPECT_TRUE(Print("w").starts_with("<undefined>")) << Print("w");
    EXPECT_TRUE(Print("(long)u").starts_with("<undefined>"));
    EXPECT_TRUE(Print("(int2)(u, 1)").starts_with("(<undefined>, 1)")) << Print("(int2)(u, 1)");
    EXPECT_TRUE(Print("(int2)(u, 1) + 1").starts_with("(<undefined>, 2)"));
    EXPECT_TRUE(Print("o + u").starts_with("<undefined>"));
    EXPECT_TRUE(Set("v.y = *(float*)&u").starts_with("<undefined>"));
    EXPECT_TRUE(Print("v").starts_with("(1, <undefined>, 3, 4)")) << Print("v");
    Set("u = 5");
    EXPECT_EQ(Print("u"), "5 (0x00000005)");
  });
  ASSERT_EQ(result.findings.size(), 1u);  // o[1] = w
  EXPECT_EQ(NameOf(result.findings[0].rule), "uninitialized-value");
}

TEST_F(DebugExpressionTest, TheRunKnowsWhatWasMadeUndefined) {
  const LaunchResult result = At(TestSession::FromC(kSource, Definedness()), "12", [&] {
    Set("e = *(float*)&u");
    Set("u = 0");
  });
  ASSERT_EQ(result.findings.size(), 1u);  // e > 0 is stored
  EXPECT_EQ(NameOf(result.findings[0].rule), "uninitialized-value") << result.findings[0].message;
}

constexpr const char* kText = R"(
%void = OpTypeVoid
%int = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %int
%fn = OpTypeFunction %void %ptr
%one = OpConstant %int 1
%k = OpFunction %void None %fn
%out = OpFunctionParameter %ptr
%entry = OpLabel
%undefined = OpUndef %int
%sum = OpIAdd %int %one %one
%twice = OpIAdd %int %sum %sum
OpStore %out %twice Aligned 4
OpReturn
OpFunctionEnd
)";

TEST_F(DebugExpressionTest, RegistersBecomeUndefinedAndIdsAreCast) {
  std::string text =
      "OpEntryPoint Kernel %k \"k\"\nOpName %sum \"sum\"\nOpName %twice \"twice\"\n"
      "OpName %undefined \"undefined\"\nOpName %out \"out\"\n";
  At(TestSession::FromText(text + kText, Definedness()), "%twice", [&] {
    EXPECT_EQ(Print("%sum"), "2 (0x00000002)");
    EXPECT_EQ(Print("(ulong)%sum"), "2 (0x0000000000000002)");
    EXPECT_EQ(Print("*(int*)%out"), Print("*(global int*)%out"));
    EXPECT_EQ(Print("*(int*)%out"), "0 (0x00000000)");
    EXPECT_EQ(Print("(5)%3"), "2 (0x00000002)");
    EXPECT_EQ(Print("%g"),
              "error: column 1: the module names no id 'g'; `info registers` lists "
              "those with a value");
    Set("%sum = %undefined");
    EXPECT_TRUE(Print("%sum").starts_with("<undefined>")) << Print("%sum");
    Set("%sum = 4");
    EXPECT_EQ(Print("%sum"), "4 (0x00000004)");
  });
}

TEST_F(DebugExpressionTest, ConversionsWithoutAValueAreErrors) {
  At(TestSession::FromC(kSource), "12", [&] {
    for (const char* undefined : {"(int)e", "(int)NAN", "(uint)-1.0f", "convert_int(e)",
                                  "(char)128.0f", "(ulong)18446744073709551616.0"}) {
      const std::string said = Print(undefined);
      EXPECT_TRUE(said.starts_with("error: column 1: ") &&
                  said.find("undefined") != std::string::npos)
          << undefined << ": " << said;
    }
    EXPECT_TRUE(Set("w = e").starts_with("error: column 3: 10000000000 as int is undefined"))
        << Set("w = e");
    EXPECT_EQ(Print("w"), "3 (0x00000003)");
    EXPECT_EQ(Print("convert_int_sat(e)"), "2147483647 (0x7fffffff)");
    EXPECT_EQ(Print("(uchar)255.9f"), "255 (0xff)");
  });
}

TEST_F(DebugExpressionTest, AConditionalComputesOnlyWhatItChooses) {
  At(TestSession::FromC(kSource), "12", [&] {
    EXPECT_EQ(Print("(p != 0 ? *p : 1) / 2"), "0.5 (0x3f000000, exact)");
    EXPECT_EQ(Print("sizeof *p"), "4 (0x0000000000000004)");
    EXPECT_EQ(Print("1 ? 2 : 7 / 0"), "2 (0x00000002)");
    EXPECT_EQ(Print("1 ? 2 : nothing").substr(0, 16), "error: column 9:");
  });
}

TEST_F(DebugExpressionTest, AssignsComponentsAndInPlace) {
  At(TestSession::FromC(kSource), "12", [&] {
    Set("v.xy = (float2)(3, 5)");
    EXPECT_EQ(Print("v"), "(3, 5, 3, 4)");
    Set("v.wx = (float2)(7, 8)");
    EXPECT_EQ(Print("v"), "(8, 5, 3, 7)");
    Set("v.odd *= 2");
    EXPECT_EQ(Print("v"), "(8, 10, 3, 14)");
    Set("v[2] = 1");
    EXPECT_EQ(Print("v"), "(8, 10, 1, 14)");
    EXPECT_EQ(Set("v.xx = (float2)(1, 2)"), "error: column 2: '.xx' names a component twice");
    Set("w += 4");
    EXPECT_EQ(Print("w"), "7 (0x00000007)");
    Set("w <<= 2");
    Set("w--");
    Set("++w");
    Set("w |= 1");
    EXPECT_EQ(Print("w"), "29 (0x0000001d)");
    Set("w -= t -= 1");
    EXPECT_EQ(Print("w"), "29 (0x0000001d)");
    EXPECT_EQ(Print("t"), "0 (0x00000000)");
    EXPECT_EQ(Print("&v.zw"), Print("&v.z"));
    // What only asks must not change anything.
    EXPECT_TRUE(Print("1 + (w = 3)").starts_with("error: an assignment"));
    EXPECT_TRUE(Print("w++").starts_with("error: an assignment"));
    EXPECT_EQ(Print("w"), "29 (0x0000001d)");
  });
}

TEST_F(DebugExpressionTest, RefusesConditionsThatCanNeverBeTold) {
  At(TestSession::FromC(kSource), "12", [&] {
    EXPECT_EQ(Condition("isnan(*o) || get_global_id(0) == 1"), "");
    EXPECT_EQ(Condition("convert_int4_sat_rte((float4)(1)).x == INT_MAX"), "");
    EXPECT_NE(Condition("frobnicate(1)").find("column 1"), std::string::npos);
    EXPECT_NE(Condition("1 + convert_foo(1)").find("column 5"), std::string::npos);
    EXPECT_NE(Condition("%nothing == 1").find("names no id 'nothing'"), std::string::npos);
    EXPECT_NE(Condition("o = 0").find("write =="), std::string::npos);
    const auto watched = core_->Add(DebugWatchpoint{.number = 2, .condition = "frobnicate(w)"});
    EXPECT_FALSE(watched);
  });
}

TEST_F(DebugExpressionTest, ShowsTheTextThatAPointerPointsTo) {
  At(TestSession::FromC(kSource), "12", [&] {
    EXPECT_TRUE(Ask("&message[1]", false, "s").ends_with(" \"ello\""))
        << Ask("&message[1]", false, "s");
    EXPECT_EQ(Ask("message", false, "s"), "\"hello\"");
  });
}

}  // namespace
}  // namespace assay::interp
