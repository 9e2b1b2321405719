// The results of double functions rounded to nearest, as the interpreter computes them: nanoseconds
// for one, MPFR's time for the same operands and results in the same run, and the ratio.
//
// BM_DoubleRounded/FN takes operands of ordinary size (ordinary_operands.h). MPFR computes with 53
// bits, but where an exact step before the last one needs more; its time includes that operands
// come as doubles and results go as doubles. All times are processor time of the one thread.
// Functions that are one instruction of the interpreter have no row (floor, fmin, sqrt, fma, ...).

#include <benchmark/benchmark.h>
#include <mpfr.h>

#include <array>
#include <bit>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "numerics/function.h"
#include "numerics/ordinary_operands.h"
#include "numerics/rounded.h"

namespace assay::numerics {
namespace {

constexpr std::size_t kItems = 1 << 16, kMpfrItems = 1 << 12;
// Holds the sums and products of operands of ordinary size exactly.
constexpr mpfr_prec_t kExactBits = 256;

// What MPFR computes with: up to three operands, an integer operand, results, and numbers between.
struct Numbers {
  mpfr_t x[3], result[2], exact[3];
  long n = 0, integer = 0;

  Numbers() {
    for (mpfr_t& number : x) mpfr_init2(number, 53);
    for (mpfr_t& number : result) mpfr_init2(number, 53);
    for (mpfr_t& number : exact) mpfr_init2(number, kExactBits);
  }
  ~Numbers() {
    for (mpfr_t& number : x) mpfr_clear(number);
    for (mpfr_t& number : result) mpfr_clear(number);
    for (mpfr_t& number : exact) mpfr_clear(number);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
};
using Compute = void (*)(Numbers& a);

template <int (*kFunction)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void One(Numbers& a) {
  kFunction(a.result[0], a.x[0], MPFR_RNDN);
}
template <int (*kFunction)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
void Two(Numbers& a) {
  kFunction(a.result[0], a.x[0], a.x[1], MPFR_RNDN);
}
void Larger(Numbers& a, int sign) {
  const int order = mpfr_cmpabs(a.x[0], a.x[1]);
  mpfr_set(a.result[0], order * sign > 0 ? a.x[0] : a.x[1], MPFR_RNDN);
}
void ByPi(Numbers& a, bool to_degrees) {
  mpfr_const_pi(a.exact[0], MPFR_RNDN);
  if (to_degrees) {
    mpfr_mul_ui(a.exact[1], a.x[0], 180, MPFR_RNDN);
    mpfr_div(a.result[0], a.exact[1], a.exact[0], MPFR_RNDN);
  } else {
    mpfr_mul(a.exact[1], a.exact[0], a.x[0], MPFR_RNDN);
    mpfr_div_ui(a.result[0], a.exact[1], 180, MPFR_RNDN);
  }
}
void Smoothstep(Numbers& a) {
  mpfr_sub(a.exact[0], a.x[2], a.x[0], MPFR_RNDN);
  mpfr_sub(a.exact[1], a.x[1], a.x[0], MPFR_RNDN);
  if (mpfr_sgn(a.exact[0]) <= 0 || mpfr_cmp(a.exact[0], a.exact[1]) >= 0) {
    mpfr_set_ui(a.result[0], mpfr_sgn(a.exact[0]) <= 0 ? 0 : 1, MPFR_RNDN);
    return;
  }
  mpfr_div(a.exact[0], a.exact[0], a.exact[1], MPFR_RNDN);
  mpfr_mul_2ui(a.exact[1], a.exact[0], 1, MPFR_RNDN);
  mpfr_ui_sub(a.exact[1], 3, a.exact[1], MPFR_RNDN);
  mpfr_sqr(a.exact[0], a.exact[0], MPFR_RNDN);
  mpfr_mul(a.result[0], a.exact[0], a.exact[1], MPFR_RNDN);
}

struct Row {
  Function function;
  Compute mpfr;
};

constexpr Row kRows[] = {
    {Function::acos, One<mpfr_acos>},
    {Function::acosh, One<mpfr_acosh>},
    {Function::acospi, One<mpfr_acospi>},
    {Function::asin, One<mpfr_asin>},
    {Function::asinh, One<mpfr_asinh>},
    {Function::asinpi, One<mpfr_asinpi>},
    {Function::atan, One<mpfr_atan>},
    {Function::atan2, Two<mpfr_atan2>},
    {Function::atan2pi, Two<mpfr_atan2pi>},
    {Function::atanh, One<mpfr_atanh>},
    {Function::atanpi, One<mpfr_atanpi>},
    {Function::cbrt, One<mpfr_cbrt>},
    {Function::cos, One<mpfr_cos>},
    {Function::cosh, One<mpfr_cosh>},
    {Function::cospi, One<mpfr_cospi>},
    {Function::degrees, [](Numbers& a) { ByPi(a, true); }},
    {Function::erf, One<mpfr_erf>},
    {Function::erfc, One<mpfr_erfc>},
    {Function::exp, One<mpfr_exp>},
    {Function::exp10, One<mpfr_exp10>},
    {Function::exp2, One<mpfr_exp2>},
    {Function::expm1, One<mpfr_expm1>},
    {Function::fdim, Two<mpfr_dim>},
    {Function::fmod, Two<mpfr_fmod>},
    {Function::fract,
     [](Numbers& a) {
       mpfr_floor(a.result[1], a.x[0]);
       mpfr_sub(a.result[0], a.x[0], a.result[1], MPFR_RNDN);
     }},
    {Function::frexp, [](Numbers& a) { mpfr_frexp(&a.integer, a.result[0], a.x[0], MPFR_RNDN); }},
    {Function::hypot, Two<mpfr_hypot>},
    {Function::ilogb, [](Numbers& a) { a.integer = mpfr_get_exp(a.x[0]) - 1; }},
    {Function::ldexp, [](Numbers& a) { mpfr_mul_2si(a.result[0], a.x[0], a.n, MPFR_RNDN); }},
    {Function::lgamma,
     [](Numbers& a) {
       int sign = 0;
       mpfr_lgamma(a.result[0], &sign, a.x[0], MPFR_RNDN);
     }},
    {Function::lgamma_r,
     [](Numbers& a) {
       int sign = 0;
       mpfr_lgamma(a.result[0], &sign, a.x[0], MPFR_RNDN);
       a.integer = sign;
     }},
    {Function::log, One<mpfr_log>},
    {Function::log10, One<mpfr_log10>},
    {Function::log1p, One<mpfr_log1p>},
    {Function::log2, One<mpfr_log2>},
    {Function::logb,
     [](Numbers& a) { mpfr_set_si(a.result[0], mpfr_get_exp(a.x[0]) - 1, MPFR_RNDN); }},
    {Function::maxmag, [](Numbers& a) { Larger(a, 1); }},
    {Function::minmag, [](Numbers& a) { Larger(a, -1); }},
    {Function::mix,
     [](Numbers& a) {
       mpfr_sub(a.exact[0], a.x[1], a.x[0], MPFR_RNDN);
       mpfr_fma(a.result[0], a.exact[0], a.x[2], a.x[0], MPFR_RNDN);
     }},
    {Function::modf, [](Numbers& a) { mpfr_modf(a.result[1], a.result[0], a.x[0], MPFR_RNDN); }},
    {Function::nextafter,
     [](Numbers& a) {
       mpfr_set(a.result[0], a.x[0], MPFR_RNDN);
       mpfr_nexttoward(a.result[0], a.x[1]);
     }},
    {Function::pow, Two<mpfr_pow>},
    {Function::pown, [](Numbers& a) { mpfr_pow_si(a.result[0], a.x[0], a.n, MPFR_RNDN); }},
    {Function::powr, Two<mpfr_powr>},
    {Function::radians, [](Numbers& a) { ByPi(a, false); }},
    {Function::remainder, Two<mpfr_remainder>},
    {Function::remquo,
     [](Numbers& a) {
       mpfr_remquo(a.result[0], &a.integer, a.x[0], a.x[1], MPFR_RNDN);
       a.integer %= 128;
     }},
    {Function::rootn, [](Numbers& a) { mpfr_rootn_si(a.result[0], a.x[0], a.n, MPFR_RNDN); }},
    {Function::rsqrt, One<mpfr_rec_sqrt>},
    {Function::sin, One<mpfr_sin>},
    {Function::sincos,
     [](Numbers& a) { mpfr_sin_cos(a.result[0], a.result[1], a.x[0], MPFR_RNDN); }},
    {Function::sinh, One<mpfr_sinh>},
    {Function::sinpi, One<mpfr_sinpi>},
    {Function::smoothstep, Smoothstep},
    {Function::tan, One<mpfr_tan>},
    {Function::tanh, One<mpfr_tanh>},
    {Function::tanpi, One<mpfr_tanpi>},
    {Function::tgamma, One<mpfr_gamma>},
};

// Results in the columns of the evaluator: doubles or ints.
double ResultAt(ScalarType type, const void* column, std::size_t item) {
  const Bits bits = LoadElement(type, column, item);
  return type == ScalarType::kDouble ? std::bit_cast<double>(bits)
                                     : static_cast<std::int32_t>(bits);
}

void LoadOperands(const std::vector<ConstColumn>& columns, std::size_t item, Numbers& a) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double value = ResultAt(columns[k].slot.type, columns[k].data, item);
    if (columns[k].slot.type == ScalarType::kDouble) {
      mpfr_set_d(a.x[k], value, MPFR_RNDN);
    } else {
      a.n = static_cast<long>(value);
    }
  }
}

void Rounded(benchmark::State& state, const Row& row) {
  const Operation operation = Operation::Builtin(row.function, Format::kDouble);
  const RoundedEvaluator evaluator(operation, Rounding::kRte, false);
  const OrdinaryOperands inputs(operation, kItems, true);
  const std::vector<ScalarType> types = operation.ResultTypes();
  std::array<std::vector<double>, 2> storage{std::vector<double>(kItems),
                                             std::vector<double>(kItems)};
  std::vector<const void*> arguments;
  for (const ConstColumn& column : inputs.columns()) arguments.push_back(column.data);
  void* const results[] = {storage[0].data(), storage[1].data()};
  evaluator.Evaluate(arguments.data(), results, kItems);  // tables are made at first use
  std::clock_t spent = 0;
  for (auto _ : state) {
    const std::clock_t begin = std::clock();
    evaluator.Evaluate(arguments.data(), results, kItems);
    spent += std::clock() - begin;
  }
  const double seconds = static_cast<double>(spent) / CLOCKS_PER_SEC /
                         static_cast<double>(state.iterations()) / kItems;
  Numbers numbers;
  std::array<std::vector<double>, 2> theirs;
  const std::clock_t begin = std::clock();
  for (std::size_t i = 0; i < kMpfrItems; ++i) {
    LoadOperands(inputs.columns(), i, numbers);
    row.mpfr(numbers);
    for (std::size_t r = 0; r < types.size(); ++r) {
      const bool is_double = types[r] == ScalarType::kDouble;
      theirs[r].push_back(is_double ? mpfr_get_d(numbers.result[r], MPFR_RNDN)
                                    : static_cast<double>(numbers.integer));
    }
  }
  const double mpfr_seconds =
      static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / kMpfrItems;
  for (std::size_t i = 0; i < kMpfrItems; ++i) {
    for (std::size_t r = 0; r < types.size(); ++r) {
      if (ResultAt(types[r], results[r], i) != theirs[r][i]) state.SkipWithError("another result");
    }
  }
  state.counters["ns"] = 1e9 * seconds;
  state.counters["mpfr_ns"] = 1e9 * mpfr_seconds;
  state.counters["ratio"] = mpfr_seconds / seconds;
}

int RegisterAll() {
  for (const Row& row : kRows) {
    benchmark::RegisterBenchmark(
        ("BM_DoubleRounded/" + std::string(Info(row.function).name)).c_str(), Rounded, row)
        ->MinTime(0.02);
  }
  return 0;
}

[[maybe_unused]] const int kRegistered = RegisterAll();

}  // namespace
}  // namespace assay::numerics
