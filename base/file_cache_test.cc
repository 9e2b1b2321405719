#include "base/file_cache.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/fields.h"
#include "base/run_tool.h"

namespace assay::base {
namespace {

TEST(FieldsTest, FieldsHaveAnyBytes) {
  std::string text;
  AppendField("", &text);
  AppendField(std::string("a\0:7", 4), &text);
  FieldReader fields(text);
  EXPECT_EQ(fields.Field(), "");
  EXPECT_EQ(fields.Field(), std::string("a\0:7", 4));
  EXPECT_TRUE(fields.AtEnd());
  EXPECT_FALSE(fields.Field());
  for (const char* wrong : {"5:abc", ":", "3abc", "-1:", "9999999999999:a"}) {
    EXPECT_FALSE(FieldReader(wrong).Field()) << wrong;
  }
}

TEST(FileCacheTest, EntriesOfOneFormatAndALimitedSize) {
  const auto folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string path = folder->File("cache");
  const FileCache cache(path, "one/1\n", 1000);
  EXPECT_FALSE(cache.Find("a"));
  cache.Store("a", std::string("x\0y", 3));
  EXPECT_EQ(cache.Find("a"), std::string("x\0y", 3));
  EXPECT_FALSE(FileCache(path, "two/1\n", 1000).Find("a"));
  for (int i = 0; i < 20; ++i) cache.Store("b" + std::to_string(i), std::string(100, 'z'));
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) bytes += entry.file_size();
  EXPECT_LE(bytes, 1000U);
  EXPECT_TRUE(cache.Find("b19"));
  cache.Store("large", std::string(2000, 'z'));
  EXPECT_FALSE(cache.Find("large"));
  FileCache("", "one/1\n", 1000).Store("a", "x");
}

TEST(FileCacheTest, NobodyElsesFiles) {
  const auto folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string path = folder->File("cache");
  const FileCache cache(path, "one/1\n", 1000);
  cache.Store("a", "x");
  std::filesystem::permissions(path + "/a", std::filesystem::perms::group_write,
                               std::filesystem::perm_options::add);
  EXPECT_FALSE(cache.Find("a"));
}

}  // namespace
}  // namespace assay::base
