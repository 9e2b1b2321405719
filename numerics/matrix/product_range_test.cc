#include "numerics/matrix/product_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "numerics/matrix/multiply.h"
#include "numerics/matrix/random_tiles.h"
#include "numerics/matrix/tile.h"

namespace assay::numerics::matrix {
namespace {

Model Formats(const std::string& input, const std::string& accumulator, int k) {
  Model model = *FindModel("exact", {}, input, accumulator);
  model.m = model.n = 4;
  model.k = k;
  return model;
}

struct RandomTile {
  RandomTile(const Model& model, std::uint64_t tile)
      : a(Size(model.m, model.k)), b(Size(model.k, model.n)), c(Size(model.m, model.n)) {
    FillTile(model, 1, tile, a.data(), b.data(), c.data());
  }
  static std::size_t Size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  // Row i of a, and column j of b.
  Lines Row(const Model& model, std::size_t i) const {
    const auto k = static_cast<std::size_t>(model.k);
    Lines lines(model, 1, k);
    for (std::size_t l = 0; l < k; ++l) lines.Set(0, l, a[i * k + l]);
    return lines;
  }
  Lines Column(const Model& model, std::size_t j) const {
    const auto k = static_cast<std::size_t>(model.k), n = static_cast<std::size_t>(model.n);
    Lines lines(model, 1, k);
    for (std::size_t l = 0; l < k; ++l) lines.Set(0, l, b[l * n + j]);
    return lines;
  }
  std::vector<std::uint32_t> a, b, c;
};

// float arithmetic in a random order, in pairs or as a chain, and in every direction.
float InSomeOrder(std::vector<float> terms, std::mt19937_64* random) {
  while (terms.size() > 1) {
    std::shuffle(terms.begin(), terms.end(), *random);
    const volatile float x = terms.back(), y = terms[terms.size() - 2];
    terms.resize(terms.size() - 2);
    terms.push_back(x + y);
  }
  return terms[0];
}

TEST(ProductRange, ContainsEveryOrderInEveryRounding) {
  const Model model = Formats("bf16", "f32", 8);
  std::mt19937_64 random(7);
  int ranges = 0;
  for (std::uint64_t tile = 0; tile < 400; ++tile) {
    const RandomTile operands(model, tile);
    const Lines row = operands.Row(model, 0), column = operands.Column(model, 0);
    const ProductRange range = RangeOfProduct(model, row.at(0), column.at(0), 8, operands.c[0]);
    ranges += range.kind == ProductRange::Kind::kRange ? 1 : 0;
    for (const int mode : {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD}) {
      std::fesetround(mode);
      std::vector<float> terms = {std::bit_cast<float>(operands.c[0])};
      for (std::size_t l = 0; l < 8; ++l) {
        const volatile float x = std::bit_cast<float>(operands.a[l] << 16);
        const volatile float y = std::bit_cast<float>(operands.b[l * 4] << 16);
        terms.push_back(x * y);
      }
      const float sum = InSomeOrder(terms, &random);
      std::fesetround(FE_TONEAREST);
      EXPECT_TRUE(range.Contains(model, std::bit_cast<std::uint32_t>(sum))) << tile << " " << sum;
    }
  }
  EXPECT_GT(ranges, 200);  // and not `anything` for all
}

// Wide enough is easy: the range must also refuse.
TEST(ProductRange, RefusesOneUnitMore) {
  const Model model = Formats("f16", "f32", 4);
  Lines a(model, 1, 4), b(model, 1, 4);
  for (std::size_t l = 0; l < 4; ++l) {
    a.Set(0, l, 0x3c00);  // 1
    b.Set(0, l, 0x3c00);
  }
  const std::uint32_t zero = 0;
  const ProductRange range = RangeOfProduct(model, a.at(0), b.at(0), 4, zero);
  ASSERT_EQ(range.kind, ProductRange::Kind::kRange);
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  EXPECT_TRUE(range.Contains(model, bits(4)));
  // gamma(5) * 4 is 20 * 2^-23 and less than 21 * 2^-23; beside 4 a unit is 2^-21.
  EXPECT_TRUE(range.Contains(model, bits(4 + 0x1p-19F)));
  EXPECT_FALSE(range.Contains(model, bits(4 + 7 * 0x1p-21F)));
  EXPECT_FALSE(range.Contains(model, bits(4 - 22 * 0x1p-23F - 0x1p-22F)));
  EXPECT_FALSE(range.Contains(model, bits(NAN)));
  EXPECT_FALSE(range.Contains(model, bits(INFINITY)));
}

TEST(ProductRange, KnowsInfinityAndNan) {
  const Model model = Formats("f16", "f32", 2);
  const auto range_of = [&](std::uint32_t x, std::uint32_t y, float c) {
    Lines a(model, 1, 2), b(model, 1, 2);
    a.Set(0, 0, x);
    b.Set(0, 0, y);
    return RangeOfProduct(model, a.at(0), b.at(0), 2, std::bit_cast<std::uint32_t>(c));
  };
  EXPECT_EQ(range_of(0x7e00, 0x3c00, 0).kind, ProductRange::Kind::kNan);
  EXPECT_EQ(range_of(0x7c00, 0, 0).kind, ProductRange::Kind::kNan);
  const ProductRange infinite = range_of(0x7c00, 0xbc00, 5);
  EXPECT_TRUE(infinite.Contains(model, 0xff800000));
  EXPECT_FALSE(infinite.Contains(model, 0x7f800000));
  EXPECT_EQ(range_of(0x3c00, 0x3c00, 3.4028235e38F).kind, ProductRange::Kind::kAnything);
}

}  // namespace
}  // namespace assay::numerics::matrix
