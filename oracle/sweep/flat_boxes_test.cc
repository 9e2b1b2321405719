#include "oracle/sweep/flat_boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "numerics/function.h"
#include "oracle/testing/all_operations.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::ScalarType;

// What every device has to answer: bits, nothing for NaN.
std::optional<Bits> Rounded(const Operation& operation, const Arguments& args, std::size_t result) {
  std::array<Exact, numerics::kMaxResults> exact;
  EvaluateExact(operation,
                std::span(args).first(static_cast<std::size_t>(operation.ArgumentCount())),
                std::span(exact).first(static_cast<std::size_t>(operation.ResultCount())));
  const Exact& truth = exact[result];
  if (truth.kind == numerics::ResultKind::kNan) return std::nullopt;
  const ScalarType type = operation.ResultTypes()[result];
  if (!numerics::IsFloating(type)) return truth.below;
  return Round(truth, numerics::FormatOf(type), numerics::Rounding::kRte);
}

// Random boxes of all sizes, those that are proven to have one result.
std::vector<Box> Proven(const Operation& operation, const OperandSpace& space,
                        std::uint64_t walks) {
  const FlatBoxes flat(operation, space);
  std::vector<Box> proven;
  for (std::uint64_t walk = 0; walk < walks; ++walk) {
    ItemStream stream(7, walk);
    Box box = space.Whole();
    while (const auto halves = space.Halves(box)) {
      box = stream.Coin() ? halves->first : halves->second;
      if (!flat.Prove(std::span(&box, 1))[0]) continue;
      proven.push_back(box);
      break;
    }
  }
  return proven;
}

constexpr std::uint64_t kPoints = 48;
#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kWalks = 4;
#else
constexpr std::uint64_t kWalks = 150;
#endif

// Whatever is proven holds at random points: of every function in half, where few boxes are large.
TEST(FlatBoxesTest, ProvenBoxesHaveOneResult) {
  std::uint64_t total = 0;
  for (const Operation& operation : AllOperations()) {
    if (operation.kind != numerics::OperationKind::kBuiltin || operation.format != Format::kHalf) {
      continue;
    }
    const OperandSpace space(operation.ArgumentTypes());
    for (const Box& box : Proven(operation, space, kWalks)) {
      ++total;
      ItemStream stream(11, total);
      for (int r = 0; r < operation.ResultCount(); ++r) {
        const auto result = static_cast<std::size_t>(r);
        std::optional<std::optional<Bits>> first;
        for (std::uint64_t i = 0; i < kPoints; ++i) {
          Arguments args{};
          space.Draw(box, stream, args);
          const auto rounded = Rounded(operation, args, result);
          if (!first) first = rounded;
          ASSERT_EQ(rounded, *first)
              << operation.Name() << " " << std::hex << args[0] << " " << args[1] << " " << args[2];
        }
      }
    }
  }
  EXPECT_GT(total, 10 * kWalks);
}

Box BoxOf(const OperandSpace& space, std::initializer_list<std::array<double, 2>> ends) {
  Box box;
  for (const auto& [low, high] : ends) {
    const Axis& axis = space.At(box.size());
    box.push_back({.low = *axis.PlaceOf(numerics::FromDouble(Format::kFloat, low)),
                   .high = *axis.PlaceOf(numerics::FromDouble(Format::kFloat, high))});
  }
  return box;
}

bool IsFlat(Function function, std::initializer_list<std::array<double, 2>> ends) {
  const Operation operation = Operation::Builtin(function, Format::kFloat);
  const OperandSpace space(operation.ArgumentTypes());
  const Box box = BoxOf(space, ends);
  return FlatBoxes(operation, space).Prove(std::span(&box, 1))[0];
}

TEST(FlatBoxesTest, KnowsOverflowUnderflowAndWhatCannotBeToldApart) {
  EXPECT_TRUE(IsFlat(Function::pow, {{16, 0x1p40}, {64, 0x1p50}})) << "overflows";
  EXPECT_TRUE(IsFlat(Function::pow, {{16, 0x1p40}, {-0x1p50, -64}})) << "underflows";
  EXPECT_TRUE(IsFlat(Function::pow, {{0x1p-100, 0x1p100}, {0x1p-120, 0x1p-60}})) << "is 1";
  EXPECT_FALSE(IsFlat(Function::pow, {{16, 0x1p40}, {30, 0x1p50}})) << "overflows nearly";
  EXPECT_FALSE(IsFlat(Function::pow, {{1, 2}, {1, 2}}));
  EXPECT_TRUE(IsFlat(Function::pow, {{-8, -0x1p-60}, {1.25, 1.75}})) << "is NaN";
  EXPECT_FALSE(IsFlat(Function::pow, {{-8, -0x1p-60}, {1.25, 2.75}})) << "is not at 2";
  EXPECT_FALSE(IsFlat(Function::pow, {{-8, -0x1p-60}, {1, 1.75}})) << "is not at 1";
  EXPECT_TRUE(IsFlat(Function::fma, {{0x1p70, 0x1p90}, {0x1p70, 0x1p90}, {-1, 1}})) << "overflows";
  EXPECT_FALSE(IsFlat(Function::fmod, {{4, 6}, {0.5, 0.5}})) << "0 at the ends, and not inside";
  EXPECT_FALSE(IsFlat(Function::cos, {{-0x1p-20, 100}})) << "a wave";
  EXPECT_TRUE(IsFlat(Function::exp, {{0x1p-60, 0x1p-30}})) << "is 1";
  EXPECT_TRUE(IsFlat(Function::tanh, {{-0x1p60, -16}})) << "is -1";
  EXPECT_FALSE(IsFlat(Function::native_sin, {{-0x1p60, 0x1p60}})) << "a wave, too";
  EXPECT_FALSE(IsFlat(Function::sincos, {{-0x1p60, 0x1p60}})) << "two waves";
}

}  // namespace
}  // namespace assay::oracle
