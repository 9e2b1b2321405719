// The parts of Ask(), by the number and kind of operands.  Internal to the independent oracle.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "testsuites/independent/oracle.h"

namespace assay::independent {

using Answers = std::vector<Answer>;

// Bits of the working precision, and of intermediate steps that are rounded themselves.
inline constexpr int kBits = 300;
inline constexpr int kInnerBits = 420;

// The outcome of one MPFR call with its ternary value.  MPFR's own overflow and underflow, far
// outside every format, become a huge or a tiny number.
template <typename Call>
Answer Direct(Call call) {
  Number r(kBits);
  mpfr_clear_flags();
  const int inexact = call(static_cast<mpfr_ptr>(r));
  if (r.IsNan()) return Answer::Nan();
  const bool huge = r.IsInfinite() && mpfr_overflow_p() != 0;
  const bool tiny = r.IsZero() && mpfr_underflow_p() != 0;
  Answer answer = Answer::Of(r);
  if (huge || tiny) {
    const bool negative = r.SignBit();
    mpfr_set_si_2exp(r, negative ? -1 : 1, huge ? 20000 : -20000, MPFR_RNDN);
    answer = Answer::Of(r);
  } else if (answer.kind == Kind::kReal) {
    answer.truth.inexact = inexact;
  }
  return answer;
}

// A value computed in several rounded steps, none of which cancels.  It is exact if it agrees with
// a number of 120 bits in all but its last 160 bits, since no other value of these functions comes
// that near one.
Answer Rounded(const Number& value);

// `value` is not the truth, which lies beside it toward zero (-1) or away from it (1).
Answer Beside(double value, int direction);

std::optional<Answers> AskUnary(std::string_view f, const Layout& layout, const Number& x);
std::optional<Answers> AskBinary(std::string_view f, const Layout& layout, const Number& x,
                                 const Number& y);
std::optional<Answers> AskWithInteger(std::string_view f, const Layout& layout, const Number& x,
                                      long n);
std::optional<Answers> AskTernary(std::string_view f, const Layout& layout, const Number& x,
                                  const Number& y, const Number& z);
std::optional<Answers> AskGeometric(std::string_view f, const Layout& layout,
                                    const std::vector<Number>& a, const std::vector<Number>& b);

}  // namespace assay::independent
