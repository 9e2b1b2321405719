// The rows of edge_cases.def against MPFR where it follows C99, and single points: traps of the
// texts, what they leave open, signaling NaNs, and the geometric functions.
#include "numerics/edge_cases.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "numerics/edge_case_samples.h"
#include "numerics/function.h"

namespace assay::numerics {
namespace {

bool IsInteger(double v) { return std::isfinite(v) && std::floor(v) == v; }

// MPFR follows C99 for these in every special case ("Special functions" of its manual).
struct MpfrUnary {
  Function function;
  int (*evaluate)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};
struct MpfrBinary {
  Function function;
  int (*evaluate)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
};
constexpr MpfrUnary kMpfrUnary[] = {
    {Function::acos, mpfr_acos},      {Function::acospi, mpfr_acospi},
    {Function::asin, mpfr_asin},      {Function::asinpi, mpfr_asinpi},
    {Function::atan, mpfr_atan},      {Function::atanpi, mpfr_atanpi},
    {Function::acosh, mpfr_acosh},    {Function::asinh, mpfr_asinh},
    {Function::atanh, mpfr_atanh},    {Function::cbrt, mpfr_cbrt},
    {Function::cos, mpfr_cos},        {Function::cosh, mpfr_cosh},
    {Function::cospi, mpfr_cospi},    {Function::erf, mpfr_erf},
    {Function::erfc, mpfr_erfc},      {Function::exp, mpfr_exp},
    {Function::exp2, mpfr_exp2},      {Function::exp10, mpfr_exp10},
    {Function::expm1, mpfr_expm1},    {Function::lgamma, mpfr_lngamma},
    {Function::log, mpfr_log},        {Function::log2, mpfr_log2},
    {Function::log10, mpfr_log10},    {Function::log1p, mpfr_log1p},
    {Function::sin, mpfr_sin},        {Function::sinh, mpfr_sinh},
    {Function::sinpi, mpfr_sinpi},    {Function::sqrt, mpfr_sqrt},
    {Function::tan, mpfr_tan},        {Function::tanh, mpfr_tanh},
    {Function::tanpi, mpfr_tanpi},    {Function::tgamma, mpfr_gamma},
    {Function::half_sin, mpfr_sin},   {Function::half_cos, mpfr_cos},
    {Function::half_tan, mpfr_tan},   {Function::half_exp, mpfr_exp},
    {Function::half_log, mpfr_log},   {Function::half_sqrt, mpfr_sqrt},
    {Function::half_exp2, mpfr_exp2}, {Function::half_log10, mpfr_log10},
};
constexpr MpfrBinary kMpfrBinary[] = {
    {Function::atan2, mpfr_atan2},
    {Function::atan2pi, mpfr_atan2pi},
    {Function::fmod, mpfr_fmod},
    {Function::hypot, mpfr_hypot},
    {Function::pow, mpfr_pow},
    {Function::powr, mpfr_powr},
    {Function::remainder, mpfr_remainder},
    {Function::half_powr, mpfr_powr},
};

// lngamma of a negative number is NaN where gamma is negative: another function than C's.
// mpfr_powr(1, NaN) of MPFR 4.2.0 is 1, where 7.5.1 and IEEE 754-2019 9.2.1 have NaN.
bool MpfrDiffers(Function function, double x, double y) {
  const bool powr = function == Function::powr || function == Function::half_powr;
  return (powr && x == 1 && std::isnan(y)) ||
         (function == Function::lgamma && x < 0 && !std::isinf(x) && !IsInteger(x));
}

class MpfrPoint {
 public:
  explicit MpfrPoint(double v) {
    mpfr_init2(value, 60);
    mpfr_set_d(value, v, MPFR_RNDN);
  }
  ~MpfrPoint() { mpfr_clear(value); }
  MpfrPoint(const MpfrPoint&) = delete;
  MpfrPoint& operator=(const MpfrPoint&) = delete;
  mpfr_t value;
};

// Whatever a row states is what MPFR answers.
void ExpectMpfr(const Exact& exact, Format f, mpfr_srcptr answer) {
  if (exact.kind == ResultKind::kUnspecified) return;
  if (exact.kind == ResultKind::kNan) {
    EXPECT_TRUE(mpfr_nan_p(answer));
    return;
  }
  const double stated = ToDouble(f, exact.below);
  EXPECT_EQ(mpfr_cmp_d(answer, stated), 0) << stated << " " << mpfr_get_d(answer, MPFR_RNDN);
  EXPECT_EQ(mpfr_signbit(answer) != 0, std::signbit(stated)) << stated;
}

TEST(EdgeCases, RowsAgreeWithMpfr) {
  int compared = 0;
  const auto compare = [&](Function function, Format f, const std::vector<Bits>& args,
                           const auto& evaluate) {
    Exact result;
    const EdgeCase* found =
        FindEdgeCase(Operation::Builtin(function, f), args, std::span(&result, 1));
    if (found == nullptr) return;
    SCOPED_TRACE(Show(std::string(found->citation), f, args));
    const double values[] = {ToDouble(f, args[0]), args.size() > 1 ? ToDouble(f, args[1]) : 0};
    if (MpfrDiffers(function, values[0], values[1])) return;
    const MpfrPoint x(values[0]), y(values[1]);
    MpfrPoint answer(0);
    evaluate(answer.value, x.value, y.value);
    ExpectMpfr(result, f, answer.value);
    ++compared;
  };
  for (Format f : kTestFormats) {
    for (const MpfrUnary& row : kMpfrUnary) {
      if (!Info(row.function).Supports(f)) continue;
      ForEachInput(row.function, f, [&](const std::vector<Bits>& args) {
        compare(row.function, f, args,
                [&](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr) { row.evaluate(out, x, MPFR_RNDN); });
      });
    }
    for (const MpfrBinary& row : kMpfrBinary) {
      if (!Info(row.function).Supports(f)) continue;
      ForEachInput(row.function, f, [&](const std::vector<Bits>& args) {
        compare(row.function, f, args, [&](mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y) {
          row.evaluate(out, x, y, MPFR_RNDN);
        });
      });
    }
  }
  EXPECT_GT(compared, 10000);
}

// Single points, in float.
struct Point {
  Function function;
  std::vector<double> args;
  const char* id;  // nullptr: no row
  double result;
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const Point kPoints[] = {
    {Function::pow, {-0.0, -3}, "F085", -kInf},
    {Function::pow, {-0.0, 3}, "F087", -0.0},
    {Function::pow, {-0.0, 0x1p24}, "F088", 0.0},
    {Function::pow, {-0.0, 0x1.fffffep+23}, "F087", -0.0},  // the largest odd float
    {Function::pow, {-1, -kInf}, "F089", 1},
    {Function::pow, {1, kNan}, "F090", 1},
    {Function::pow, {kNan, -0.0}, "F091", 1},
    {Function::pow, {-2, 0.5}, "F092", kNan},
    {Function::pow, {-kInf, 0.5}, "F100", kInf},
    {Function::pow, {-2, 3}, nullptr, 0},
    {Function::hypot, {kNan, -kInf}, "F083", kInf},
    {Function::nextafter, {-0.0, 0.0}, "F131", 0.0},
    {Function::nextafter, {0.0, -0.0}, "F131", -0.0},
    {Function::nextafter, {-0.0, 1}, "E039", 0x1p-149},
    {Function::nextafter, {0.0, 1}, nullptr, 0},
    {Function::rint, {-0.5}, "E066", -0.0},
    {Function::round, {-0.5}, nullptr, 0},
    {Function::round, {-0.25}, "E070", -0.0},
    {Function::ceil, {-1}, nullptr, 0},
    {Function::tanpi, {3}, "E078", -0.0},
    {Function::tanpi, {-3}, "E078", 0.0},
    {Function::tanpi, {-0.5}, "E080", -kInf},
    {Function::tanpi, {1.5}, "E080", -kInf},
    {Function::tanpi, {2.5}, "E079", kInf},
    {Function::sinpi, {0x1.fffffep+127}, "E072", 0.0},
    {Function::tgamma, {-0.0}, "F111", -kInf},
    {Function::expm1, {-kInf}, "F055", -1},
    {Function::fma, {kInf, -1, kInf}, "F130", kNan},
    {Function::fma, {kInf, -1, -kInf}, nullptr, 0},
    {Function::fma, {0.0, kInf, kNan}, "F129", kNan},
    {Function::fmod, {5, kInf}, "F123", 5},
    {Function::half_sin, {-0.0}, "F001", -0.0},
    {Function::half_sin, {kInf}, "F019", kNan},
    {Function::half_powr, {1, kInf}, "E063", kNan},
    {Function::half_divide, {0, 0}, nullptr, 0},
    {Function::native_sin, {-0.0}, nullptr, 0},
};

TEST(EdgeCases, Points) {
  for (const Point& point : kPoints) {
    std::vector<Bits> args;
    for (double v : point.args) args.push_back(FromDouble(Format::kFloat, v));
    SCOPED_TRACE(Show(std::string(Info(point.function).name), Format::kFloat, args));
    Exact exact;
    const EdgeCase* found = FindEdgeCase(Operation::Builtin(point.function, Format::kFloat), args,
                                         std::span(&exact, 1));
    if (point.id == nullptr) {
      EXPECT_EQ(found, nullptr) << found->citation;
      continue;
    }
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->id, point.id);
    EXPECT_TRUE(exact.prescribed);
    if (std::isnan(point.result)) {
      EXPECT_EQ(exact.kind, ResultKind::kNan);
    } else {
      EXPECT_EQ(exact.below, FromDouble(Format::kFloat, point.result));
    }
  }
}

// What the texts leave open: nothing is prescribed there, and next to it nothing is open.
TEST(EdgeCases, Unspecified) {
  const struct {
    Function function;
    std::vector<double> args;
    bool open;
  } kCases[] = {
      {Function::clamp, {0, 2, 1}, true},
      {Function::clamp, {0, 1, 1}, false},
      {Function::clamp, {kNan, 1, 2}, false},
      {Function::max, {kInf, 1}, true},
      {Function::max, {1, kNan}, true},
      {Function::min, {-kInf, 1}, true},
      {Function::min, {1, 2}, false},
      {Function::mix, {1, 2, -0x1p-149}, true},
      {Function::mix, {1, 2, -0.0}, false},
      {Function::mix, {1, 2, 0x1.000002p0}, true},
      {Function::mix, {1, 2, 1}, false},
      {Function::mix, {1, 2, kNan}, true},
      {Function::smoothstep, {1, 1, 3}, true},
      {Function::smoothstep, {1, 2, kNan}, true},
      {Function::smoothstep, {1, 2, 3}, false},
      {Function::half_cos, {0x1p16}, false},
      {Function::half_cos, {-0x1.000002p16}, true},
  };
  for (const auto& c : kCases) {
    std::vector<Bits> args;
    for (double v : c.args) args.push_back(FromDouble(Format::kFloat, v));
    Exact exact = Exact::Number(0);
    const EdgeCase* found =
        FindEdgeCase(Operation::Builtin(c.function, Format::kFloat), args, std::span(&exact, 1));
    const bool open = found != nullptr && exact.kind == ResultKind::kUnspecified;
    EXPECT_EQ(open, c.open) << Show(std::string(Info(c.function).name), Format::kFloat, args);
  }
}

// A signaling NaN is a NaN, or what IEEE 754 makes of it: only results that are NaN either way
// are prescribed (7.2: its support is not required).
TEST(EdgeCases, SignalingNansPrescribeNoNumber) {
  for (const FunctionInfo& info : AllFunctions()) {
    if (info.IsGeometric() || info.Arity() != 2 || info.operands != "FF") continue;
    for (Format f : kTestFormats) {
      if (!info.Supports(f)) continue;
      for (Bits other : Samples(f)) {
        for (const auto& args : {std::vector<Bits>{Infinity(f) | 1, other},
                                 std::vector<Bits>{other, Infinity(f) | 1}}) {
          Exact results[2];
          if (FindEdgeCase(Operation::Builtin(info.function, f), args,
                           {results, info.results.size()}) == nullptr) {
            continue;
          }
          EXPECT_TRUE(results[0].kind == ResultKind::kNan ||
                      results[0].kind == ResultKind::kUnspecified)
              << Show(std::string(info.name), f, args);
        }
      }
    }
  }
}

TEST(EdgeCases, Normalize) {
  const Format f = Format::kFloat;
  const auto find = [&](const std::vector<double>& v, std::vector<Exact>* results) {
    std::vector<Bits> args;
    for (double c : v) args.push_back(FromDouble(f, c));
    results->assign(v.size(), Exact::Unspecified());
    return FindEdgeCase(Operation::Builtin(Function::normalize, f, static_cast<int>(v.size())),
                        args, *results);
  };
  std::vector<Exact> results;
  ASSERT_NE(find({0.0, -0.0}, &results), nullptr);
  EXPECT_EQ(results[1].below, SignMask(f));
  EXPECT_TRUE(results[1].prescribed);
  ASSERT_NE(find({1, kInf, kNan}, &results), nullptr);
  for (const Exact& exact : results) EXPECT_EQ(exact.kind, ResultKind::kNan);
  EXPECT_EQ(find({1, 0, 0}, &results), nullptr);

  // As if infinities were ones: with k of them each is 1 / sqrt(k), placed on the grid.
  for (Format format : kTestFormats) {
    for (std::size_t k = 1; k <= 4; ++k) {
      std::vector<Bits> args(4, Negate(format, One(format)));
      std::fill_n(args.begin(), k, Infinity(format));
      results.assign(4, Exact::Unspecified());
      ASSERT_NE(FindEdgeCase(Operation::Builtin(Function::normalize, format, 4), args, results),
                nullptr);
      MpfrPoint unit(static_cast<double>(k));
      mpfr_t root;
      mpfr_init2(root, 200);
      mpfr_rec_sqrt(root, unit.value, MPFR_RNDN);
      mpfr_sub_d(root, root, ToDouble(format, results[0].below), MPFR_RNDN);
      mpfr_mul_2si(root, root, Traits(format).precision, MPFR_RNDN);  // in gaps of [1/2, 1)
      EXPECT_NEAR(mpfr_get_d(root, MPFR_RNDN), results[0].fraction, 1e-9) << k;
      mpfr_clear(root);
      EXPECT_FALSE(results[0].prescribed);
      if (k < 4) {
        EXPECT_EQ(results[3].below, SignMask(format));
      }
    }
  }
}

TEST(EdgeCases, FastGeometricOutOfRange) {
  const auto is_open = [](Function function, std::vector<double> v) {
    std::vector<Bits> args;
    for (double c : v) args.push_back(FromDouble(Format::kFloat, c));
    const int n = static_cast<int>(v.size()) / Info(function).Arity();
    std::vector<Exact> results(static_cast<std::size_t>(n), Exact::Number(0));
    const EdgeCase* found =
        FindEdgeCase(Operation::Builtin(function, Format::kFloat, n), args, results);
    return found != nullptr && results[0].kind == ResultKind::kUnspecified;
  };
  EXPECT_TRUE(is_open(Function::fast_length, {0x1p64, 0}));
  EXPECT_FALSE(is_open(Function::fast_length, {0x1p63, 0}));
  EXPECT_TRUE(is_open(Function::fast_length, {0x1p-64, 0}));
  EXPECT_FALSE(is_open(Function::fast_length, {0x1p-62, 0}));
  EXPECT_FALSE(is_open(Function::fast_length, {0, 0}));
  EXPECT_TRUE(is_open(Function::fast_normalize, {kInf, 1}));
  EXPECT_FALSE(is_open(Function::fast_normalize, {0, -0.0}));
  EXPECT_TRUE(is_open(Function::fast_distance, {0x1p64, 1, -0x1p64, 1}));
  EXPECT_FALSE(is_open(Function::fast_distance, {0x1p64, 1, 0x1p64, 2}));
}

}  // namespace
}  // namespace assay::numerics
