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
    // As many bits as the sum has: a component that is tiny beside the others still shows.
    Number length(layout.WideBits()), r(layout.WideBits());
    mpfr_sqrt(length, squares, MPFR_RNDN);
    mpfr_div(r, c, length, MPFR_RNDN);
    answers.push_back(Rounded(r));
  }
  return answers;
}

// 6.15.5 defines the fast_ functions by a sum of squares in float: beyond its range, and below its
// normal numbers, they may answer anything.
bool OutsideFloat(const Number& squares) {
  if (squares.IsNan() || squares.IsZero()) return false;
  return squares.Compare(0x1.fffffep127) > 0 || squares.Compare(0x1p-126) < 0;
}

std::vector<Number> Difference(const Layout& layout, const std::vector<Number>& a,
                               const std::vector<Number>& b) {
  std::vector<Number> difference;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference.emplace_back(layout.WideBits());
    mpfr_sub(difference.back(), a[i], b[i], MPFR_RNDN);
  }
  return difference;
}

// No clause says which sign a zero sum of products has.
Answer EitherZero(const Number& exact) {
  Answer answer = Answer::Of(exact);
  answer.either_zero = exact.IsZero();
  return answer;
}

Answers Cross(const Layout& layout, const std::vector<Number>& a, const std::vector<Number>& b) {
  Answers answers;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    Number left(layout.WideBits()), right(layout.WideBits());
    mpfr_mul(left, a[j], b[k], MPFR_RNDN);
    mpfr_mul(right, a[k], b[j], MPFR_RNDN);
    mpfr_sub(left, left, right, MPFR_RNDN);
    answers.push_back(EitherZero(left));
  }
  if (a.size() == 4) answers.push_back(Answer::Of(0.0));
  return answers;
}

Answer Length(const Layout& layout, const std::vector<Number>& v) {
  // An infinite and an undefined component together: the text names no result.
  if (AnyNan(v) && AnyInfinite(v)) return Answer::Anything();
  return SquareRoot(Dot(layout, v, v));
}

}  // namespace

std::optional<Answers> AskGeometric(std::string_view f, const Layout& layout,
                                    const std::vector<Number>& a, const std::vector<Number>& b) {
  if (f == "dot") return Answers{EitherZero(Dot(layout, a, b))};
  if (f == "cross") return Cross(layout, a, b);
  if (f == "length") return Answers{Length(layout, a)};
  if (f == "distance") return Answers{Length(layout, Difference(layout, a, b))};
  if (f == "normalize") return Normalize(layout, a);
  if (f == "fast_length" || f == "fast_distance" || f == "fast_normalize") {
    const std::vector<Number> v = f == "fast_distance" ? Difference(layout, a, b) : a;
    const bool open = !(AnyNan(v) && f == "fast_normalize") && OutsideFloat(Dot(layout, v, v));
    if (f != "fast_normalize") return Answers{open ? Answer::Anything() : Length(layout, v)};
    return open ? Answers(v.size(), Answer::Anything()) : Normalize(layout, v);
  }
  return std::nullopt;
}

}  // namespace assay::independent
