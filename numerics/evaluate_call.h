// What the body of a function's row in functions.def is given, and where it puts its results.
// Internal to evaluate_builtin.cc and the files of bodies beside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "numerics/evaluate_builtin.h"
#include "numerics/exact.h"
#include "numerics/real.h"

namespace assay::numerics {

// The results to more bits than Exact holds, as a side output of an evaluation.
class Transcript {
 public:
  Transcript(mpfr_prec_t precision, const ValueSink& sink) : precision_(precision), sink_(sink) {}
  mpfr_prec_t Precision() const { return precision_; }
  void Write(int i, mpfr_srcptr value) const { sink_(i, value); }

 private:
  mpfr_prec_t precision_;
  const ValueSink& sink_;
};

struct Call {
  Format format;
  int n;  // components of a geometric operand
  std::span<const Bits> args;
  std::span<Exact> out;
  const Transcript* transcript = nullptr;  // not null: more of the values is wanted
  Fractions fractions = Fractions::kFine;

  Bits operator[](int i) const { return args[static_cast<std::size_t>(i)]; }
  int Int(int i) const { return static_cast<std::int32_t>(args[static_cast<std::size_t>(i)]); }
  Exact& Out(int i = 0) const { return out[static_cast<std::size_t>(i)]; }

  bool IsCoarse() const { return fractions == Fractions::kCoarse && format == Format::kDouble; }
  mpfr_prec_t Precision() const {
    const mpfr_prec_t least = IsCoarse() ? kCoarsePrecision : WorkingPrecision(format);
    return transcript == nullptr ? least : std::max(least, transcript->Precision());
  }
  // Result i is `value`, rounded to nearest with this ternary value.
  void Place(int i, mpfr_srcptr value, int ternary) const {
    Out(i) = PlaceRounded(value, ternary, format);
    if (transcript != nullptr) transcript->Write(i, value);
  }
  // Result i is within `error_ulps` of `value`; false: not yet certain.
  bool PlaceNear(int i, mpfr_srcptr value, double error_ulps) const {
    if (!PlaceApproximate(value, error_ulps, format, &Out(i))) return false;
    if (transcript != nullptr) transcript->Write(i, value);
    return true;
  }
  bool AnyNan() const {
    return std::any_of(args.begin(), args.end(), [&](Bits a) { return IsNan(format, a); });
  }
};

// An operand as an exact MPFR number.
class Operand : public Real {
 public:
  Operand(const Call& call, int i) : Real(64) { SetBits(*this, call.format, call[i]); }
};

inline Exact NumberOrNan(Format f, Bits bits) {
  return IsNan(f, bits)        ? Exact::Nan()
         : IsInfinite(f, bits) ? Exact::Infinite(f, IsNegative(f, bits))
                               : Exact::Number(bits);
}

}  // namespace assay::numerics
