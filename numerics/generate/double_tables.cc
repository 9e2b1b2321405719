// Makes the tables of numerics/double_table.h: `generate_double_tables OUT.cc`.
//
// A polynomial interpolates its function at the Chebyshev nodes of a piece. Its error is measured
// between the nodes, where that of an interpolation is largest, and taken four times; what rounding
// adds is bounded term by term. `numerics/double_quick_test.cc` compares the results with MPFR.
#include <mpfr.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr mpfr_prec_t kPrecision = 192;
constexpr int kDegree = 11;  // kPieceDegree
constexpr int kNodes = kDegree + 1;
constexpr double kUnit = 0x1p-53;  // of rounding

class Number {
 public:
  Number() { mpfr_init2(value_, kPrecision); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return value_; }  // NOLINT(google-explicit-constructor)
  double ToDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

// e^(x^2) erfc(x).
int Erfcx(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t mode) {
  Number square;
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  mpfr_erfc(result, x, MPFR_RNDN);
  return mpfr_mul(result, result, square, mode);
}
constexpr Function mpfr_erfcx = &Erfcx;

struct Row {
  const char* name;
  Function function;
  int first, last, most, bits;
};
const Row kRows[] = {
#define ASSAY_DOUBLE_TABLE(name, first, last, most, bits) \
  {#name, mpfr_##name, first, last, most, bits},
#include "numerics/double_tables.def"
#undef ASSAY_DOUBLE_TABLE
};

struct Piece {
  double numbers[16];
  double relative_error;
};

// The value at 0 of the distance `from` the center of the polynomial whose coefficients these are.
void Horner(std::deque<Number>& coefficients, double from, Number* value) {
  mpfr_set_zero(*value, 1);
  for (int i = kDegree; i >= 0; --i) {
    mpfr_mul_d(*value, *value, from, MPFR_RNDN);
    mpfr_add(*value, *value, coefficients[static_cast<std::size_t>(i)], MPFR_RNDN);
  }
}

void Interpolate(Function f, double center, double radius, std::deque<Number>* coefficients) {
  std::deque<Number> node(kNodes), value(kNodes);
  Number x, scratch;
  for (std::size_t j = 0; j < kNodes; ++j) {
    mpfr_const_pi(node[j], MPFR_RNDN);
    mpfr_mul_ui(node[j], node[j], 2 * j + 1, MPFR_RNDN);
    mpfr_div_ui(node[j], node[j], 2 * kNodes, MPFR_RNDN);
    mpfr_cos(node[j], node[j], MPFR_RNDN);
    mpfr_mul_d(node[j], node[j], radius, MPFR_RNDN);
    mpfr_add_d(x, node[j], center, MPFR_RNDN);
    f(value[j], x, MPFR_RNDN);
  }
  // Newton's divided differences.
  for (std::size_t order = 1; order < kNodes; ++order) {
    for (std::size_t j = kNodes - 1; j >= order; --j) {
      mpfr_sub(value[j], value[j], value[j - 1], MPFR_RNDN);
      mpfr_sub(scratch, node[j], node[j - order], MPFR_RNDN);
      mpfr_div(value[j], value[j], scratch, MPFR_RNDN);
    }
  }
  // To powers of t, from the innermost factor out: p = p (t - t_j) + value_j.
  coefficients->clear();
  for (int i = 0; i < kNodes; ++i) mpfr_set_zero(coefficients->emplace_back(), 1);
  for (std::size_t j = kNodes; j-- > 0;) {
    for (std::size_t i = kDegree + 1; i-- > 0;) {
      mpfr_mul(scratch, (*coefficients)[i], node[j], MPFR_RNDN);
      mpfr_ptr before = i > 0 ? static_cast<mpfr_ptr>((*coefficients)[i - 1]) : value[j];
      mpfr_sub((*coefficients)[i], before, scratch, MPFR_RNDN);
    }
  }
}

// A number as a sum of two doubles.
void Split(Number& number, double* high, double* low) {
  *high = number.ToDouble();
  Number rest;
  mpfr_sub_d(rest, number, *high, MPFR_RNDN);
  *low = rest.ToDouble();
}

// The largest difference from the function between the nodes and at the ends.
double MeasuredError(Function f, double center, double radius, std::deque<Number>& coefficients) {
  Number x, exact, value;
  double error = 0;
  for (int i = 0; i <= kNodes; ++i) {
    const double from = radius * std::cos(M_PI * i / kNodes);
    mpfr_set_d(x, center, MPFR_RNDN);
    mpfr_add_d(x, x, from, MPFR_RNDN);
    f(exact, x, MPFR_RNDN);
    Horner(coefficients, from, &value);
    mpfr_sub(value, value, exact, MPFR_RNDN);
    error = std::fmax(error, std::fabs(value.ToDouble()));
  }
  return error;
}

Piece MakePiece(Function f, double begin, double width) {
  const double radius = width / 2, center = begin + radius;
  std::deque<Number> coefficients;
  Interpolate(f, center, radius, &coefficients);
  Piece piece = {};
  double* const c = piece.numbers;
  c[0] = center;
  Split(coefficients[0], &c[1], &c[2]);
  Split(coefficients[1], &c[3], &c[4]);
  // The even and the odd terms of q are summed by Horner's rule in t^2, and then both: with the
  // rounding of its coefficient and of t^2, term k passes at most 2 (k - 2) + 4 roundings.
  double rounding = 0, terms = 0, power = radius * radius;
  for (int k = 2; k <= kDegree; ++k, power *= radius) {
    c[3 + k] = coefficients[static_cast<std::size_t>(k)].ToDouble();
    const double term = std::fabs(c[3 + k]) * power;
    rounding += (2 * (k - 2) + 4) * kUnit * term;
    terms += term;
  }
  // The sum of what is small has five roundings, each of at most so much.
  const double linear = std::fabs(c[3]) * radius, low = 4 * kUnit * (std::fabs(c[1]) + linear);
  rounding += 5 * kUnit * (terms + low + 4 * kUnit * std::fabs(c[3]) * (begin + width));
  rounding += 8 * kUnit * kUnit * (std::fabs(c[1]) + linear);
  // The slope at x_low <= 2^-52 x lacks the terms from t^2 on: 3 c3 t^2 - 2 c3 t^2, and so on.
  double slope = 0;
  power = radius * radius;
  for (int k = 3; k <= kDegree; ++k, power *= radius) slope += k * std::fabs(c[3 + k]) * power;
  rounding +=
      2 * kUnit * (begin + width) * (slope + 4 * kUnit * (std::fabs(c[3]) + terms / radius));
  const double error = 2 * rounding + 4 * MeasuredError(f, center, radius, coefficients);
  const double least = std::fabs(c[1]) - 2 * (linear + terms);  // of the function, about
  piece.relative_error = error / std::fabs(c[1]);
  const bool is_good =
      std::isfinite(error) && least > -std::fabs(c[1]) && piece.relative_error < 0x1p-58;
  c[15] = is_good ? error : std::numeric_limits<double>::infinity();
  for (int i = 0; i < 15; ++i) {
    if (!std::isfinite(c[i])) c[i] = 0;
  }
  return piece;
}

// The fewest pieces of which the first, the last and the middle one are good enough.
int PiecesOf(const Row& row, double begin) {
  for (int log2 = 1; log2 < row.most; ++log2) {
    const double width = std::ldexp(begin, -log2);
    const auto is_good = [&](int k) {
      return MakePiece(row.function, begin + k * width, width).relative_error <
             std::ldexp(1, -row.bits);
    };
    const int count = 1 << log2;
    if (is_good(0) && is_good(count - 1) && is_good(count / 2)) return log2;
  }
  return row.most;
}

void WriteTable(std::FILE* file, const Row& row) {
  std::vector<int> log2_pieces;
  std::fprintf(file, "constexpr DoublePiece kPieces_%s[] = {\n", row.name);
  for (int binade = row.first; binade <= row.last; ++binade) {
    const double begin = std::ldexp(1, binade);
    const int log2 = PiecesOf(row, begin);
    log2_pieces.push_back(log2);
    const double width = std::ldexp(begin, -log2);
    for (int k = 0; k < 1 << log2; ++k) {
      const Piece piece = MakePiece(row.function, begin + k * width, width);
      const double* const c = piece.numbers;
      std::fprintf(file, "{%a,%a,%a,%a,%a,{", c[0], c[1], c[2], c[3], c[4]);
      for (int i = 5; i < 15; ++i) std::fprintf(file, i == 14 ? "%a" : "%a,", c[i]);
      std::fprintf(file, std::isfinite(c[15]) ? "},%a},\n" : "},kUnknown},\n", c[15]);
    }
  }
  std::fprintf(file, "};\nconstexpr DoubleBinade kBinades_%s[] = {\n", row.name);
  int first = 0;
  for (const int log2 : log2_pieces) {
    std::fprintf(file, "{%d,%d},\n", first, log2);
    first += 1 << log2;
  }
  std::fprintf(file, "};\nconst DoubleTable kTable_%s = {%d, %d, kBinades_%s, kPieces_%s};\n",
               row.name, row.first, row.last - row.first + 1, row.name, row.name);
  if (std::getenv("ASSAY_VERBOSE") != nullptr)
    std::fprintf(stderr, "%s: %d pieces\n", row.name, first);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: generate_double_tables OUT.cc\n");
    return 2;
  }
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  std::fprintf(file,
               "// Made by generate_double_tables.\n#include <limits>\n\n#include "
               "\"numerics/double_table.h\"\n\n"
               "namespace assay::numerics {\nnamespace {\n"
               "constexpr double kUnknown = std::numeric_limits<double>::infinity();\n}\n");
  for (const Row& row : kRows) WriteTable(file, row);
  std::fprintf(file, "}  // namespace assay::numerics\n");
  if (std::fclose(file) != 0) {
    std::perror(argv[1]);
    return 2;
  }
  return 0;
}
