#include <algorithm>

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
// normal numbers, they may answer anything.  The sum is itself rounded, in no prescribed order, so
// nobody can tell within 2^-20 of the ends.
bool OutsideFloat(const Number& squares) {
  if (!squares.IsFinite() || squares.IsZero()) return false;
  constexpr double kLittle = 0x1p-20;
  return squares.Compare(0x1.fffffep127 * (1 - kLittle)) > 0 ||
         squares.Compare(0x1p-126 * (1 + kLittle)) < 0;
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

// Whether the sum of positive numbers overflows in some order, with a rounding after each step.
bool Overflows(const Layout& layout, const std::vector<Number>& parts, const Number& largest) {
  for (const Number& part : parts) {
    if (mpfr_cmp(part, largest) > 0) return true;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      Number sum(layout.FractionWidth() + 1);
      mpfr_add(sum, parts[i], parts[j], MPFR_RNDN);
      std::vector<Number> fewer = {sum};
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (k != i && k != j) fewer.push_back(parts[k]);
      }
      if (Overflows(layout, fewer, largest)) return true;
    }
  }
  return false;
}

// A sum of products as dot and cross form it.  No clause says in which order, so where the finite
// products of one sign exceed the range in some order an intermediate result may overflow, and no
// clause says which sign a zero has.  A product may be rounded, or be a part of a fused operation.
Answer SumOfProducts(const Layout& layout, const std::vector<Number>& a,
                     const std::vector<Number>& b) {
  std::vector<Number> positive, negative;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].IsFinite() || !b[i].IsFinite()) continue;
    Number product(layout.WideBits()), rounded(layout.FractionWidth() + 1);
    mpfr_mul(product, a[i], b[i], MPFR_RNDN);
    std::vector<Number>& same = product.SignBit() ? negative : positive;
    mpfr_abs(product, product, MPFR_RNDN);
    mpfr_set(rounded, product, MPFR_RNDN);
    same.push_back(mpfr_cmp(rounded, product) > 0 ? rounded : product);
  }
  Number largest(64);
  mpfr_set_ui_2exp(largest, 1, layout.FractionWidth() + 1, MPFR_RNDN);
  mpfr_sub_ui(largest, largest, 1, MPFR_RNDN);
  mpfr_mul_2si(largest, largest, layout.Bias() - layout.FractionWidth(), MPFR_RNDN);
  if (Overflows(layout, positive, largest) || Overflows(layout, negative, largest)) {
    return Answer::Anything();
  }
  const Number exact = Dot(layout, a, b);
  Answer answer = Answer::Of(exact);
  answer.either_zero = exact.IsZero();
  return answer;
}

Answers Cross(const Layout& layout, const std::vector<Number>& a, const std::vector<Number>& b) {
  Answers answers;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    Number negated = a[k];
    mpfr_neg(negated, negated, MPFR_RNDN);
    answers.push_back(SumOfProducts(layout, {a[j], negated}, {b[k], b[j]}));
  }
  if (a.size() == 4) {
    answers.push_back(Answer::Of(0.0));
    answers.back().either_zero = true;  // "will be 0.0" tells no sign
  }
  return answers;
}

Answer Length(const Layout& layout, const std::vector<Number>& v) {
  // An infinite and an undefined component together: the text names no result.  A difference that
  // rounds to infinity, from half a gap beyond the largest number on, may count as infinite.
  Number limit(64);
  mpfr_set_ui_2exp(limit, 1, layout.FractionWidth() + 2, MPFR_RNDN);
  mpfr_sub_ui(limit, limit, 1, MPFR_RNDN);
  mpfr_mul_2si(limit, limit, layout.Bias() - layout.FractionWidth() - 1, MPFR_RNDN);
  const bool beyond = std::any_of(v.begin(), v.end(), [&](const Number& component) {
    return !component.IsNan() && mpfr_cmpabs(component, limit) >= 0;
  });
  if (AnyNan(v) && beyond) return Answer::Anything();
  return SquareRoot(Dot(layout, v, v));
}

}  // namespace

std::optional<Answers> AskGeometric(std::string_view f, const Layout& layout,
                                    const std::vector<Number>& a, const std::vector<Number>& b) {
  if (f == "dot") return Answers{SumOfProducts(layout, a, b)};
  if (f == "cross") return Cross(layout, a, b);
  if (f == "length") return Answers{Length(layout, a)};
  if (f == "distance") return Answers{Length(layout, Difference(layout, a, b))};
  if (f == "normalize") return Normalize(layout, a);
  if (f == "fast_length" || f == "fast_distance" || f == "fast_normalize") {
    const std::vector<Number> v = f == "fast_distance" ? Difference(layout, a, b) : a;
    // An infinite vector has a length, but its sum of squares is greater than FLT_MAX.
    const Number squares = Dot(layout, v, v);
    const bool open = OutsideFloat(squares) || (f == "fast_normalize" && squares.IsInfinite());
    if (f != "fast_normalize") return Answers{open ? Answer::Anything() : Length(layout, v)};
    return open ? Answers(v.size(), Answer::Anything()) : Normalize(layout, v);
  }
  return std::nullopt;
}

}  // namespace assay::independent
