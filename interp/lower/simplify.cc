// Takes out of a graph what nobody needs.
#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>

#include "interp/lower/passes.h"

namespace assay::interp {

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
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::kUConvert) {
    return bits >= 64 ? of(0) : Range{0, (std::int64_t{1} << bits) - 1};
  }
  if (opcode == Opcode::kSConvert) {
    if (bits >= 64) return of(0);
    return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
  }
  if (opcode == Opcode::kIAdd) {
    return Clamped(of(0).low + of(1).low, of(0).high + of(1).high);
  }
  if (opcode == Opcode::kISub) {
    return Clamped(of(0).low - of(1).high, of(0).high - of(1).low);
  }
  if (opcode == Opcode::kIMul) {
    const Range a = of(0), b = of(1);
    const auto [low, high] =
        std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return Clamped(low, high);
  }
  if (opcode == Opcode::kUMod || opcode == Opcode::kBitwiseAnd) {
    return of(1).low >= 0 ? Range{0, of(1).high} : Range{};
  }
  if (opcode == Opcode::kUDiv || opcode == Opcode::kShiftRightLogical) {
    return of(0).low >= 0 ? Range{0, of(0).high} : Range{};
  }
  if (opcode == Opcode::kSelect) {
    const Range a = of(1), b = of(2);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  return {};  // not known
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

// Adds the offsets of addresses to what uses them.
void FoldOffsets(Graph* graph) {
  for (IrInstruction& instruction : graph->instructions) {
    const Access access = TraitsOf(instruction.opcode).access;
    if (access != Access::kLoad && access != Access::kStore) continue;
    Value& address = graph->Operands(instruction)[0];
    const ValueInfo& info = graph->values[address];
    if (info.value_kind != ValueKind::kInstruction) continue;
    const IrInstruction& definition = graph->instructions[info.bits];
    if (definition.opcode != Opcode::kOffset) continue;
    instruction.immediate += definition.immediate;
    address = graph->Operands(definition)[0];
  }
}

bool IsPure(const IrInstruction& instruction) {
  return TraitsOf(instruction.opcode).executed == Executed::kPure;
}

// What is used, from what has an effect on; and of that, what is used for more than an access.
class Uses {
 public:
  explicit Uses(Graph* graph)
      : graph_(*graph),
        used_(graph->values.size()),
        beyond_access_(graph->values.size()),
        phi_block_(graph->values.size(), kGone),
        phi_place_(graph->values.size()),
        is_of_call_(graph->BlocksOfCalls()) {}

  void Find(std::span<const ChosenBlock> choices) {
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) Start(b);
    for (const ChosenBlock& choice : choices) {
      for (const auto& [condition, if_true] : choice.conditions) Use(condition);
    }
    FindChecks();
    while (!work_.empty()) {
      const Value value = work_.back();
      work_.pop_back();
      UseChecks(value);
      UseDefinition(value);
    }
  }

  bool IsUsed(Value value) const { return used_[value]; }
  bool HasUsedResult(const IrInstruction& instruction) const {
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      if (used_[instruction.first_result + i]) return true;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kGone = 0xffffffff;  // the block of a phi that cannot be reached

  void Use(Value value, bool is_access = false) {
    if (value == kNoValue || (used_[value] && (is_access || beyond_access_[value]))) return;
    used_[value] = true;
    if (!is_access) beyond_access_[value] = true;
    work_.push_back(value);
  }

  void UseOperands(const IrInstruction& instruction) {
    const std::uint32_t addresses = AccessedAddresses(TraitsOf(instruction.opcode).access);
    // A check of an index has the address that an access after it has.
    const std::uint32_t last = instruction.opcode == Opcode::kCheck && instruction.only_accessed
                                   ? instruction.operand_count - 1
                                   : instruction.operand_count;
    std::uint32_t i = 0;
    for (const Value operand : graph_.Operands(instruction)) {
      Use(operand, i < addresses || i >= last);
      ++i;
    }
  }

  void Start(std::uint32_t b) {
    const IrBlock& block = graph_.blocks[b];
    Use(block.condition);
    for (std::uint32_t i = 0; i < block.phis.size(); ++i) {
      phi_block_[block.phis[i].result] = b;
      phi_place_[block.phis[i].result] = i;
    }
    for (const std::uint32_t place : block.instructions) {
      const IrInstruction& instruction = graph_.instructions[place];
      // A check of a value that nobody needs is not needed either.
      if (IsPure(instruction) || instruction.opcode == Opcode::kCheckValue) continue;
      UseOperands(instruction);
    }
    if (block.end == End::kSync) UseOperands(graph_.instructions[block.sync]);
  }

  void FindChecks() {
    for (const IrBlock& block : graph_.blocks) {
      for (const std::uint32_t place : block.instructions) {
        const IrInstruction& instruction = graph_.instructions[place];
        if (instruction.opcode != Opcode::kCheckValue) continue;
        if (instruction.need == CheckNeed::kLargeIndex && !CanWrap(graph_, instruction)) continue;
        for (std::uint32_t i = 0; i < instruction.checked; ++i) {
          checks_[graph_.Operands(instruction)[i]].push_back(place);
        }
      }
    }
  }

  void UseChecks(Value value) {
    const auto found = checks_.find(value);
    if (found == checks_.end()) return;
    for (const std::uint32_t place : found->second) {
      IrInstruction& check = graph_.instructions[place];
      check.only_accessed = check.need == CheckNeed::kSaysAccess && !beyond_access_[value];
      if (check.need == CheckNeed::kBeyondAccess && !beyond_access_[value]) continue;
      check.is_needed = true;
      for (const Value operand : graph_.Operands(check)) Use(operand, true);
    }
  }

  void UseDefinition(Value value) {
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind == ValueKind::kPhi) {
      if (phi_block_[value] == kGone) return;
      // What is handed over to a kept function, or back, is used as there.
      const bool is_access = is_of_call_[phi_block_[value]] && !beyond_access_[value];
      const Phi& phi = graph_.blocks[phi_block_[value]].phis[phi_place_[value]];
      for (const Value operand : phi.operands) Use(operand, is_access);
    } else if (info.value_kind == ValueKind::kInstruction) {
      const IrInstruction& definition = graph_.instructions[info.bits];
      if (!TraitsOf(definition.opcode).moves_address) return UseOperands(definition);
      // A row of a matrix, mostly: accessed, not kept.
      const auto operands = graph_.Operands(definition);
      // Something before the object on the way to what is inside is looked at all the same.
      Use(operands[0], !beyond_access_[value] && !IsMovedBack(graph_, operands[0]));
      for (const Value operand : operands.subspan(1)) Use(operand);
    }
  }

  Graph& graph_;
  std::vector<bool> used_;
  std::vector<bool> beyond_access_;
  std::vector<Value> work_;
  std::vector<std::uint32_t> phi_block_;
  std::vector<std::uint32_t> phi_place_;
  std::vector<bool> is_of_call_;
  std::unordered_map<Value, std::vector<std::uint32_t>> checks_;  // of each value
};

}  // namespace

void Simplify(Graph* graph, bool keep_values, std::span<const ChosenBlock> choices) {
  FoldOffsets(graph);
  Uses uses(graph);
  uses.Find(choices);
  for (IrBlock& block : graph->blocks) {
    if (!keep_values) {
      std::erase_if(block.phis, [&](const Phi& phi) { return !uses.IsUsed(phi.result); });
    }
    std::erase_if(block.instructions, [&](std::uint32_t place) {
      IrInstruction& instruction = graph->instructions[place];
      if (instruction.opcode == Opcode::kAtomic && !uses.HasUsedResult(instruction)) {
        instruction.result_count = 0;
      }
      if (instruction.opcode == Opcode::kCheckValue) return !instruction.is_needed;
      return !keep_values && IsPure(instruction) && !uses.HasUsedResult(instruction);
    });
  }
}

}  // namespace assay::interp
