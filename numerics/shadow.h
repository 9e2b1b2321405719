// High-precision numbers that follow a floating-point computation, to measure its rounding errors.
//
// A shadow begins as the exact value of a number's bits.  For a continuous operation, the shadow of
// the result is the operation on the shadows, rounded to `precision` bits.  For an operation that
// jumps (floor, rint, sign, ...), a shadow that is on the other side of the jump would compare two
// different computations; so the shadow of the result is the number itself.  For the same reason a
// remainder uses the quotient of the number.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "numerics/format.h"
#include "numerics/operation.h"

namespace assay::numerics {

class Real;

inline constexpr int kLeastShadowPrecision = 64;
inline constexpr int kMostShadowPrecision = 65536;
inline constexpr int kDefaultShadowPrecision = 256;

// A value; copies share what never changes.
class ShadowNumber {
 public:
  ShadowNumber() = default;  // no number
  explicit ShadowNumber(std::shared_ptr<const Real> value) : value_(std::move(value)) {}
  static ShadowNumber OfFloat(Format format, Bits bits, int precision);
  static ShadowNumber OfInteger(ScalarType type, Bits bits, int precision);

  explicit operator bool() const { return value_ != nullptr; }
  bool IsNan() const;
  bool IsFinite() const;
  bool IsZero() const;
  // 2^Exponent <= |value| < 2^(Exponent + 1), of a finite number that is not zero.
  long Exponent() const;
  ShadowNumber Negated() const;
  // -1, 0 or 1; 2 where one is NaN.
  int Compare(const ShadowNumber& other) const;
  bool TruncatesTo(const ShadowNumber& integer) const;

  // Rounded to nearest.
  Bits Rounded(Format format) const;
  // "-1.2345e-3": `digits` significant ones, rounded to nearest, without zeros at their end.
  std::string Decimal(int digits) const;

  // |bits - value| in ulp of the value, as UlpError; NaN where one of them alone is NaN.
  double ErrorInUlp(Format format, Bits bits) const;
  // How many leading bits of the number are right: -log2(|bits - value| / |value|), between 0 and
  // the format's precision.
  double KeptBits(Format format, Bits bits) const;

  const Real* value() const { return value_.get(); }

 private:
  std::shared_ptr<const Real> value_;
};

// A built-in on shadows.  All spans have an element for each scalar (Operation::ArgumentTypes and
// ResultTypes).
struct ShadowCall {
  Operation operation;
  int precision = kDefaultShadowPrecision;
  std::span<const ShadowNumber> operands;  // no number where the operand is an integer
  std::span<const Bits> arguments;         // what the operation had ...
  std::span<const Bits> results;           // ... and what it made of them
};
// Writes the shadows of the results; of an integer none.
void EvaluateShadow(const ShadowCall& call, std::span<ShadowNumber> shadows);

}  // namespace assay::numerics
