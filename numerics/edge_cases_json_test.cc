// The rows of edge_cases.def against edge_cases.json, in both directions: what a clause covers is
// found with the stated value, and a row matches nothing that its clause does not cover.  The
// conditions of the file are read by an interpreter that shares nothing with the product's.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "numerics/edge_case_samples.h"
#include "numerics/edge_cases.h"
#include "numerics/edge_rows.h"

#ifndef ASSAY_SOURCE_DIR  // the build sets it
#define ASSAY_SOURCE_DIR "."
#endif

namespace assay::numerics {
namespace {

using Json = nlohmann::ordered_json;

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
  if (clause.contains("conditional")) {  // fma: "the product is an infinity of sign opposite to c"
    const double product = values[0] * values[1];
    const bool infinite = std::isinf(values[0]) || std::isinf(values[1]);  // not an overflow
    return infinite && std::isinf(product) && std::isinf(values[2]) &&
           std::isnan(product + values[2]);
  }
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
         clause["function"] != "normalize";
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

TEST(EdgeCasesJson, EveryClauseHasARowOrANote) {
  std::set<std::string> ids;
  for (const EdgeCase& edge : AllEdgeCases()) ids.insert(std::string(edge.id));
  std::size_t clauses = 0;
  for (const Json& clause : Clauses()) {
    ++clauses;
    EXPECT_TRUE(ids.contains(clause["id"])) << clause.dump();
  }
  EXPECT_EQ(clauses, 81u + 137u);
}

TEST(EdgeCasesJson, AClausesRowsAreAboutItsFunction) {
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

TEST(EdgeCasesJson, FindsTheResultThatAClauseDemands) {
  for (const Json& clause : Clauses()) {
    if (!DemandsValue(clause)) continue;
    const Function function = *FunctionFromName(clause["function"].get<std::string>());
    const bool binding = clause.value("confidence", "") != "low" && clause["id"] != "F026";
    int matches = 0;
    for (Format f : kTestFormats) {
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

TEST(EdgeCasesJson, ARowMatchesOnlyOperandsOfItsClause) {
  std::map<std::string, Json> by_id;
  std::set<Function> functions;
  for (const Json& clause : Clauses()) {
    by_id[clause["id"]] = clause;
    if (DemandsValue(clause)) functions.insert(*FunctionFromName(std::string(clause["function"])));
  }
  for (Function function : functions) {
    for (Format f : kTestFormats) {
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

}  // namespace
}  // namespace assay::numerics
