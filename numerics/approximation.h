// Piecewise polynomials in double precision.  MPFR computes the coefficients of a piece when it is
// first needed; no coefficient has another source.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "numerics/real.h"

namespace assay::numerics {

// Sets `result` to f(x), rounded to its precision.
using MpfrFunction = void (*)(mpfr_ptr result, mpfr_srcptr x);

// The coefficients, constant first, of the polynomial of this degree in t = x - center that
// interpolates f at the Chebyshev nodes of [center - radius, center + radius].
void Interpolate(MpfrFunction f, double center, double radius, int degree, double* coefficients);
// The same at a precision, of which two bits are lost at each node; appended to `coefficients`.
void InterpolateExactly(MpfrFunction f, double center, double radius, int degree,
                        mpfr_prec_t precision, std::deque<Real>* coefficients);

// f on [begin, end) by pieces of one width (a power of two; begin and end are multiples of it).
// Where f does not vanish and changes by less than about an eighth over a piece, the value is
// good to an ulp (2^-52) if the degree is high enough; fast_path_test.cc measures both.
template <int kDegree>
class PiecewisePolynomial {
 public:
  PiecewisePolynomial(MpfrFunction f, double begin, double end, double width)
      : f_(f), begin_(begin), width_(width), per_unit_(1 / width) {
    pieces_ = static_cast<std::size_t>((end - begin) / width);
    coefficients_ = std::make_unique<double[]>(pieces_ * (kDegree + 1));
    is_made_ = std::make_unique<std::atomic<bool>[]>(pieces_);
  }

  // x in [begin, end); a rounding of x - begin at a seam picks the neighbour, which is as good.
  double operator()(double x) const {
    const auto place = static_cast<std::ptrdiff_t>((x - begin_) * per_unit_);
    const std::size_t piece = std::min(static_cast<std::size_t>(place), pieces_ - 1);
    if (!is_made_[piece].load(std::memory_order_acquire)) [[unlikely]]
      Make(piece);
    const double t = x - Center(piece);
    const double* c = &coefficients_[piece * (kDegree + 1)];
    double value = c[kDegree];
    for (int i = kDegree - 1; i >= 0; --i) value = value * t + c[i];
    return value;
  }

 private:
  double Center(std::size_t piece) const {
    return begin_ + (static_cast<double>(static_cast<std::ptrdiff_t>(piece)) + 0.5) * width_;
  }

  void Make(std::size_t piece) const {
    const std::lock_guard lock(making_);
    if (is_made_[piece].load(std::memory_order_relaxed)) return;
    Interpolate(f_, Center(piece), width_ / 2, kDegree, &coefficients_[piece * (kDegree + 1)]);
    is_made_[piece].store(true, std::memory_order_release);
  }

  MpfrFunction f_;
  double begin_, width_, per_unit_;
  std::size_t pieces_ = 0;
  std::unique_ptr<double[]> coefficients_;
  std::unique_ptr<std::atomic<bool>[]> is_made_;
  mutable std::mutex making_;
};

}  // namespace assay::numerics
