#include "numerics/hard_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <span>

#include "numerics/function.h"
#include "numerics/hardness.h"

namespace assay::numerics {
namespace {

constexpr Format kSearched[] = {Format::kHalf, Format::kFloat, Format::kDouble};

// Every table and its operation.
template <typename Visit>
void ForEachTable(const Visit& visit) {
  for (const FunctionInfo& info : AllFunctions()) {
    if (!HasHardCases(info.function)) continue;
    for (Format format : kAllFormats) {
      const std::span<const HardCase> rows = HardCaseRows(info.function, format);
      if (!rows.empty()) visit(Operation::Builtin(info.function, format), rows);
    }
  }
}

TEST(HardCases, AreAsNearAsTheySay) {
  std::size_t tuples = 0;
  ForEachTable([&](const Operation& operation, std::span<const HardCase> rows) {
    const auto arity = static_cast<std::size_t>(operation.ArgumentCount());
    for (const HardCase& row : rows) {
      const Hardness hardness =
          MeasureHardness(operation, std::span(row.args).first(arity)).front();
      ASSERT_TRUE(hardness.applies) << operation.Name();
      const double distance =
          row.kind == HardKind::kNumber ? hardness.to_number : hardness.to_midpoint;
      // The tables have three decimals.
      EXPECT_NEAR(row.log2_distance, std::log2(distance), 1e-3)
          << operation.Name() << " " << operation.FormatName() << " " << std::hex << row.args[0];
      // A random operand comes this near once in 64.
      EXPECT_LE(row.log2_distance, -8);
      ++tuples;
    }
  });
  EXPECT_GE(tuples, 10000u);
}

TEST(HardCases, AreThereForEveryFunctionAndFormat) {
  for (const FunctionInfo& info : AllFunctions()) {
    if (!HasHardCases(info.function)) continue;
    for (Format format : kSearched) {
      std::set<HardKind> kinds;
      for (const HardCase& row : HardCaseRows(info.function, format)) kinds.insert(row.kind);
      EXPECT_FALSE(kinds.empty()) << info.name << " " << Traits(format).name;
    }
  }
}

TEST(HardCases, AreListedOncePerKind) {
  ForEachTable([](const Operation& operation, std::span<const HardCase> rows) {
    std::set<std::pair<HardKind, std::array<Bits, 3>>> seen;
    for (const HardCase& row : rows) {
      EXPECT_TRUE(seen.insert({row.kind, row.args}).second)
          << operation.Name() << " " << std::hex << row.args[0];
    }
    EXPECT_LE(rows.size(), 160u) << operation.Name();
  });
}

TEST(HardCases, HaveThePublishedOnes) {
  // Lefevre and Muller, ARITH-15 (2001): the worst case of log for double.
  const std::span<const HardCase> rows = HardCaseRows(Function::log, Format::kDouble);
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const HardCase& row) {
    return row.args[0] == 0x407ac50b409c8aee && row.kind == HardKind::kNumber;
  }));
}

TEST(HardCases, ServeTheFunctionsThatComputeTheSame) {
  EXPECT_EQ(HardCases(Function::native_sin, Format::kFloat),
            HardCases(Function::sin, Format::kFloat));
  EXPECT_FALSE(HardCases(Function::half_divide, Format::kFloat).empty());
  EXPECT_FALSE(HardCases(Function::mad, Format::kFloat).empty());
  EXPECT_EQ(CasesOf(Function::half_powr), Function::pow);
  EXPECT_EQ(CasesOf(Function::native_recip), Function::recip_div);
}

TEST(HardCases, AreNotKeptWhereNothingIsHard) {
  for (Function exact : {Function::floor, Function::fmod, Function::ldexp, Function::sincos,
                         Function::dot, Function::native_exp}) {
    EXPECT_FALSE(HasHardCases(exact)) << Info(exact).name;
  }
  EXPECT_TRUE(HasHardCases(Function::fma));
}

}  // namespace
}  // namespace assay::numerics
