#include "numerics/matrix/tile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json_text.h"
#include "numerics/matrix/random_tiles.h"

namespace assay::numerics::matrix {
namespace {

Model Fused(std::string input, int k, int alignment_bits) {
  Model model;
  model.name = input + "-f32";
  model.input = std::move(input);
  model.accumulator = "f32";
  model.m = model.n = 1;
  model.k = model.block = k;
  model.alignment_bits = alignment_bits;
  model.minimum_exponent = -133;
  model.result_bits = 23;
  model.nan = 0x7fffffff;
  return model;
}

// One dot product; products are a[i] * 1.
float DotOf(const Model& model, const std::vector<double>& products, float c) {
  const auto k = static_cast<std::size_t>(model.k);
  std::vector<std::uint32_t> a(k, 0), b(k, 0);
  const small_float::Format& format = *small_float::FormatOf(model.input);
  const auto bits = [&](double x) {
    return static_cast<std::uint32_t>(small_float::Convert(
        *small_float::FormatOf("f64"), std::bit_cast<std::uint64_t>(x), format));
  };
  for (std::size_t i = 0; i < products.size(); ++i) {
    a[i] = bits(products[i]);
    b[i] = bits(1);
  }
  Tile tile(model);
  const auto addend = std::bit_cast<std::uint32_t>(c);
  std::uint32_t d = 0;
  tile.Compute(a.data(), b.data(), &addend, &d);
  return std::bit_cast<float>(d);
}

// 1 - 1 leaves what was kept of a small term.
TEST(MatrixTile, KeepsSoManyBitsBelowTheLargestExponent) {
  for (const int kept : {13, 23, 25}) {
    const Model model = Fused("bf16", 16, kept);
    const double last = std::ldexp(1, -kept);
    EXPECT_EQ(DotOf(model, {1, last, -1}, 0), last);
    EXPECT_EQ(DotOf(model, {1, 1.5 * last, -1}, 0), last);
    EXPECT_EQ(DotOf(model, {1, -1.5 * last, -1}, 0), -last);  // toward zero
    EXPECT_EQ(DotOf(model, {1, last / 2, -1}, 0), 0);
  }
}

TEST(MatrixTile, AddsBlockAfterBlock) {
  Model model = Fused("bf16", 16, 25);
  const double last = std::ldexp(1, -24);
  EXPECT_EQ(DotOf(model, {1, last, 0, 0, 0, 0, 0, 0, -1}, 0), last);
  model.block = 8;  // the first block's result, 1 + 2^-24, is truncated to 24 bits
  EXPECT_EQ(DotOf(model, {1, last, 0, 0, 0, 0, 0, 0, -1}, 0), 0);
  model.grouping = Grouping::kInterleaved;  // the places 0 and 8 are in one block, 1 in the other
  EXPECT_EQ(DotOf(model, {1, last, 0, 0, 0, 0, 0, 0, -1}, 0), last);
}

TEST(MatrixTile, AddsTheAddendLast) {
  Model model = Fused("bf16", 16, 25);
  EXPECT_EQ(DotOf(model, {std::ldexp(1.5, -24)}, 1), 1);  // truncated with the others
  model.addend = Addend::kLast;
  EXPECT_EQ(DotOf(model, {std::ldexp(1.5, -24)}, 1), 1 + std::ldexp(1.F, -23));  // to nearest
}

TEST(MatrixTile, PropagatesInfinityAndNan) {
  const Model model = Fused("bf16", 8, 25);
  const float infinity = INFINITY;
  EXPECT_EQ(DotOf(model, {1, infinity}, 1), infinity);
  EXPECT_EQ(DotOf(model, {1, 2}, -infinity), -infinity);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(DotOf(model, {-infinity, infinity}, 1)), 0x7fffffffu);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(DotOf(model, {1, NAN}, 1)), 0x7fffffffu);
  EXPECT_EQ(DotOf(model, {std::ldexp(1.5, 127), std::ldexp(1.5, 127)}, 0), infinity);
}

// A model with all bits in one block, whose exact sum fits, and the exact sum itself.
TEST(MatrixTile, EnoughBitsGiveTheExactSum) {
  Model wide = Fused("e4m3", 32, 38);
  wide.m = 16;
  wide.n = 8;
  wide.result_rounding = small_float::Rounding::kNearestEven;
  wide.zero_sign = ZeroSign::kIeee;
  Model exact = wide;
  exact.arithmetic = Arithmetic::kExact;
  std::vector<std::uint32_t> a(16 * 32), b(32 * 8), c(16 * 8), d(c.size()), e(c.size());
  Tile first(wide), second(exact);
  for (std::uint64_t tile = 0; tile < 300; ++tile) {
    FillTile(wide, 7, tile, a.data(), b.data(), c.data());
    // Of c, what the 38 bits hold.
    for (std::uint32_t& bits : c) bits = bits % 3 == 0 ? 0 : 0x3f000000u | (bits & 0x80700000u);
    first.Compute(a.data(), b.data(), c.data(), d.data());
    second.Compute(a.data(), b.data(), c.data(), e.data());
    ASSERT_EQ(d, e) << tile;
  }
}

// float's fma, from the processor or the C library.
TEST(MatrixTile, TheSequentialChainIsFma) {
  Model model = Fused("bf16", 16, 0);
  model.m = 16;
  model.n = 8;
  model.arithmetic = Arithmetic::kSequential;
  model.nan = 0x7fc00000;
  std::vector<std::uint32_t> a(256), b(128), c(128), d(128);
  Tile tile(model);
  for (std::uint64_t t = 0; t < 200; ++t) {
    FillTile(model, 3, t, a.data(), b.data(), c.data());
    tile.Compute(a.data(), b.data(), c.data(), d.data());
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t j = 0; j < 8; ++j) {
        auto sum = std::bit_cast<float>(c[i * 8 + j]);
        for (std::size_t k = 0; k < 16; ++k) {
          sum = std::fma(std::bit_cast<float>(a[i * 16 + k] << 16),
                         std::bit_cast<float>(b[k * 8 + j] << 16), sum);
        }
        const std::uint32_t expected =
            std::isnan(sum) ? model.nan : std::bit_cast<std::uint32_t>(sum);
        ASSERT_EQ(d[i * 8 + j], expected) << t << " " << i << " " << j;
      }
    }
  }
}

TEST(MatrixTile, TheTreeAddsNeighbours) {
  Model model = Fused("f16", 4, 0);
  model.arithmetic = Arithmetic::kTree;
  const double tiny = std::ldexp(1, -13);
  // (2048 + tiny) + (-2048 + tiny): both tiny terms are lost before the sum.
  const double small = std::ldexp(1, -14);
  EXPECT_EQ(DotOf(model, {2048, small, -2048, small}, 0), 0);
  EXPECT_EQ(DotOf(model, {2048, -2048, small, small}, 0), tiny);
}

TEST(MatrixModel, SaysWhatIsWrong) {
  const auto error = [](const char* text) {
    const auto file = ParseModelFile(text, "x.json");
    return file ? std::string() : file.error().message;
  };
  EXPECT_EQ(error("[]"), "x.json: no JSON object");
  EXPECT_EQ(error("{\"schema\": 3}"), "x.json: 'schema' must be \"assay-matrix-model/1\"");
  EXPECT_EQ(error("{\"schema\": \"assay-matrix-model/1\", \"instructions\": [{}]}"),
            "x.json: instructions[0]: 'name' is missing");
  Model model = Fused("f16", 16, 25);
  model.block = 5;
  EXPECT_EQ(CheckModel(model, "m").error().message,
            "m: 'block' must be from 1 to 64 and divide 'k'");
}

TEST(MatrixModel, ComesBackFromJson) {
  Model model = Fused("e5m2", 32, 13);
  model.block = 16;
  model.grouping = Grouping::kPairs;
  model.addend = Addend::kLast;
  model.result_bits = 13;
  const std::string text =
      "{\"schema\": \"assay-matrix-model/1\", \"device\": \"d\", \"instructions\": [" +
      base::JsonText(ModelToJson(model)) + "]}";
  const auto file = ParseModelFile(text, "x.json");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->instructions.at(0), model);
}

}  // namespace
}  // namespace assay::numerics::matrix
