#include "numerics/near_names.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay::numerics {
namespace {

TEST(NearNamesTest, SlipsOfTheFinger) {
  const std::vector<std::string> names = {"sin", "sinh", "sinpi", "float", "double", "asinh"};
  EXPECT_EQ(NearNames("sinn", names), "'sin' or 'sinh'");
  EXPECT_EQ(NearNames("flaot", names), "'float'") << "neighbours swapped";
  EXPECT_EQ(NearNames("dubble", names), "'double'");
  EXPECT_EQ(NearNames("asin", names), "'asinh' or 'sin'");
  EXPECT_EQ(NearNames("quad", names), "");
  EXPECT_EQ(NearNames("", names), "");
  EXPECT_EQ(NearNames("sin", {}), "");
}

TEST(NearNamesTest, AtMostThree) {
  const std::vector<std::string> names = {"a1", "a2", "a3", "a4"};
  EXPECT_EQ(NearNames("a0", names), "'a1', 'a2' or 'a3'");
}

}  // namespace
}  // namespace assay::numerics
