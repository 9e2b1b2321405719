// The product's exact evaluation against an oracle that shares nothing with it: over every half for
// every function of one operand, and over specials and samples for everything else, in all four
// roundings.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/literal.h"
#include "oracle/inputs/inputs.h"
#include "testsuites/independent/oracle.h"

namespace assay {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::FunctionInfo;
using numerics::Operation;
using numerics::ResultKind;
using numerics::Rounding;

constexpr std::pair<Rounding, independent::Mode> kModes[] = {
    {Rounding::kRte, independent::kNearestEven},
    {Rounding::kRtz, independent::kTowardZero},
    {Rounding::kRtp, independent::kUp},
    {Rounding::kRtn, independent::kDown}};

std::string KindText(const Exact& exact) {
  constexpr const char* kNames[] = {"finite", "infinite", "NaN", "integer", "unspecified"};
  return kNames[static_cast<int>(exact.kind)];
}

// Nothing if both say the same; what differs otherwise.
std::string Difference(const Exact& exact, const independent::Answer& answer, Format format) {
  using independent::Kind;
  constexpr ResultKind kSame[] = {ResultKind::kFinite, ResultKind::kNan, ResultKind::kInfinite,
                                  ResultKind::kInteger, ResultKind::kUnspecified};
  if (exact.kind != kSame[static_cast<int>(answer.kind)]) {
    constexpr const char* kNames[] = {"a number", "NaN", "infinity", "an integer", "anything"};
    return "is " + KindText(exact) + " " + numerics::FormatBits(format, exact.below) +
           ", independently " + kNames[static_cast<int>(answer.kind)];
  }
  if (answer.kind == Kind::kNan || answer.kind == Kind::kAnything) return "";
  if (answer.kind == Kind::kInteger) {
    const auto value = static_cast<std::int32_t>(exact.below);
    const bool same = value == answer.integer && exact.has_alternative == answer.has_second &&
                      (!answer.has_second || exact.alternative == answer.second);
    const bool swapped = exact.has_alternative && answer.has_second && value == answer.second &&
                         exact.alternative == answer.integer;
    return same || swapped ? ""
                           : "is " + std::to_string(value) + ", independently " +
                                 std::to_string(answer.integer);
  }
  const independent::Layout layout = independent::LayoutOf(Traits(format).name);
  const std::array<std::uint64_t, 4> encoded = Encode(layout, answer.truth);
  for (const auto& [rounding, mode] : kModes) {
    const Bits product = Round(exact, format, rounding);
    const Bits other = rounding == Rounding::kRtn && answer.negative_down
                           ? numerics::SignMask(format)
                           : encoded[mode];
    if (product == other) continue;
    const bool zeros = numerics::IsZero(format, product) && numerics::IsZero(format, other);
    if (zeros && exact.any_zero_sign && answer.either_zero) continue;
    return "rounds (" + std::string(RoundingName(rounding)) + ") to " +
           numerics::FormatBits(format, product) + ", independently to " +
           numerics::FormatBits(format, other);
  }
  const bool zero = numerics::IsZero(format, exact.below) && exact.fraction == 0;
  if (zero && exact.any_zero_sign != answer.either_zero) {
    return std::string("zero of either sign: ") + (exact.any_zero_sign ? "yes" : "no") +
           ", independently not so";
  }
  return "";
}

struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t different = 0;
};

// Compares one item; prints the first few differences.
void CompareItem(const Operation& operation, std::span<const Bits> args, Tally& tally) {
  const std::string name = operation.Name();
  std::array<Exact, numerics::kMaxResults> exact{};
  const auto results = static_cast<std::size_t>(operation.ResultCount());
  EvaluateExact(operation, args, std::span(exact).first(results));
  const std::vector<independent::Answer> answers =
      independent::Ask(name, Traits(operation.format).name, operation.components, args);
  ASSERT_EQ(answers.size(), results) << name;
  ++tally.compared;
  for (std::size_t i = 0; i < results; ++i) {
    const std::string difference = Difference(exact[i], answers[i], operation.format);
    if (difference.empty()) continue;
    if (++tally.different > 8) return;
    std::string text = name + " " + operation.FormatName() + " of";
    for (Bits bits : args) text += " " + numerics::FormatBits(operation.format, bits);
    ADD_FAILURE() << text << ", result " << i << ": " << difference;
  }
}

void ComparePlan(const Operation& operation, const oracle::InputOptions& options, Tally& tally) {
  const oracle::InputPlan plan(operation, options);
  std::vector<std::vector<unsigned char>> memory;
  std::vector<oracle::Column> columns;
  for (const numerics::Slot& slot : operation.Inputs()) {
    memory.emplace_back(plan.Count() * static_cast<std::size_t>(slot.components) *
                        SizeOf(slot.type));
    columns.push_back({slot, memory.back().data()});
  }
  plan.Fill(0, plan.Count(), columns);
  for (std::size_t item = 0; item < plan.Count() && tally.different <= 8; ++item) {
    std::vector<Bits> args;
    for (const oracle::Column& column : columns) {
      const auto n = static_cast<std::size_t>(column.slot.components);
      for (std::size_t c = 0; c < n; ++c) {
        args.push_back(LoadElement(column.slot.type, column.data, item * n + c));
      }
    }
    CompareItem(operation, args, tally);
  }
}

class IndependentOracle : public ::testing::TestWithParam<std::string> {
 protected:
  static const FunctionInfo& Info() {
    return numerics::Info(*numerics::FunctionFromName(GetParam()));
  }
};

std::vector<std::string> FunctionNames() {
  std::vector<std::string> names;
  for (const FunctionInfo& info : numerics::AllFunctions()) names.emplace_back(info.name);
  return names;
}

TEST_P(IndependentOracle, AgreesOverEveryHalf) {
  const FunctionInfo& info = Info();
  if (info.operands != "F" || !info.Supports(Format::kHalf)) GTEST_SKIP();
  const Operation operation = Operation::Builtin(info.function, Format::kHalf);
  Tally tally;
  for (Bits bits = 0; bits < 0x10000 && tally.different <= 8; ++bits) {
    CompareItem(operation, {&bits, 1}, tally);
  }
  EXPECT_TRUE(tally.different > 0 || tally.compared == 0x10000);
}

TEST_P(IndependentOracle, AgreesOverSpecialsAndSamples) {
  const FunctionInfo& info = Info();
  for (Format format : numerics::kAllFormats) {
    if (!info.Supports(format)) continue;
    if (info.operands == "F" && format == Format::kHalf) continue;  // all of it, above
    for (int n = 1; n <= (info.IsGeometric() ? 4 : 1); ++n) {
      oracle::InputOptions options;
      options.level = oracle::Level::kSmoke;
      options.samples = info.IsGeometric() ? 1000 : 6000;
      options.seed = 2;
      Tally tally;
      ComparePlan(Operation::Builtin(info.function, format, n), options, tally);
      EXPECT_TRUE(tally.different > 0 || tally.compared > 500);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, IndependentOracle, ::testing::ValuesIn(FunctionNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace assay
