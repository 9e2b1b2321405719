// One instruction in place of two.
#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <vector>

#include "interp/lower/interleave.h"
#include "interp/lower/passes.h"
#include "interp/program/paired.h"

namespace assay::interp {
namespace {

class Fuser {
 public:
  Fuser(Graph* graph, const Interleaving& interleaving, bool of_accesses)
      : graph_(*graph),
        of_accesses_(of_accesses),
        interleaving_(interleaving),
        uses_(graph->values.size()),
        block_(graph->values.size(), kNowhere) {}

  void Run() {
    CountUses();
    bool any = false;
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      IrBlock& block = graph_.blocks[b];
      bool fused = false;
      for (const std::uint32_t place : block.instructions) {
        IrInstruction& instruction = graph_.instructions[place];
        DivideByShifting(&instruction);
        fused =
            Fuse(b, &instruction) || Pair(b, &instruction) || AddIndex(b, &instruction) || fused;
        if (instruction.result_count == 1) block_[instruction.first_result] = b;
      }
      any = any || fused;
    }
    if (!any) return;
    for (IrBlock& block : graph_.blocks) {
      std::erase_if(block.instructions, [&](std::uint32_t place) {
        return graph_.instructions[place].opcode == Opcode::kNop;
      });
    }
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xffffffff;

  void CountUses() {
    const auto use = [&](Value value) {
      if (value != kNoValue) ++uses_[value];
    };
    for (const IrBlock& block : graph_.blocks) {
      use(block.condition);
      for (const Phi& phi : block.phis) std::ranges::for_each(phi.operands, use);
      for (const std::uint32_t place : block.instructions) {
        std::ranges::for_each(graph_.Operands(graph_.instructions[place]), use);
      }
      if (block.end == End::kSync) {
        std::ranges::for_each(graph_.Operands(graph_.instructions[block.sync]), use);
      }
    }
  }

  bool Fuse(std::uint32_t b, IrInstruction* add) {
    const bool is_float = add->opcode == Opcode::kFAdd;
    // The sum of halves is computed in another way than each by itself.
    if (is_float ? add->kind == Kind::kF16 : add->opcode != Opcode::kIAdd) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      IrInstruction* const product = MadeFor(*add, i, b);
      if (product == nullptr || product->opcode != (is_float ? Opcode::kFMul : Opcode::kIMul)) {
        continue;
      }
      Take(product, i, add);
      add->opcode = is_float ? Opcode::kMultiplyAdd : Opcode::kIMultiplyAdd;
      return true;
    }
    return false;
  }

  static bool MayBePaired(const IrInstruction& instruction) {
    return (instruction.kind == Kind::kI32 || instruction.kind == Kind::kI64) &&
           std::ranges::find(kPaired, instruction.opcode) != std::end(kPaired);
  }
  bool Pair(std::uint32_t b, IrInstruction* second) {
    if (!MayBePaired(*second)) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      IrInstruction* const first = MadeFor(*second, i, b);
      if (first == nullptr || !MayBePaired(*first)) continue;
      second->immediate =
          EncodePair({first->opcode, second->opcode, i == 1 && !Commutes(second->opcode)});
      Take(first, i, second);
      second->opcode = Opcode::kPair;
      return true;
    }
    return false;
  }

  // An access to an element of an array computes its address itself.
  bool AddIndex(std::uint32_t b, IrInstruction* access) {
    const bool is_load = access->opcode == Opcode::kLoad;
    if (!is_load && access->opcode != Opcode::kStore) return false;
    if (!of_accesses_ &&
        interleaving_.VariableOf(graph_.Operands(*access)[0]) == Interleaving::kNone) {
      return false;
    }
    IrInstruction* index = MadeFor(*access, 0, b);
    const bool is_alone = index != nullptr;
    if (!is_alone) index = MadeOfVariable(*access);
    if (index == nullptr ||
        (index->opcode != Opcode::kIndex && index->opcode != Opcode::kIndex32) ||
        index->immediate == 0 || index->immediate > 0xffffffff) {
      return false;
    }
    const auto taken = graph_.Operands(*index);
    std::vector<Value> operands(taken.begin(), taken.end());
    if (!is_alone) {
      ++uses_[operands[1]];
      --uses_[index->first_result];
    }
    if (!is_load) operands.push_back(graph_.Operands(*access)[1]);
    SetOperands(access, operands);
    access->stride = static_cast<std::uint32_t>(index->immediate);
    access->from = index->opcode == Opcode::kIndex32 ? Kind::kI32 : Kind::kI64;
    access->opcode = is_load ? Opcode::kLoadIndexed : Opcode::kStoreIndexed;
    if (is_alone || uses_[index->first_result] == 0) index->opcode = Opcode::kNop;
    return true;
  }
  // The address of an element of an interleaved variable, also of another block, or null: the index
  // is needed for as long then.
  IrInstruction* MadeOfVariable(const IrInstruction& access) {
    const Value address = graph_.Operands(access)[0];
    if (interleaving_.VariableOf(address) == Interleaving::kNone) return nullptr;
    const ValueInfo& info = graph_.values[address];
    return info.value_kind == ValueKind::kInstruction ? &graph_.instructions[info.bits] : nullptr;
  }

  // The instruction of the block whose result only this operand needs, or null. What another block
  // computed stays there: it may be outside of a loop.
  IrInstruction* MadeFor(const IrInstruction& user, std::size_t operand, std::uint32_t b) {
    const Value value = graph_.Operands(user)[operand];
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind != ValueKind::kInstruction || uses_[value] != 1 || block_[value] != b) {
      return nullptr;
    }
    return &graph_.instructions[info.bits];
  }
  // Both operands of `first` in the place of its result, which is one of two operands of `second`.
  void Take(IrInstruction* first, std::size_t operand, IrInstruction* second) {
    const auto taken = graph_.Operands(*first);
    SetOperands(second, {taken[0], taken[1], graph_.Operands(*second)[1 - operand]});
    first->opcode = Opcode::kNop;
  }
  void SetOperands(IrInstruction* instruction, const std::vector<Value>& operands) {
    instruction->first_operand = static_cast<std::uint32_t>(graph_.operands.size());
    instruction->operand_count = static_cast<std::uint32_t>(operands.size());
    graph_.operands.insert(graph_.operands.end(), operands.begin(), operands.end());
  }

  // No processor divides vectors of integers.
  void DivideByShifting(IrInstruction* division) {
    if (division->opcode != Opcode::kUDiv && division->opcode != Opcode::kUMod) return;
    const ValueInfo divisor = graph_.values[graph_.Operands(*division)[1]];
    if (divisor.value_kind != ValueKind::kConstant || !std::has_single_bit(divisor.bits)) return;
    const bool is_rest = division->opcode == Opcode::kUMod;
    division->opcode = is_rest ? Opcode::kBitwiseAnd : Opcode::kShiftRightLogical;
    const auto bits =
        is_rest ? divisor.bits - 1 : static_cast<std::uint64_t>(std::countr_zero(divisor.bits));
    graph_.Operands(*division)[1] = static_cast<Value>(graph_.values.size());
    graph_.values.push_back(
        {.value_kind = ValueKind::kConstant, .kind = divisor.kind, .block = 0, .bits = bits});
  }

  Graph& graph_;
  const bool of_accesses_;
  const Interleaving& interleaving_;
  std::vector<std::uint32_t> uses_;   // by value
  std::vector<std::uint32_t> block_;  // by value: where it was computed, of blocks seen so far
};

}  // namespace

void FuseInstructions(Graph* graph, const Interleaving& interleaving, bool of_accesses) {
  Fuser(graph, interleaving, of_accesses).Run();
}

// What the second of two blocks does, the first one does.
void AppendBlock(Graph* graph, std::uint32_t b, std::uint32_t next) {
  IrBlock& block = graph->blocks[b];
  IrBlock& after = graph->blocks[next];
  const auto moves = [&](const IrInstruction& instruction) {
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      graph->values[instruction.first_result + i].block = b;
    }
  };
  for (const std::uint32_t place : after.instructions) moves(graph->instructions[place]);
  if (after.end == End::kSync) moves(graph->instructions[after.sync]);
  const auto append = [](auto* all, const auto& more) {
    all->insert(all->end(), more.begin(), more.end());
  };
  append(&block.instructions, after.instructions);
  append(&block.origins, after.origins);
  const auto follow = [&](std::uint32_t target) {
    std::ranges::replace(graph->blocks[target].predecessors, next, b);
  };
  std::ranges::for_each(after.targets, follow);
  if (after.end == End::kCall) follow(graph->functions[after.function].entry);
  block.targets = std::move(after.targets);
  block.end = after.end;
  block.condition = after.condition;
  block.cases = std::move(after.cases);
  block.sync = after.sync;
  block.function = after.function;
  block.origin = after.origin;
  block.site = after.site;
  after = IrBlock();
}

void JoinBlocks(Graph* graph, std::vector<ChosenBlock>* choices) {
  std::vector<bool> kept(graph->blocks.size());  // others know them by their numbers
  for (const CalledFunction& function : graph->functions) {
    kept[function.entry] = kept[function.exit] = true;
  }
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> part_of(graph->blocks.size());
  std::iota(part_of.begin(), part_of.end(), 0u);
  for (const std::uint32_t b : graph->order) {
    if (!order.empty() && b != 0 && !kept[b]) {
      const IrBlock& block = graph->blocks[b];
      const IrBlock& before = graph->blocks[order.back()];
      if (before.end == End::kJump && before.targets[0] == b && block.predecessors.size() == 1 &&
          block.phis.empty()) {
        AppendBlock(graph, order.back(), b);
        part_of[b] = order.back();
        continue;
      }
    }
    order.push_back(b);
  }
  graph->order = std::move(order);
  for (ChosenBlock& choice : *choices) choice.block = part_of[choice.block];
}

}  // namespace assay::interp
