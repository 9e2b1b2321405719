#include "numerics/evaluate_by_bits.h"

#include "numerics/fast_path.h"

namespace assay::numerics {

void FabsBits(const Call& call) {
  call.Out() = NumberOrNan(call.format, Magnitude(call.format, call[0]));
}

void CopySignBits(const Call& call) {
  call.Out() = NumberOrNan(call.format, CopySign(call.format, call[0], call[1]));
}

void Frexp(const Call& call) {
  const Bits x = call[0];
  if (!IsFinite(call.format, x) || IsZero(call.format, x)) {
    call.Out(0) = NumberOrNan(call.format, x);
    call.Out(1) = Exact::Integer(0);
    return;
  }
  call.Out(0) = Exact::Number(FrexpSignificand(call.format, x));
  call.Out(1) = Exact::Integer(Exponent(call.format, x) + 1);
}

// Zero, infinity and NaN are rows of edge_cases.def for ilogb and logb.
void Ilogb(const Call& call) {
  const Bits x = call[0];
  const bool special = !IsFinite(call.format, x) || IsZero(call.format, x);
  call.Out() = special ? Exact::Unspecified() : Exact::Integer(Exponent(call.format, x));
}

void Logb(const Call& call) {
  const Bits x = call[0];
  const Format f = call.format;
  if (IsNan(f, x)) {
    call.Out() = Exact::Nan();
  } else if (IsZero(f, x) || IsInfinite(f, x)) {
    call.Out() = Exact::Infinite(f, IsZero(f, x));
  } else {
    call.Out() = Exact::Number(FromInteger(f, Exponent(f, x)));
  }
}

void Modf(const Call& call) {
  const Format f = call.format;
  const Bits x = call[0];
  const Bits whole = ToIntegral(f, x, IntegralRule::kTowardZero);
  call.Out(1) = NumberOrNan(f, whole);
  if (IsNan(f, x)) {
    call.Out(0) = Exact::Nan();
  } else if (IsInfinite(f, x)) {
    call.Out(0) = Exact::Number(x & SignMask(f));
  } else {
    // The difference of two doubles of one sign in one binade or below is exact.
    const double rest = ToDouble(f, x) - ToDouble(f, whole);
    call.Out(0) = Exact::Number(CopySign(f, FromDouble(f, rest), x));
  }
}

// fmin(x - floor(x), the largest number below 1), 6.15.2.
void Fract(const Call& call) {
  const Format f = call.format;
  const Bits x = call[0];
  const Bits floor = ToIntegral(f, x, IntegralRule::kDown);
  call.Out(1) = NumberOrNan(f, floor);
  if (IsNan(f, x)) {
    call.Out(0) = Exact::Nan();
    return;
  }
  if (IsInfinite(f, x) || Compare(f, x, floor) == 0) {
    call.Out(0) = Exact::Number(IsZero(f, x) || IsInfinite(f, x) ? x & SignMask(f) : 0);
    return;
  }
  const Bits largest = One(f) - 1;
  Exact exact;
  if (f == Format::kDouble || call.transcript != nullptr) {
    Real difference(call.Precision());
    const Operand exact_x(call, 0);
    const int ternary = mpfr_sub_d(difference, exact_x, ToDouble(f, floor), MPFR_RNDN);
    exact = PlaceRounded(difference, ternary, f);
    if (call.transcript != nullptr) call.transcript->Write(0, difference);
  } else {
    // Exact in double, but for a small |x| below zero, which `largest` stands for all the same.
    Locate(f, ToDouble(f, x) - ToDouble(f, floor), 0, &exact);
  }
  if (Magnitude(f, exact.below) >= largest) exact = Exact::Number(largest);
  call.Out(0) = exact;
}

void Sign(const Call& call) {
  const Format f = call.format;
  const Bits x = call[0];
  Exact exact = Exact::Number(IsZero(f, x) ? x : CopySign(f, One(f), x));
  if (IsNan(f, x)) {
    exact = Exact::Number(0);
    exact.any_zero_sign = true;
  }
  call.Out() = exact;
}

// 0.0 if x < edge, else 1.0: also for NaN (6.15.4).  Operands: edge, x.
void Step(const Call& call) {
  const bool below = Compare(call.format, call[1], call[0]) == -1;
  call.Out() = Exact::Number(below ? 0 : One(call.format));
}

void NanOfCode(const Call& call) { call.Out() = Exact::Nan(); }

void NextAfter(const Call& call) {
  const Format f = call.format;
  const int order = Compare(f, call[0], call[1]);
  call.Out() = order == 2   ? Exact::Nan()
               : order == 0 ? NumberOrNan(f, call[1])
                            : NumberOrNan(f, NextToward(f, call[0], call[1]));
}

namespace {

bool IsSignaling(Format f, Bits bits) {
  return IsNan(f, bits) && (bits & (QuietNan(f) ^ Infinity(f))) == 0;
}

// fmin and fmax over any operands: the number if one operand is NaN; either zero if both are
// zeros (C99 7.12.12); signaling NaN may be treated as either way (footnote to fmin and fmax).
Exact Select(Format f, Bits x, Bits y, bool larger) {
  if (IsNan(f, x) && IsNan(f, y)) return Exact::Nan();
  if (IsSignaling(f, x) || IsSignaling(f, y)) return Exact::Unspecified();
  if (IsNan(f, x)) return NumberOrNan(f, y);
  if (IsNan(f, y)) return NumberOrNan(f, x);
  const int order = Compare(f, x, y);
  Exact exact = NumberOrNan(f, (order < 0) == larger ? y : x);
  exact.any_zero_sign = IsZero(f, x) && IsZero(f, y) && x != y;
  return exact;
}

}  // namespace

void Fmax(const Call& call) { call.Out() = Select(call.format, call[0], call[1], true); }
void Fmin(const Call& call) { call.Out() = Select(call.format, call[0], call[1], false); }

namespace {

Exact SelectByMagnitude(const Call& call, bool larger) {
  const Format f = call.format;
  const int order = Compare(f, Magnitude(f, call[0]), Magnitude(f, call[1]));
  if (order == (larger ? 1 : -1)) return NumberOrNan(f, call[0]);
  if (order == (larger ? -1 : 1)) return NumberOrNan(f, call[1]);
  return Select(f, call[0], call[1], larger);
}

}  // namespace

void Maxmag(const Call& call) { call.Out() = SelectByMagnitude(call, true); }
void Minmag(const Call& call) { call.Out() = SelectByMagnitude(call, false); }

// min and max of 6.15.4 are undefined for infinities and NaN (rows of edge_cases.def).
void MaxCommon(const Call& call) { Fmax(call); }
void MinCommon(const Call& call) { Fmin(call); }

// fmin(fmax(x, minval), maxval).
void Clamp(const Call& call) {
  const Format f = call.format;
  const Exact raised = Select(f, call[0], call[1], true);
  if (raised.kind == ResultKind::kUnspecified) {
    call.Out() = raised;
    return;
  }
  const Bits bits = raised.kind == ResultKind::kNan ? QuietNan(f) : raised.below;
  call.Out() = Select(f, bits, call[2], false);
  call.Out().any_zero_sign |= raised.any_zero_sign;
}

}  // namespace assay::numerics
