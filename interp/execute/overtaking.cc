#include "interp/execute/overtaking.h"

#include <algorithm>

#include "interp/program/memory_order.h"

namespace assay::interp {
namespace {

using frontend::Op;

bool IsRelaxed(std::uint32_t order) { return !Acquires(order) && !Releases(order); }

// Whether code of the instruction may access memory that others see, order accesses, or do
// something that is not known here.  In programs whose atomic operations take turns none is inside
// a block.
bool IsInTheWay(Op opcode) {
  switch (opcode) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kCopyMemory:
    case Op::kCopyMemorySized:
    case Op::kExtInst:
    case Op::kFunctionCall:
    case Op::kMemoryBarrier:
    case Op::kControlBarrier:
    case Op::kImageRead:
    case Op::kImageWrite:
    case Op::kImageSampleExplicitLod:
      return true;
    default:  // an enumeration of the specification
      return false;
  }
}

}  // namespace

Overtaking::Overtaking(const Program& program, const frontend::Module& module)
    : program_(program), module_(module) {
  constexpr std::size_t kMostWork = std::size_t{1} << 22;
  std::size_t work = 0;
  for (std::uint32_t b = 0; b < program.blocks.size(); ++b) {
    if (program.blocks[b].end != End::kSync) continue;
    const FlatSync& sync = program.syncs[program.blocks[b].sync];
    if (sync.opcode != Opcode::kAtomic || sync.results.size() != 1) continue;
    const AtomicCall& call = program.atomic_calls[sync.instruction.immediate];
    if (call.opcode != Op::kAtomicLoad || !IsRelaxed(call.order)) continue;
    work += program.code.size() + program.blocks.size();
    if (work > kMostWork) return;
    std::vector<bool> needed = FindNeeded(b);
    if (needed[After(b)] && MayRepeat(program.blocks[After(b)], sync)) {
      needed.assign(needed.size(), true);
      needed[After(b)] = false;
      repeated_.insert(b);
    }
    if (!needed[After(b)]) needed_.emplace(b, std::move(needed));
  }
}

bool Overtaking::IsNeeded(std::uint32_t load, std::uint32_t block) const {
  return needed_.at(load)[block];
}

bool Overtaking::MayPass(const PlacedOperation& load, const PlacedOperation& later) const {
  const FlatSync& sync = program_.syncs[program_.blocks[later.block].sync];
  if (sync.opcode != Opcode::kAtomic) return false;
  const AtomicCall& call = program_.atomic_calls[sync.instruction.immediate];
  if (!IsRelaxed(call.order) || !IsRelaxed(call.order_unequal)) return false;
  return load.address + load.bytes <= later.address || later.address + later.bytes <= load.address;
}

// The smallest set: a loop that computes only, and ends, needs nothing by itself.
std::vector<bool> Overtaking::FindNeeded(std::uint32_t load) const {
  const FlatSync& sync = program_.syncs[program_.blocks[load].sync];
  std::vector<bool> needed(program_.blocks.size());
  for (std::size_t b = 0; b < needed.size(); ++b) needed[b] = Needs(program_.blocks[b], sync);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = needed.size(); b-- > 0;) {
      const FlatBlock& block = program_.blocks[b];
      if (needed[b] || (block.end != End::kJump && block.end != End::kBranch)) continue;
      needed[b] =
          needed[block.targets[0]] || (block.end == End::kBranch && needed[block.targets[1]]);
      changed = changed || needed[b];
    }
  }
  return needed;
}

// Whether the block computes and stores only, and leads to an atomic operation that does not depend
// on the load.  Nobody sees what it stores before the load has been executed, but in a data race.
bool Overtaking::MayRepeat(const FlatBlock& block, const FlatSync& load) const {
  if (block.end != End::kSync || program_.shadow_steps.empty()) return false;
  const FlatSync& sync = program_.syncs[block.sync];
  if (sync.opcode != Opcode::kAtomic) return false;
  std::vector<std::uint32_t> results = load.results;  // and what depends on them
  const auto depends = [&](std::uint32_t offset) {
    return std::ranges::find(results, offset) != results.end();
  };
  // A second time it computes the same: it writes no register that it has read before, but those
  // that it has written first.
  std::vector<std::uint32_t> read, written;
  const auto has = [](const std::vector<std::uint32_t>& registers, std::uint32_t offset) {
    return std::ranges::find(registers, offset) != registers.end();
  };
  const auto look_at = [&](std::uint32_t offset) {
    if (!has(written, offset)) read.push_back(offset);
  };
  for (std::uint32_t i = block.first; i < block.last; ++i) {
    const FlatInstruction& in = program_.code[i];
    const Op origin = module_.instructions[program_.places[in.place].origin].opcode;
    const ShadowStep& step = program_.shadow_steps[i];
    if (step.rule == ShadowRule::kNone) {
      // One scalar is at `b`, and of several there is a list; the address is at `a`.
      for (const std::uint32_t offset : {in.a, in.b, in.c}) look_at(offset);
      const std::vector<std::uint32_t>& extra = program_.extra;
      const std::size_t count = in.extra < extra.size() ? extra[in.extra] : 0;
      for (std::size_t k = 1; k <= count && in.extra + k < extra.size(); ++k) {
        look_at(extra[in.extra + k]);
      }
      if (origin == Op::kStore && !depends(in.a)) continue;
      if (IsInTheWay(origin) || Touches(in, load) || depends(in.a) || depends(in.b) ||
          depends(in.c)) {
        return false;
      }
      continue;
    }
    if (IsInTheWay(origin)) return false;
    const auto* const operands = program_.shadow_operands.data() + step.first;
    const auto* const after = operands + step.operand_count;
    const bool reads = std::any_of(
        operands, after, [&](const ShadowOperand& operand) { return depends(operand.offset); });
    if (reads && step.rule == ShadowRule::kUse) return false;  // it is looked at
    for (const auto* operand = operands; operand != after; ++operand) {
      look_at(operand->offset);
    }
    for (const auto* result = after; result != after + step.result_count; ++result) {
      const std::uint32_t offset = result->offset;
      if (offset == load.operands[0] || offset == load.results[0] || has(read, offset)) {
        return false;
      }
      written.push_back(offset);
      std::erase(results, offset);
      if (reads) results.push_back(offset);
    }
  }
  return std::ranges::none_of(sync.operands, depends) &&
         std::ranges::none_of(sync.results, depends) &&
         std::ranges::find(sync.results, load.operands[0]) == sync.results.end();
}

bool Overtaking::Needs(const FlatBlock& block, const FlatSync& load) const {
  switch (block.end) {
    case End::kJump:
      break;
    case End::kBranch:
      if (block.condition == load.results[0] || block.compared == load.results[0]) return true;
      break;
    case End::kSync: {
      const FlatSync& sync = program_.syncs[block.sync];
      if (sync.opcode != Opcode::kAtomic) return true;
      const auto names = [](const std::vector<std::uint32_t>& registers, std::uint32_t one) {
        return std::ranges::find(registers, one) != registers.end();
      };
      if (names(sync.operands, load.results[0]) || names(sync.results, load.results[0]) ||
          names(sync.results, load.operands[0])) {
        return true;
      }
      break;
    }
    case End::kSwitch:
    case End::kNone:
    case End::kReturn:
    case End::kUnreachable:
    case End::kCall:
    case End::kLeave:
      return true;
  }
  const auto first = program_.code.begin() + block.first;
  return std::any_of(first, program_.code.begin() + block.last, [&](const FlatInstruction& in) {
    const std::uint32_t origin = program_.places[in.place].origin;
    return IsInTheWay(module_.instructions[origin].opcode) || Touches(in, load);
  });
}

// Whether the instruction may read or write the result, or write the address.  Where nothing is
// kept of its registers, whatever may be one counts.
bool Overtaking::Touches(const FlatInstruction& in, const FlatSync& load) const {
  const std::uint32_t result = load.results[0];
  if (!program_.shadow_steps.empty()) {
    const ShadowStep& step =
        program_.shadow_steps[static_cast<std::size_t>(&in - program_.code.data())];
    if (step.rule != ShadowRule::kNone) {
      const auto* const first = program_.shadow_operands.data() + step.first;
      const std::size_t count = std::size_t{step.operand_count} + step.result_count;
      return std::any_of(first, first + count, [&](const ShadowOperand& operand) {
        const auto place = static_cast<std::size_t>(&operand - first);
        return operand.offset == result ||
               (place >= step.operand_count && operand.offset == load.operands[0]);
      });
    }
  }
  if (in.result == result || in.a == result || in.b == result || in.c == result ||
      in.extra == result || in.result == load.operands[0]) {
    return true;
  }
  // A list of operands and one of results, each after its size.
  const std::vector<std::uint32_t>& extra = program_.extra;
  std::size_t end = in.extra;
  for (int list = 0; list < 2 && end < extra.size(); ++list) end += 1 + std::size_t{extra[end]};
  for (std::size_t i = in.extra < 2 ? 0 : in.extra - 2; i < std::min(end, extra.size()); ++i) {
    if (extra[i] == result || extra[i] == load.operands[0]) return true;
  }
  return false;
}

}  // namespace assay::interp
