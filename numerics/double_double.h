// Numbers of about 106 bits as sums of two doubles: |lo| is at most half an ulp of hi.  The
// functions for double results compute with them.  Internal to numerics.
//
// Every operation is made of exact ones (IEEE 754 addition, multiplication and fma), so that a
// processor with an instruction for fma gives the same bits as one without.
#pragma once

#include <cmath>

// Everything in double-double is compiled twice, in two namespaces: with the instruction for fma,
// and for processors without it (double_plain.cc, double_fused.cc).
#ifndef ASSAY_DOUBLE_DOUBLE
#error "include it from double_plain.cc or double_fused.cc"
#endif

namespace assay::numerics::ASSAY_DOUBLE_DOUBLE {

struct Dd {
  double hi = 0, lo = 0;
};

// |a| >= |b|, or a == 0.
inline Dd FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

inline Dd TwoSum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// Exact where the product's last bits are no smaller than 2^-1074.
inline Dd TwoProduct(double a, double b) {
  const double product = a * b;
  return {product, __builtin_fma(a, b, -product)};
}

inline Dd operator-(Dd a) { return {-a.hi, -a.lo}; }

inline Dd operator+(Dd a, double b) {
  const Dd sum = TwoSum(a.hi, b);
  return FastTwoSum(sum.hi, sum.lo + a.lo);
}
inline Dd operator+(double a, Dd b) { return b + a; }
inline Dd operator-(Dd a, double b) { return a + -b; }
inline Dd operator-(double a, Dd b) { return -b + a; }

// Relative error below 2^-104, also where the two cancel.
inline Dd operator+(Dd a, Dd b) {
  Dd sum = TwoSum(a.hi, b.hi);
  const Dd low = TwoSum(a.lo, b.lo);
  sum = FastTwoSum(sum.hi, sum.lo + low.hi);
  return FastTwoSum(sum.hi, sum.lo + low.lo);
}
inline Dd operator-(Dd a, Dd b) { return a + -b; }

inline Dd operator*(Dd a, double b) {
  const Dd product = TwoProduct(a.hi, b);
  return FastTwoSum(product.hi, __builtin_fma(a.lo, b, product.lo));
}
inline Dd operator*(double a, Dd b) { return b * a; }
inline Dd operator*(Dd a, Dd b) {
  const Dd product = TwoProduct(a.hi, b.hi);
  return FastTwoSum(product.hi, product.lo + __builtin_fma(a.hi, b.lo, a.lo * b.hi));
}

inline Dd operator/(Dd a, Dd b) {
  const double first = a.hi / b.hi;
  const Dd rest = a - b * first;
  const double second = rest.hi / b.hi;
  const double third = (rest - b * second).hi / b.hi;
  const Dd quotient = FastTwoSum(first, second);
  return quotient + third;
}
inline Dd operator/(double a, Dd b) { return Dd{a, 0} / b; }
inline Dd operator/(Dd a, double b) { return a / Dd{b, 0}; }

// a > 0.
inline Dd Sqrt(Dd a) {
  const double root = std::sqrt(a.hi);
  const Dd rest = a - TwoProduct(root, root);
  return FastTwoSum(root, rest.hi / (2 * root));
}

// Which multiple of 1 / steps, a power of two, is nearest to x >= 0: x less that multiple is exact,
// which it is not always if the sum with 1/2 is rounded.
inline int NearestMultiple(double x, double steps) {
  return (static_cast<int>(x * (2 * steps)) + 1) >> 1;
}

// By a power of two; exact while nothing underflows.
inline Dd Scaled(Dd a, double power) { return {a.hi * power, a.lo * power}; }

}  // namespace assay::numerics::ASSAY_DOUBLE_DOUBLE
