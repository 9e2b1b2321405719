#include "base/read_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace assay::base {
namespace {

namespace fs = std::filesystem;

class ReadScopeTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "scope-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = fs::canonical(name);
    for (const char* folder : {"job/sub", "job2", "out"}) fs::create_directories(root_ / folder);
    std::ofstream(root_ / "out/file") << "x";
  }
  void TearDown() override { fs::remove_all(root_); }
  bool Allows(const std::string& path) const {
    ReadScope scope;
    scope.Add((root_ / "job").string());
    return scope.Allows((root_ / path).string());
  }
  fs::path root_;
};

TEST_F(ReadScopeTest, AllowsPathsBelowTheFolder) {
  for (const char* path : {"job", "job/", "job/new", "job/sub/../x", "job/sub/", "out/../job/x"}) {
    EXPECT_TRUE(Allows(path)) << path;
  }
}

TEST_F(ReadScopeTest, RefusesPathsOutside) {
  for (const char* path :
       {"job2", "job2/x", "", "out/file", "job/../out/file", "job/sub/../../out"}) {
    EXPECT_FALSE(Allows(path)) << path;
  }
  EXPECT_FALSE(Allows("job/../../../../../../../../etc/passwd"));
}

TEST_F(ReadScopeTest, FollowsLinks) {
  fs::create_symlink(root_ / "out/file", root_ / "job/link");
  fs::create_directory_symlink(root_ / "out", root_ / "job/sub/folder");
  fs::create_directory_symlink(root_ / "job", root_ / "other");
  EXPECT_FALSE(Allows("job/link"));
  EXPECT_FALSE(Allows("job/sub/folder/file"));
  EXPECT_FALSE(Allows("job/sub/folder/new"));
  EXPECT_TRUE(Allows("other/sub/x"));
  ReadScope scope;
  scope.Add((root_ / "other").string());
  EXPECT_TRUE(scope.Allows((root_ / "job/x").string()));
}

TEST_F(ReadScopeTest, IsOfFilesAlso) {
  ReadScope scope;
  EXPECT_FALSE(scope.Allows((root_ / "out/file").string()));
  scope.Add((root_ / "out/file").string());
  EXPECT_TRUE(scope.Allows((root_ / "out/file").string()));
  EXPECT_FALSE(scope.Allows((root_ / "out/other").string()));
  const auto refused = scope.Check("/etc/passwd", "job.json: /module");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("--allow-read DIR"));
}

}  // namespace
}  // namespace assay::base
