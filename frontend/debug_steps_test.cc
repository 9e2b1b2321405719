#include "frontend/debug_steps.h"

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

using Kind = DebugStepKind;
using Steps = std::vector<DebugStep>;

constexpr std::uint32_t kSigned = 5, kUnsigned = 7;

std::optional<DebugStepsResult> Follow(Steps steps, DebugOperand operand, bool is_address = false) {
  return FollowDebugSteps(steps, operand, is_address, [](std::uint64_t address) {
    return address == 0x100 ? std::optional(0x2000) : std::nullopt;
  });
}

// As a value; nothing where the steps have none.
std::optional<std::uint64_t> ValueOf(Steps steps, std::uint64_t bits, std::uint32_t width) {
  steps.push_back({Kind::kStackValue, {}});
  const auto result = Follow(std::move(steps), {.bits = bits, .width = width});
  return result && !result->is_address ? std::optional(result->value.bits) : std::nullopt;
}

Steps With(std::uint32_t constant, Kind kind) { return {{Kind::kConstu, {constant}}, {kind, {}}}; }

TEST(DebugSteps, ComputeInTheWidthOfTheValue) {
  const struct {
    Kind kind;
    std::uint32_t constant;
    std::uint64_t expected;  // with 0xfffffff9, which is -7
  } kCases[] = {{Kind::kPlus, 9, 2},
                {Kind::kMinus, 3, 0xfffffff6},
                {Kind::kMul, 3, 0xffffffeb},
                {Kind::kDiv, 2, 0xfffffffd},
                {Kind::kMod, 4, 0xfffffffd},
                {Kind::kAnd, 0xff, 0xf9},
                {Kind::kOr, 6, 0xffffffff},
                {Kind::kXor, 0xffffffff, 6},
                {Kind::kShl, 4, 0xffffff90},
                {Kind::kShr, 28, 0xf},
                {Kind::kShra, 1, 0xfffffffc},
                {Kind::kEq, 0xfffffff9, 1},
                {Kind::kNe, 0xfffffff9, 0},
                {Kind::kLt, 1, 1},
                {Kind::kLe, 1, 1},
                {Kind::kGt, 1, 0},
                {Kind::kGe, 1, 0}};
  for (const auto& one : kCases) {
    EXPECT_EQ(ValueOf(With(one.constant, one.kind), 0xfffffff9, 32), one.expected)
        << static_cast<int>(one.kind);
  }
  EXPECT_EQ(ValueOf({{Kind::kPlusUconst, {5}}}, 0xff, 8), 4u);
  EXPECT_EQ(ValueOf({{Kind::kNeg, {}}}, 1, 16), 0xffffu);
  EXPECT_EQ(ValueOf({{Kind::kNot, {}}}, 1, 16), 0xfffeu);
  EXPECT_EQ(ValueOf({{Kind::kAbs, {}}}, 0xfffe, 16), 2u);
  // The one quotient that does not fit.
  EXPECT_EQ(ValueOf({{Kind::kConsts, {0xffffffff}}, {Kind::kDiv, {}}}, 0x80000000, 32),
            0x80000000u);
}

TEST(DebugSteps, MoveOnTheStack) {
  EXPECT_EQ(ValueOf({{Kind::kConstu, {10}}, {Kind::kSwap, {}}, {Kind::kMinus, {}}}, 3, 32), 7u);
  EXPECT_EQ(ValueOf({{Kind::kDup, {}}, {Kind::kMul, {}}}, 12, 32), 144u);
  EXPECT_EQ(ValueOf({{Kind::kConstu, {4}}, {Kind::kOver, {}}, {Kind::kPlus, {}}}, 3, 32), 7u);
  EXPECT_EQ(ValueOf({{Kind::kConstu, {4}}, {Kind::kPick, {1}}, {Kind::kPlus, {}}}, 3, 32), 7u);
  EXPECT_EQ(ValueOf({{Kind::kConstu, {4}}, {Kind::kDrop, {}}}, 3, 32), 3u);
  // 3 4 5 becomes 5 3 4.
  EXPECT_EQ(ValueOf({{static_cast<Kind>(50), {}},
                     {static_cast<Kind>(51), {}},
                     {Kind::kRot, {}},
                     {Kind::kMinus, {}}},
                    3, 32),
            0xffffffffu);
}

TEST(DebugSteps, ConvertAsTheTypeBeforeSays) {
  const auto widen = [](std::uint32_t from, std::uint32_t encoding, std::uint32_t to) {
    return Steps{{Kind::kConvert, {from, encoding}}, {Kind::kConvert, {to, encoding}}};
  };
  EXPECT_EQ(ValueOf(widen(32, kSigned, 64), 0x80000000, 32), 0xffffffff80000000u);
  EXPECT_EQ(ValueOf(widen(32, kUnsigned, 64), 0x80000000, 32), 0x80000000u);
  EXPECT_EQ(ValueOf(widen(1, kUnsigned, 8), 1, 1), 1u);
  EXPECT_EQ(ValueOf(widen(1, kSigned, 32), 1, 1), 0xffffffffu);
  EXPECT_EQ(ValueOf({{Kind::kConvert, {16, kUnsigned}}}, 0x12345, 32), 0x2345u);
  EXPECT_EQ(ValueOf({{Kind::kConvert, {64, kUnsigned}}}, 1, 32), std::nullopt) << "no sign known";
  EXPECT_EQ(ValueOf({{Kind::kConvert, {32, 4}}}, 1, 64), std::nullopt) << "a floating-point number";
}

// Better nothing than a wrong value.
TEST(DebugSteps, RefuseUncertainValues) {
  EXPECT_EQ(ValueOf({{static_cast<Kind>(38), {0}}}, 1, 32), std::nullopt) << "DW_OP_bra";
  EXPECT_EQ(ValueOf({{Kind::kXderef, {}}}, 1, 32), std::nullopt);
  EXPECT_EQ(ValueOf({{Kind::kPlus, {}}}, 1, 32), std::nullopt) << "nothing on the stack";
  EXPECT_EQ(ValueOf({{Kind::kArgument, {1}}}, 1, 32), std::nullopt) << "another value's";
  EXPECT_EQ(ValueOf({{Kind::kArgument, {0}}, {Kind::kPlusUconst, {1}}}, 1, 32), 2u);
  EXPECT_EQ(ValueOf(With(0, Kind::kDiv), 1, 32), std::nullopt);
  EXPECT_EQ(ValueOf(With(32, Kind::kShl), 1, 32), std::nullopt);
  EXPECT_EQ(ValueOf(With(0x80000000, Kind::kAnd), 1, 64), std::nullopt)
      << "llvm-spirv may have cut -2147483648 or 2147483648 off";
  EXPECT_EQ(ValueOf({{Kind::kConst8u, {0x80000000, 0}}, {Kind::kOr, {}}}, 1, 64), 0x80000001u);
  // An address that is not said to be a value.
  EXPECT_FALSE(Follow({{Kind::kPlusUconst, {1}}}, {.bits = 1, .width = 32}));
  EXPECT_FALSE(Follow({{Kind::kStackValue, {}}, {Kind::kPlus, {}}}, {.bits = 1, .width = 32}));
  EXPECT_FALSE(Follow({{Kind::kDeref, {}}}, {.bits = 1, .width = 32})) << "no pointer";
}

TEST(DebugSteps, FollowAddresses) {
  auto result = Follow({{Kind::kDeref, {}}}, {.bits = 0x100, .width = 64});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_address);
  EXPECT_EQ(result->value.bits, 0x100u);
  result = Follow({{Kind::kDeref, {}}, {Kind::kDeref, {}}}, {.bits = 0x100, .width = 64});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->value.bits, 0x2000u);
  result =
      Follow({{Kind::kDeref, {}}, {Kind::kPlusUconst, {8}}}, {.bits = 0x100, .width = 64}, true);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_address);
  EXPECT_EQ(result->value.bits, 0x2008u);
  EXPECT_FALSE(Follow({{Kind::kDeref, {}}}, {.bits = 0x101, .width = 64}, true)) << "nothing there";
}

TEST(DebugSteps, PropagateUndefinedBits) {
  const DebugOperand operand{.bits = 0x80, .undefined = 0x80, .width = 8};
  const auto undefined = [&](Steps steps) {
    steps.push_back({Kind::kStackValue, {}});
    return Follow(std::move(steps), operand)->value.undefined;
  };
  EXPECT_EQ(undefined({}), 0x80u);
  EXPECT_EQ(undefined(With(1, Kind::kOr)), 0x80u);
  EXPECT_EQ(undefined(With(1, Kind::kPlus)), 0xffu);
  EXPECT_EQ(undefined({{Kind::kConvert, {8, kSigned}}, {Kind::kConvert, {16, kSigned}}}), 0xff80u);
  EXPECT_EQ(undefined(With(1, Kind::kLt)), 1u);
}

TEST(DebugSteps, KnowWhichVariablesCanBeSet) {
  const auto is_kept = [](Steps steps) {
    return Follow(std::move(steps), {.bits = 1, .width = 32})->is_kept;
  };
  EXPECT_TRUE(is_kept({}));
  EXPECT_TRUE(is_kept({{Kind::kConvert, {16, kUnsigned}}, {Kind::kStackValue, {}}}));
  EXPECT_FALSE(is_kept({{Kind::kPlusUconst, {0}}, {Kind::kStackValue, {}}}));
  EXPECT_FALSE(is_kept(
      {{Kind::kConvert, {32, kSigned}}, {Kind::kConvert, {64, kSigned}}, {Kind::kStackValue, {}}}));
}

TEST(DebugSteps, LeaveAddressSpacesOut) {
  Steps steps = WithoutAddressSpaces({{Kind::kPlusUconst, {4}},
                                      {Kind::kConstu, {0}},
                                      {Kind::kSwap, {}},
                                      {Kind::kXderef, {}},
                                      {Kind::kStackValue, {}},
                                      {Kind::kFragment, {32, 8}}});
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_FALSE(IsPlain(steps));
  EXPECT_EQ(FragmentOf(steps)->offset, 32u);
  EXPECT_EQ(FragmentOf(steps)->size, 8u);
  EXPECT_TRUE(Follow(steps, {.bits = 1, .width = 32}));
  steps.erase(steps.begin());
  EXPECT_TRUE(IsPlain(steps));
  steps.pop_back();
  EXPECT_FALSE(FragmentOf(steps));
}

}  // namespace
}  // namespace assay::frontend
