// What is found of work-items that were put aside (interp/execute/stragglers.h), and executed with
// those of other groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "interp/testing/findings.h"

namespace assay::interp {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::Not;

// Every 32nd work-item, 9 first, is in a long loop; `before` it, `in` it (at each n) and `after` it
// they do something, as `others` do who are not in it. Returns the rules of what is found, which is
// the same in batches of any width, on any number of threads.
std::vector<std::string> RulesOf(const std::string& before, const std::string& in,
                                 const std::string& after, const std::string& others,
                                 const std::string& start = "") {
  const std::string source =
      "kernel void k(global uint* o) {\n  uint i = get_global_id(0), x = i;\n" + start +
      "\n  if (i % 32 == 9) {\n" + before +
      "\n    for (uint n = 0; n < 400; ++n) {\n      x = x * 5 + (x >> 3) + n;\n" + in +
      "\n    }\n" + after + "\n  } else {\n" + others + "\n  }\n  if (x == 1) o[2000 + i] = x;\n}";
  std::vector<std::vector<std::string>> all;
  for (const int width : {64, 7}) {
    auto session =
        TestSession::FromC(source, {.detectors = DetectorSet::All(), .batch_width = width});
    EXPECT_TRUE(session) << session.error().message;
    if (!session) return {};
    for (const int threads : {1, 3}) {
      const auto buffer = session->Buffer(std::vector<std::uint32_t>(4000));
      const auto result = session->Launch({buffer}, 1024, {.threads = threads}, 64);
      EXPECT_TRUE(result) << result.error().message;
      if (!result) return {};
      all.push_back(RulesOf(result->findings));
    }
  }
  EXPECT_THAT(all, Each(all[0])) << source;
  return all[0];
}

TEST(Regrouped, WhatIsTheirOwn) {
  EXPECT_THAT(RulesOf("o[i] = x;", "o[i] += x;", "o[i] ^= x;", "o[i] = x;"), IsEmpty());
  EXPECT_THAT(RulesOf("o[i] = x;", "x += o[i];", "o[i] = x;", "x += o[i];"), IsEmpty());
  EXPECT_THAT(RulesOf("", "if (n == 7) o[i] = x;", "x += o[i];", "x += o[i];"), IsEmpty());
  // Many read it.
  EXPECT_THAT(RulesOf("", "x += o[i & 7];", "o[100 + i] = x;", "o[100 + i] = x;", "x += o[i & 7];"),
              IsEmpty());
}

TEST(Regrouped, RacesWithOthers) {
  // With a work-item of the same group, of a group before it, and of one after it.
  for (const std::string other : {"i + 1", "(i + 940) % 1024", "(i + 84) % 1024"}) {
    const std::string store = "o[" + other + "] = x;", load = "x += o[" + other + "];";
    EXPECT_THAT(RulesOf("", "", store, "o[i] = x;"), Not(IsEmpty())) << other;
    EXPECT_THAT(RulesOf("", "if (n == 300) " + store, "", "o[i] = x;"), Not(IsEmpty())) << other;
    EXPECT_THAT(RulesOf("", load, "", "o[i] = x;"), Not(IsEmpty())) << other;
    EXPECT_THAT(RulesOf("", "", store, "x += o[i];"), Not(IsEmpty())) << other;
  }
  // With each other.
  EXPECT_THAT(RulesOf("", "", "o[i / 256] = x;", ""), Not(IsEmpty()));
  EXPECT_THAT(RulesOf("", "x += o[(i + 32) % 1024];", "o[i] = x;", ""), Not(IsEmpty()));
}

// A work-item is one reader, in its group and out of it: the other one's load is not forgotten.
TEST(Regrouped, ReadersBesideThem) {
  const std::string reads = "if (i == 3 || i == 9) x += o[1500];";
  EXPECT_THAT(RulesOf("", "x += o[1500 + i - 9];", "if (i == 9) o[1500] = x;", "", reads),
              Not(IsEmpty()));
  EXPECT_THAT(RulesOf("", "x += o[1500 + i - 9];", "if (i == 9) o[1500] = x;", "",
                      "if (i == 9) x += o[1500];"),
              IsEmpty());
}

TEST(Regrouped, Atomics) {
  const std::string count = "atomic_inc(&o[1500 + (x & 3)]);";
  EXPECT_THAT(RulesOf("", count, count, count), IsEmpty());
  EXPECT_THAT(RulesOf("", count, "", "x += o[1501];"), Not(IsEmpty()));
  EXPECT_THAT(RulesOf("", "if (n == 300) o[1501] = x;", "", count), Not(IsEmpty()));
}

TEST(Regrouped, UndefinedValues) {
  const auto rules = [](const std::string& in) {
    return RulesOf("uint t[4]; t[0] = i; t[1] = x;", in, "x += t[x & 1];", "");
  };
  EXPECT_THAT(rules("t[n & 1] ^= x; x += t[n >> 1 & 1];"), IsEmpty());
  EXPECT_THAT(rules("if (n == 390 && t[2] == x) x += 3;"),
              testing::AllOf(Not(IsEmpty()), Each("uninitialized-value")));
}

}  // namespace
}  // namespace assay::interp
