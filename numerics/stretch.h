// The exact places of a function's values at 1024 neighbouring floats, from a few that MPFR
// computes: what makes it cheap to compare the fast path at every float.  Internal to certify.cc.
//
// Where the function is analytic, a polynomial through eight values, in gaps of the result's
// format, with a bound of its error (interpolation.h); for large angles, the addition theorem and
// sines of 63 angles.  Where it is monotone and its values at both ends have one place, beside one
// number or beside the operand itself, all between have it, too.
// An item of which this says nothing with certainty is left to MPFR.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "numerics/exact.h"
#include "numerics/functions.h"
#include "numerics/interpolation.h"

namespace assay::numerics {

class Stretch {
 public:
  // The floats whose bits are first to first + 1023: of one sign and binade, finite, not zero.
  // `function` has one operand.
  Stretch(Function function, Bits first);
  ~Stretch();

  // Whether the exact values of an item certainly agree with those of the fast path (Agrees of
  // certify.h).  Then *difference is at least the fractions' distance, where both are below 2.
  // False: ask MPFR.
  bool Confirms(int item, std::span<const Exact> fast, double* difference) const;

  // The smallest distance of a value at an end from 0, 1/2 and 1, of those that no algebra settles.
  double nearest() const { return nearest_; }
  // How far the fractions of polynomials and angles may be off; 0: there are none.
  double error() const;

 private:
  struct Places;
  std::array<std::unique_ptr<Places>, 2> places_;  // one a result; null: nothing is known
  std::size_t results_ = 1;
  double nearest_ = 0.5;
};

}  // namespace assay::numerics
