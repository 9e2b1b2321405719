#include "base/byte_size.h"

#include <gtest/gtest.h>

namespace assay::base {
namespace {

TEST(ByteSizeTest, UnitsArePowersOf1024) {
  EXPECT_EQ(*ParseByteSize("65536"), 65536u);
  EXPECT_EQ(*ParseByteSize("0x10000"), 65536u);
  EXPECT_EQ(*ParseByteSize("64K"), 65536u);
  EXPECT_EQ(*ParseByteSize("3M"), std::uint64_t{3} << 20);
  EXPECT_EQ(*ParseByteSize("8G"), std::uint64_t{8} << 30);
  EXPECT_EQ(*ParseByteSize("1T"), std::uint64_t{1} << 40);
  EXPECT_EQ(*ParseByteSize("18446744073709551615"), UINT64_MAX);
}

TEST(ByteSizeTest, OtherTextsAreRefused) {
  for (const char* text : {"", "K", "-1", "+1", " 1", "1 ", "1k", "1KB", "0x", "1.5M",
                           "18446744073709551616", "16777216T"}) {
    EXPECT_FALSE(ParseByteSize(text)) << text;
  }
}

}  // namespace
}  // namespace assay::base
