#include "layer/builds.h"

#include <gtest/gtest.h>

namespace assay::layer {
namespace {

TEST(LayerBuildsTest, ABuildIsWrittenAndReadBack) {
  Build build;
  build.modules = {{.bytes = "kernel void k() {}\n"},
                   {.bytes = std::string("\0\xff", 2), .is_il = true}};
  build.headers = {{"a/b.h", "#define A 1"}, {"c.h", ""}};
  build.options = "-D A=\"x y\" -cl-fast-relaxed-math";
  build.spec_constants[4000000000] = {std::byte{1}, std::byte{0}};
  const auto read = ReadBuildText(BuildText(build));
  ASSERT_TRUE(read);
  EXPECT_EQ(Named(*read)->digest, Named(build)->digest);
  EXPECT_EQ(read->options, build.options);
  EXPECT_TRUE(read->modules[1].is_il);
  EXPECT_EQ(read->headers, build.headers);
  EXPECT_EQ(read->spec_constants, build.spec_constants);
}

TEST(LayerBuildsTest, ATextThatIsCutIsNone) {
  Build build;
  build.modules = {{.bytes = "kernel void k() {}\n"}};
  build.options = "-w";
  const std::string text = BuildText(build);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(ReadBuildText(text.substr(0, length))) << length;
  }
  EXPECT_FALSE(ReadBuildText(text + "1:x"));
  // Numbers that no text has room for end soon.
  EXPECT_FALSE(ReadBuildText("7:9999999"));
  EXPECT_FALSE(ReadBuildText("20:99999999999999999999"));
}

}  // namespace
}  // namespace assay::layer
