// Against PoCL, which `./dev setup` installs; skipped where there is no such platform.
#include <gtest/gtest.h>

#include "oracle/images/run.h"

namespace assay::oracle {
namespace {

TEST(OpenClImagesTest, PoclReadsAndWritesBytes) {
  const auto device = OpenOpenCl("portable computing");
  if (!device) GTEST_SKIP() << "no PoCL here: apt install pocl-opencl-icd";
  const auto abilities = AskImageAbilities(**device);
  ASSERT_TRUE(abilities) << abilities.error().message;
  EXPECT_EQ(abilities->Of(ImageAbility::kIsGpu), 0U);
  EXPECT_GE(abilities->Of(ImageAbility::kMax2DWidth), 2048U);
  const auto rows = SelectImageRows(
      ImageRows(*abilities),
      {"image_formats_2d", "image_*_2d_rgba_unorm_int8", "image_read_3d_rgba_float",
       "image_write_1d_rgba_signed_int16", "image_read_1d_buffer_rgba_unsigned_int32",
       "image_write_1d_buffer_rgba_unorm_int8", "image_query_2d_array_rgba_float"});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->size(), 13U);
  for (const ImageRow& row : *rows) {
    const ImageRowResult result = RunImageRow(**device, *abilities, row, {});
    const bool open = row.op == ImageRowOp::kNearestNormalized || row.op == ImageRowOp::kLinear ||
                      row.op == ImageRowOp::kLinearNormalized;
    EXPECT_EQ(result.specification, open ? ImageVerdict::kNotDefined : ImageVerdict::kPass)
        << row.Name() << " " << result.message;
    EXPECT_EQ(result.suite, ImageVerdict::kPass) << row.Name();
  }
}

}  // namespace
}  // namespace assay::oracle
