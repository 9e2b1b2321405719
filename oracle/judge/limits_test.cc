// Every cell of limits.def against ulp_limits.json, the texts for people, and the tolerances at
// single inputs.
#include "oracle/judge/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "numerics/function.h"
#include "oracle/judge/bound.h"
#include "oracle/judge/math_options.h"

#ifndef ASSAY_SOURCE_DIR  // the build sets it
#define ASSAY_SOURCE_DIR "."
#endif

namespace assay::oracle {
namespace {

using Json = nlohmann::json;
using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;

using numerics::kInfinity;

Json LoadTable() {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/testsuites/spec/ulp_limits.json");
  return Json::parse(file);
}

const Limit* Find(Function function, Format format, Profile profile = Profile::kFull,
                  MathMode mode = MathMode::kDefault, int components = 1) {
  return FindLimit(Operation::Builtin(function, format, components), profile, mode);
}

LimitKind KindNamed(const std::string& name) {
  if (name == "correctly_rounded") return LimitKind::kCorrectlyRounded;
  if (name == "exact") return LimitKind::kExact;
  if (name == "ulp" || name == "ulp_expr") return LimitKind::kUlp;
  if (name == "absolute") return LimitKind::kAbsolute;
  if (name == "one_of") return LimitKind::kOneOf;
  if (name == "derived_or_ulp") return LimitKind::kDerivedOrUlp;
  if (name == "piecewise") return LimitKind::kPiecewise;
  EXPECT_EQ(name, "implementation_defined");
  return LimitKind::kUnbounded;
}

std::string WithoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// "max*max*(2*n-1)*FLT_EPSILON" and the like, at max = 3.
double AbsoluteOf(const Json& cell, int n) {
  if (cell.contains("value")) return cell["value"];
  const std::string expr = WithoutSpaces(cell["expr"]);
  const double epsilon = expr.ends_with("*HALF_EPSILON") ? 0x1p-10 : 0x1p-23;
  const double factor = expr.starts_with("max*max*(2*n-1)*") ? 2 * n - 1 : 3;
  EXPECT_TRUE(expr.starts_with("max*max*(2*n-1)*") || expr.starts_with("max*max*3*")) << expr;
  EXPECT_TRUE(expr.ends_with("*HALF_EPSILON") || expr.ends_with("*FLT_EPSILON")) << expr;
  return 9 * factor * epsilon;
}

// Operands of which the largest in magnitude is 3.
std::vector<Bits> Threes(const Operation& operation) {
  std::vector<Bits> args(static_cast<std::size_t>(operation.ArgumentCount()),
                         numerics::FromDouble(operation.format, 1.5));
  args.back() = numerics::FromDouble(operation.format, -3);
  return args;
}

void ExpectCell(const Json& cell, const Operation& operation, const Limit& limit) {
  ASSERT_EQ(KindOf(limit), KindNamed(cell["kind"]));
  const Tolerance tolerance = ToleranceAt(limit, operation, Threes(operation), 0);
  const int n = operation.components;
  switch (KindOf(limit)) {
    case LimitKind::kCorrectlyRounded:
    case LimitKind::kExact:
      EXPECT_EQ(UlpValue(limit, operation), cell["ulp"].get<double>());
      EXPECT_EQ(tolerance.ulp, cell["ulp"].get<double>());
      break;
    case LimitKind::kUlp: {
      const double ulp = cell.contains("ulp") ? cell["ulp"].get<double>()
                                              : cell["evaluated"][std::to_string(n)].get<double>();
      EXPECT_EQ(UlpValue(limit, operation), ulp);
      EXPECT_EQ(tolerance.ulp, ulp);
      break;
    }
    case LimitKind::kAbsolute:
      EXPECT_EQ(tolerance.kind, LimitKind::kAbsolute);
      EXPECT_DOUBLE_EQ(tolerance.absolute, AbsoluteOf(cell, n));
      EXPECT_EQ(UlpValue(limit, operation), std::nullopt);
      break;
    case LimitKind::kOneOf:
      EXPECT_EQ(tolerance.kind, LimitKind::kOneOf);
      break;
    case LimitKind::kUnbounded:
      EXPECT_EQ(tolerance.kind, LimitKind::kUnbounded);
      EXPECT_EQ(UlpValue(limit, operation), std::nullopt);
      break;
    case LimitKind::kDerivedOrUlp:
    case LimitKind::kPiecewise:
      FAIL() << "not in a profile's table";
  }
}

// The components that a geometric function is tried with.
std::vector<int> ComponentsOf(Function function) {
  if (!numerics::Info(function).IsGeometric()) return {1};
  if (function == Function::cross) return {3, 4};
  return {1, 2, 3, 4};
}

TEST(Limits, ProfileTablesAreTheJson) {
  const Json table = LoadTable();
  int cells = 0;
  for (const Json& row : table["functions"]) {
    const std::string id = row["id"];
    const auto function = numerics::FunctionFromName(id);
    ASSERT_TRUE(function) << id;
    for (Profile profile : {Profile::kFull, Profile::kEmbedded}) {
      const std::string profile_name = profile == Profile::kFull ? "full" : "embedded";
      for (Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
        const std::string type(numerics::Traits(format).name);
        SCOPED_TRACE(id + " " + profile_name + " " + type);
        const bool has_cell = row["effective"].contains(profile_name) &&
                              row["effective"][profile_name].contains(type);
        if (id == "mul_add") {  // only in the unsafe table; FP_CONTRACT elsewhere
          EXPECT_FALSE(has_cell);
          ASSERT_NE(Find(*function, format, profile), nullptr);
          EXPECT_EQ(KindOf(*Find(*function, format, profile)), LimitKind::kOneOf);
          continue;
        }
        EXPECT_EQ(Find(*function, format, profile) != nullptr, has_cell);
        if (!has_cell) continue;
        for (int components : ComponentsOf(*function)) {
          const Operation operation = Operation::Builtin(*function, format, components);
          ExpectCell(row["effective"][profile_name][type], operation,
                     *FindLimit(operation, profile, MathMode::kDefault));
        }
        ++cells;
      }
    }
  }
  EXPECT_EQ(cells, 578);
}

// OpenCL C's own cells.  Its half table is of both profiles, and so is its table of double; what it
// has no row for (lgamma but in float) it sets no limit for.
TEST(Limits, OpenClCsTablesAreTheJson) {
  const Json table = LoadTable();
  int cells = 0;
  for (const Json& row : table["functions"]) {
    const std::string id = row["id"];
    if (id == "mul_add") continue;
    const Function function = *numerics::FunctionFromName(id);
    const Json& stated = row["limits"]["opencl_c"];
    for (Profile profile : {Profile::kFull, Profile::kEmbedded}) {
      const bool full = profile == Profile::kFull;
      for (Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
        const std::string type(numerics::Traits(format).name);
        SCOPED_TRACE(id + (full ? " full " : " embedded ") + type);
        if (Find(function, format, profile) == nullptr) continue;
        const std::string from = full || format == Format::kDouble ? "full" : "embedded";
        const bool has_cell = stated.contains(from) && stated[from].contains(type);
        for (int components : ComponentsOf(function)) {
          const Operation operation = Operation::Builtin(function, format, components);
          const Limit* limit = FindLimit(operation, profile, MathOptions{}, Reading::kOpenClC);
          ASSERT_NE(limit, nullptr);
          if (!has_cell) {
            EXPECT_TRUE(id == "lgamma" || id == "lgamma_r");
            EXPECT_EQ(KindOf(*limit), LimitKind::kUnbounded);
            continue;
          }
          Json cell = stated[from][type];
          const std::string kind = cell["kind"];
          if (kind == "infinite" || kind == "undefined") cell["kind"] = "implementation_defined";
          ExpectCell(cell, operation, *limit);
          ++cells;
        }
      }
    }
  }
  EXPECT_GT(cells, 578);
}

// OpenCL-CTS, function_list.cpp at b8f8906: its columns are those of the texts but for these.
TEST(Limits, TheSuitesTableDiffersInThreePlaces) {
  const auto suite = [](Function function, Format format, Profile profile) {
    return KindOf(
        *FindLimit(Operation::Builtin(function, format), profile, MathOptions{}, Reading::kSuite));
  };
  EXPECT_EQ(suite(Function::recip_div, Format::kHalf, Profile::kFull),
            LimitKind::kCorrectlyRounded);
  EXPECT_EQ(suite(Function::recip_div, Format::kHalf, Profile::kEmbedded), LimitKind::kUlp);
  EXPECT_EQ(suite(Function::div, Format::kDouble, Profile::kEmbedded),
            LimitKind::kCorrectlyRounded);
  EXPECT_FALSE(IsTestedBySuite(Operation::Builtin(Function::mad, Format::kFloat), {}));
  for (std::size_t f = 0; f < numerics::AllFunctions().size(); ++f) {
    const auto function = static_cast<Function>(f);
    for (Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
      const Operation operation = Operation::Builtin(function, format);
      if (numerics::Info(function).IsGeometric() || !IsTestedBySuite(operation, {})) continue;
      if (function == Function::recip_div && format == Format::kHalf) continue;
      const Limit* text = FindLimit(operation, Profile::kFull, MathMode::kDefault);
      EXPECT_EQ(FindLimit(operation, Profile::kFull, MathOptions{}, Reading::kSuite), text)
          << operation.Name();
    }
  }
}

TEST(Limits, BuildOptionsChooseTheTable) {
  const auto limit = [](Function function, Format format, std::string_view options) {
    const Operation operation = Operation::Builtin(function, format);
    return Describe(
        *FindLimit(operation, Profile::kFull, ParseMathOptions(options), Reading::kOpenClC),
        operation);
  };
  const std::string_view correctly = "-cl-fp32-correctly-rounded-divide-sqrt";
  EXPECT_EQ(limit(Function::sqrt, Format::kFloat, ""), "3");
  EXPECT_EQ(limit(Function::sqrt, Format::kFloat, correctly), "correctly rounded");
  EXPECT_EQ(limit(Function::sqrt, Format::kHalf, correctly), "1.5");
  EXPECT_EQ(limit(Function::rsqrt, Format::kFloat, correctly), "2");
  EXPECT_EQ(limit(Function::sin, Format::kFloat, "-cl-unsafe-math-optimizations"),
            "2^-11 abs in [-pi, pi]");
  EXPECT_EQ(limit(Function::sin, Format::kFloat, "-cl-finite-math-only"), "4");
  EXPECT_EQ(limit(Function::mul_add, Format::kDouble, ""), "fma or mul+add");
  EXPECT_EQ(limit(Function::mul_add, Format::kDouble, "-cl-mad-enable"), "impl-defined");
}

double EndOf(const std::string& text) {
  if (text == "pi") return kPi;
  if (text == "-pi") return -kPi;
  if (text.starts_with("2^")) return std::ldexp(1.0, std::stoi(text.substr(2)));
  return std::stod(text);
}

// A piece and what holds outside of it, at operands on and beyond its ends.
void ExpectPieces(const Json& cell, const Operation& operation, const Limit& limit) {
  ASSERT_EQ(cell["pieces"].size(), 1u);
  const Json& piece = cell["pieces"][0];
  const auto at = [&](double x) {
    std::vector<Bits> args(static_cast<std::size_t>(operation.ArgumentCount()),
                           numerics::FromDouble(Format::kFloat, 1));
    args.back() = numerics::FromDouble(Format::kFloat, x);
    return ToleranceAt(limit, operation, args, 0);
  };
  const double low = EndOf(piece["when"]["x"][0]), high = EndOf(piece["when"]["x"][1]);
  // float(pi) is beyond pi.
  const double highest_inside = high == kPi ? 0x1.921fb4p+1 : high;
  const double lowest_outside = high == kPi ? 0x1.921fb6p+1 : high * (1 + 0x1p-23);
  for (double inside : {low == -kPi ? -0x1.921fb4p+1 : low, highest_inside}) {
    EXPECT_EQ(at(inside).kind, KindNamed(piece["limit"]["kind"])) << inside;
    if (piece["limit"]["kind"] == "ulp") {
      EXPECT_EQ(at(inside).ulp, piece["limit"]["ulp"].get<double>());
    } else {
      EXPECT_EQ(at(inside).absolute, piece["limit"]["value"].get<double>());
    }
  }
  for (double outside : {lowest_outside, low > 0 ? low * (1 - 0x1p-23) : -lowest_outside}) {
    EXPECT_EQ(at(outside).kind, KindNamed(cell["otherwise"]["kind"])) << outside;
    if (cell["otherwise"]["kind"] == "ulp") {
      EXPECT_EQ(at(outside).ulp, cell["otherwise"]["ulp"].get<double>());
    }
  }
}

void ExpectDerived(const Json& cell, const std::string& id, const Limit& limit) {
  EXPECT_EQ(limit.bound.value, cell["non_derived"]["ulp"].get<double>());
  std::vector<std::string> stated, ours;
  for (const Json& derived : cell["derived"]) {
    std::string impl = WithoutSpaces(derived["impl"]);
    // The erratum of both texts: the factor that is meant is 1/pi.
    if (id == "acospi" || id == "asinpi") impl.replace(impl.find("M_PI_F"), 6, "M_1_PI_F");
    if (impl == "0(mayreturnzero)" || impl == "+0(mayreturn)") impl = "0";
    stated.push_back(impl);
  }
  for (const Derived& derived : limit.bound.derived) {
    if (derived.where != Where::kNever) ours.push_back(WithoutSpaces(std::string(derived.formula)));
  }
  EXPECT_EQ(ours, stated);
}

TEST(Limits, UnsafeTableIsTheJson) {
  const Json table = LoadTable();
  int cells = 0;
  for (const Json& row : table["functions"]) {
    const std::string id = row["id"];
    const Function function = *numerics::FunctionFromName(id);
    for (Profile profile : {Profile::kFull, Profile::kEmbedded}) {
      const std::string profile_name = profile == Profile::kFull ? "full" : "embedded";
      SCOPED_TRACE(id + " " + profile_name);
      const Json& unsafe = row["effective"]["unsafe_math"];
      const Limit* limit = Find(function, Format::kFloat, profile, MathMode::kRelaxed);
      ASSERT_NE(limit, nullptr);
      if (!unsafe.contains(profile_name)) {
        EXPECT_EQ(limit, Find(function, Format::kFloat, profile));
        continue;
      }
      ++cells;
      const Json& cell = unsafe[profile_name]["float"];
      const Operation operation = Operation::Builtin(function, Format::kFloat);
      if (cell["kind"] == "same_as") {
        const Limit* sine = Find(Function::sin, Format::kFloat, profile, MathMode::kRelaxed);
        EXPECT_EQ(Describe(*limit, operation), Describe(*sine, operation));
        continue;
      }
      ASSERT_EQ(KindOf(*limit), KindNamed(cell["kind"]));
      if (cell["kind"] == "ulp") {
        EXPECT_EQ(UlpValue(*limit, operation), cell["ulp"].get<double>());
      } else if (cell["kind"] == "ulp_expr") {
        const std::string text = WithoutSpaces(cell["expr"]);
        EXPECT_EQ(text.substr(1), "+floor(fabs(2*x))");
        const std::vector<Bits> x = {numerics::FromDouble(Format::kFloat, -10.75)};
        EXPECT_EQ(ToleranceAt(*limit, operation, x, 0).ulp, text[0] - '0' + 21);
      } else if (cell["kind"] == "piecewise") {
        ExpectPieces(cell, operation, *limit);
      } else if (cell["kind"] == "derived_or_ulp") {
        ExpectDerived(cell, id, *limit);
      } else {
        EXPECT_EQ(cell["kind"], "one_of");
      }
    }
  }
  EXPECT_EQ(cells, 2 * 37);
}

TEST(Limits, RelaxedModeIsAboutFloatOnly) {
  for (Format format : {Format::kHalf, Format::kDouble}) {
    EXPECT_EQ(Find(Function::sin, format, Profile::kFull, MathMode::kRelaxed),
              Find(Function::sin, format));
  }
  EXPECT_EQ(Find(Function::sin, Format::kFloat, Profile::kFull, MathMode::kNative),
            Find(Function::sin, Format::kFloat));
}

TEST(Limits, RelaxedDomains) {
  const struct {
    Function function;
    std::vector<double> args;
    bool bounded;
  } kCases[] = {
      {Function::atanh, {0x1.fffffep-1}, true},
      {Function::atanh, {1}, false},
      {Function::sinh, {-88}, true},
      {Function::sinh, {0x1.600002p+6}, false},
      {Function::cosh, {-0x1.600002p+6}, false},
      {Function::tanpi, {-1}, true},
      {Function::tanpi, {0x1.000002p0}, false},
      {Function::pow, {0, 0}, false},
      {Function::pow, {0, 1}, true},
      {Function::pow, {-2, 0.5}, false},
      {Function::pow, {-2, 0x1p24}, true},
      {Function::pow, {-2, 0x1.000002p24}, false},
      {Function::powr, {-1, 1}, false},
      {Function::powr, {0, 0}, false},
      {Function::powr, {0, 2}, true},
      {Function::atan2, {1, 0}, true},
      {Function::exp10, {kInfinity}, false},
      {Function::tan, {3}, true},
      {Function::tan, {4}, false},
      {Function::sin, {kInfinity}, false},
      {Function::exp, {std::nan("")}, false},
  };
  for (const auto& c : kCases) {
    std::vector<Bits> args;
    for (double v : c.args) args.push_back(numerics::FromDouble(Format::kFloat, v));
    const Tolerance tolerance =
        ToleranceAt(*Find(c.function, Format::kFloat, Profile::kFull, MathMode::kRelaxed),
                    Operation::Builtin(c.function, Format::kFloat), args, 0);
    EXPECT_EQ(tolerance.kind != LimitKind::kUnbounded, c.bounded)
        << numerics::Info(c.function).name << " " << c.args[0];
  }
  const Operation rootn = Operation::Builtin(Function::rootn, Format::kFloat);
  const Limit& limit = *FindLimit(rootn, Profile::kFull, MathMode::kRelaxed);
  const auto bounded = [&](double x, std::int32_t y) {
    const std::vector<Bits> args = {numerics::FromDouble(Format::kFloat, x),
                                    static_cast<std::uint32_t>(y)};
    return ToleranceAt(limit, rootn, args, 0).kind != LimitKind::kUnbounded;
  };
  EXPECT_TRUE(bounded(2, -4));
  EXPECT_FALSE(bounded(2, 0));
  EXPECT_TRUE(bounded(-2, -3));
  EXPECT_FALSE(bounded(-2, 4));
  EXPECT_TRUE(bounded(-0.0, 2));
  EXPECT_FALSE(bounded(0, -1));
}

TEST(Limits, Texts) {
  const auto text = [](Function function, Format format, MathMode mode = MathMode::kDefault,
                       int components = 1) {
    const Operation operation = Operation::Builtin(function, format, components);
    return Describe(*FindLimit(operation, Profile::kFull, mode), operation);
  };
  EXPECT_EQ(text(Function::sin, Format::kFloat), "4");
  EXPECT_EQ(text(Function::div, Format::kFloat), "2.5");
  EXPECT_EQ(text(Function::add, Format::kDouble), "correctly rounded");
  EXPECT_EQ(text(Function::fabs, Format::kHalf), "exact");
  EXPECT_EQ(text(Function::lgamma, Format::kFloat), "impl-defined");
  EXPECT_EQ(text(Function::mix, Format::kFloat), "1e-3 abs");
  EXPECT_EQ(text(Function::smoothstep, Format::kFloat), "1e-5 abs");
  EXPECT_EQ(text(Function::mad, Format::kFloat), "fma or mul+add");
  EXPECT_EQ(text(Function::distance, Format::kFloat, MathMode::kDefault, 2), "2.5 + 2n = 6.5");
  EXPECT_EQ(text(Function::distance, Format::kHalf, MathMode::kDefault, 3), "2n = 6");
  EXPECT_EQ(text(Function::normalize, Format::kFloat, MathMode::kDefault, 4), "2 + n = 6");
  EXPECT_EQ(text(Function::dot, Format::kFloat, MathMode::kDefault, 4), "7 max^2 2^-23 abs");
  EXPECT_EQ(text(Function::cross, Format::kHalf, MathMode::kDefault, 3), "3 max^2 2^-10 abs");
  EXPECT_EQ(text(Function::sin, Format::kFloat, MathMode::kRelaxed), "2^-11 abs in [-pi, pi]");
  EXPECT_EQ(text(Function::log, Format::kFloat, MathMode::kRelaxed),
            "2^-21 abs in [0.5, 2], else 3");
  EXPECT_EQ(text(Function::div, Format::kFloat, MathMode::kRelaxed), "2.5 in 2^-62..2^62");
  EXPECT_EQ(text(Function::exp, Format::kFloat, MathMode::kRelaxed), "3 + floor(|2x|)");
  EXPECT_EQ(text(Function::pow, Format::kFloat, MathMode::kRelaxed), "8192 or derived");
}

TEST(Limits, ConversionsAndBfloat16) {
  using numerics::ScalarType;
  const auto kind = [](const Operation& operation) {
    return KindOf(*FindLimit(operation, Profile::kFull, MathMode::kDefault));
  };
  EXPECT_EQ(kind(Operation::Convert(ScalarType::kInt, ScalarType::kFloat)),
            LimitKind::kCorrectlyRounded);
  EXPECT_EQ(kind(Operation::Convert(ScalarType::kFloat, ScalarType::kBfloat16)),
            LimitKind::kCorrectlyRounded);
  EXPECT_EQ(kind(Operation::Convert(ScalarType::kFloat, ScalarType::kUchar)), LimitKind::kExact);
  EXPECT_EQ(kind(Operation::VloadHalf()), LimitKind::kExact);
  EXPECT_EQ(kind(Operation::VstoreHalf(ScalarType::kDouble)), LimitKind::kCorrectlyRounded);
  EXPECT_EQ(Find(Function::sin, Format::kBfloat16), nullptr);
  EXPECT_EQ(Find(Function::half_cos, Format::kDouble), nullptr);
}

TEST(Limits, EveryLimitHasACitation) {
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    for (MathMode mode : {MathMode::kDefault, MathMode::kRelaxed, MathMode::kNative}) {
      const Limit* limit = Find(info.function, Format::kFloat, Profile::kEmbedded, mode);
      ASSERT_NE(limit, nullptr) << info.name;
      EXPECT_TRUE(CitationOf(*limit).starts_with("OpenCL C ")) << info.name;
    }
  }
}

}  // namespace
}  // namespace assay::oracle
