#include "interp/lower/passes.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace assay::interp {

using frontend::Op;
using frontend::StorageClass;

void RemoveUnreachable(Graph* graph) {
  std::vector<bool> reached(graph->blocks.size());
  std::vector<std::uint32_t> work = {0};
  reached[0] = true;
  const auto reach = [&](std::uint32_t block) {
    if (reached[block]) return;
    reached[block] = true;
    work.push_back(block);
  };
  while (!work.empty()) {
    const IrBlock& block = graph->blocks[work.back()];
    work.pop_back();
    for (const std::uint32_t target : block.targets) reach(target);
    if (block.end == End::kCall) reach(graph->functions[block.function].entry);
  }
  for (std::uint32_t b = 0; b < graph->blocks.size(); ++b) {
    IrBlock& block = graph->blocks[b];
    if (!reached[b]) {
      block = IrBlock();
      continue;
    }
    for (std::size_t i = block.predecessors.size(); i-- > 0;) {
      if (reached[block.predecessors[i]]) continue;
      block.predecessors.erase(block.predecessors.begin() + static_cast<std::ptrdiff_t>(i));
      for (Phi& phi : block.phis) {
        phi.operands.erase(phi.operands.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

namespace {

__extension__ using Wide = __int128;

// Signed values that an integer can have.
struct Range {
  Wide low = std::numeric_limits<std::int64_t>::min();
  Wide high = std::numeric_limits<std::int64_t>::max();
};

Range Clamped(Wide low, Wide high) {
  const Range all;
  return low < all.low || high > all.high ? all : Range{low, high};
}

Range RangeOf(const Graph& graph, Value value, int depth = 0) {
  const ValueInfo& info = graph.values[value];
  if (info.value_kind == ValueKind::kConstant && info.kind == Kind::kI64) {
    return {static_cast<std::int64_t>(info.bits), static_cast<std::int64_t>(info.bits)};
  }
  // Ids and sizes of work-items: 2^48 at most, if the caller's offset is not out of the world.
  if (info.value_kind == ValueKind::kInput && graph.small_inputs.contains(value)) {
    return {0, std::int64_t{1} << 48};
  }
  if (info.value_kind != ValueKind::kInstruction || depth > 8) return {};
  const IrInstruction& instruction = graph.instructions[info.bits];
  const auto operands = graph.Operands(instruction);
  const auto of = [&](std::size_t i) { return RangeOf(graph, operands[i], depth + 1); };
  const auto bits = static_cast<unsigned>(BitsOf(instruction.from));
  switch (instruction.opcode) {
    case Opcode::kUConvert:
      if (bits >= 64) return of(0);
      return {0, (std::int64_t{1} << bits) - 1};
    case Opcode::kSConvert:
      if (bits >= 64) return of(0);
      return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
    case Opcode::kIAdd:
      return Clamped(of(0).low + of(1).low, of(0).high + of(1).high);
    case Opcode::kISub:
      return Clamped(of(0).low - of(1).high, of(0).high - of(1).low);
    case Opcode::kIMul: {
      const Range a = of(0), b = of(1);
      const auto [low, high] =
          std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
      return Clamped(low, high);
    }
    case Opcode::kUMod:
    case Opcode::kBitwiseAnd:
      return of(1).low >= 0 ? Range{0, of(1).high} : Range{};
    case Opcode::kUDiv:
    case Opcode::kShiftRightLogical:
      return of(0).low >= 0 ? Range{0, of(0).high} : Range{};
    case Opcode::kSelect: {
      const Range a = of(1), b = of(2);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    default:
      return {};
  }
}

// Whether an address (address, base, index, stride) can lie outside what 64 bits can say: a base
// is an object's, and those lie well inside (interp/program/memory.h).
bool CanWrap(const Graph& graph, const IrInstruction& check) {
  const auto operands = graph.Operands(check);
  const Range index = RangeOf(graph, operands[2]);
  const auto stride = static_cast<Wide>(graph.values[operands[3]].bits);
  return index.low * stride < -(Wide{1} << 39) || index.high * stride > Wide{1} << 62;
}

// Whether the address is a constant number of bytes before another.
bool IsMovedBack(const Graph& graph, Value address) {
  const ValueInfo& info = graph.values[address];
  if (info.value_kind != ValueKind::kInstruction) return false;
  const IrInstruction& definition = graph.instructions[info.bits];
  return definition.opcode == Opcode::kOffset &&
         static_cast<std::int64_t>(definition.immediate) < 0;
}

}  // namespace

void Simplify(Graph* graph, bool keep_values) {
  // Offsets of addresses into what uses them.
  for (IrInstruction& instruction : graph->instructions) {
    switch (instruction.opcode) {
      case Opcode::kLoad:
      case Opcode::kLoadMany:
      case Opcode::kStore:
      case Opcode::kStoreMany:
        break;
      default:
        continue;
    }
    Value& address = graph->Operands(instruction)[0];
    const ValueInfo& info = graph->values[address];
    if (info.value_kind != ValueKind::kInstruction) continue;
    const IrInstruction& definition = graph->instructions[info.bits];
    if (definition.opcode != Opcode::kOffset) continue;
    instruction.immediate += definition.immediate;
    address = graph->Operands(definition)[0];
  }
  // What is used, from what has an effect on.
  std::vector<bool> used(graph->values.size());
  std::vector<bool> beyond_access(graph->values.size());
  std::vector<Value> work;
  const auto use = [&](Value value, bool is_access = false) {
    if (value == kNoValue || (used[value] && (is_access || beyond_access[value]))) return;
    used[value] = true;
    if (!is_access) beyond_access[value] = true;
    work.push_back(value);
  };
  const auto use_operands = [&](const IrInstruction& instruction) {
    const std::uint32_t addresses = TraitsOf(instruction.opcode).accessed_addresses;
    // A check of an index has the address that an access after it has.
    const std::uint32_t last = instruction.opcode == Opcode::kCheck && instruction.only_accessed
                                   ? instruction.operand_count - 1
                                   : instruction.operand_count;
    std::uint32_t i = 0;
    for (const Value operand : graph->Operands(instruction)) {
      use(operand, i < addresses || i >= last);
      ++i;
    }
  };
  constexpr std::uint32_t kGone = 0xffffffff;  // the block of a phi that cannot be reached
  std::vector<std::uint32_t> phi_block(graph->values.size(), kGone);
  std::vector<std::uint32_t> phi_place(graph->values.size());
  const std::vector<bool> is_of_call = graph->BlocksOfCalls();
  for (std::uint32_t b = 0; b < graph->blocks.size(); ++b) {
    const IrBlock& block = graph->blocks[b];
    use(block.condition);
    for (std::uint32_t i = 0; i < block.phis.size(); ++i) {
      phi_block[block.phis[i].result] = b;
      phi_place[block.phis[i].result] = i;
    }
    for (const std::uint32_t place : block.instructions) {
      const IrInstruction& instruction = graph->instructions[place];
      // A check of a value that nobody needs is not needed either.
      if (TraitsOf(instruction.opcode).executed == Executed::kPure ||
          instruction.opcode == Opcode::kCheckValue)
        continue;
      use_operands(instruction);
    }
    if (block.end == End::kSync) use_operands(graph->instructions[block.sync]);
  }
  std::unordered_map<Value, std::vector<std::uint32_t>> checks;  // of each value
  for (const IrBlock& block : graph->blocks) {
    for (const std::uint32_t place : block.instructions) {
      const IrInstruction& instruction = graph->instructions[place];
      if (instruction.opcode != Opcode::kCheckValue) continue;
      if (instruction.need == CheckNeed::kLargeIndex && !CanWrap(*graph, instruction)) continue;
      for (std::uint32_t i = 0; i < instruction.checked; ++i) {
        checks[graph->Operands(instruction)[i]].push_back(place);
      }
    }
  }
  while (!work.empty()) {
    const Value value = work.back();
    work.pop_back();
    if (const auto found = checks.find(value); found != checks.end()) {
      for (const std::uint32_t place : found->second) {
        IrInstruction& check = graph->instructions[place];
        check.only_accessed = check.need == CheckNeed::kSaysAccess && !beyond_access[value];
        if (check.need == CheckNeed::kBeyondAccess && !beyond_access[value]) continue;
        check.is_needed = true;
        for (const Value operand : graph->Operands(check)) use(operand, true);
      }
    }
    const ValueInfo& info = graph->values[value];
    if (info.value_kind == ValueKind::kPhi) {
      if (phi_block[value] == kGone) continue;
      // What is handed over to a kept function, or back, is used as there.
      const bool is_access = is_of_call[phi_block[value]] && !beyond_access[value];
      for (const Value operand : graph->blocks[phi_block[value]].phis[phi_place[value]].operands) {
        use(operand, is_access);
      }
    } else if (info.value_kind == ValueKind::kInstruction) {
      const IrInstruction& definition = graph->instructions[info.bits];
      if (TraitsOf(definition.opcode)
              .moves_address) {  // a row of a matrix, mostly: accessed, not kept
        const auto operands = graph->Operands(definition);
        // Something before the object on the way to what is inside is looked at all the same.
        use(operands[0], !beyond_access[value] && !IsMovedBack(*graph, operands[0]));
        for (const Value operand : operands.subspan(1)) use(operand);
      } else {
        use_operands(definition);
      }
    }
  }
  const auto is_used = [&](const IrInstruction& instruction) {
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      if (used[instruction.first_result + i]) return true;
    }
    return false;
  };
  for (IrBlock& block : graph->blocks) {
    if (!keep_values) {
      std::erase_if(block.phis, [&](const Phi& phi) { return !used[phi.result]; });
    }
    std::erase_if(block.instructions, [&](std::uint32_t place) {
      IrInstruction& instruction = graph->instructions[place];
      if (instruction.opcode == Opcode::kAtomic && !is_used(instruction)) {
        instruction.result_count = 0;
      }
      if (instruction.opcode == Opcode::kCheckValue) {
        return !instruction.is_needed;
      }
      return !keep_values && TraitsOf(instruction.opcode).executed == Executed::kPure &&
             !is_used(instruction);
    });
  }
}

namespace {

// Atomics of one family may be done in any order without a difference, if nobody looks at what
// they return.
int Family(Op opcode) {
  switch (opcode) {
    case Op::kAtomicIIncrement:
    case Op::kAtomicIDecrement:
    case Op::kAtomicIAdd:
    case Op::kAtomicISub:
      return 1;
    case Op::kAtomicAnd:
      return 2;
    case Op::kAtomicOr:
      return 3;
    case Op::kAtomicXor:
      return 4;
    case Op::kAtomicSMin:
      return 5;
    case Op::kAtomicUMin:
      return 6;
    case Op::kAtomicSMax:
      return 7;
    case Op::kAtomicUMax:
      return 8;
    default:
      return 0;
  }
}

// Makes the instruction at `index` of the block wait, and what follows it a block of its own.
void SplitAt(Graph* graph, std::uint32_t b, std::size_t index) {
  const auto rest = static_cast<std::uint32_t>(graph->blocks.size());
  graph->blocks.emplace_back();
  IrBlock& block = graph->blocks[b];
  IrBlock& after = graph->blocks[rest];
  const auto at = block.instructions.begin() + static_cast<std::ptrdiff_t>(index);
  const IrInstruction& instruction = graph->instructions[*at];
  after.instructions.assign(at + 1, block.instructions.end());
  after.targets = std::move(block.targets);
  after.end = block.end;
  after.condition = block.condition;
  after.cases = std::move(block.cases);
  after.sync = block.sync;
  after.function = block.function;
  after.origin = block.origin;
  after.site = block.site;
  after.predecessors = {b};
  block.sync = *at;
  block.instructions.resize(index);
  block.end = End::kSync;
  block.condition = kNoValue;
  block.cases.clear();
  block.targets = {rest};
  block.origin = instruction.origin;
  block.site = instruction.site;
  // Statistics: what comes later counts there.
  const auto later = std::find(block.origins.begin(), block.origins.end(), instruction.origin);
  if (later != block.origins.end()) {
    after.origins.assign(later + 1, block.origins.end());
    block.origins.erase(later + 1, block.origins.end());
  }
  const auto follow = [&](std::uint32_t target) {
    for (std::uint32_t& predecessor : graph->blocks[target].predecessors) {
      if (predecessor == b) predecessor = rest;
    }
  };
  for (const std::uint32_t target : after.targets) follow(target);
  if (after.end == End::kCall) follow(graph->functions[after.function].entry);
  for (const std::uint32_t place : after.instructions) {
    const IrInstruction& moved = graph->instructions[place];
    for (std::uint32_t i = 0; i < moved.result_count; ++i) {
      graph->values[moved.first_result + i].block = rest;
    }
  }
}

}  // namespace

bool SplitOrdered(ImportedKernel* kernel) {
  Graph& graph = kernel->graph;
  int family = -1;
  bool visible = false;
  bool beyond_group = false;
  const auto visit = [&](const IrInstruction& instruction) {
    if (instruction.opcode != Opcode::kAtomic) return;
    const AtomicCall& call = kernel->atomic_calls[instruction.immediate];
    const int own = Family(call.opcode);
    visible |= own == 0 || (family != -1 && own != family) || instruction.result_count != 0;
    beyond_group |= !call.local;
    family = own;
  };
  for (const IrBlock& block : graph.blocks) {
    for (const std::uint32_t place : block.instructions) visit(graph.instructions[place]);
  }
  // New blocks come at the end, so that each is looked at in its turn.
  for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
    for (std::size_t i = 0; i < graph.blocks[b].instructions.size(); ++i) {
      const Opcode opcode = graph.instructions[graph.blocks[b].instructions[i]].opcode;
      if (opcode == Opcode::kPrintf || (opcode == Opcode::kAtomic && visible)) {
        SplitAt(&graph, b, i);
        break;
      }
    }
  }
  return visible && beyond_group;
}

void SplitEdges(Graph* graph) {
  const std::size_t count = graph->blocks.size();
  for (std::uint32_t b = 0; b < count; ++b) {
    for (std::size_t i = 0; i < graph->blocks[b].targets.size(); ++i) {
      const std::uint32_t target = graph->blocks[b].targets[i];
      if (graph->blocks[b].targets.size() < 2 || graph->blocks[target].phis.empty()) continue;
      const auto edge = static_cast<std::uint32_t>(graph->blocks.size());
      graph->blocks.emplace_back();
      IrBlock& source = graph->blocks[b];
      IrBlock& middle = graph->blocks[edge];
      middle.end = End::kJump;
      middle.targets = {target};
      middle.predecessors = {b};
      middle.origin = source.origin;
      middle.site = source.site;
      source.targets[i] = edge;
      for (SwitchCase& one : source.cases) {
        if (one.target == target) one.target = edge;
      }
      std::replace(graph->blocks[target].predecessors.begin(),
                   graph->blocks[target].predecessors.end(), b, edge);
    }
  }
}

}  // namespace assay::interp
