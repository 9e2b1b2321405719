// Undefined bits of an instruction's results, of those of its operands.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "interp/detect/definedness.h"
#include "interp/execute/register_bits.h"

namespace assay::interp {
namespace {

std::uint64_t SignExtend(std::uint64_t bits, std::uint32_t bytes) {
  const int shift = 64 - static_cast<int>(bytes) * 8;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
}

// An operand in a lane: its value and which of its bits are undefined.
struct Operand {
  std::uint64_t value = 0;
  std::uint64_t undefined = 0;
};

// The undefined bits of a result of `bytes`, of operands of `from` bytes.
std::uint64_t Combine(ShadowRule rule, const Operand* operands, std::size_t count,
                      std::uint32_t bytes, std::uint32_t from) {
  const Operand& a = operands[0];
  const Operand& b = operands[count > 1 ? 1 : 0];
  const std::uint64_t all = Ones(bytes);
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < count; ++i) any |= operands[i].undefined;
  if (any == 0) return 0;
  const std::uint64_t amount = b.value & (bytes * 8 - 1);
  switch (rule) {
    case ShadowRule::kMove:
      return a.undefined;
    case ShadowRule::kUnion:
      return any & all;
    case ShadowRule::kCarry:
      return (any | -any) & all;
    case ShadowRule::kAnd:
      return (a.undefined & b.undefined) | (a.undefined & b.value) | (b.undefined & a.value);
    case ShadowRule::kOr:
      return ((a.undefined & b.undefined) | (a.undefined & ~b.value) | (b.undefined & ~a.value)) &
             all;
    case ShadowRule::kShiftLeft:
      return b.undefined != 0 ? all : a.undefined << amount & all;
    case ShadowRule::kShiftRightLogical:
      return b.undefined != 0 ? all : a.undefined >> amount;
    case ShadowRule::kShiftRightArithmetic:
      return b.undefined != 0
                 ? all
                 : static_cast<std::uint64_t>(
                       static_cast<std::int64_t>(SignExtend(a.undefined, bytes)) >> amount) &
                       all;
    case ShadowRule::kZeroExtend:
      return a.undefined & all;
    case ShadowRule::kSignExtend:
      return SignExtend(a.undefined, from) & all;
    case ShadowRule::kEqual: {
      const std::uint64_t defined = ~any;
      return ((a.value ^ b.value) & defined & Ones(from)) != 0 ? 0 : all;
    }
    case ShadowRule::kSelect: {
      if (a.undefined != 0) {
        const bool same = operands[1].value == operands[2].value &&
                          (operands[1].undefined | operands[2].undefined) == 0;
        return same ? 0 : all;
      }
      return operands[a.value != 0 ? 1 : 2].undefined;
    }
    case ShadowRule::kNone:
    case ShadowRule::kAll:
    case ShadowRule::kExtractDynamic:
    case ShadowRule::kInsertDynamic:
    case ShadowRule::kDefined:
    case ShadowRule::kUse:
      break;
  }
  return all;
}

}  // namespace

void Definedness::SetLane(Batch& batch, std::uint32_t offset, std::uint32_t bytes, int lane,
                          std::uint64_t undefined, std::uint32_t origin) const {
  Write(batch.undefined, offset, bytes, lane, undefined);
  if (undefined == 0) return;
  batch.Origins(offset)[lane] = origin;
  batch.any_undefined[offset >> 6] = 1;
  batch.tainted = true;
}

void Definedness::Clear(Batch& batch, std::uint32_t offset, std::uint32_t bytes) const {
  if (batch.any_undefined[offset >> 6] == 0) return;
  if (batch.whole) {
    std::memset(batch.undefined + offset, 0, std::size_t{batch.lanes} * bytes);
    batch.any_undefined[offset >> 6] = 0;
    return;
  }
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    Write(batch.undefined, offset, bytes, std::countr_zero(rest), 0);
  }
}

void Definedness::Propagate(Batch& batch, const FlatInstruction& in, const ShadowStep& step) {
  if (step.rule == ShadowRule::kNone) return;
  const Program& program = *batch.program;
  const ShadowOperand* operands = program.shadow_operands.data() + step.first;
  const ShadowOperand* results = operands + step.operand_count;
  bool any = false;
  for (std::uint32_t i = 0; i < step.operand_count; ++i) {
    any = any || batch.any_undefined[operands[i].offset >> 6] != 0;
  }
  if (!any || step.rule == ShadowRule::kDefined) {
    for (std::uint32_t i = 0; i < step.result_count; ++i) {
      Clear(batch, results[i].offset, results[i].bytes);
    }
    return;
  }
  if (step.rule == ShadowRule::kUse) {
    Use(batch, in.place, operands[0].offset, operands[0].bytes, batch.active, "a division", false);
    return;
  }
  batch.worker->Spend(64);
  std::vector<Operand> row(step.operand_count);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::uint32_t origin = 0;
    for (std::uint32_t i = 0; i < step.operand_count; ++i) {
      row[i].value = Read(batch.registers, operands[i].offset, operands[i].bytes, lane);
      row[i].undefined = Read(batch.undefined, operands[i].offset, operands[i].bytes, lane);
      // What was reported hides nothing that was not.
      const bool is_open = origin == 0 || OriginOf(origin).cause == Origin::Cause::kAtomic;
      if (row[i].undefined != 0 && is_open) origin = batch.Origins(operands[i].offset)[lane];
    }
    for (std::uint32_t r = 0; r < step.result_count; ++r) {
      const std::uint32_t bytes = results[r].bytes;
      std::uint64_t undefined = 0;
      if (step.rule == ShadowRule::kExtractDynamic) {  // index, components
        const std::uint64_t last = step.operand_count - 2;
        const auto part = 1 + static_cast<std::size_t>(std::min(row[0].value, last));
        undefined = row[0].undefined != 0 ? Ones(bytes) : row[part].undefined;
        if (row[0].undefined == 0) origin = batch.Origins(operands[part].offset)[lane];
      } else if (step.rule == ShadowRule::kInsertDynamic) {  // index, component, components
        const std::size_t part = row[0].value == r ? 1 : 2 + r;
        undefined = row[0].undefined != 0 ? Ones(bytes) : row[part].undefined;
        if (row[0].undefined == 0) origin = batch.Origins(operands[part].offset)[lane];
      } else {
        if (step.rule != ShadowRule::kMove && step.rule != ShadowRule::kSelect) origin |= kDerived;
        undefined = Combine(step.rule, row.data(), row.size(), bytes, operands[0].bytes);
        if (step.rule == ShadowRule::kSelect && row[0].undefined == 0) {
          origin = batch.Origins(operands[row[0].value != 0 ? 1 : 2].offset)[lane];
        }
      }
      SetLane(batch, results[r].offset, bytes, lane, undefined, origin);
    }
  }
}

}  // namespace assay::interp
