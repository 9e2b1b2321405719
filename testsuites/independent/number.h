// Numbers of the independent oracle: MPFR for arithmetic, and rounding by integer arithmetic on
// GMP.
//
// Shares nothing with numerics/ on purpose: the formats, the decoding and the rounding are written
// a second time, slowly and plainly, so that a mistake would have to be made twice.
#pragma once

#include <gmp.h>
#include <mpfr.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace assay::independent {

// IEEE 754-2019 table 3.5, and bfloat16.
struct Layout {
  int width;
  int exponent_width;
  int FractionWidth() const { return width - 1 - exponent_width; }
  int Bias() const { return (1 << (exponent_width - 1)) - 1; }
  // Enough bits for sums of products of four numbers of the format without rounding.
  int WideBits() const { return 4 * ((1 << exponent_width) + 2 * FractionWidth()) + 128; }
};
Layout LayoutOf(std::string_view format_name);

enum Mode { kNearestEven, kTowardZero, kUp, kDown };

// A copyable mpfr_t.
class Number {
 public:
  explicit Number(int bits = 400) { mpfr_init2(v_, bits); }
  Number(const Number& other) {
    mpfr_init2(v_, mpfr_get_prec(other.v_));
    mpfr_set(v_, other.v_, MPFR_RNDN);
  }
  Number& operator=(const Number& other) {
    mpfr_set_prec(v_, mpfr_get_prec(other.v_));
    mpfr_set(v_, other.v_, MPFR_RNDN);
    return *this;
  }
  ~Number() { mpfr_clear(v_); }

  operator mpfr_ptr() { return v_; }           // NOLINT(google-explicit-constructor)
  operator mpfr_srcptr() const { return v_; }  // NOLINT(google-explicit-constructor)

  bool IsNan() const { return mpfr_nan_p(v_) != 0; }
  bool IsInfinite() const { return mpfr_inf_p(v_) != 0; }
  bool IsZero() const { return mpfr_zero_p(v_) != 0; }
  bool IsFinite() const { return mpfr_number_p(v_) != 0; }
  bool IsInteger() const { return mpfr_integer_p(v_) != 0; }
  bool SignBit() const { return mpfr_signbit(v_) != 0; }
  int Compare(double d) const { return mpfr_cmp_d(v_, d); }

 private:
  mpfr_t v_;
};

// What the bits of a format mean, exactly.
Number Decode(const Layout& layout, std::uint64_t bits);

// The true value is `value`, or lies strictly beside it: inexact > 0 says value > truth, < 0 says
// value < truth, by less than a unit in the last place of value.
struct Approximation {
  Number value;
  int inexact = 0;
};

// The bits of the format's number next to the truth under each rounding mode, by Mode.  NaN must
// not be asked; infinity is itself.
std::array<std::uint64_t, 4> Encode(const Layout& layout, const Approximation& truth);

}  // namespace assay::independent
