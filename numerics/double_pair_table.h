// Constants, tables and piecewise polynomials in double-double.  MPFR computes them when they are
// first needed; no coefficient has another source.  Internal to numerics.
#pragma once

#include <mpfr.h>

#include <atomic>
#include <cstddef>
#include <mutex>

#include "numerics/approximation.h"
#include "numerics/double_double.h"
#include "numerics/double_parts.h"

namespace assay::numerics::ASSAY_DOUBLE_DOUBLE {

inline Dd ToDd(mpfr_srcptr value) {
  Dd parts;
  ToParts(value, &parts.hi, &parts.lo);
  return parts;
}

// A value that `set` computes, to about 106 bits.
template <typename Set>
Dd Constant(const Set& set) {
  mpfr_t value;
  mpfr_init2(value, kPartsPrecision);
  set(static_cast<mpfr_ptr>(value));
  const Dd parts = ToDd(value);
  mpfr_clear(value);
  return parts;
}

// f at j * step for j = 0 to kCount - 1.
template <int kCount>
struct Tabulated {
  Dd at[kCount];
  Tabulated(MpfrFunction f, double step) {
    for (int j = 0; j < kCount; ++j) {
      at[j] = Constant([&](mpfr_ptr value) {
        mpfr_t x;
        mpfr_init2(x, kPartsPrecision);
        mpfr_set_d(x, j * step, MPFR_RNDN);
        f(value, x);
        mpfr_clear(x);
      });
    }
  }
  const Dd& operator[](int j) const { return at[j]; }
};

template <MpfrFunction kFunction>
void InParts(double center, double radius, int degree, double* coefficients) {
  InterpolateInParts(kFunction, center, radius, degree, coefficients);
}

// f on [0, end] by polynomials in t = x - center, around the multiples of `width`, a power of two.
// The first kLow coefficients are double-doubles, because what is lost at them is not made small by
// a power of t.  For the time of the program.
template <int kDegree, int kLow>
class Table {
 public:
  Table(PieceMaker make, double end, double width)
      : make_(make),
        width_(width),
        per_unit_(1 / width),
        coefficients_(new Dd[(static_cast<std::size_t>(end / width) + 2) * (kDegree + 1)]),
        is_made_(new std::atomic<bool>[static_cast<std::size_t>(end / width) + 2]()) {}

  // 0 <= x.hi <= end.
  Dd operator()(Dd x) const {
    const int piece = NearestMultiple(x.hi, per_unit_);
    if (!is_made_[piece].load(std::memory_order_acquire)) [[unlikely]] {
      Make(piece);
    }
    const Dd* c = &coefficients_[piece * (kDegree + 1)];
    const double t = x.hi - piece * width_;  // exact: the center is the nearest multiple
    double high = c[kDegree].hi;
    double slope = kDegree * high;
    for (int i = kDegree - 1; i >= kLow; --i) {
      high = high * t + c[i].hi;
      slope = slope * t + i * c[i].hi;
    }
    Dd value = {high, 0};
    for (int i = kLow - 1; i >= 0; --i) {
      value = value * t + c[i];
      if (i > 0) slope = slope * t + i * c[i].hi;
    }
    return value + slope * x.lo;
  }

 private:
  [[gnu::noinline]] void Make(int piece) const {
    making_.lock();
    if (!is_made_[piece].load(std::memory_order_relaxed)) {
      double parts[2 * (kDegree + 1)];
      make_(piece * width_, width_ / 2, kDegree, parts);
      for (int i = 0; i <= kDegree; ++i) {
        coefficients_[piece * (kDegree + 1) + i] = {parts[2 * i], parts[2 * i + 1]};
      }
      is_made_[piece].store(true, std::memory_order_release);
    }
    making_.unlock();
  }

  PieceMaker make_;
  double width_, per_unit_;
  Dd* coefficients_;
  std::atomic<bool>* is_made_;
  mutable std::mutex making_;
};

}  // namespace assay::numerics::ASSAY_DOUBLE_DOUBLE
