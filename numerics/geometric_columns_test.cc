#include "numerics/geometric_columns.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/function.h"
#include "numerics/rounding.h"

namespace assay::numerics {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kRounds = 20;
#else
constexpr int kRounds = 200;
#endif

enum class Operands : std::uint8_t { kOrdinary, kCancelling, kAnyBits, kSpecial };

template <typename T>
using BitsOfType = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <typename T>
T RandomOperand(std::mt19937_64* random, Operands operands) {
  constexpr bool kIsFloat = sizeof(T) == 4;
  constexpr Format kFormat = kIsFloat ? Format::kFloat : Format::kDouble;
  const std::uint64_t bits = (*random)();
  // Also the square roots of the largest and the least number, and what is squared exactly.
  const T special[] = {0,
                       std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::min(),
                       1,
                       3,
                       4,
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::quiet_NaN(),
                       kIsFloat ? T(0x1.fffffep63) : T(0x1.fffffffffffffp511),
                       kIsFloat ? T(0x1p-67) : T(0x1p-537),
                       kIsFloat ? T(0x1p-60) : T(0x1p-449),
                       kIsFloat ? T(0x1p60) : T(0x1.8p499)};
  switch (operands) {
    case Operands::kOrdinary:
      return std::ldexp(static_cast<T>(static_cast<std::int64_t>(bits)), -62);
    case Operands::kCancelling:  // few values: products that are equal or nearly so
      return static_cast<T>(static_cast<int>(bits % 7) - 3) *
             (1 + std::numeric_limits<T>::epsilon() * static_cast<T>(bits >> 62));
    case Operands::kAnyBits:
      return std::bit_cast<T>(static_cast<BitsOfType<T>>(bits >> (64 - 8 * sizeof(T))));
    case Operands::kSpecial: {
      const auto magnitude = std::bit_cast<BitsOfType<T>>(special[bits % std::size(special)]);
      return std::bit_cast<T>(static_cast<BitsOfType<T>>(
          magnitude | ((bits >> 32 & 1) != 0 ? SignMask(kFormat) : Bits{0})));
    }
  }
  return 0;
}

// Compares what is decided with the exact values; returns how many of the items are.
template <typename T, typename Columns>
double Compare(Function function, int components, Columns columns, Operands kind) {
  constexpr Format kFormat = sizeof(T) == 4 ? Format::kFloat : Format::kDouble;
  const Operation operation = Operation::Builtin(function, kFormat, components);
  const std::size_t arguments = operation.ArgumentTypes().size();
  const std::size_t results = operation.ResultTypes().size();
  std::mt19937_64 random(components);
  int decided_count = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::array<T, kGeometricLanes>> operand(arguments), result(results);
    std::vector<const T*> from;
    std::vector<T*> to;
    for (auto& column : operand) {
      for (T& value : column) value = RandomOperand<T>(&random, kind);
      from.push_back(column.data());
    }
    for (auto& column : result) to.push_back(column.data());
    const std::uint32_t decided = columns(from.data(), to.data());
    decided_count += std::popcount(decided);
    for (std::size_t i = 0; i < kGeometricLanes; ++i) {
      if ((decided >> i & 1) == 0) continue;
      std::vector<Bits> bits;
      for (const auto& column : operand) bits.push_back(std::bit_cast<BitsOfType<T>>(column[i]));
      std::vector<Exact> exact(results);
      EvaluateExact(operation, bits, exact);
      for (std::size_t r = 0; r < results; ++r) {
        EXPECT_EQ(std::bit_cast<BitsOfType<T>>(result[r][i]),
                  Round(exact[r], kFormat, Rounding::kRte))
            << operation.Name() << " of " << components << ", result " << r << ", first operand "
            << std::hex << bits[0];
        if (testing::Test::HasFailure()) return 0;
      }
    }
  }
  return decided_count / (1.0 * kRounds * kGeometricLanes);
}

template <typename T, typename Find>
void CompareAll(const Find& find) {
  for (const FunctionInfo& info : AllFunctions()) {
    if (!info.IsGeometric()) continue;
    const bool is_cross = info.function == Function::cross;
    for (int components = is_cross ? 3 : 1; components <= 4; ++components) {
      for (const VectorSet set : {VectorSet::kSse2, VectorSet::kAvx2, VectorSet::kAvx512}) {
        if (!HasVectorSet(set)) continue;
        const auto columns = find(info.function, components, set);
        if (columns == nullptr) continue;
        SCOPED_TRACE(components);
        // The difference of two floats often lies in the middle between two others.
        const double least = components == 1 ? 0.7 : 0.99;
        EXPECT_GT(Compare<T>(info.function, components, columns, Operands::kOrdinary), least);
        Compare<T>(info.function, components, columns, Operands::kCancelling);
        Compare<T>(info.function, components, columns, Operands::kAnyBits);
        Compare<T>(info.function, components, columns, Operands::kSpecial);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(GeometricColumns, AreCorrectlyRounded) { CompareAll<float>(GeometricColumnsOf); }
TEST(GeometricColumns, OfDoubleAreCorrectlyRounded) { CompareAll<double>(GeometricDoublesOf); }

TEST(GeometricColumns, KnowFloatsOnEveryProcessorAndDoublesByFma) {
  for (const Function function : {Function::dot, Function::length, Function::distance,
                                  Function::normalize, Function::cross}) {
    for (const VectorSet set : {VectorSet::kSse2, VectorSet::kAvx2, VectorSet::kAvx512}) {
      // The look-up itself is compiled for the set.
      if (!HasVectorSet(set)) continue;
      EXPECT_NE(GeometricColumnsOf(function, 3, set), nullptr);
      if (set != VectorSet::kSse2) {
        EXPECT_NE(GeometricDoublesOf(function, 3, set), nullptr);
      }
    }
  }
}

TEST(GeometricColumns, KnowNoOtherFunction) {
  EXPECT_EQ(GeometricColumnsOf(Function::sin, 1, ChosenVectorSet()), nullptr);
  EXPECT_EQ(GeometricColumnsOf(Function::cross, 2, ChosenVectorSet()), nullptr);
}

}  // namespace
}  // namespace assay::numerics
