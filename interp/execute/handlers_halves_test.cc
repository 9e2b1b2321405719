// Arithmetic of halves, which is done by way of floats, gives what numbers of more digits rounded
// once give: those of double for one operation, numerics for fma.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "interp/testing/launch.h"
#include "numerics/convert.h"

namespace assay::interp {
namespace {

using numerics::Rounding;
using numerics::ScalarType;

constexpr std::uint32_t kCount = 0x10000;

double Wide(std::uint16_t bits) {
  return std::bit_cast<double>(
      numerics::Convert(ScalarType::kHalf, ScalarType::kDouble, bits, Rounding::kRte, false));
}
// A number with at most 40 digits, or one that no half and no middle of two is near, rounded once.
std::uint16_t Half(double value) {
  return static_cast<std::uint16_t>(numerics::Convert(ScalarType::kDouble, ScalarType::kHalf,
                                                      std::bit_cast<std::uint64_t>(value),
                                                      Rounding::kRte, false));
}

using Column = std::vector<std::uint16_t>;

// Every half in one column; in the others any, or one beside it or with few digits.
std::vector<Column> Operands(std::uint64_t seed) {
  static constexpr std::uint16_t kSpecial[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400,
                                               0x3c00, 0xbc00, 0x3bff, 0x7bff, 0xfbff, 0x7c00,
                                               0xfc00, 0x7e00, 0x7c01, 0xfe55};
  std::mt19937_64 random(seed);
  std::vector<Column> columns(3, Column(kCount));
  for (std::uint32_t i = 0; i < kCount; ++i) {
    columns[0][i] = static_cast<std::uint16_t>(i);
    for (std::size_t k = 1; k < 3; ++k) {
      const std::uint64_t bits = random();
      const auto any = static_cast<std::uint16_t>(bits >> 16);
      switch (bits & 7) {
        case 0:
          columns[k][i] = kSpecial[any % std::size(kSpecial)];
          break;
        case 1:
          columns[k][i] = static_cast<std::uint16_t>(i ^ 0x8000 ^ (any & 3));
          break;
        case 2:
          columns[k][i] = static_cast<std::uint16_t>(any & 0xfc00);
          break;
        default:
          columns[k][i] = any;
      }
    }
  }
  return columns;
}

Column ResultsOf(const std::string& expression, const std::vector<Column>& in,
                 const SessionOptions& options = {}) {
  // Some work-items by themselves.
  const std::string source =
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL FP_CONTRACT OFF\n"
      "kernel void k(global half* a, global half* b, global half* c, global half* out) {\n"
      "  size_t i = get_global_id(0);\n  half x = a[i], y = b[i], z = c[i];\n"
      "  if (i % 5 == 1) out[i] = " +
      expression + ";\n  else out[i] = " + expression + ";\n}\n";
  auto session = TestSession::FromC(source, options);
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {};
  const auto out = session->Buffer(Column(kCount));
  const auto result =
      session->Launch({session->Buffer(in[0]), session->Buffer(in[1]), session->Buffer(in[2]), out},
                      kCount, {}, 64);
  EXPECT_TRUE(result) << result.error().message;
  return session->Read<std::uint16_t>(out);
}

void Expect(const std::string& expression,
            const std::function<std::uint16_t(double, double, double)>& value) {
  for (const std::uint64_t seed : {1, 2}) {
    const auto in = Operands(seed);
    const Column seen = ResultsOf(expression, in);
    ASSERT_EQ(seen.size(), kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const std::uint16_t expected = value(Wide(in[0][i]), Wide(in[1][i]), Wide(in[2][i]));
      ASSERT_EQ(seen[i], expected)
          << expression << " of " << std::hex << in[0][i] << " " << in[1][i] << " " << in[2][i];
    }
  }
}

TEST(HandlersHalves, Arithmetic) {
  Expect("x + y", [](double x, double y, double) { return Half(x + y); });
  Expect("x - y", [](double x, double y, double) { return Half(x - y); });
  Expect("x * y", [](double x, double y, double) { return Half(x * y); });
  Expect("x / y", [](double x, double y, double) { return Half(x / y); });
  Expect("sqrt(x)", [](double x, double, double) { return Half(std::sqrt(x)); });
  Expect("x * y + z", [](double x, double y, double z) { return Half(Wide(Half(x * y)) + z); });
  Expect("z - x * y", [](double x, double y, double z) { return Half(z - Wide(Half(x * y))); });
  Expect("x * y + y * z",
         [](double x, double y, double z) { return Half(Wide(Half(x * y)) + Wide(Half(y * z))); });
}

TEST(HandlersHalves, WholeNumbersAndChoices) {
  Expect("floor(x)", [](double x, double, double) { return Half(std::floor(x)); });
  Expect("ceil(x)", [](double x, double, double) { return Half(std::ceil(x)); });
  Expect("trunc(x)", [](double x, double, double) { return Half(std::trunc(x)); });
  Expect("rint(x)", [](double x, double, double) { return Half(std::nearbyint(x)); });
  Expect("round(x)", [](double x, double, double) { return Half(std::round(x)); });
  Expect("sign(x)", [](double x, double, double) {
    return Half(x > 0 ? 1.0 : x < 0 ? -1.0 : x == 0 ? x : 0.0);
  });
  Expect("step(x, y)", [](double x, double y, double) { return Half(y < x ? 0.0 : 1.0); });
  Expect("fmin(x, y)",
         [](double x, double y, double) { return Half(std::isnan(x) || y < x ? y : x); });
  Expect("fmax(x, y)",
         [](double x, double y, double) { return Half(std::isnan(x) || x < y ? y : x); });
}

TEST(HandlersHalves, Comparisons) {
  const auto expect = [](const std::string& condition,
                         const std::function<bool(double, double)>& is_true) {
    const auto value = [&](double x, double y, double) {
      return static_cast<std::uint16_t>(is_true(x, y) ? 0x3c00 : 0xbc00);
    };
    Expect("(" + condition + ") ? (half)1 : (half)-1", value);  // a branch
    Expect("(half)(2 * (int)(" + condition + ") - 1)", value);  // a boolean
  };
  expect("x < y", std::less<double>());
  expect("x <= y", std::less_equal<double>());
  expect("x > y", std::greater<double>());
  expect("x >= y", std::greater_equal<double>());
  expect("x == y", std::equal_to<double>());
  expect("x != y", std::not_equal_to<double>());
  expect("!(x < y)", [](double x, double y) { return !(x < y); });
  expect("!(x >= y)", [](double x, double y) { return !(x >= y); });
  expect("isnan(x)", [](double x, double) { return std::isnan(x); });
  expect("islessgreater(x, y)", [](double x, double y) { return x < y || x > y; });
  expect("isunordered(x, y)", [](double x, double y) { return std::isnan(x) || std::isnan(y); });
}

// Rounded once: a product that is added has more digits than a half.
TEST(HandlersHalves, Fused) {
  for (const std::uint64_t seed : {3, 4}) {
    auto in = Operands(seed);
    for (std::uint32_t i = 0; i < kCount; i += 2) {
      // Near the product's opposite, or near the middle of two halves beside a tiny product.
      const double product = Wide(in[0][i]) * Wide(in[1][i]);
      in[2][i] = static_cast<std::uint16_t>(Half(-product) + (i >> 1 & 1));
    }
    EXPECT_EQ(ResultsOf("fma(x, y, z)", in), ResultsOf("fma(x, y, z)", in, {.records_math = true}));
  }
}

// What the processor's mode is, halves are rounded by it.
TEST(HandlersHalves, OtherModes) {
  const auto in = Operands(5);
  for (const Rounding rounding : {Rounding::kRtz, Rounding::kRtp, Rounding::kRtn}) {
    const Column sums = ResultsOf("x + y", in, {.rounding = rounding});
    ASSERT_EQ(sums.size(), kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const double sum = Wide(in[0][i]) + Wide(in[1][i]);
      if (sum == 0) continue;  // its sign is the mode's
      ASSERT_EQ(sums[i], numerics::Convert(ScalarType::kDouble, ScalarType::kHalf,
                                           std::bit_cast<std::uint64_t>(sum), rounding, false))
          << std::hex << in[0][i] << " " << in[1][i];
    }
  }
}

}  // namespace
}  // namespace assay::interp
