#include "layer/choose.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace assay::layer {
namespace {

TEST(LayerChooseTest, DistancesGrow) {
  const Settings settings;
  for (const std::uint64_t number : {1, 10, 100, 1000, 1000000}) {
    EXPECT_TRUE(IsChosen(settings, number)) << number;
  }
  for (const std::uint64_t number : {0, 2, 9, 11, 20, 110, 999}) {
    EXPECT_FALSE(IsChosen(settings, number)) << number;
  }
}

TEST(LayerChooseTest, EveryAndFirstAddUp) {
  const Settings settings{.every = 5, .first = 2};
  std::string chosen;
  for (std::uint64_t number = 1; number <= 12; ++number) {
    chosen += IsChosen(settings, number) ? 'x' : '.';
  }
  EXPECT_EQ(chosen, "xx...x....x.");
}

TEST(LayerChooseTest, AWrongVariableIsNamed) {
  for (const char* value : {"0", "-1", "ten", "5x"}) {
    setenv("ASSAY_CAPTURE_EVERY", value, 1);
    const auto settings = ReadSettings();
    ASSERT_FALSE(settings) << value;
    EXPECT_NE(settings.error().message.find("ASSAY_CAPTURE_EVERY"), std::string::npos);
  }
  setenv("ASSAY_CAPTURE_EVERY", "7", 1);
  setenv("ASSAY_CAPTURE_KERNEL", "a,b", 1);
  const auto settings = ReadSettings();
  unsetenv("ASSAY_CAPTURE_EVERY");
  unsetenv("ASSAY_CAPTURE_KERNEL");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->every, 7U);
  EXPECT_TRUE(IsKernelChosen(*settings, "b"));
  EXPECT_FALSE(IsKernelChosen(*settings, "c"));
}

}  // namespace
}  // namespace assay::layer
