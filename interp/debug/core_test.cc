#include "interp/debug/core.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "interp/debug/server.h"
#include "interp/rules/rule.h"
#include "interp/testing/debug.h"
#include "interp/testing/launch.h"

namespace assay::interp {
namespace {

constexpr const char* kSource = R"(typedef struct { int a; float2 b; } Pair;
float square(float x) {
  float y = x * x;
  return y;
}
kernel void k(global float* out, global const float* in, int n) {
  size_t i = get_global_id(0);
  Pair pair = {7, (float2)(1.5f, -2.0f)};
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) {
    sum += square(in[j]) + pair.a;
  }
  out[i] = sum;
}
)";

class DebugCoreTest : public testing::Test {
 protected:
  // Two work-items over in = {1, 2, 3}, n = 3.
  std::vector<float> Run(DebugHook* hook, DetectorSet detectors = {}) {
    SessionOptions options;
    options.detectors = detectors;
    auto session = TestSession::FromC(kSource, options);
    EXPECT_TRUE(session) << session.error().message;
    const BufferArgument out = session->Buffer(std::vector<float>(2));
    const BufferArgument in = session->Buffer(std::vector<float>{1, 2, 3});
    LaunchOptions launch;
    launch.debug = hook;
    const auto result = session->Launch({out, in, Bytes(3)}, 2, launch);
    EXPECT_TRUE(result) << result.error().message;
    return session->Read<float>(out);
  }

  // Runs with a script; `core_` is there for it.
  std::vector<float> Debug(std::function<void(const DebugStop&)> step, DetectorSet detectors = {}) {
    Script script(std::move(step));
    DebugCore core(&script);
    core_ = &core;
    return Run(&core, detectors);
  }

  std::uint32_t Line() const {
    const DebugItem& item = core_->current();
    return core_->program()->places.At(item.marker).line;
  }
  std::string Print(const std::string& expression) {
    DebugServer server(core_);
    const auto answer = server.Ask(debug::EvaluateRequest{.expression = expression});
    return answer ? answer->value : "error: " + answer.error().message;
  }

  std::string ShortText(const DebugValue& value) const {
    const std::string text = FormatValue(*core_->program(), value);
    return text.substr(0, text.find(' '));
  }

  DebugCore* core_ = nullptr;
};

TEST_F(DebugCoreTest, ComputesWhatARunWithoutItDoes) {
  const std::vector<float> plain = Run(nullptr);
  EXPECT_EQ(plain, (std::vector<float>{35, 35}));
  EXPECT_EQ(Debug([](const DebugStop&) {}), plain);
  EXPECT_EQ(Debug([](const DebugStop&) {}, DetectorSet::All()), plain);
}

TEST_F(DebugCoreTest, StopsAtBreakpointsWhereTheirConditionsHold) {
  std::vector<std::uint32_t> lines;
  std::vector<std::string> values;
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      ASSERT_TRUE(core_->Add({.number = 1, .location = "square", .condition = "x >= 2.0f"}));
      return;
    }
    EXPECT_EQ(stop.reason, DebugStop::Reason::kBreakpoint);
    lines.push_back(Line());
    values.push_back(Print("x"));
  });
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{3, 3, 3, 3}));
  EXPECT_EQ(values, (std::vector<std::string>{"2 (0x40000000, exact)", "3 (0x40400000, exact)",
                                              "2 (0x40000000, exact)", "3 (0x40400000, exact)"}));
}

TEST_F(DebugCoreTest, PassesHitsThatAreIgnored) {
  int stops = 0;
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      ASSERT_TRUE(core_->Add({.number = 1, .location = "3", .ignore = 4}));
    } else {
      ++stops;
    }
  });
  EXPECT_EQ(stops, 2);  // of six
}

TEST_F(DebugCoreTest, StepsByLines) {
  std::vector<std::uint32_t> lines;
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      ASSERT_TRUE(core_->Add({.number = 1, .location = "k"}));
      return;
    }
    lines.push_back(Line());
    if (lines.size() > 8) {
      core_->goal = {};
      core_->RemoveAll();
      return;
    }
    core_->goal = {.kind = DebugGoal::Kind::kStep,
                   .item = DebugItemId{core_->current().group, core_->current().local},
                   .start_marker = core_->current().marker};
  });
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{7, 8, 9, 10, 11, 3, 4, 11, 12}));
}

TEST_F(DebugCoreTest, SeesEveryChangeOfAWatchedVariableAndItsEnd) {
  std::vector<std::string> sums;
  std::vector<int> ended;
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      ASSERT_TRUE(core_->Add({.number = 1, .location = "10"}));
      return;
    }
    if (stop.reason == DebugStop::Reason::kBreakpoint && core_->watchpoints().empty()) {
      DebugServer server(core_);
      const auto sum = server.Ask(debug::EvaluateRequest{.expression = "sum"});
      ASSERT_TRUE(sum && sum->address);
      core_->RemoveAll();
      ASSERT_TRUE(core_->Add(
          DebugWatchpoint{.number = 2,
                          .type = "float",
                          .address = *sum->address,
                          .bytes = 4,
                          .item = DebugItemId{core_->current().group, core_->current().local}}));
      return;
    }
    ASSERT_EQ(stop.reason, DebugStop::Reason::kWatchpoint);
    ended.insert(ended.end(), stop.ended_watchpoints.begin(), stop.ended_watchpoints.end());
    for (const DebugWatchHit& hit : stop.watch_hits) {
      EXPECT_EQ(hit.number, 2);
      EXPECT_EQ(FormatValue(*core_->program(), hit.value), Print("sum"));
      sums.push_back(Print("sum"));
    }
  });
  EXPECT_EQ(ended, std::vector<int>{2});
  EXPECT_EQ(sums, (std::vector<std::string>{"8 (0x41000000, exact)", "19 (0x41980000, exact)",
                                            "35 (0x420c0000, exact)"}));
}

TEST_F(DebugCoreTest, SeesEveryChangeOfAnExpressionOfItsFrame) {
  std::vector<std::string> changes;
  std::vector<std::uint64_t> times;
  std::vector<int> ended;
  DebugWatchpoint watched{.number = 2, .text = "sum * 2 + j", .item = DebugItemId{0, 1}};
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      ASSERT_TRUE(core_->Add({.number = 1, .location = "k"}));
    } else {
      DebugServer server(core_);
      const auto value = server.Ask(debug::EvaluateRequest{.expression = "n"});
      ASSERT_TRUE(value);
      watched.site = value->frame.site;
      watched.frame = {value->frame.function, value->frame.inlined_at};
    }
  });
  const auto text = [&](const DebugValue& value) {
    return value.bytes.empty() ? "none" : ShortText(value);
  };
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      // Where its work-item has not begun.
      ASSERT_TRUE(core_->Add(watched));
      return;
    }
    ASSERT_EQ(stop.reason, DebugStop::Reason::kWatchpoint);
    ended.insert(ended.end(), stop.ended_watchpoints.begin(), stop.ended_watchpoints.end());
    for (const DebugWatchHit& hit : stop.watch_hits) {
      EXPECT_EQ(core_->current().local, 1u);
      ASSERT_TRUE(hit.old_value);
      changes.push_back(text(*hit.old_value) + " -> " + text(hit.value));
      times.push_back(stop.time);
    }
  });
  EXPECT_EQ(ended, std::vector<int>{2});
  ASSERT_GE(changes.size(), 6u);
  changes.erase(changes.begin(), changes.end() - 6);
  EXPECT_EQ(changes, (std::vector<std::string>{"0 -> 16", "16 -> 17", "17 -> 39", "39 -> 40",
                                               "40 -> 72", "72 -> 73"}));
  // Wherever one begins to look, the last change before a time is the same.
  for (const std::uint64_t from : {times[times.size() - 3] + 1, times[times.size() - 2] - 1}) {
    std::optional<std::uint64_t> found;
    Debug([&](const DebugStop& stop) {
      if (stop.reason == DebugStop::Reason::kStart) {
        core_->goal = {.kind = DebugGoal::Kind::kTime, .time = from};
      } else if (stop.reason == DebugStop::Reason::kGoal) {
        core_->goal = {.searches = true, .search_end = times.back()};
        ASSERT_TRUE(core_->Add(watched));
      } else {
        EXPECT_EQ(stop.reason, DebugStop::Reason::kSearched);
        found = stop.found_time;
        core_->goal = {};
        core_->RemoveAll();
      }
    });
    EXPECT_EQ(found, times[times.size() - 2]) << "from " << from;
  }
}

TEST_F(DebugCoreTest, FindsTheLastTimeBeforeAnEnd) {
  std::vector<std::uint64_t> hits;
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      ASSERT_TRUE(core_->Add({.number = 1, .location = "square"}));
    } else {
      hits.push_back(stop.time);
    }
  });
  ASSERT_EQ(hits.size(), 6u);
  std::optional<std::uint64_t> found;
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      core_->goal = {.searches = true, .search_end = hits[4]};
      ASSERT_TRUE(core_->Add({.number = 1, .location = "square"}));
      return;
    }
    EXPECT_EQ(stop.reason, DebugStop::Reason::kSearched);
    EXPECT_EQ(stop.time, hits[4]);
    found = stop.found_time;
    core_->goal = {};
    core_->RemoveAll();
  });
  EXPECT_EQ(found, hits[3]);
}

// What a search found is told after the launch, too, when its types are gone.
TEST_F(DebugCoreTest, TellsWhatASearchFoundBeforeTheEnd) {
  const auto search = [](bool watches) {
    DebugCore* core = nullptr;
    Script script([&](const DebugStop&) {
      DebugServer server(core);
      const auto in = server.Ask(debug::EvaluateRequest{.expression = "in"});
      ASSERT_TRUE(in);
      const std::string& text = in->value;
      core->goal.searches = true;
      core->goal.search_end = ~std::uint64_t{0};
      if (watches) {
        EXPECT_TRUE(core->Add(DebugWatchpoint{.number = 4,
                                              .kind = DebugWatchpoint::Kind::kRead,
                                              .text = "in[2]",
                                              .type = "float",
                                              .address = std::stoull(text, nullptr, 16) + 8,
                                              .bytes = 4}));
      } else {
        core->caught_rules = {"all"};
      }
      core->Resume();
    });
    DebugCore debugger(&script);
    core = &debugger;
    auto session = TestSession::FromC(kSource);
    EXPECT_TRUE(session) << session.error().message;
    const BufferArgument out = session->Buffer(std::vector<float>(1));
    const BufferArgument in = session->Buffer(std::vector<float>{1, 2, 3});
    LaunchOptions launch;
    launch.debug = &debugger;
    EXPECT_TRUE(session->Launch({out, in, Bytes(4)}, 1, launch));
    return DebugServer(&debugger).DescribeSearch(debugger.Searched()).found;
  };
  const auto finding = search(false);
  ASSERT_TRUE(finding && finding->finding);
  EXPECT_EQ(finding->reason, DebugStop::Reason::kFinding);
  EXPECT_EQ(finding->finding->rule, "memory-out-of-bounds");
  const auto watched = search(true);
  ASSERT_TRUE(watched && watched->watch.size() == 1);
  EXPECT_EQ(watched->reason, DebugStop::Reason::kWatchpoint);
  EXPECT_EQ(watched->watch[0].number, 4);
  EXPECT_EQ(watched->watch[0].value, "3 (0x40400000, exact)");
}

TEST_F(DebugCoreTest, EvaluatesAsOpenClCDoes) {
  const std::map<std::string, std::string> expected = {
      {"1 + 2 * 3", "7 (0x00000007)"},
      {"-7 / 2", "-3 (0xfffffffd)"},
      {"-7 % 3", "-1 (0xffffffff)"},
      {"(uint)-1 > 0", "1 (0x00000001)"},
      {"-1 > 0u", "1 (0x00000001)"},
      {"1 << 33", "2 (0x00000002)"},
      {"(char)200", "-56 (0xc8)"},
      {"0x7fffffff + 1", "-2147483648 (0x80000000)"},
      {"3 > 2 && 0", "0 (0x00000000)"},
      {"0.1f", "0.1 (0x3dcccccd, exactly 0.100000001490116119384765625)"},
      {"0.1f + 0.2f", "0.3 (0x3e99999a, exactly 0.300000011920928955078125)"},
      {"1.0f / 3", "0.33333334 (0x3eaaaaab, exactly 0.3333333432674407958984375)"},
      {"(int)-2.7f", "-2 (0xfffffffe)"},
      {"pair.b.y", "-2 (0xc0000000, exact)"},
      {"pair.b.yx", "(-2, 1.5)"},
      {"(float2)(1, 2) * 2", "(2, 4)"},
      {"(int4)(1, 2, 3, 4) > 2", "(0, 0, -1, -1)"},
      {"in[2]", "3 (0x40400000, exact)"},
      {"*(in + 1)", "2 (0x40000000, exact)"},
      {"&in[2] - in", "2 (0x0000000000000002)"},
      {"pair", "{a = 7, b = (1.5, -2)}"},
      {"sizeof(pair)", "16 (0x0000000000000010)"},
      {"as_uint(1.0f)", "1065353216 (0x3f800000)"},
      {"get_global_size(0)", "2 (0x0000000000000002)"},
      {"1 / 0", "error: column 3: a division by zero"},
      {"in[3]",
       "error: column 3: cannot access 4 bytes at 0x3800000008c: it is at offset 12 of "
       "global memory 'buffer', which has 12 bytes"},
      {"nothing",
       "error: column 1: no variable 'nothing' here; `info locals`, `info args` and "
       "`info globals` list those that there are"},
      {"(1", "error: column 3: ')' is missing"},
  };
  bool stopped = false;
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      ASSERT_TRUE(core_->Add({.number = 1, .location = "13"}));
      return;
    }
    if (stopped) return;
    stopped = true;
    for (const auto& [expression, value] : expected) {
      EXPECT_EQ(Print(expression), value) << expression;
    }
  });
  EXPECT_TRUE(stopped);
}

// Also for those of functions that are not those of the frame.
TEST_F(DebugCoreTest, AnswersForEveryId) {
  int values = 0;
  int others = 0;
  Debug([&](const DebugStop& stop) {
    if (stop.reason == DebugStop::Reason::kStart) {
      ASSERT_TRUE(core_->Add({.number = 1, .location = "square"}));
      return;
    }
    core_->RemoveAll();
    for (int id = 0; id < 200; ++id) {
      const bool is_value = !Print("%" + std::to_string(id)).starts_with("error: ");
      (is_value ? values : others) += 1;
    }
  });
  EXPECT_GT(values, 5);
  EXPECT_GT(others, 50);
}

TEST_F(DebugCoreTest, NamesWhatIsWrongWithAPlace) {
  Debug([&](const DebugStop& stop) {
    if (stop.reason != DebugStop::Reason::kStart) return;
    for (const char* place : {"nowhere", "999", "other.cl:3", "%99999", "*999999", ""}) {
      const auto added = core_->Add({.number = 1, .location = place});
      ASSERT_FALSE(added) << place;
      EXPECT_EQ(added.error().kind, ErrorKind::kUsage) << place;
    }
    EXPECT_TRUE(core_->breakpoints().empty());
  });
}

TEST(CatchesRule, TakesRulesFamiliesAndAll) {
  EXPECT_TRUE(CatchesRule({"all"}, Rule::kRaceNonatomic));
  EXPECT_TRUE(CatchesRule({"race"}, Rule::kRaceNonatomic));
  EXPECT_TRUE(CatchesRule({"race-nonatomic"}, Rule::kRaceNonatomic));
  EXPECT_FALSE(CatchesRule({"rac"}, Rule::kRaceNonatomic));
  EXPECT_FALSE(CatchesRule({}, Rule::kRaceNonatomic));
}

TEST(ExactDecimal, HasEveryDigit) {
  using numerics::Format;
  EXPECT_EQ(ExactDecimal(Format::kFloat, 0x3dcccccd), "0.100000001490116119384765625");
  EXPECT_EQ(ExactDecimal(Format::kFloat, 0x3f800000), "1");
  EXPECT_EQ(ExactDecimal(Format::kFloat, 0xc2f60000), "-123");
  EXPECT_EQ(ExactDecimal(Format::kHalf, 0x7bff), "65504");
  // 2^-149, of 105 significant digits.
  EXPECT_EQ(
      ExactDecimal(Format::kFloat, 1),
      "1.40129846432481707092372958328991613128026194187651577175706828388979108268586060148663"
      "818836212158203125e-45");
}

}  // namespace
}  // namespace assay::interp
