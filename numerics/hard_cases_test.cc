#include "numerics/hard_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "numerics/evaluate.h"

namespace assay::numerics {
namespace {

// How near the exact result is to a number of the format or to a midpoint; 1 where it is one.
double Distance(const Exact& exact) {
  if (exact.kind != ResultKind::kFinite) return 1;
  const double f = exact.fraction;
  if (f == 0 || f == 0.5 || f > 1) return 1;
  return std::min({f, std::fabs(f - 0.5), 1 - f});
}

TEST(HardCases, AreHard) {
  std::size_t functions = 0, tuples = 0;
  for (const FunctionInfo& info : AllFunctions()) {
    // Those of another function are checked there.
    if (info.cls == FunctionClass::kHalf || info.cls == FunctionClass::kNative) continue;
    if (info.function == Function::sincos || info.function == Function::lgamma_r ||
        info.function == Function::powr) {
      continue;
    }
    for (Format format : kAllFormats) {
      const std::vector<Bits> cases = HardCases(info.function, format);
      if (cases.empty()) continue;
      const Operation operation = Operation::Builtin(info.function, format);
      const auto arity = static_cast<std::size_t>(operation.ArgumentCount());
      ASSERT_EQ(cases.size() % arity, 0u) << info.name;
      ++functions;
      for (std::size_t i = 0; i < cases.size(); i += arity) {
        Exact exact;
        EvaluateExact(operation, std::span(cases).subspan(i, arity), {&exact, 1});
        // A random operand comes this near once in 2^11.
        EXPECT_LT(Distance(exact), 0x1p-13) << info.name << " " << i;
        ++tuples;
      }
    }
  }
  EXPECT_GE(functions, 30u);
  EXPECT_GE(tuples, 500u);
}

TEST(HardCases, ServeTheFunctionsThatComputeTheSame) {
  EXPECT_EQ(HardCases(Function::native_sin, Format::kFloat),
            HardCases(Function::sin, Format::kFloat));
  EXPECT_FALSE(HardCases(Function::half_divide, Format::kFloat).empty());
}

}  // namespace
}  // namespace assay::numerics
