#include "testsuites/independent/functions.h"

namespace assay::independent {
namespace {

bool AnyNan(const std::vector<Number>& v) {
  for (const Number& c : v) {
    if (c.IsNan()) return true;
  }
  return false;
}

bool AnyInfinite(const std::vector<Number>& v) {
  for (const Number& c : v) {
    if (c.IsInfinite()) return true;
  }
  return false;
}

// The sum of products, without rounding; IEEE 754 for infinities.
Number Dot(const Layout& layout, const std::vector<Number>& a, const std::vector<Number>& b) {
  Number sum(layout.WideBits());
  for (std::size_t i = 0; i < a.size(); ++i) {
    Number product(layout.WideBits());
    mpfr_mul(product, a[i], b[i], MPFR_RNDN);
    if (i == 0) {
      sum = product;
    } else {
      mpfr_add(sum, sum, product, MPFR_RNDN);
    }
  }
  return sum;
}

Answer SquareRoot(const Number& exact) {
  return Direct([&](mpfr_ptr r) { return mpfr_sqrt(r, exact, MPFR_RNDN); });
}

Answers Cross(const Layout& layout, const std::vector<Number>& a, const std::vector<Number>& b) {
  Answers answers;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    Number left(layout.WideBits()), right(layout.WideBits());
    mpfr_mul(left, a[j], b[k], MPFR_RNDN);
    mpfr_mul(right, a[k], b[j], MPFR_RNDN);
    mpfr_sub(left, left, right, MPFR_RNDN);
    answers.push_back(Answer::Of(left));
  }
  if (a.size() == 4) answers.push_back(Answer::Of(0.0));
  return answers;
}

Answers Normalize(const Layout& layout, std::vector<Number> v) {
  Answers answers;
  if (AnyNan(v)) return Answers(v.size(), Answer::Nan());
  if (AnyInfinite(v)) {
    for (Number& c : v) {
      const bool infinite = c.IsInfinite();
      const int negative = c.SignBit() ? 1 : 0;
      mpfr_set_ui(c, infinite ? 1 : 0, MPFR_RNDN);
      mpfr_setsign(c, c, negative, MPFR_RNDN);
    }
  }
  const Number squares = Dot(layout, v, v);
  for (const Number& c : v) {
    if (c.IsZero() || squares.IsZero()) {
      answers.push_back(Answer::Of(c));
      continue;
    }
    // The other components may be too small beside this one to show at the inner precision.
    Number others(layout.WideBits()), square(layout.WideBits());
    mpfr_sqr(square, c, MPFR_RNDN);
    mpfr_sub(others, squares, square, MPFR_RNDN);
    if (!others.IsZero() && mpfr_get_exp(square) - mpfr_get_exp(others) > 120) {
      answers.push_back(Beside(c.SignBit() ? -1.0 : 1.0, -1));
      continue;
    }
    Number length(kInnerBits), r(kInnerBits);
    mpfr_sqrt(length, squares, MPFR_RNDN);
    mpfr_div(r, c, length, MPFR_RNDN);
    answers.push_back(Rounded(r));
  }
  return answers;
}

// 6.15.5: fast_normalize leaves sums of squares outside the range of a float open.
bool OutsideFloat(const Number& squares) {
  if (!squares.IsFinite()) return true;
  return squares.Compare(0x1.fffffep127) > 0;
}

}  // namespace

std::optional<Answers> AskGeometric(std::string_view f, const Layout& layout,
                                    const std::vector<Number>& a, const std::vector<Number>& b) {
  if (f == "dot") return Answers{Answer::Of(Dot(layout, a, b))};
  if (f == "cross") return Cross(layout, a, b);
  if (f == "length" || f == "fast_length") {
    // An infinite and an undefined component together: the text names no result.
    if (AnyNan(a) && AnyInfinite(a)) return Answers{Answer::Anything()};
    return Answers{SquareRoot(Dot(layout, a, a))};
  }
  if (f == "distance" || f == "fast_distance") {
    std::vector<Number> difference;
    for (std::size_t i = 0; i < a.size(); ++i) {
      Number d(layout.WideBits());
      mpfr_sub(d, a[i], b[i], MPFR_RNDN);
      difference.push_back(d);
    }
    return AskGeometric("length", layout, difference, {});
  }
  if (f == "normalize") return Normalize(layout, a);
  if (f == "fast_normalize") {
    if (!AnyNan(a) && OutsideFloat(Dot(layout, a, a))) {
      return Answers(a.size(), Answer::Anything());
    }
    return Normalize(layout, a);
  }
  return std::nullopt;
}

}  // namespace assay::independent
