#include "interp/execute/group_operation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <initializer_list>
#include <limits>
#include <vector>

#include "interp/execute/execute.h"

namespace assay::interp {
namespace {

using frontend::GroupOperation;
using frontend::Op;
using testing::ElementsAre;

std::vector<std::uint64_t> Apply(Op opcode, GroupOperation operation, Kind kind,
                                 std::vector<std::uint64_t> values) {
  ApplyGroupOperation(opcode, operation, kind, values);
  return values;
}

std::uint64_t Float(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t Double(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(GroupOperation, Sums) {
  const std::vector<std::uint64_t> values = {1, 2, 3, 0xff};
  EXPECT_THAT(Apply(Op::kGroupIAdd, GroupOperation::kReduce, Kind::kI8, values),
              ElementsAre(5, 5, 5, 5));
  EXPECT_THAT(Apply(Op::kGroupIAdd, GroupOperation::kInclusiveScan, Kind::kI8, values),
              ElementsAre(1, 3, 6, 5));
  EXPECT_THAT(Apply(Op::kGroupIAdd, GroupOperation::kExclusiveScan, Kind::kI8, values),
              ElementsAre(0, 1, 3, 6));
}

TEST(GroupOperation, MinimaAndMaxima) {
  const std::vector<std::uint64_t> values = {5, 0xfffe, 7, 0};
  EXPECT_THAT(Apply(Op::kGroupSMin, GroupOperation::kInclusiveScan, Kind::kI16, values),
              ElementsAre(5, 0xfffe, 0xfffe, 0xfffe));
  EXPECT_THAT(Apply(Op::kGroupUMin, GroupOperation::kInclusiveScan, Kind::kI16, values),
              ElementsAre(5, 5, 5, 0));
  EXPECT_THAT(Apply(Op::kGroupSMax, GroupOperation::kExclusiveScan, Kind::kI16, values),
              ElementsAre(0x8000, 5, 5, 7));
  EXPECT_THAT(Apply(Op::kGroupUMax, GroupOperation::kExclusiveScan, Kind::kI16, values),
              ElementsAre(0, 5, 0xfffe, 0xfffe));
  EXPECT_THAT(Apply(Op::kGroupSMin, GroupOperation::kExclusiveScan, Kind::kI64, {1, 2}),
              ElementsAre(0x7fffffffffffffff, 1));
  EXPECT_THAT(Apply(Op::kGroupUMin, GroupOperation::kExclusiveScan, Kind::kI32, {1, 2}),
              ElementsAre(0xffffffff, 1));
}

TEST(GroupOperation, FloatingPoint) {
  EXPECT_THAT(Apply(Op::kGroupFAdd, GroupOperation::kReduce, Kind::kF32,
                    {Float(1e8f), Float(1), Float(-1e8f)}),
              ElementsAre(Float(0), Float(0), Float(0)))
      << "in the order of work-items";
  EXPECT_THAT(Apply(Op::kGroupFAdd, GroupOperation::kInclusiveScan, Kind::kF64, {Double(-0.0)}),
              ElementsAre(Double(-0.0)));
  EXPECT_THAT(Apply(Op::kGroupFAdd, GroupOperation::kExclusiveScan, Kind::kF16, {0x3c00, 0x3c00}),
              ElementsAre(0, 0x3c00));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(
      Apply(Op::kGroupFMin, GroupOperation::kExclusiveScan, Kind::kF32, {Float(2), Float(1)}),
      ElementsAre(Float(infinity), Float(2)));
  EXPECT_THAT(
      Apply(Op::kGroupFMax, GroupOperation::kExclusiveScan, Kind::kF32, {Float(2), Float(1)}),
      ElementsAre(Float(-infinity), Float(2)));
  EXPECT_THAT(Apply(Op::kGroupFMax, GroupOperation::kReduce, Kind::kF32,
                    {Float(1), Float(std::numeric_limits<float>::quiet_NaN())}),
              ElementsAre(Float(1), Float(1)));
  // The sum of infinities of both signs is the canonical NaN.
  EXPECT_THAT(Apply(Op::kGroupFAdd, GroupOperation::kReduce, Kind::kF32,
                    {Float(infinity), Float(-infinity)}),
              ElementsAre(0x7fc00000, 0x7fc00000));
}

TEST(GroupOperation, ProductsAndBits) {
  EXPECT_THAT(Apply(Op::kGroupIMulKHR, GroupOperation::kExclusiveScan, Kind::kI8, {20, 20, 2}),
              ElementsAre(1, 20, 0x90));
  EXPECT_THAT(
      Apply(Op::kGroupFMulKHR, GroupOperation::kExclusiveScan, Kind::kF32, {Float(3), Float(2)}),
      ElementsAre(Float(1), Float(3)));
  EXPECT_THAT(Apply(Op::kGroupBitwiseAndKHR, GroupOperation::kExclusiveScan, Kind::kI16, {6, 3}),
              ElementsAre(0xffff, 6));
  EXPECT_THAT(Apply(Op::kGroupBitwiseOrKHR, GroupOperation::kReduce, Kind::kI16, {6, 3}),
              ElementsAre(7, 7));
  EXPECT_THAT(Apply(Op::kGroupBitwiseXorKHR, GroupOperation::kInclusiveScan, Kind::kI16, {6, 3}),
              ElementsAre(6, 5));
  EXPECT_THAT(Apply(Op::kGroupLogicalAndKHR, GroupOperation::kExclusiveScan, Kind::kBool, {0, 1}),
              ElementsAre(1, 0));
  EXPECT_THAT(Apply(Op::kGroupLogicalXorKHR, GroupOperation::kReduce, Kind::kBool, {1, 1}),
              ElementsAre(0, 0));
}

TEST(GroupOperation, AllAndAny) {
  EXPECT_THAT(Apply(Op::kGroupAll, GroupOperation::kReduce, Kind::kBool, {1, 1, 0}),
              ElementsAre(0, 0, 0));
  EXPECT_THAT(Apply(Op::kGroupAny, GroupOperation::kReduce, Kind::kBool, {0, 1, 0}),
              ElementsAre(1, 1, 1));
  std::vector<std::uint64_t> nobody;
  ApplyGroupOperation(Op::kGroupAny, GroupOperation::kReduce, Kind::kBool, nobody);
}

std::pair<std::uint64_t, std::uint64_t> Atomic(Op opcode, Kind kind, std::uint64_t before,
                                               std::uint64_t operand, std::uint64_t comparand = 0) {
  std::uint64_t bytes = before;
  const std::uint64_t old =
      ApplyAtomic(opcode, kind, reinterpret_cast<std::byte*>(&bytes), operand, comparand);
  EXPECT_EQ(old, before & MaskOf(kind));
  EXPECT_EQ(bytes & ~MaskOf(kind), before & ~MaskOf(kind)) << "bytes behind it";
  std::uint64_t shared = before;
  EXPECT_EQ(
      ApplySharedAtomic(opcode, kind, reinterpret_cast<std::byte*>(&shared), operand, comparand),
      old);
  EXPECT_EQ(shared, bytes);
  return {old, bytes & MaskOf(kind)};
}

TEST(Atomics, EachOperation) {
  const std::uint64_t behind = 0xaaaaaaaa00000000;
  const auto after = [&](Op opcode, std::uint64_t before, std::uint64_t operand,
                         std::uint64_t comparand = 0) {
    return Atomic(opcode, Kind::kI32, behind | before, operand, comparand).second;
  };
  EXPECT_EQ(after(Op::kAtomicLoad, 5, 9), 5u);
  EXPECT_EQ(after(Op::kAtomicStore, 5, 9), 9u);
  EXPECT_EQ(after(Op::kAtomicExchange, 5, 9), 9u);
  EXPECT_EQ(after(Op::kAtomicCompareExchange, 5, 9, 5), 9u);
  EXPECT_EQ(after(Op::kAtomicCompareExchange, 5, 9, 6), 5u);
  EXPECT_EQ(after(Op::kAtomicIIncrement, 0xffffffff, 0), 0u);
  EXPECT_EQ(after(Op::kAtomicIDecrement, 0, 0), 0xffffffffu);
  EXPECT_EQ(after(Op::kAtomicIAdd, 0xffffffff, 3), 2u);
  EXPECT_EQ(after(Op::kAtomicISub, 2, 3), 0xffffffffu);
  EXPECT_EQ(after(Op::kAtomicSMin, 1, 0xffffffff), 0xffffffffu);
  EXPECT_EQ(after(Op::kAtomicUMin, 1, 0xffffffff), 1u);
  EXPECT_EQ(after(Op::kAtomicSMax, 1, 0xffffffff), 1u);
  EXPECT_EQ(after(Op::kAtomicUMax, 1, 0xffffffff), 0xffffffffu);
  EXPECT_EQ(after(Op::kAtomicAnd, 6, 3), 2u);
  EXPECT_EQ(after(Op::kAtomicOr, 6, 3), 7u);
  EXPECT_EQ(after(Op::kAtomicXor, 6, 3), 5u);
  EXPECT_EQ(after(Op::kAtomicFlagTestAndSet, 0, 0), 1u);
  EXPECT_EQ(after(Op::kAtomicFlagClear, 1, 0), 0u);
  EXPECT_EQ(Atomic(Op::kAtomicFAddEXT, Kind::kF32, Float(1.5f), Float(2)).second, Float(3.5f));
  EXPECT_EQ(Atomic(Op::kAtomicFMinEXT, Kind::kF64, Double(1.5), Double(-2)).second, Double(-2));
  EXPECT_EQ(Atomic(Op::kAtomicFMaxEXT, Kind::kF16, 0x3c00, 0x4000).second, 0x4000u);
}

}  // namespace
}  // namespace assay::interp
