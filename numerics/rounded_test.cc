#include "numerics/rounded.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "numerics/exact.h"
#include "numerics/function.h"
#include "numerics/functions.h"

namespace assay::numerics {
namespace {

// Operands of every magnitude, and those next to special ones.
Bits RandomOperand(std::mt19937_64* random, ScalarType type) {
  const Bits bits = (*random)() & WidthMask(type);
  if (!IsFloating(type)) return (*random)() % 2 == 0 ? bits : (*random)() % 7;
  const Format format = FormatOf(type);
  const Bits special[] = {0,
                          MinSubnormal(format),
                          MinNormal(format),
                          One(format),
                          MaxFinite(format),
                          Infinity(format),
                          QuietNan(format)};
  switch ((*random)() % 8) {
    case 0:
      return special[(*random)() % 7] | (bits & SignMask(format));
    case 1:
    case 2:
    case 3:  // around 1, where most functions do something
      return One(format) + (bits & (MantissaMask(format) << 2)) - (MantissaMask(format) << 1);
    default:
      return bits;
  }
}

void Compare(const Operation& operation, Rounding rounding, bool flush, std::size_t count) {
  const std::vector<ScalarType> argument_types = operation.ArgumentTypes();
  const std::vector<ScalarType> result_types = operation.ResultTypes();
  std::mt19937_64 random(count);
  std::vector<std::vector<std::uint64_t>> storage(argument_types.size() + result_types.size(),
                                                  std::vector<std::uint64_t>(count));
  std::vector<const void*> arguments;
  std::vector<void*> results;
  std::vector<std::vector<Bits>> operands(count, std::vector<Bits>(argument_types.size()));
  for (std::size_t a = 0; a < argument_types.size(); ++a) {
    arguments.push_back(storage[a].data());
    for (std::size_t i = 0; i < count; ++i) {
      operands[i][a] = RandomOperand(&random, argument_types[a]);
      StoreElement(argument_types[a], storage[a].data(), i, operands[i][a]);
    }
  }
  for (std::size_t r = 0; r < result_types.size(); ++r) {
    results.push_back(storage[argument_types.size() + r].data());
  }
  RoundedEvaluator(operation, rounding, flush).Evaluate(arguments.data(), results.data(), count);
  const auto flushed = [&](ScalarType type, Bits bits) {
    const bool subnormal = flush && IsFloating(type) && IsSubnormal(FormatOf(type), bits);
    return subnormal ? bits & SignMask(FormatOf(type)) : bits;
  };
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Bits> args = operands[i];
    for (std::size_t a = 0; a < args.size(); ++a) {
      args[a] = flushed(argument_types[a], args[a]);
      if (!IsFloating(argument_types[a])) continue;
      const Format format = FormatOf(argument_types[a]);
      if (IsNan(format, args[a])) args[a] |= QuietNan(format);
    }
    std::vector<Exact> exact(result_types.size());
    EvaluateExact(operation, args, exact);
    const bool is_half_trigonometric = operation.function == Function::half_cos ||
                                       operation.function == Function::half_sin ||
                                       operation.function == Function::half_tan;
    if (is_half_trigonometric && exact[0].kind == ResultKind::kUnspecified) continue;
    for (std::size_t r = 0; r < result_types.size(); ++r) {
      const ScalarType type = result_types[r];
      Bits expected = exact[r].kind == ResultKind::kInteger ? exact[r].below : 0;
      if (IsFloating(type)) {
        expected = flushed(type, Round(exact[r], FormatOf(type), rounding));
      }
      expected &= WidthMask(type);
      ASSERT_EQ(LoadElement(type, results[r], i), expected)
          << operation.Name() << " " << operation.FormatName() << " " << RoundingName(rounding)
          << " result " << r << " of " << std::hex << operands[i][0];
    }
  }
}

TEST(Rounded, AgreesWithExactValues) {
  for (const FunctionInfo& info : AllFunctions()) {
    for (const Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
      if (!info.Supports(format)) continue;
      const int components = info.function == Function::cross ? 3 : 1;
      const Operation operation = Operation::Builtin(info.function, format, components);
      Compare(operation, Rounding::kRte, false, format == Format::kFloat ? 700 : 70);
      Compare(operation, Rounding::kRtp, false, 67);
      Compare(operation, Rounding::kRte, true, 67);
      if (!info.IsGeometric()) continue;
      const Operation wider = Operation::Builtin(info.function, format, 4);
      Compare(wider, Rounding::kRte, false, 150);
      Compare(wider, Rounding::kRtp, false, 67);
      Compare(wider, Rounding::kRte, true, 67);
    }
  }
}

// Results that are subnormal, zero or infinite, and NaN.
TEST(Rounded, AgreesAtTheEndsOfTheRange) {
  struct Stretch {
    Function function;
    float from, to;
    float second = 0;
  };
  const Stretch stretches[] = {
      {Function::exp, -105, -87},
      {Function::exp, -300, 300},
      {Function::exp2, -151, -125},
      {Function::exp10, -46, -37},
      {Function::exp2, 126, 130},
      {Function::pow, -0x1p-19F, 0x1p-19F, 7},
      {Function::pow, 0x1p18F, 0x1p19F, 7},
      {Function::pow, -9, 9, 0.5F},
      {Function::log, -9, 9},
      {Function::tgamma, -50, 50},
      {Function::erfc, 8, 12},
      {Function::sinh, -100, 100},
      {Function::atan2, -0x1p-120F, 0x1p-120F, 1000},
  };
  for (const Stretch& stretch : stretches) {
    const Operation operation = Operation::Builtin(stretch.function, Format::kFloat);
    const RoundedEvaluator evaluator(operation, Rounding::kRte, false);
    constexpr int kCount = 400;
    std::vector<float> first, second(kCount, stretch.second), results(kCount);
    for (int i = 0; i < kCount; ++i) {
      const float part = static_cast<float>(i) / kCount;
      first.push_back(stretch.from + (stretch.to - stretch.from) * part);
    }
    const void* const arguments[] = {first.data(), second.data()};
    void* const columns[] = {results.data()};
    evaluator.Evaluate(arguments, columns, kCount);
    for (int i = 0; i < kCount; ++i) {
      std::vector<Bits> operands = {std::bit_cast<std::uint32_t>(first[i])};
      if (operation.ArgumentTypes().size() == 2) {
        operands.push_back(std::bit_cast<std::uint32_t>(stretch.second));
      }
      Exact exact;
      EvaluateExact(operation, operands, std::span(&exact, 1));
      EXPECT_EQ(std::bit_cast<std::uint32_t>(results[i]),
                Round(exact, Format::kFloat, Rounding::kRte))
          << operation.Name() << " of " << first[i];
    }
  }
}

// What suites ask of devices beyond the text.
TEST(Rounded, GoesOnBeyondTheText) {
  const auto evaluate = [](Function function, std::vector<float> operands) {
    std::vector<const void*> arguments;
    for (const float& operand : operands) arguments.push_back(&operand);
    float result = 0;
    void* const results[] = {&result};
    RoundedEvaluator(Operation::Builtin(function, Format::kFloat), Rounding::kRte, false)
        .Evaluate(arguments.data(), results, 1);
    return result;
  };
  EXPECT_EQ(evaluate(Function::half_cos, {0x1p20F}), evaluate(Function::cos, {0x1p20F}));
  const float signaling = std::bit_cast<float>(0x7f8b2a94);
  EXPECT_EQ(evaluate(Function::maxmag, {signaling, 3}), 3);
  EXPECT_EQ(evaluate(Function::pow, {signaling, 0}), 1);
}

}  // namespace
}  // namespace assay::numerics
