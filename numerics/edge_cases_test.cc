// The rows of edge_cases.def against edge_cases.json (read by a second interpreter of conditions,
// below), against MPFR where it follows C99, and at operands next to the prescribed ones.
#include "numerics/edge_cases.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "numerics/edge_rows.h"

#ifndef ASSAY_SOURCE_DIR  // the build sets it
#define ASSAY_SOURCE_DIR "."
#endif

namespace assay::numerics {
namespace {

using Json = nlohmann::ordered_json;

constexpr Format kFormats[] = {Format::kHalf, Format::kFloat, Format::kDouble};

Json LoadClauses() {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/testsuites/spec/edge_cases.json");
  return Json::parse(file);
}

// Every clause with an id.
std::vector<Json> Clauses() {
  const Json all = LoadClauses();
  std::vector<Json> clauses;
  for (const Json& clause : all["additional_requirements"]) clauses.push_back(clause);
  for (const Json& clause : all["c99_f9_base"]["entries"]) clauses.push_back(clause);
  return clauses;
}

// Operands at and next to every boundary that a clause names.
std::vector<Bits> Samples(Format f) {
  const int p = Traits(f).precision;
  std::vector<Bits> magnitudes = {0,
                                  1,
                                  2,
                                  MinNormal(f) - 1,
                                  MinNormal(f),
                                  MinNormal(f) + 1,
                                  MaxFinite(f) - 1,
                                  MaxFinite(f),
                                  Infinity(f),
                                  QuietNan(f),
                                  Infinity(f) | 1};
  for (double v :
       {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 7.0, 100.0, 101.0, std::ldexp(1, p) - 1,
        std::ldexp(1, p), std::ldexp(1, p - 1) - 0.5, std::ldexp(1, p - 1) - 1.5}) {
    const Bits bits = FromDouble(f, v);
    if (!IsFinite(f, bits)) continue;
    magnitudes.insert(magnitudes.end(), {bits, bits - 1, bits + 1});
  }
  std::vector<Bits> samples;
  for (Bits bits : magnitudes) {
    samples.push_back(bits);
    samples.push_back(Negate(f, bits));
  }
  return samples;
}

std::vector<Bits> IntSamples() {
  std::vector<Bits> samples;
  for (std::int32_t v : {0, 1, -1, 2, -2, 3, -3, 4, -4, 1001, -1001, 0x7ffffffe, 0x7fffffff,
                         -0x7fffffff, -0x7fffffff - 1}) {
    samples.push_back(static_cast<std::uint32_t>(v));
  }
  return samples;
}

bool IsSignaling(Format f, Bits bits) {
  return IsNan(f, bits) && (bits & QuietNan(f) & ~Infinity(f)) == 0;
}

// One scalar operand as a double; NaN as it is.
double ValueOf(Function function, Format f, std::size_t i, Bits bits) {
  if (Info(function).operands[i] == 'I') {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  }
  return ToDouble(f, bits);
}

// Calls `visit` with every combination of samples for the operands of a scalar function.
template <typename Visit>
void ForEachInput(Function function, Format f, const Visit& visit) {
  const FunctionInfo& info = Info(function);
  std::vector<std::vector<Bits>> choices;
  for (char operand : info.operands) choices.push_back(operand == 'I' ? IntSamples() : Samples(f));
  std::vector<Bits> args(choices.size());
  if (choices.size() == 1) {
    for (Bits a : choices[0]) visit(args = {a});
  } else if (choices.size() == 2) {
    for (Bits a : choices[0]) {
      for (Bits b : choices[1]) visit(args = {a, b});
    }
  } else {  // fma, clamp, mix, smoothstep: every third sample of the first
    for (std::size_t i = 0; i < choices[0].size(); i += 3) {
      for (Bits b : choices[1]) {
        for (Bits c : choices[2]) visit(args = {choices[0][i], b, c});
      }
    }
  }
}

// The conditions of edge_cases.json, word by word ("condition_vocabulary").
bool IsInteger(double v) { return std::isfinite(v) && std::floor(v) == v; }
bool IsOdd(double v) { return IsInteger(v) && std::floor(v / 2) != v / 2; }
bool IsEven(double v) { return IsInteger(v) && std::floor(v / 2) == v / 2; }

bool OfClass(const std::string& name, double v) {
  if (name == "zero") return v == 0;
  if (name == "inf") return std::isinf(v);
  if (name == "nan") return std::isnan(v);
  if (name == "finite") return std::isfinite(v);
  EXPECT_EQ(name, "any");
  return true;
}

bool Compares(const std::string& op, double a, double b) {
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  EXPECT_EQ(op, ">=");
  return a >= b;
}

bool InRange(const Json& range, double v) {
  const bool low = range["lo_closed"].get<bool>() ? v >= range["lo"] : v > range["lo"];
  const bool high = range["hi_closed"].get<bool>() ? v <= range["hi"] : v < range["hi"];
  return low && high;
}

bool HoldsOf(const Json& condition, double v) {
  bool holds = true;
  for (const auto& [key, value] : condition.items()) {
    if (key == "class") holds = holds && OfClass(value, v);
    if (key == "sign" && value != "any") holds = holds && std::signbit(v) == (value == "-");
    if (key == "eq") holds = holds && v == value.get<double>();
    if (key == "abs_eq") holds = holds && std::fabs(v) == value.get<double>();
    if (key == "cmp") holds = holds && Compares(value, v, condition["value"]);
    if (key == "abs_cmp") holds = holds && Compares(value, std::fabs(v), condition["value"]);
    if (key == "range") holds = holds && InRange(value, v);
    if (key == "integer") holds = holds && IsInteger(v) == value.get<bool>();
    if (key == "parity") holds = holds && (value == "odd" ? IsOdd(v) : IsEven(v));
    if (key == "not") holds = holds && !IsOdd(v) && value == "odd integer";
    if (key == "finite") holds = holds && std::isfinite(v);
    if (key == "form") {
      const std::string n = condition["n"];
      const double floor = std::floor(v);
      holds = holds && v - floor == 0.5 && floor + 0.5 == v &&
              (n == "integer" || (n == "even integer" ? IsEven(floor) : IsOdd(floor)));
    }
    if (key == "not_class") {
      for (const Json& name : value) holds = holds && !OfClass(name, v);
    }
    if (key == "any_of") {
      bool any = false;
      for (const Json& one : value) any = any || HoldsOf(one, v);
      holds = holds && any;
    }
  }
  return holds;
}

// Is the clause about these operands?  Symmetric clauses are tried as they are written.
bool Covers(const Json& clause, const std::vector<double>& values) {
  if (clause.contains("when_any")) {  // remquo
    const double x = values[0], y = values[1];
    return std::isinf(x) || (y == 0 && !std::isnan(x)) || std::isnan(x) || std::isnan(y);
  }
  std::size_t i = 0;
  for (const auto& [name, condition] : clause["args"].items()) {
    if (condition.contains("eq_arg") && values[0] != values[1]) return false;
    if (!HoldsOf(condition, values[i++])) return false;
  }
  return true;
}

bool IsSymmetric(const Json& clause) {
  const std::string function = clause["function"];
  return function == "hypot" || function == "fmax" || function == "fmin" || function == "fma";
}

// The value that the clause states; `args` by name.
struct Expected {
  std::vector<std::int64_t> integers{};  // any of these
  bool is_nan = false;
  Bits bits = 0;
};

Expected Stated(const Json& result, const Json& clause, Format f, const std::vector<Bits>& args) {
  std::map<std::string, Bits> named;
  std::size_t i = 0;
  for (const auto& [name, condition] : clause["args"].items()) named[name] = args[i++];
  if (result["value"].is_number()) return {.integers = {result["value"].get<std::int64_t>()}};
  const std::string text = result["value"];
  if (text.starts_with("nan")) return {.is_nan = true};
  if (text == "FP_ILOGB0") return {.integers = {INT32_MIN, -INT32_MAX}};
  if (text == "FP_ILOGBNAN") return {.integers = {INT32_MAX, INT32_MIN}};
  if (text == "INT_MAX") return {.integers = {INT32_MAX}};
  if (named.contains(text)) return {.is_nan = IsNan(f, named[text]), .bits = named[text]};
  if (text == "fabs(x)") {
    return {.is_nan = IsNan(f, named["x"]), .bits = Magnitude(f, named["x"])};
  }
  if (text == "min_subnormal") return {.bits = 1};
  if (text == "-min_subnormal") return {.bits = Negate(f, 1)};
  Bits bits = text == "inf" || text == "+inf" || text == "-inf" ? Infinity(f)
                                                                : FromDouble(f, std::stod(text));
  if (text == "-inf") bits = Negate(f, bits);
  if (result.contains("sign_from")) {
    std::string from = result["sign_from"];
    const bool opposite = from.starts_with("-");
    if (opposite) from = from.substr(1);
    bits = CopySign(f, bits, opposite ? Negate(f, named[from]) : named[from]);
  }
  return {.bits = bits};
}

void ExpectStated(const Expected& expected, Format f, const Exact& exact) {
  if (!expected.integers.empty()) {
    ASSERT_EQ(exact.kind, ResultKind::kInteger);
    std::set<std::int64_t> conforming = {static_cast<std::int64_t>(exact.below)};
    if (exact.has_alternative) conforming.insert(exact.alternative);
    EXPECT_EQ(conforming,
              std::set<std::int64_t>(expected.integers.begin(), expected.integers.end()));
    return;
  }
  if (expected.is_nan) {
    EXPECT_EQ(exact.kind, ResultKind::kNan);
    return;
  }
  EXPECT_EQ(exact.kind, IsInfinite(f, expected.bits) ? ResultKind::kInfinite : ResultKind::kFinite);
  EXPECT_EQ(exact.below, expected.bits);
  EXPECT_EQ(exact.fraction, 0);
}

// Clauses that demand no value of a scalar function: properties, as-if programs, "pi/2".
bool DemandsValue(const Json& clause) {
  const Json& result = clause["result"];
  return result.contains("value") && result.value("exact", true) &&
         !clause.contains("conditional") && clause["function"] != "normalize";
}

std::string Show(const std::string& id, Format f, const std::vector<Bits>& args) {
  std::string text = id + " " + std::string(Traits(f).name);
  for (Bits bits : args) text += " " + std::to_string(bits);
  return text;
}

bool AnySignaling(Function function, Format f, const std::vector<Bits>& args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (Info(function).operands[i] == 'F' && IsSignaling(f, args[i])) return true;
  }
  return false;
}

std::vector<double> ValuesOf(Function function, Format f, const std::vector<Bits>& args) {
  std::vector<double> values;
  for (std::size_t i = 0; i < args.size(); ++i) {
    values.push_back(ValueOf(function, f, i, args[i]));
  }
  return values;
}

TEST(EdgeCases, EveryClauseHasARowOrANote) {
  std::set<std::string> ids;
  for (const EdgeCase& edge : AllEdgeCases()) ids.insert(std::string(edge.id));
  std::size_t clauses = 0;
  for (const Json& clause : Clauses()) {
    ++clauses;
    EXPECT_TRUE(ids.contains(clause["id"])) << clause.dump();
  }
  EXPECT_EQ(clauses, 81u + 137u);
}

TEST(EdgeCases, AClausesRowsAreAboutItsFunction) {
  std::map<std::string, std::string> functions;
  for (const Json& clause : Clauses()) functions[clause["id"]] = clause["function"];
  for (std::size_t i = 0; i < std::size(edge::kRows); ++i) {
    const std::string id(edge::kEdgeCases[i].id);
    if (!functions.contains(id)) {
      EXPECT_TRUE(id[0] == 'A' || id[0] == 'T') << id;
      continue;
    }
    EXPECT_EQ(Info(edge::kRows[i].function).name, functions[id]) << id;
  }
}

TEST(EdgeCases, WhatAClauseDemandsIsFound) {
  for (const Json& clause : Clauses()) {
    if (!DemandsValue(clause)) continue;
    const Function function = *FunctionFromName(clause["function"].get<std::string>());
    const bool binding = clause.value("confidence", "") != "low" && clause["id"] != "F026";
    int matches = 0;
    for (Format f : kFormats) {
      ForEachInput(function, f, [&](const std::vector<Bits>& args) {
        if (AnySignaling(function, f, args)) return;
        if (!Covers(clause, ValuesOf(function, f, args))) return;
        ++matches;
        SCOPED_TRACE(Show(clause["id"], f, args));
        Exact results[2];
        const auto count = Info(function).results.size();
        ASSERT_NE(FindEdgeCase(Operation::Builtin(function, f), args, {results, count}), nullptr);
        ExpectStated(Stated(clause["result"], clause, f, args), f, results[0]);
        EXPECT_EQ(results[0].prescribed, binding);
        for (const Json& store : clause["stores"]) {
          ExpectStated(Stated(store, clause, f, args), f, results[1]);
          EXPECT_TRUE(results[1].prescribed);
        }
      });
    }
    EXPECT_GT(matches, 0) << clause.dump();
  }
}

TEST(EdgeCases, ARowMatchesOnlyWhatItsClauseCovers) {
  std::map<std::string, Json> by_id;
  std::set<Function> functions;
  for (const Json& clause : Clauses()) {
    by_id[clause["id"]] = clause;
    if (DemandsValue(clause)) functions.insert(*FunctionFromName(std::string(clause["function"])));
  }
  for (Function function : functions) {
    for (Format f : kFormats) {
      ForEachInput(function, f, [&](std::vector<Bits> args) {
        Exact results[2];
        const EdgeCase* found = FindEdgeCase(Operation::Builtin(function, f), args,
                                             {results, Info(function).results.size()});
        if (found == nullptr || !by_id.contains(std::string(found->id))) return;
        const Json& clause = by_id[std::string(found->id)];
        std::vector<double> values = ValuesOf(function, f, args);
        bool covers = Covers(clause, values);
        if (IsSymmetric(clause)) {
          std::swap(values[0], values[1]);
          covers = covers || Covers(clause, values);
        }
        EXPECT_TRUE(covers) << Show(std::string(found->id), f, args);
      });
    }
  }
}

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
  for (Format f : kFormats) {
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
    for (Format f : kFormats) {
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
  for (Format format : kFormats) {
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
