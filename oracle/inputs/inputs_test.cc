#include "oracle/inputs/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/function.h"
#include "oracle/inputs/boundaries.h"
#include "oracle/inputs/values.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::ScalarType;

// Columns with their memory.
class Table {
 public:
  Table(const Operation& operation, std::size_t items) {
    for (const numerics::Slot& slot : operation.Inputs()) {
      memory_.emplace_back(items * static_cast<std::size_t>(slot.components) * SizeOf(slot.type));
      columns_.push_back({slot, nullptr});
    }
    for (std::size_t i = 0; i < memory_.size(); ++i) columns_[i].data = memory_[i].data();
  }

  std::span<const Column> columns() const { return columns_; }
  const std::vector<std::vector<unsigned char>>& memory() const { return memory_; }

  std::vector<Bits> Item(std::size_t item) const {
    std::vector<Bits> args;
    for (const Column& column : columns_) {
      const auto n = static_cast<std::size_t>(column.slot.components);
      for (std::size_t c = 0; c < n; ++c) {
        args.push_back(LoadElement(column.slot.type, column.data, item * n + c));
      }
    }
    return args;
  }

 private:
  std::vector<std::vector<unsigned char>> memory_;
  std::vector<Column> columns_;
};

Table Filled(const Operation& operation, const InputOptions& options) {
  const InputPlan plan(operation, options);
  Table table(operation, plan.Count());
  plan.Fill(0, plan.Count(), table.columns());
  return table;
}

std::vector<Operation> Representative() {
  std::vector<Operation> operations;
  for (Function function : {Function::sin, Function::exp, Function::tgamma, Function::pow,
                            Function::fma, Function::ldexp, Function::pown, Function::nan,
                            Function::fmod, Function::mix, Function::half_sin}) {
    for (Format format : numerics::kAllFormats) {
      if (Info(function).Supports(format))
        operations.push_back(Operation::Builtin(function, format));
    }
  }
  for (int n = 1; n <= 4; ++n) {
    operations.push_back(Operation::Builtin(Function::dot, Format::kFloat, n));
    operations.push_back(Operation::Builtin(Function::cross, Format::kHalf, n));
    operations.push_back(Operation::Builtin(Function::normalize, Format::kDouble, n));
  }
  for (ScalarType from : numerics::kAllScalarTypes) {
    operations.push_back(Operation::Convert(from, ScalarType::kHalf));
    operations.push_back(Operation::Convert(from, ScalarType::kInt));
    operations.push_back(Operation::Convert(from, ScalarType::kDouble));
  }
  operations.push_back(Operation::VloadHalf());
  operations.push_back(Operation::VstoreHalf(ScalarType::kDouble));
  return operations;
}

TEST(InputPlan, AnyItemIsTheSameFromAnywhere) {
  for (const Operation& operation : Representative()) {
    const InputOptions options{.level = Level::kSmoke};
    const Table whole = Filled(operation, options);
    const InputPlan again(operation, options);
    // Pieces whose lengths fit neither the sections nor the blocks.
    for (std::uint64_t begin = 0; begin < again.Count(); begin += 977) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(977, again.Count() - begin));
      Table piece(operation, count);
      again.Fill(begin, count, piece.columns());
      for (std::size_t c = 0; c < piece.memory().size(); ++c) {
        const std::size_t size = piece.memory()[c].size();
        ASSERT_EQ(std::memcmp(piece.memory()[c].data(),
                              whole.memory()[c].data() + begin * (size / count), size),
                  0)
            << operation.Name() << " " << operation.FormatName() << " from " << begin;
      }
    }
  }
}

TEST(InputPlan, SeedsAndOperationsHaveTheirOwnStreams) {
  const auto last = [](Function function, std::uint64_t seed) {
    const Operation operation = Operation::Builtin(function, Format::kFloat);
    const InputPlan plan(operation, {.level = Level::kSmoke, .seed = seed});
    Table table(operation, 64);
    plan.Fill(plan.Count() - 64, 64, table.columns());
    return table.memory();
  };
  EXPECT_EQ(last(Function::sqrt, 1), last(Function::sqrt, 1));
  EXPECT_NE(last(Function::sqrt, 1), last(Function::sqrt, 2));
  EXPECT_NE(last(Function::sqrt, 1), last(Function::rsqrt, 1));
}

// Vectors of zeros, and of one value beside zeros, are asked at every level and size: what
// normalize does with a zero vector is a case of its own.
TEST(InputPlan, SmokeHasVectorsOfZerosAndAlongTheAxes) {
  for (const Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
    for (int n = 1; n <= 4; ++n) {
      const Operation normalize = Operation::Builtin(Function::normalize, format, n);
      const InputPlan plan(normalize, {.level = Level::kSmoke});
      const Table table = Filled(normalize, {.level = Level::kSmoke});
      std::size_t zeros = 0, axes = 0;
      for (std::size_t item = 0; item < plan.Count(); ++item) {
        const std::vector<Bits> args = table.Item(item);
        const auto nonzero = std::count_if(
            args.begin(), args.end(), [&](Bits bits) { return !numerics::IsZero(format, bits); });
        zeros += nonzero == 0 ? 1 : 0;
        axes += nonzero == 1 ? 1 : 0;
      }
      EXPECT_GT(zeros, 0u) << normalize.FormatName();
      EXPECT_GT(axes, 20u) << normalize.FormatName();
    }
  }
}

TEST(InputPlan, SmokeIsSmall) {
  for (const Operation& operation : Representative()) {
    const InputPlan plan(operation, {.level = Level::kSmoke});
    EXPECT_GE(plan.Count(), 256u) << operation.Name();
    // The special list of a wide conversion and of fma are the largest parts.
    EXPECT_LE(plan.Count(), 16000u) << operation.Name() << " " << operation.FormatName();
  }
}

TEST(InputPlan, StandardEnumeratesSmallOperands) {
  for (Format format : {Format::kHalf, Format::kBfloat16}) {
    const InputPlan plan(Operation::Builtin(Function::sin, format), {});
    EXPECT_TRUE(plan.IsExhaustive());
    EXPECT_EQ(plan.Count(), 65536u);
  }
  EXPECT_FALSE(InputPlan(Operation::Builtin(Function::sin, Format::kFloat), {}).IsExhaustive());
}

TEST(InputPlan, ExhaustiveCountsUp) {
  const InputOptions options{.level = Level::kExhaustive};
  const Operation sine = Operation::Builtin(Function::sin, Format::kFloat);
  const InputPlan plan(sine, options);
  EXPECT_TRUE(plan.IsExhaustive());
  EXPECT_EQ(plan.Count(), std::uint64_t{1} << 32);
  EXPECT_EQ(plan.ReasonOf(0x3f800000), "exhaustive");
  Table table(sine, 3);
  plan.Fill(0xfffffffd, 3, table.columns());
  EXPECT_EQ(table.Item(0)[0], 0xfffffffdu);
  EXPECT_EQ(table.Item(2)[0], 0xffffffffu);

  // Two halves: the first operand in the high bits.
  const Operation add = Operation::Builtin(Function::add, Format::kHalf);
  const InputPlan pairs(add, options);
  EXPECT_EQ(pairs.Count(), std::uint64_t{1} << 32);
  Table pair(add, 1);
  pairs.Fill(0x3c004001, 1, pair.columns());
  EXPECT_EQ(pair.Item(0), (std::vector<Bits>{0x3c00, 0x4001}));

  EXPECT_FALSE(
      InputPlan(Operation::Builtin(Function::add, Format::kFloat), options).IsExhaustive());
  EXPECT_TRUE(
      InputPlan(Operation::Convert(ScalarType::kUint, ScalarType::kFloat), options).IsExhaustive());
}

// Of a range all floating-point operands, of every section.
TEST(InputPlan, OfARangeAllFloatsLieInIt) {
  for (const Operation& operation : Representative()) {
    const auto format = OperandFormat(operation);
    if (!format) continue;
    for (const RangeEnds& ends : {RangeEnds{"-3", "0x1.8p+0"}, RangeEnds{"1", "0x1.04p0"},
                                  RangeEnds{"0", "inf"}, RangeEnds{"-inf", "inf"}}) {
      const InputOptions options{.level = Level::kSmoke, .range = ends};
      const InputPlan plan(operation, options);
      const NumberRange range = NumberRangeOf(operation, options).value();
      const std::vector<ScalarType> types = operation.ArgumentTypes();
      const Table table = Filled(operation, options);
      std::set<std::string> reasons;
      bool low = false, high = false;
      for (std::size_t item = 0; item < plan.Count(); ++item) {
        reasons.insert(plan.ReasonOf(item));
        const std::vector<Bits> args = table.Item(item);
        for (std::size_t i = 0; i < args.size(); ++i) {
          if (!IsFloating(types[i])) continue;
          ASSERT_TRUE(range.Contains(args[i])) << operation.Name() << " " << operation.FormatName()
                                               << " " << ends.Text() << " " << plan.ReasonOf(item);
          low = low || numerics::OrderedIndex(*format, args[i]) == range.low();
          high = high || numerics::OrderedIndex(*format, args[i]) == range.high();
        }
      }
      EXPECT_TRUE(low && high) << operation.Name() << " " << operation.FormatName();
      if (plan.IsExhaustive()) continue;
      EXPECT_TRUE(reasons.count("random") == 1 && reasons.count("special") == 1)
          << operation.Name() << " " << operation.FormatName();
    }
  }
}

TEST(InputPlan, ExhaustiveIsEveryNumberOfARange) {
  const auto plan = [](Function function, Format format, const RangeEnds& ends) {
    return InputPlan(Operation::Builtin(function, format),
                     {.level = Level::kExhaustive, .range = ends});
  };
  EXPECT_EQ(plan(Function::sin, Format::kFloat, {"1", "2"}).Count(), (1u << 23) + 1);
  EXPECT_TRUE(plan(Function::sin, Format::kFloat, {"1", "2"}).IsExhaustive());
  EXPECT_EQ(plan(Function::sin, Format::kFloat, {"-inf", "inf"}).Count(),
            (std::uint64_t{1} << 32) - 2 * 0x7fffff);
  EXPECT_EQ(plan(Function::exp, Format::kDouble, {"1", "0x1.0000001p0"}).Count(), (1u << 24) + 1)
      << "few numbers of double are enumerated, too";
  EXPECT_FALSE(plan(Function::exp, Format::kDouble, {"1", "2"}).IsExhaustive());
  EXPECT_EQ(plan(Function::pow, Format::kFloat, {"1", "0x1.0002p0"}).Count(), 257u * 257u);
  const Operation pow = Operation::Builtin(Function::pow, Format::kHalf);
  const InputOptions options{.level = Level::kExhaustive, .range = RangeEnds{"-1", "-0x1.fp-1"}};
  const Table table = Filled(pow, options);
  std::set<std::vector<Bits>> items;
  const std::uint64_t count = InputPlan(pow, options).Count();
  for (std::size_t item = 0; item < count; ++item) items.insert(table.Item(item));
  EXPECT_EQ(count, 65u * 65u);
  EXPECT_EQ(items.size(), count) << "each pair once";
}

TEST(InputPlan, SamplesReplaceTheDefault) {
  const Operation operation = Operation::Builtin(Function::pow, Format::kFloat);
  const InputPlan few(operation, {.level = Level::kSmoke, .samples = 10});
  const InputPlan many(operation, {.level = Level::kSmoke, .samples = 1010});
  EXPECT_EQ(many.Count(), few.Count() + 1000);
  EXPECT_EQ(many.ReasonOf(many.Count() - 1), "random");
}

TEST(InputPlan, KnownWorstComesFirst) {
  const Operation operation = Operation::Builtin(Function::pow, Format::kFloat);
  InputOptions options{.level = Level::kSmoke};
  options.known_worst = {{0x3f800001, 0x4b000000}, {1, 2, 3}, {0x12345678, 0x9abcdef0}};
  const InputPlan plan(operation, options);
  EXPECT_EQ(plan.ReasonOf(1), "known worst");
  EXPECT_NE(plan.ReasonOf(2), "known worst");
  Table table(operation, 2);
  plan.Fill(0, 2, table.columns());
  EXPECT_EQ(table.Item(0), options.known_worst[0]);
  EXPECT_EQ(table.Item(1), options.known_worst[2]);  // three operands do not fit pow
}

// Every exponent, with both signs, for every function with a floating-point first operand.
TEST(InputPlan, StandardCoversEveryExponent) {
  for (Format format : {Format::kFloat, Format::kDouble}) {
    const int mantissa_bits = Traits(format).mantissa_bits();
    for (Function function : {Function::exp, Function::hypot}) {
      const Operation operation = Operation::Builtin(function, format);
      InputOptions options;
      options.samples = 1;
      const Table table = Filled(operation, options);
      const InputPlan plan(operation, options);
      std::set<Bits> exponents;
      for (std::uint64_t item = 0; item < plan.Count(); ++item) {
        if (plan.ReasonOf(item) == "exponent")
          exponents.insert(table.Item(item)[0] >> mantissa_bits);
      }
      EXPECT_EQ(exponents.size(), 2 * (numerics::Infinity(format) >> mantissa_bits));
    }
  }
}

TEST(InputPlan, AllPairsAndTriplesOfSpecials) {
  const auto specials = [](Function function, std::size_t arity) {
    const Operation operation = Operation::Builtin(function, Format::kFloat);
    const InputOptions options{.samples = 1};
    const Table table = Filled(operation, options);
    const InputPlan plan(operation, options);
    std::set<std::vector<Bits>> seen;
    for (std::uint64_t item = 0; item < plan.Count(); ++item) {
      if (plan.ReasonOf(item) == "special") seen.insert(table.Item(item));
    }
    const std::vector<Bits> must = {0,          0x80000000, 1,          0x80000001, 0x7f7fffff,
                                    0x7f800000, 0xff800000, 0x3f800000, 0xbf800000, 0x7fc00000};
    std::vector<std::size_t> digit(arity, 0);
    std::size_t missing = 0;
    for (std::size_t code = 0; code < std::pow(must.size(), arity); ++code) {
      std::vector<Bits> tuple;
      std::size_t rest = code;
      for (std::size_t i = 0; i < arity; ++i, rest /= must.size())
        tuple.push_back(must[rest % must.size()]);
      missing += seen.count(tuple) == 0 ? 1 : 0;
    }
    return missing;
  };
  EXPECT_EQ(specials(Function::sin, 1), 0u);
  EXPECT_EQ(specials(Function::atan2, 2), 0u);
  EXPECT_EQ(specials(Function::fma, 3), 0u);
}

// 7.5 and Annex F turn on values that only a deliberate list contains.
TEST(SpecialValues, GrowWithBreadth) {
  for (Format format : numerics::kAllFormats) {
    std::size_t last = 0;
    for (Breadth breadth : {Breadth::kFew, Breadth::kSome, Breadth::kMany, Breadth::kNeighbours}) {
      const auto values = SpecialValues(ScalarTypeOf(format), breadth);
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
      EXPECT_GT(values.size(), last);
      last = values.size();
    }
    EXPECT_LT(last, 1000u);
  }
}

TEST(SpecialExponents, HoldTheBordersOfTheRange) {
  const auto values = SpecialExponents(Format::kFloat, Breadth::kMany);
  for (std::int64_t n : {0, 1, -1, 127, 128, -126, -149, -150, 276, INT32_MAX, INT32_MIN}) {
    EXPECT_TRUE(std::binary_search(values.begin(), values.end(),
                                   static_cast<Bits>(static_cast<std::uint32_t>(n))))
        << n;
  }
}

bool Contains(const std::vector<Bits>& values, Bits bits) {
  return std::find(values.begin(), values.end(), bits) != values.end();
}

// The places where exp overflows and underflows, known from ln 2 alone, are found to the last bit.
TEST(Boundaries, OfExpAreFound) {
  const auto found = FindBoundaries(Operation::Builtin(Function::exp, Format::kFloat), 256, 32);
  // The largest float whose exponential rounds to a finite number, and the next one.
  EXPECT_TRUE(Contains(found, 0x42b17217));
  EXPECT_TRUE(Contains(found, 0x42b17218));
  // The smallest with a result above half of the smallest subnormal: 150 ln 2 = 103.972...
  EXPECT_TRUE(Contains(found, 0xc2cff1b4));
  EXPECT_TRUE(Contains(found, 0xc2cff1b5));
}

TEST(Boundaries, OfAsinAreTheDomain) {
  const auto found = FindBoundaries(Operation::Builtin(Function::asin, Format::kDouble), 256, 32);
  EXPECT_TRUE(Contains(found, numerics::One(Format::kDouble)));
  EXPECT_TRUE(Contains(found, numerics::One(Format::kDouble) + 1));
}

TEST(Boundaries, ExistForTwoOperands) {
  for (Function function : {Function::pow, Function::mul, Function::ldexp, Function::rootn}) {
    EXPECT_GT(FindBoundaries(Operation::Builtin(function, Format::kFloat), 32, 64).size(), 100u);
  }
}

// Halfway between neighbours of the destination: found for every pair that narrows.
TEST(ConversionValues, HoldMidpoints) {
  const auto count = [](ScalarType from, ScalarType to) {
    const auto values = ConversionValues(from, to);
    return std::count_if(values.begin(), values.end(), [&](Bits bits) {
      const auto exact = ConvertExact(from, to, bits, false, std::nullopt);
      return exact.kind == numerics::ResultKind::kFinite && exact.fraction == 0.5;
    });
  };
  EXPECT_GT(count(ScalarType::kDouble, ScalarType::kFloat), 1500);
  EXPECT_GT(count(ScalarType::kFloat, ScalarType::kHalf), 200);
  EXPECT_GT(count(ScalarType::kLong, ScalarType::kFloat), 100);
  EXPECT_GT(count(ScalarType::kUint, ScalarType::kHalf), 10);
}

// A random stream that asked always the same would find nothing: the strategies must reach
// overflow, underflow, exact and inexact results.
TEST(RandomInputs, ReachEveryKindOfResult) {
  for (Function function : {Function::mul, Function::div, Function::pow, Function::exp}) {
    const Operation operation = Operation::Builtin(function, Format::kFloat);
    const InputOptions options{.level = Level::kSmoke};
    const InputPlan plan(operation, options);
    const Table table = Filled(operation, options);
    std::map<std::string, int> seen;
    for (std::uint64_t item = 0; item < plan.Count(); ++item) {
      if (plan.ReasonOf(item) != "random") continue;
      numerics::Exact exact;
      EvaluateExact(operation, table.Item(item), {&exact, 1});
      if (exact.kind != numerics::ResultKind::kFinite) continue;
      const Bits rounded = Round(exact, Format::kFloat, numerics::Rounding::kRte);
      const Bits magnitude = numerics::Magnitude(Format::kFloat, rounded);
      ++seen[magnitude == 0                                     ? "underflow"
             : IsSubnormalBeforeRounding(exact, Format::kFloat) ? "subnormal"
             : magnitude == numerics::Infinity(Format::kFloat)  ? "overflow"
                                                                : "normal"];
    }
    for (const char* kind : {"underflow", "subnormal", "overflow", "normal"}) {
      EXPECT_GE(seen[kind], 5) << operation.Name() << " " << kind;
    }
  }
}

}  // namespace
}  // namespace assay::oracle
