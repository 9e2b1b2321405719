// The columns beside the same operations lane by lane, and beside values inside of the ranges.
#include "interp/envelope/columns.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interp/envelope/row_range.h"
#include "interp/envelope/testing_columns.h"
#include "interp/execute/row_operation.h"

namespace assay::interp {
namespace {

using enum Opcode;
constexpr Opcode kOpcodes[] = {kFAdd,
                               kFSub,
                               kFMul,
                               kFDiv,
                               kSqrt,
                               kFusedMultiplyAdd,
                               kMultiplyAdd,
                               kMad,
                               kMultiplyAddTwo,
                               kFNegate,
                               kFabs,
                               kFmin,
                               kFmax,
                               kFminCommon,
                               kFmaxCommon,
                               kRint,
                               kFloor,
                               kCeil,
                               kTrunc,
                               kFOrdLessThan,
                               kFUnordLessThan,
                               kFOrdLessThanEqual,
                               kFOrdGreaterThan,
                               kFUnordGreaterThanEqual,
                               kFOrdEqual,
                               kFUnordNotEqual};

Range LaneByLane(Opcode opcode, Kind kind, std::span<const Range> operands, bool flushes) {
  switch (opcode) {
    case Opcode::kMultiplyAdd:
    case Opcode::kMad:
      return ContractedRange(kind, operands, flushes);
    case Opcode::kMultiplyAddTwo:
      return ContractedSum(kind, operands, flushes);
    default:
      return RowRange(opcode, kind, operands, flushes);
  }
}

// What a device may compute of operands that it has.
std::vector<std::uint64_t> Computed(Opcode opcode, Kind kind, std::span<const std::uint64_t> x) {
  const auto row = [&](Opcode of, std::vector<std::uint64_t> operands) {
    return ComputeRow(of, kind, operands);
  };
  if (opcode == Opcode::kMultiplyAdd || opcode == Opcode::kMad) {
    return {row(Opcode::kFusedMultiplyAdd, {x[0], x[1], x[2]}),
            row(Opcode::kFAdd, {row(Opcode::kFMul, {x[0], x[1]}), x[2]})};
  }
  if (opcode == Opcode::kMultiplyAddTwo) {
    const std::uint64_t first = row(Opcode::kFMul, {x[0], x[1]});
    const std::uint64_t second = row(Opcode::kFMul, {x[2], x[3]});
    return {row(Opcode::kFAdd, {first, second}),
            row(Opcode::kFusedMultiplyAdd, {x[0], x[1], second}),
            row(Opcode::kFusedMultiplyAdd, {x[2], x[3], first})};
  }
  return {ComputeRow(opcode, kind, x)};
}

void ExpectEncloses(const ColumnsForTest& batch, int lane, Opcode opcode, Kind kind,
                    ValuesForTest* values) {
  const auto index = [&](std::uint64_t bits) {
    return numerics::OrderedIndex(FormatOf(kind), bits);
  };
  const std::vector<Range> operands = batch.OperandsOf(lane);
  std::vector<std::uint64_t> point;
  for (const Range& one : operands) point.push_back(values->Inside(one));
  const Range range = batch.ResultOf(lane);
  for (const std::uint64_t made : Computed(opcode, kind, point)) {
    ASSERT_LE(index(range.low), index(made)) << Text(operands);
    ASSERT_GE(index(range.high), index(made)) << Text(operands);
  }
}

TEST(EnvelopeColumns, AreAsLaneByLane) {
  for (const NamedSet& set : Sets()) {
    for (const Opcode opcode : kOpcodes) {
      for (int variant = 0; variant < 8; ++variant) {
        const Kind kind = (variant & 1) != 0 ? Kind::kF64 : Kind::kF32;
        const bool flushes = (variant & 2) != 0, special = (variant & 4) != 0;
        const int operand_count = static_cast<int>(OperandCount(opcode));
        SCOPED_TRACE(std::string(set.name) + ", opcode " +
                     std::to_string(static_cast<int>(opcode)) + ", variant " +
                     std::to_string(variant));
        const EnvelopeFunctions functions = set.columns->find(opcode, kind, flushes);
        ASSERT_NE(functions, nullptr);
        const bool compares = ResultKind(opcode, kind) == Kind::kBool;
        ValuesForTest values(kind, 20261127 + static_cast<std::uint64_t>(variant));
        int computed = 0, all = 0;
        for (unsigned round = 0; round < 48u * static_cast<unsigned>(Times()); ++round) {
          ColumnsForTest batch(kind, kind, operand_count, special, round % (1u << operand_count),
                               &values);
          if (functions[batch.Set()] == nullptr) continue;
          batch.Run(functions);
          for (int lane = 0; lane < kLanes; ++lane) {
            ASSERT_TRUE(batch.KeepsOthers(lane));
            if (!batch.IsComputed(lane)) continue;
            ++all;
            if (batch.IsSpecial(lane)) continue;
            ++computed;
            const std::vector<Range> operands = batch.OperandsOf(lane);
            const Range expected = LaneByLane(opcode, kind, operands, flushes);
            if (compares) {
              ASSERT_EQ(batch.IsRange(lane), !expected.IsPoint()) << Text(operands);
              continue;
            }
            // The sign of a magnitude is known where the operand is.
            if (opcode == Opcode::kFabs && operands[0].IsPoint()) {
              ASSERT_FALSE(batch.IsRange(lane)) << Text(operands);
              ASSERT_EQ(expected.low, expected.high);
              continue;
            }
            ExpectSame(batch, lane, kind, expected);
            if (batch.IsRange(lane)) ExpectEncloses(batch, lane, opcode, kind, &values);
            if (HasFatalFailure()) return;
          }
        }
        // Of usual numbers nearly all.
        EXPECT_GT(computed, special ? 0 : all / 4);
      }
    }
  }
}

TEST(EnvelopeColumns, ConversionsAreAsLaneByLane) {
  constexpr std::array kPairs = {
      std::pair(Kind::kF16, Kind::kF32), std::pair(Kind::kF32, Kind::kF16),
      std::pair(Kind::kF32, Kind::kF64), std::pair(Kind::kF64, Kind::kF32)};
  for (const NamedSet& set : Sets()) {
    for (const auto& [from, to] : kPairs) {
      for (int variant = 0; variant < 4; ++variant) {
        const bool flushes = (variant & 1) != 0, special = (variant & 2) != 0;
        SCOPED_TRACE(std::string(set.name) + ", " + std::to_string(BytesOf(from)) + " to " +
                     std::to_string(BytesOf(to)) + ", variant " + std::to_string(variant));
        const EnvelopeFunctions functions = set.columns->find_conversion(from, to, flushes);
        ASSERT_NE(functions, nullptr);
        ValuesForTest values(from, 7);
        int computed = 0;
        for (unsigned round = 0; round < 100u * static_cast<unsigned>(Times()); ++round) {
          ColumnsForTest batch(from, to, 1, special, round % 2, &values);
          batch.Run(functions);
          for (int lane = 0; lane < kLanes; ++lane) {
            if (!batch.IsComputed(lane) || batch.IsSpecial(lane)) continue;
            ++computed;
            const std::vector<Range> operands = batch.OperandsOf(lane);
            const Range expected = ConvertRange(ScalarOf(from), ScalarOf(to), operands[0],
                                                numerics::Rounding::kRte, false, flushes);
            ExpectSame(batch, lane, to, expected);
            if (HasFatalFailure()) return;
          }
        }
        EXPECT_GT(computed, 500);
      }
    }
  }
}

TEST(EnvelopeColumns, TruncationsAreAsLaneByLane) {
  for (const NamedSet& set : Sets()) {
    for (int variant = 0; variant < 8; ++variant) {
      const bool flushes = (variant & 1) != 0, special = (variant & 2) != 0;
      const bool is_signed = (variant & 4) != 0;
      const auto to = is_signed ? numerics::ScalarType::kInt : numerics::ScalarType::kUint;
      SCOPED_TRACE(std::string(set.name) + ", variant " + std::to_string(variant));
      const EnvelopeFunctions functions =
          set.columns->find_truncation(Kind::kF32, Kind::kI32, is_signed, flushes);
      ValuesForTest values(Kind::kF32, 13);
      int computed = 0;
      for (int round = 0; round < 60 * Times(); ++round) {
        ColumnsForTest batch(Kind::kF32, Kind::kI32, 1, special, 1, &values);
        if (batch.Set() == 0) continue;
        batch.Run(functions);
        for (int lane = 0; lane < kLanes; ++lane) {
          ASSERT_TRUE(batch.KeepsOthers(lane));
          const std::vector<Range> operands = batch.OperandsOf(lane);
          if (!batch.IsComputed(lane) || batch.IsSpecial(lane) || operands[0].IsPoint()) continue;
          ++computed;
          const Range expected = ConvertRange(numerics::ScalarType::kFloat, to, operands[0],
                                              numerics::Rounding::kRtz, false, flushes);
          ASSERT_EQ(batch.IsRange(lane), expected.kind == Range::Kind::kIntegers) << Text(operands);
          if (!batch.IsRange(lane)) continue;
          ASSERT_EQ(batch.ResultOf(lane).low, expected.low) << Text(operands);
          ASSERT_EQ(batch.ResultOf(lane).high, expected.high) << Text(operands);
        }
      }
      EXPECT_GT(computed, 20);
    }
  }
}

// What columns leave to the lane-by-lane way: infinities that may cancel make a NaN.
TEST(EnvelopeColumns, InfinitiesThatMayCancelAreOpen) {
  constexpr std::uint64_t kInfinity = 0x7f800000, kOne = 0x3f800000, kSign = 0x80000000;
  const Range up = Range::Numbers(kOne, kInfinity);
  const Range down = Range::Numbers(kSign | kInfinity, kSign | kOne);
  const Range open = Range::Anything(oracle::Open::kPole);
  const auto row = [](Opcode opcode, std::vector<Range> operands) {
    return RowRange(opcode, Kind::kF32, operands, false);
  };
  EXPECT_EQ(row(kFAdd, {up, down}), open);
  EXPECT_EQ(row(kFSub, {down, down}), open);
  EXPECT_EQ(row(kFusedMultiplyAdd, {up, Range::Point(kOne), down}), open);
  EXPECT_EQ(row(kFSub, {up, down}).kind, Range::Kind::kNumbers);
  EXPECT_EQ(row(kFAdd, {up, up}).kind, Range::Kind::kNumbers);
}

}  // namespace
}  // namespace assay::interp
