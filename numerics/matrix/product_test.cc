#include "numerics/matrix/product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "numerics/small_float/convert.h"

namespace assay::numerics::matrix {
namespace {

using small_float::FormatOf;
using testing::HasSubstr;

Element Float(std::string_view name) {
  return {.format = FormatOf(name), .bits = FormatOf(name)->width()};
}
Element Integer(int bits, bool is_signed) { return {.bits = bits, .is_signed = is_signed}; }

std::vector<std::uint64_t> Computed(std::string_view name, const ProductTypes& types,
                                    const Shape& shape, const std::vector<std::uint64_t>& a,
                                    const std::vector<std::uint64_t>& b,
                                    const std::vector<std::uint64_t>& c,
                                    std::vector<std::size_t>* open = nullptr) {
  std::vector<std::size_t> places;
  std::vector<std::uint64_t> d(shape.m * shape.n);
  const auto product = TileProduct::Find(name, {}, types, shape);
  EXPECT_TRUE(product.has_value());
  if (product) product->Compute(a.data(), b.data(), c.data(), d.data(), &places);
  if (open != nullptr) *open = places;
  return d;
}

std::uint64_t Converted(std::string_view from, std::uint64_t bits, std::string_view to) {
  return small_float::Convert(*FormatOf(from), bits, *FormatOf(to));
}

// The formats of models have a way of their own, which has other tests.  Every number of f16 is one
// of f32, so that the general way has to give the same.
TEST(TileProduct, IsTheSameOfWiderFormats) {
  std::mt19937_64 random(7);
  const Shape shape{8, 4, 13};
  for (const std::string_view name : {"exact", "ieee-sequential", "ieee-tree"}) {
    for (int round = 0; round < 50; ++round) {
      std::vector<std::uint64_t> a(shape.m * shape.k), b(shape.k * shape.n), c(shape.m * shape.n);
      for (auto* all : {&a, &b}) {
        for (std::uint64_t& bits : *all) bits = random() & 0xffff;
      }
      for (std::uint64_t& bits : c) bits = random() & 0xffffffff;
      std::vector<std::uint64_t> wide_a, wide_b;
      for (const std::uint64_t bits : a) wide_a.push_back(Converted("f16", bits, "f32"));
      for (const std::uint64_t bits : b) wide_b.push_back(Converted("f16", bits, "f32"));
      const ProductTypes narrow{Float("f16"), Float("f16"), Float("f32"), Float("f32")};
      const ProductTypes wide{Float("f32"), Float("f32"), Float("f32"), Float("f32")};
      EXPECT_EQ(Computed(name, narrow, shape, a, b, c),
                Computed(name, wide, shape, wide_a, wide_b, c))
          << name;
    }
  }
}

TEST(TileProduct, OfDoublesIsExact) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const ProductTypes types{Float("f64"), Float("f64"), Float("f64"), Float("f64")};
  const double big = std::ldexp(1, 1000), small = std::ldexp(1, -1074);
  // big * 8 - big * 8 + small * 1 + 0
  EXPECT_EQ(Computed("exact", types, {1, 1, 3}, {bits(big), bits(big), bits(small)},
                     {bits(8), bits(-8), bits(1)}, {bits(0)}),
            std::vector{bits(small)});
  // 1 + 2^-53 + 2^-106 is above the tie.
  const double tiny = std::ldexp(1, -53);
  EXPECT_EQ(Computed("exact", types, {1, 1, 2}, {bits(tiny), bits(tiny)}, {bits(1), bits(tiny)},
                     {bits(1)}),
            std::vector{bits(1 + std::ldexp(1, -52))});
  EXPECT_EQ(Computed("ieee-sequential", types, {1, 1, 2}, {bits(tiny), bits(tiny)},
                     {bits(1), bits(tiny)}, {bits(1)}),
            std::vector{bits(1)});
}

TEST(TileProduct, OfIntegersIsModuloTheirWidth) {
  const ProductTypes types{Integer(8, true), Integer(8, false), Integer(32, true),
                           Integer(32, true)};
  // -1 * 255 + 127 * 2 + 5
  EXPECT_EQ(Computed("ieee-tree", types, {1, 1, 2}, {0xff, 127}, {255, 2}, {5}),
            (std::vector<std::uint64_t>{4}));
  ProductTypes narrow{Integer(8, true), Integer(8, true), Integer(8, true), Integer(8, true)};
  EXPECT_EQ(Computed("exact", narrow, {1, 1, 1}, {100}, {3}, {0}),
            (std::vector<std::uint64_t>{44}));
}

TEST(TileProduct, SaturatesTheAdditionOnly) {
  ProductTypes types{Integer(8, true), Integer(8, true), Integer(8, true), Integer(8, true), true};
  std::vector<std::size_t> open;
  EXPECT_EQ(Computed("exact", types, {1, 2, 1}, {100}, {1, 0xff}, {100, 0x9c}, &open),
            (std::vector<std::uint64_t>{127, 0x80}));
  EXPECT_TRUE(open.empty());
  Computed("exact", types, {1, 2, 1}, {100}, {1, 2}, {0, 0}, &open);
  EXPECT_EQ(open, std::vector<std::size_t>{1});
}

TEST(TileProduct, NamesWhatAModelLacks) {
  const auto message = [](const ProductTypes& types, std::size_t k) {
    const auto product = TileProduct::Find("nvidia-hopper-mma", {}, types, {8, 8, k});
    return product ? std::string() : product.error().message;
  };
  const ProductTypes half{Float("f16"), Float("f16"), Float("f32"), Float("f32")};
  EXPECT_EQ(message(half, 32), "");
  EXPECT_THAT(message(half, 8), HasSubstr("has k = 16, which does not divide the k = 8"));
  EXPECT_THAT(message({Float("f32"), Float("f32"), Float("f32"), Float("f32")}, 16),
              HasSubstr("no instruction with f32"));
  EXPECT_THAT(message({Float("e4m3"), Float("e5m2"), Float("f32"), Float("f32")}, 32),
              HasSubstr("a of e4m3, b of e5m2"));
  EXPECT_THAT(message({Float("f16"), Float("f16"), Float("f16"), Float("f32")}, 16),
              HasSubstr("c of f16 and a result of f32"));
  EXPECT_FALSE(TileProduct::Find("nothing", {}, half, {8, 8, 16}).has_value());
}

}  // namespace
}  // namespace assay::numerics::matrix
