#include "oracle/devices/opencl_spirv.h"

#include <gtest/gtest.h>

namespace assay::oracle {
namespace {

TEST(NewestSpirvTest, IsTheLargestOfTheList) {
  EXPECT_EQ(NewestSpirv("SPIR-V_1.0"), 0x100u);
  EXPECT_EQ(NewestSpirv("SPIR-V_1.0 SPIR-V_1.2 SPIR-V_1.1"), 0x102u);
  EXPECT_EQ(NewestSpirv("Other_2.0 SPIR-V_1.4 "), 0x104u);
}

TEST(NewestSpirvTest, TakesNothingElse) {
  for (const char* text : {"", " ", "SPIR-V", "SPIR-V_", "SPIR-V_2.0", "SPIR-V_1.", "SPIR-V_1.x",
                           "SPIR-V_1.10", "SPIRV_1.0"}) {
    EXPECT_EQ(NewestSpirv(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace assay::oracle
