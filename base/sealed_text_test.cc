#include "base/sealed_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::base {
namespace {

using ::testing::HasSubstr;

std::string Example() {
  SealedText text("schema/1");
  text.Add("key", R"({"a": 1})");
  text.Add("finished", "7");
  text.Add("finished", "");
  return text.Whole({{"current", "x y"}});
}

TEST(SealedTextTest, ReadsWrittenRecords) {
  const auto records = ReadSealedText(Example(), "schema/1");
  ASSERT_TRUE(records) << records.error().message;
  ASSERT_EQ(records->size(), 4u);
  EXPECT_EQ((*records)[0].kind, "key");
  EXPECT_EQ((*records)[0].text, R"({"a": 1})");
  EXPECT_EQ((*records)[2].text, "");
  EXPECT_EQ((*records)[3].kind, "current");
  EXPECT_EQ((*records)[3].text, "x y");
}

TEST(SealedTextTest, AdditionalRecordsAreNotKept) {
  SealedText text("s");
  text.Add("a", "1");
  const std::string once = text.Whole({{"b", "2"}});
  EXPECT_EQ(text.Whole({{"b", "2"}}), once);
  EXPECT_EQ(ReadSealedText(text.Whole(), "s")->size(), 1u);
}

TEST(SealedTextTest, EveryFlippedBitIsFoundInItsLine) {
  const std::string good = Example();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string changed = good;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    const auto read = ReadSealedText(changed, "schema/1");
    ASSERT_FALSE(read) << bit;
    const auto line =
        1 + std::count(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(bit / 8), '\n');
    EXPECT_THAT(read.error().message, HasSubstr("line " + std::to_string(line) + ":")) << bit;
  }
}

TEST(SealedTextTest, MissingMovedAndSurplusLinesAreFound) {
  const std::string good = Example();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ReadSealedText(good.substr(0, size), "schema/1")) << size;
  }
  EXPECT_FALSE(ReadSealedText(good + "\n", "schema/1"));
  EXPECT_FALSE(ReadSealedText(good + good, "schema/1"));
  EXPECT_FALSE(ReadSealedText(good, "schema/2"));
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < good.size();) {
    const std::size_t end = good.find('\n', begin) + 1;
    lines.push_back(good.substr(begin, end - begin));
    begin = end;
  }
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    std::vector<std::string> moved = lines;
    std::swap(moved[i], moved[i + 1]);
    std::vector<std::string> missing = lines;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    for (const auto& changed : {moved, missing}) {
      std::string text;
      for (const std::string& line : changed) text += line;
      EXPECT_FALSE(ReadSealedText(text, "schema/1")) << i;
    }
  }
}

}  // namespace
}  // namespace assay::base
