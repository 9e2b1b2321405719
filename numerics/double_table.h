// Constants, tables and piecewise polynomials in double-double.  MPFR computes them when they are
// first needed; no coefficient has another source.  Internal to numerics.
#pragma once

#include <mpfr.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "numerics/approximation.h"
#include "numerics/double_double.h"

namespace assay::numerics::dd {

// A value that `set` computes, to about 106 bits.
Dd Constant(const std::function<void(mpfr_ptr)>& set);
// The same in three parts, of which the first has so many bits: its product with a small integer is
// exact.
struct Parts {
  double first = 0, second = 0, third = 0;
};
Parts SplitConstant(const std::function<void(mpfr_ptr)>& set, int first_bits);
// f at j * step for j = 0 to count - 1.
std::vector<Dd> Tabulated(MpfrFunction f, double step, int count);

// The coefficients of the interpolating polynomial of approximation.h, to about 106 bits.
void Interpolate(MpfrFunction f, double center, double radius, int degree, Dd* coefficients);

// f on [0, end] by polynomials in t = x - center, around the multiples of `width`, a power of two.
// The first kLow coefficients are double-doubles, because what is lost at them is not made small by
// a power of t.
template <int kDegree, int kLow>
class Table {
 public:
  Table(MpfrFunction f, double end, double width)
      : f_(f), width_(width), per_unit_(1 / width), pieces_(static_cast<int>(end / width) + 1) {
    coefficients_ = std::make_unique<Dd[]>(static_cast<std::size_t>(pieces_) * (kDegree + 1));
    is_made_ = std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(pieces_));
  }

  // 0 <= x.hi <= end.
  Dd operator()(Dd x) const {
    const int piece = NearestMultiple(x.hi, per_unit_);
    if (!is_made_[static_cast<std::size_t>(piece)].load(std::memory_order_acquire)) [[unlikely]] {
      Make(piece);
    }
    const Dd* c = &coefficients_[static_cast<std::size_t>(piece) * (kDegree + 1)];
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
    const std::lock_guard lock(making_);
    const auto place = static_cast<std::size_t>(piece);
    if (is_made_[place].load(std::memory_order_relaxed)) return;
    Interpolate(f_, piece * width_, width_ / 2, kDegree, &coefficients_[place * (kDegree + 1)]);
    is_made_[place].store(true, std::memory_order_release);
  }

  MpfrFunction f_;
  double width_, per_unit_;
  int pieces_;
  std::unique_ptr<Dd[]> coefficients_;
  std::unique_ptr<std::atomic<bool>[]> is_made_;
  mutable std::mutex making_;
};

}  // namespace assay::numerics::dd
