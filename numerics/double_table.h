// Functions of double as tables of polynomials, which double_quick.inc evaluates.
//
// Every binade of the operand is cut into pieces of one width. On a piece the function is
// c0 + c1 t + t^2 q(t), t = x - center: c0 and c1 are sums of two doubles, and q is a polynomial of
// doubles, so that only what t^2 makes small is rounded to 53 bits. Each piece has a bound of all
// its errors. numerics/generate/double_tables.cc makes the tables with MPFR while assay is built.
#pragma once

#include <cstdint>

namespace assay::numerics {

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

}  // namespace assay::numerics
