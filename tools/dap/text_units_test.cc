#include "tools/dap/text_units.h"

#include <gtest/gtest.h>

namespace assay::tools::dap {
namespace {

// One, two, three and four bytes; the last one is two units.
constexpr std::string_view kText = "a\u00e9\u20ac\U0001f600z";

TEST(TextUnits, BytesAndUnits) {
  const struct {
    std::size_t byte;
    std::int64_t unit;
  } places[] = {{0, 0}, {1, 1}, {3, 2}, {6, 3}, {10, 5}, {11, 6}};
  for (const auto& [byte, unit] : places) {
    EXPECT_EQ(CursorBehindBytes(kText, byte).unit, unit) << byte;
    EXPECT_EQ(CursorBehindUnits(kText, unit).byte, byte) << unit;
  }
}

TEST(TextUnits, InsideAndBehind) {
  EXPECT_EQ(CursorBehindBytes(kText, 2).byte, 3u);
  EXPECT_EQ(CursorBehindUnits(kText, 4).byte, 10u);
  EXPECT_EQ(CursorBehindBytes(kText, 99).unit, 6);
  EXPECT_EQ(CursorBehindUnits(kText, 99).byte, kText.size());
  EXPECT_EQ(CursorBehindUnits(kText, -1).byte, 0u);
  // Text that breaks off inside of a character.
  EXPECT_EQ(CursorBehindUnits(kText.substr(0, 8), 99).byte, 8u);
  EXPECT_EQ(CursorBehindBytes("", 1).unit, 0);
}

}  // namespace
}  // namespace assay::tools::dap
