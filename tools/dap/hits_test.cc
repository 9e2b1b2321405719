#include "tools/dap/hits.h"

#include <gtest/gtest.h>

namespace assay::tools::dap {
namespace {

// The hits up to nine that stop.
std::string Stops(const std::string& text) {
  const auto condition = ParseHitCondition(text);
  if (!condition) return "error";
  std::string stops;
  for (std::uint64_t hit = 1; hit <= 9; ++hit) {
    if (condition->Holds(hit)) stops += static_cast<char>('0' + hit);
    // What is not looked at must not be missed.
    EXPECT_FALSE(hit <= condition->Ignored() && condition->Holds(hit)) << text << " " << hit;
  }
  return stops;
}

TEST(HitCondition, SaysWhichHitsStop) {
  EXPECT_EQ(Stops(""), "123456789");
  EXPECT_EQ(Stops("3"), "3456789");
  EXPECT_EQ(Stops(">= 3"), "3456789");
  EXPECT_EQ(Stops(">3"), "456789");
  EXPECT_EQ(Stops("==3"), "3");
  EXPECT_EQ(Stops("<3"), "12");
  EXPECT_EQ(Stops("<=3"), "123");
  EXPECT_EQ(Stops("%4"), "48");
  for (const char* text : {"x", "3x", "%0", "<0", "-1", "=>3", "==", "99999999999999999999"}) {
    EXPECT_EQ(Stops(text), "error") << text;
  }
}

}  // namespace
}  // namespace assay::tools::dap
