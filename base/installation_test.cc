// The tests lie in a clone, in build/PRESET/bin.
#include "base/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace assay::base {
namespace {

TEST(InstallationTest, ACloneHasDevAndTheDocuments) {
  if (!IsInClone()) GTEST_SKIP() << "built outside of the clone's folder build";
  EXPECT_TRUE(std::filesystem::exists(DocumentsFolder() + "/docs/rules.md"));
  EXPECT_TRUE(std::filesystem::exists(DocumentsFolder() + "/dev"));
  EXPECT_EQ(HowToInstall("clang-15 x"), "`./dev setup` does it, or apt install clang-15 x");
}

}  // namespace
}  // namespace assay::base
