#include "base/file_name.h"

#include <gtest/gtest.h>

namespace assay::base {
namespace {

TEST(PlainFileNameTest, HasNoFoldersAndIsShort) {
  EXPECT_EQ(PlainFileName("saxpy_2"), "saxpy_2");
  EXPECT_EQ(PlainFileName("ns/k"), "ns_k");
  EXPECT_EQ(PlainFileName("../a b\n\xc3\xa4"), "___a_b___");
  EXPECT_EQ(PlainFileName(std::string(300, 'x')).size(), 100u);
}

}  // namespace
}  // namespace assay::base
