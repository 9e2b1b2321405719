#include "numerics/geometric_columns.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/rounding.h"

namespace assay::numerics {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kRounds = 20;
#else
constexpr int kRounds = 200;
#endif

enum class Operands : std::uint8_t { kOrdinary, kCancelling, kAnyBits, kSpecial };

float RandomOperand(std::mt19937_64* random, Operands operands) {
  const auto bits = static_cast<std::uint32_t>((*random)());
  constexpr std::uint32_t kSpecial[] = {0,          1,          0x007fffff, 0x00800000, 0x3f800000,
                                        0x7f7fffff, 0x7f800000, 0x7fc00000, 0x5f7fffff, 0x1e800000};
  switch (operands) {
    case Operands::kOrdinary:
      return std::ldexp(static_cast<float>(static_cast<std::int32_t>(bits)), -30);
    case Operands::kCancelling:  // few values: products that are equal or nearly so
      return static_cast<float>(static_cast<int>(bits % 7) - 3) *
             (1 + 0x1p-23F * static_cast<float>(bits >> 30));
    case Operands::kAnyBits:
      return std::bit_cast<float>(bits);
    case Operands::kSpecial:
      return std::bit_cast<float>(kSpecial[bits % 10] | (bits & 0x80000000));
  }
  return 0;
}

// Compares what is decided with the exact values; returns how many of the items are.
double Compare(Function function, int components, VectorSet set, Operands kind) {
  const Operation operation = Operation::Builtin(function, Format::kFloat, components);
  const std::size_t arguments = operation.ArgumentTypes().size();
  const std::size_t results = operation.ResultTypes().size();
  const GeometricColumns columns = GeometricColumnsOf(function, components, set);
  std::mt19937_64 random(components);
  int decided_count = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::array<float, kGeometricLanes>> operand(arguments), result(results);
    std::vector<const float*> from;
    std::vector<float*> to;
    for (auto& column : operand) {
      for (float& value : column) value = RandomOperand(&random, kind);
      from.push_back(column.data());
    }
    for (auto& column : result) to.push_back(column.data());
    const std::uint32_t decided = columns(from.data(), to.data());
    decided_count += std::popcount(decided);
    for (std::size_t i = 0; i < kGeometricLanes; ++i) {
      if ((decided >> i & 1) == 0) continue;
      std::vector<Bits> bits;
      for (const auto& column : operand) bits.push_back(std::bit_cast<std::uint32_t>(column[i]));
      std::vector<Exact> exact(results);
      EvaluateExact(operation, bits, exact);
      for (std::size_t r = 0; r < results; ++r) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(result[r][i]),
                  Round(exact[r], Format::kFloat, Rounding::kRte))
            << operation.Name() << " of " << components << ", result " << r << ", first operand "
            << std::hex << bits[0];
        if (testing::Test::HasFailure()) return 0;
      }
    }
  }
  return decided_count / (1.0 * kRounds * kGeometricLanes);
}

TEST(GeometricColumns, AreCorrectlyRounded) {
  for (const FunctionInfo& info : AllFunctions()) {
    if (!info.IsGeometric()) continue;
    const bool is_cross = info.function == Function::cross;
    for (int components = is_cross ? 3 : 1; components <= 4; ++components) {
      for (const VectorSet set : {VectorSet::kSse2, VectorSet::kAvx2, VectorSet::kAvx512}) {
        if (!HasVectorSet(set)) continue;
        SCOPED_TRACE(components);
        // The difference of two floats often lies in the middle between two others.
        const double least = components == 1 ? 0.7 : 0.99;
        EXPECT_GT(Compare(info.function, components, set, Operands::kOrdinary), least);
        Compare(info.function, components, set, Operands::kCancelling);
        Compare(info.function, components, set, Operands::kAnyBits);
        Compare(info.function, components, set, Operands::kSpecial);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(GeometricColumns, KnowNoOtherFunction) {
  EXPECT_EQ(GeometricColumnsOf(Function::sin, 1, VectorSet::kSse2), nullptr);
  EXPECT_EQ(GeometricColumnsOf(Function::cross, 2, VectorSet::kSse2), nullptr);
}

}  // namespace
}  // namespace assay::numerics
