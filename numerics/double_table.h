// Functions of double as tables of polynomials, and numbers as sums of two doubles.
//
// Every binade of the operand is cut into pieces of one width. On a piece the function is
// c0 + c1 t + t^2 q(t), t = x - center: c0 and c1 are sums of two doubles, and q is a polynomial of
// doubles, so that only what t^2 makes small is rounded to 53 bits. Each piece has a bound of all
// its errors. numerics/generate/double_tables.cc makes the tables with MPFR while assay is built.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace assay::numerics {

// high + low, where high is the double nearest to the sum.
struct DoubleDouble {
  double high = 0;
  double low = 0;
};

// |exact - value| <= error.
struct Approximation {
  DoubleDouble value;
  double error = 0;
};

inline constexpr int kPieceDegree = 11;

struct DoublePiece {
  double center;
  double c0, c0_low, c1, c1_low;
  double c[kPieceDegree - 1];  // of t^2, t^3, ...
  double error;                // infinite: not to be used
};

struct DoubleBinade {
  std::uint32_t first;  // its first piece
  std::uint32_t log2_pieces;
};

// Of the binades from 2^first_exponent on.
struct DoubleTable {
  int first_exponent;
  int binades;
  const DoubleBinade* binade;
  const DoublePiece* pieces;
};

// The tables, by the name of the function that MPFR has.
#define ASSAY_DOUBLE_TABLE(name, ...) extern const DoubleTable kTable_##name;
#include "numerics/double_tables.def"
#undef ASSAY_DOUBLE_TABLE

// ---- Arithmetic on sums of two doubles (Dekker; Ogita, Rump and Oishi, "Accurate sum and dot
// product", 2005). To nearest; nothing overflows or underflows. ----------------------------------

// |a| >= |b| or a = 0.
inline DoubleDouble FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
inline DoubleDouble TwoSum(double a, double b) {
  const double sum = a + b, b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
// By Veltkamp's splitting: the program runs on processors without fused multiply-add.
inline DoubleDouble TwoProduct(double a, double b) {
  const double product = a * b;
  const double a_big = a * 0x1.0000002p27, b_big = b * 0x1.0000002p27;
  const double a_high = a_big - (a_big - a), b_high = b_big - (b_big - b);
  const double a_low = a - a_high, b_low = b - b_high;
  const double low =
      ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return {product, low};
}
// Each within 2^-100 of the result.
inline DoubleDouble Add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = TwoSum(a.high, b.high), low = TwoSum(a.low, b.low);
  const DoubleDouble sum = FastTwoSum(high.high, high.low + low.high);
  return FastTwoSum(sum.high, sum.low + low.low);
}
inline DoubleDouble Multiply(DoubleDouble a, double b) {
  const DoubleDouble product = TwoProduct(a.high, b);
  return FastTwoSum(product.high, product.low + a.low * b);
}
inline DoubleDouble Multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = TwoProduct(a.high, b.high);
  return FastTwoSum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
inline DoubleDouble Divide(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble back = Multiply(b, quotient);
  const double rest = (a.high - back.high) - back.low + a.low;
  return FastTwoSum(quotient, rest / b.high);
}

// x > 0, |x_low| <= 2^-52 x. False: x is in no binade of the table, or no bound is known.
inline bool LookUp(const DoubleTable& table, double x, double x_low, Approximation* result) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int binade = static_cast<int>(bits >> 52) - 1023 - table.first_exponent;
  if (binade < 0 || binade >= table.binades) return false;
  const DoubleBinade& row = table.binade[binade];
  const std::uint64_t mantissa = bits & 0xfffffffffffff;
  const DoublePiece& piece = table.pieces[row.first + (mantissa >> (52 - row.log2_pieces))];
  const double t = x - piece.center;  // exact
  double q = piece.c[kPieceDegree - 2];
  for (int i = kPieceDegree - 3; i >= 0; --i) q = q * t + piece.c[i];
  const DoubleDouble linear = TwoProduct(t, piece.c1);
  const DoubleDouble sum = TwoSum(piece.c0, linear.high);
  const double slope = piece.c1 + 2 * t * q;  // to what a product with x_low needs
  const double small = t * t * q + (t * piece.c1_low + slope * x_low);
  result->value = FastTwoSum(sum.high, sum.low + (linear.low + piece.c0_low + small));
  result->error = piece.error;
  return piece.error < 0x1p1000;
}

// The double nearest to the exact value; false where the error leaves a doubt, or the value is near
// the ends of the range.
inline bool RoundToDouble(const Approximation& value, double* rounded) {
  const DoubleDouble sum = FastTwoSum(value.value.high, value.value.low);
  const double magnitude = std::fabs(sum.high);
  if (!(magnitude > 0x1p-960 && magnitude < 0x1p1020)) return false;
  *rounded = sum.high;
  return sum.high + (sum.low - value.error) == sum.high &&
         sum.high + (sum.low + value.error) == sum.high;
}

}  // namespace assay::numerics
