// Sums of numbers of binary formats, exact.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "numerics/small_float/convert.h"

namespace assay::numerics::matrix {

// A sum of integers times powers of two, in two's complement: from 2^-kBelow on, in kLimbs times 64
// bits.
template <std::size_t kLimbs, int kBelow>
class ExactSum {
 public:
  void Add(bool negative, std::uint64_t magnitude, int exponent) {
    const auto place = static_cast<std::size_t>(exponent + kBelow);
    const std::size_t limb = place / 64;
    const int shift = static_cast<int>(place % 64);
    std::uint64_t parts[2] = {magnitude << shift, shift == 0 ? 0 : magnitude >> (64 - shift)};
    const std::uint64_t fill = negative ? ~std::uint64_t{0} : 0;
    const bool unchanged = negative;  // the carry with which a limb stays as it is
    bool carry = negative;
    for (std::size_t i = limb; i < kLimbs; ++i) {
      const std::uint64_t part = (i - limb < 2 ? parts[i - limb] : 0) ^ fill;
      const std::uint64_t sum = limbs_[i] + part;
      limbs_[i] = sum + (carry ? 1 : 0);
      carry = sum < part || (carry && limbs_[i] == 0);
      if (i > limb && carry == unchanged) break;
    }
  }

  // The sum, with all bits below the upper ones gathered in the last: rounding to at most 60 bits
  // is right.
  small_float::Number Value() const {
    std::array<std::uint64_t, kLimbs> limbs = limbs_;
    small_float::Number number;
    number.negative = (limbs.back() >> 63) != 0;
    if (number.negative) {
      std::uint64_t carry = 1;
      for (std::uint64_t& limb : limbs) {
        limb = ~limb + carry;
        carry = carry != 0 && limb == 0 ? 1 : 0;
      }
    }
    std::size_t top = kLimbs;
    while (top > 0 && limbs[top - 1] == 0) --top;
    if (top == 0) return number;
    const std::uint64_t below = top > 1 ? limbs[top - 2] : 0;
    const int zeros = std::countl_zero(limbs[top - 1]);
    std::uint64_t rest = zeros == 0 ? below : below << zeros;
    for (std::size_t i = 0; i + 2 < top; ++i) rest |= limbs[i];
    number.significand =
        limbs[top - 1] << zeros | (zeros == 0 ? 0 : below >> (64 - zeros)) | (rest != 0 ? 1 : 0);
    number.exponent = static_cast<int>(top - 1) * 64 - zeros - kBelow;
    return number;
  }

 private:
  std::array<std::uint64_t, kLimbs> limbs_{};
};

// Adds numbers and products with the rules of IEEE 754 for infinity, NaN and the sign of a zero
// sum.
template <typename Sum>
class ExactTerms {
 public:
  void Add(const small_float::Number& x) {
    Note(x);
    if (x.kind == small_float::Kind::kFinite && x.significand != 0) {
      sum_.Add(x.negative, x.significand, x.exponent);
    }
  }
  // Significands of at most 64 bits.
  void AddProduct(const small_float::Number& x, const small_float::Number& y) {
    const auto is_zero = [](const small_float::Number& n) {
      return n.kind == small_float::Kind::kFinite && n.significand == 0;
    };
    small_float::Number product;
    product.negative = x.negative != y.negative;
    if (x.kind != small_float::Kind::kFinite || y.kind != small_float::Kind::kFinite) {
      const bool is_nan = x.kind == small_float::Kind::kNan || y.kind == small_float::Kind::kNan ||
                          is_zero(x) || is_zero(y);
      product.kind = is_nan ? small_float::Kind::kNan : small_float::Kind::kInfinity;
    }
    Note(product);
    if (product.kind != small_float::Kind::kFinite || is_zero(x) || is_zero(y)) return;
    __extension__ using Wide = unsigned __int128;
    const Wide significand = Wide{x.significand} * y.significand;
    const int exponent = x.exponent + y.exponent;
    sum_.Add(product.negative, static_cast<std::uint64_t>(significand), exponent);
    const auto high = static_cast<std::uint64_t>(significand >> 64);
    if (high != 0) sum_.Add(product.negative, high, exponent + 64);
  }
  small_float::Number Value() const {
    if (nan_ || (plus_ && minus_)) return {small_float::Kind::kNan};
    if (plus_ || minus_) return {small_float::Kind::kInfinity, minus_};
    small_float::Number sum = sum_.Value();
    if (sum.significand == 0) sum.negative = all_negative_;
    return sum;
  }

 private:
  void Note(const small_float::Number& x) {
    nan_ |= x.kind == small_float::Kind::kNan;
    if (x.kind == small_float::Kind::kInfinity) (x.negative ? minus_ : plus_) = true;
    all_negative_ &= x.negative;
  }

  Sum sum_;
  bool nan_ = false, plus_ = false, minus_ = false, all_negative_ = true;
};

}  // namespace assay::numerics::matrix
