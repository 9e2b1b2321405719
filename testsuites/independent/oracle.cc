#include "testsuites/independent/oracle.h"

#include <algorithm>

#include "testsuites/independent/functions.h"

namespace assay::independent {

Answer Answer::Nan() {
  Answer answer;
  answer.kind = Kind::kNan;
  return answer;
}

Answer Answer::Anything() { return Answer(); }

Answer Answer::Of(const Number& exact) {
  if (exact.IsNan()) return Nan();
  Answer answer;
  answer.kind = exact.IsInfinite() ? Kind::kInfinity : Kind::kReal;
  answer.truth.value = exact;
  return answer;
}

Answer Answer::Of(double exact) {
  Number number(64);
  mpfr_set_d(number, exact, MPFR_RNDN);
  return Of(number);
}

Answer Answer::OfInteger(long value) {
  Answer answer;
  answer.kind = Kind::kInteger;
  answer.integer = value;
  return answer;
}

Answer Rounded(const Number& value) {
  Answer answer = Answer::Of(value);
  if (answer.kind != Kind::kReal || value.IsZero()) return answer;
  Number shorter(120), distance(64);
  mpfr_set(shorter, value, MPFR_RNDN);
  mpfr_sub(distance, value, shorter, MPFR_RNDN);
  if (distance.IsZero() ||
      mpfr_get_exp(distance) < mpfr_get_exp(value) - (mpfr_get_prec(value) - 160)) {
    return Answer::Of(shorter);
  }
  answer.truth.inexact = 1;
  return answer;
}

Answer Beside(double value, int direction) {
  Answer answer = Answer::Of(value);
  const bool truth_is_larger = (direction > 0) == (value > 0);
  mpfr_prec_round(answer.truth.value, kBits, MPFR_RNDN);
  answer.truth.inexact = truth_is_larger ? -1 : 1;
  return answer;
}

namespace {

// Operands for which the text or a footnote takes its definition back.
bool OutsideDefinition(std::string_view function, const Layout& layout,
                       const std::vector<Number>& numbers,
                       std::span<const std::uint64_t> arguments) {
  if (function == "half_sin" || function == "half_cos" || function == "half_tan") {
    return numbers[0].IsFinite() &&
           (numbers[0].Compare(65536) > 0 || numbers[0].Compare(-65536) < 0);
  }
  // fmax and fmin need not tell a signaling NaN from a quiet one, nor treat it alike.
  const bool selects = function == "fmax" || function == "fmin" || function == "maxmag" ||
                       function == "minmag" || function == "clamp";
  const bool all_nan = std::all_of(numbers.begin(), numbers.end(),
                                   [](const Number& number) { return number.IsNan(); });
  for (std::size_t i = 0; selects && !all_nan && i < numbers.size(); ++i) {
    const bool quiet = (arguments[i] >> (layout.FractionWidth() - 1)) % 2 != 0;
    if (numbers[i].IsNan() && !quiet) return true;
  }
  return false;
}

}  // namespace

std::vector<Answer> Ask(std::string_view function, std::string_view format, int components,
                        std::span<const std::uint64_t> arguments) {
  std::string_view f = function;
  for (std::string_view prefix : {"half_", "native_"}) {
    if (f.starts_with(prefix)) f.remove_prefix(prefix.size());
  }
  if (f == "divide") f = "div";
  if (f == "recip") f = "recip_div";
  const Layout layout = LayoutOf(format);
  if (f == "nan") return {Answer::Nan()};
  if (f == "ldexp" || f == "pown" || f == "rootn") {
    const long n = static_cast<std::int32_t>(static_cast<std::uint32_t>(arguments[1]));
    return AskWithInteger(f, layout, Decode(layout, arguments[0]), n).value_or(Answers());
  }
  std::vector<Number> numbers;
  for (std::uint64_t bits : arguments) numbers.push_back(Decode(layout, bits));
  if (OutsideDefinition(function, layout, numbers, arguments)) return {Answer::Anything()};
  const auto n = static_cast<std::ptrdiff_t>(components);
  const std::vector<Number> first(numbers.begin(), numbers.begin() + n);
  const std::vector<Number> second(numbers.begin() + n, numbers.end());
  if (const auto answers = AskGeometric(f, layout, first, second)) return *answers;
  if (numbers.size() == 1) return AskUnary(f, layout, numbers[0]).value_or(Answers());
  if (numbers.size() == 2) {
    return AskBinary(f, layout, numbers[0], numbers[1]).value_or(Answers());
  }
  return AskTernary(f, layout, numbers[0], numbers[1], numbers[2]).value_or(Answers());
}

}  // namespace assay::independent
