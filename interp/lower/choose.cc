// Small branches without effect are computed by all work-items, and their values chosen: work-items
// that part and meet again cost more than that.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interp/lower/equal_phis.h"
#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

// What all work-items may compute in vain at one branch, in vectors of 64 bytes.
constexpr std::uint32_t kMostCost = 48;
// A block with more choices than that is not made longer.
constexpr std::size_t kMostInstructions = 4096;

class Chooser {
 public:
  explicit Chooser(ImportedKernel* kernel)
      : kernel_(*kernel),
        graph_(kernel->graph),
        values_(kernel->graph),
        is_fixed_(graph_.blocks.size()),
        choices_(graph_.blocks.size()) {
    for (const CalledFunction& function : graph_.functions) {
      is_fixed_[function.entry] = is_fixed_[function.exit] = true;
    }
  }

  void Run() {
    // What lies inside first, which is mostly later; what is joined may be a part of more.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = graph_.blocks.size(); b-- > 0;) {
        while (Choose(static_cast<std::uint32_t>(b))) changed = true;
      }
    }
    values_.ReplaceIn(&graph_);
    for (std::uint32_t b = 0; b < choices_.size(); ++b) {
      for (ChosenBlock& choice : choices_[b]) {
        choice.block = b;
        for (auto& [condition, if_true] : choice.conditions) condition = values_.Find(condition);
        kernel_.choices.push_back(std::move(choice));
      }
    }
  }

 private:
  // The ways from a branch to the block where they meet; none: there directly.
  struct Ways {
    std::optional<std::uint32_t> side[2];  // if true, if false
    std::uint32_t meets = 0;
  };

  // A block between the branch and where it meets, of which nobody sees whether it is executed.
  bool IsSide(std::uint32_t branch, std::uint32_t b) const {
    const IrBlock& block = graph_.blocks[b];
    return block.end == End::kJump && block.predecessors.size() == 1 &&
           block.predecessors[0] == branch && block.phis.empty() && !is_fixed_[b] &&
           block.targets[0] != b && block.targets[0] != branch;
  }

  std::optional<Ways> WaysFrom(std::uint32_t b) const {
    const IrBlock& block = graph_.blocks[b];
    if (block.end != End::kBranch || block.targets.size() != 2 ||
        block.targets[0] == block.targets[1]) {
      return std::nullopt;
    }
    const std::uint32_t yes = block.targets[0], no = block.targets[1];
    const auto after = [&](std::uint32_t side) { return graph_.blocks[side].targets[0]; };
    if (IsSide(b, yes) && after(yes) == no) return Ways{{yes, std::nullopt}, no};
    if (IsSide(b, no) && after(no) == yes) return Ways{{std::nullopt, no}, yes};
    if (IsSide(b, yes) && IsSide(b, no) && after(yes) == after(no))
      return Ways{{yes, no}, after(yes)};
    return std::nullopt;
  }

  std::optional<std::uint32_t> CostOf(const Ways& ways) const {
    std::uint32_t cost = 0;
    for (const auto& side : ways.side) {
      if (!side) continue;
      for (const std::uint32_t place : graph_.blocks[*side].instructions) {
        const auto more = CostInVain(graph_.instructions[place]);
        if (!more) return std::nullopt;
        cost += *more;
        if (cost > kMostCost) return std::nullopt;
      }
    }
    for (const Phi& phi : graph_.blocks[ways.meets].phis) {
      cost += 2 + BytesOf(graph_.values[phi.result].kind);
    }
    return cost;
  }

  // An instruction at which work-items wait will end its block.
  bool MayGrow(std::uint32_t b) const {
    const IrBlock& block = graph_.blocks[b];
    return block.instructions.size() <= kMostInstructions &&
           std::ranges::none_of(block.instructions, [&](std::uint32_t place) {
             return TraitsOf(graph_.instructions[place].opcode).executed == Executed::kAlone;
           });
  }

  bool Choose(std::uint32_t b) {
    const std::optional<Ways> ways = WaysFrom(b);
    if (!ways || ways->meets == b || !MayGrow(b) || is_fixed_[ways->meets]) return false;
    const auto cost = CostOf(*ways);
    if (!cost || *cost > kMostCost) return false;
    IrBlock& block = graph_.blocks[b];
    const Value condition = block.condition;
    // Their edges to where they meet.
    const auto edge = [&](const std::optional<std::uint32_t>& side) {
      return Edge(ways->meets, side.value_or(b));
    };
    const std::size_t yes = edge(ways->side[0]), no = edge(ways->side[1]);
    for (const std::size_t i : {0, 1}) {
      if (ways->side[i]) TakeIn(b, *ways->side[i], condition, i == 0);
    }
    IrBlock& meets = graph_.blocks[ways->meets];
    for (Phi& phi : meets.phis) {
      phi.operands[yes] =
          Select(b, condition, values_.Find(phi.operands[yes]), values_.Find(phi.operands[no]));
      phi.operands.erase(phi.operands.begin() + static_cast<std::ptrdiff_t>(no));
    }
    meets.predecessors[yes] = b;
    meets.predecessors.erase(meets.predecessors.begin() + static_cast<std::ptrdiff_t>(no));
    block.end = End::kJump;
    block.condition = kNoValue;
    block.targets = {ways->meets};
    Join(b, ways->meets);
    return true;
  }

  std::size_t Edge(std::uint32_t target, std::uint32_t source) const {
    const auto& before = graph_.blocks[target].predecessors;
    return static_cast<std::size_t>(std::ranges::find(before, source) - before.begin());
  }

  // What the block `side` computes, `b` does for all; who would have come there is counted.
  void TakeIn(std::uint32_t b, std::uint32_t side, Value condition, bool if_true) {
    IrBlock& block = graph_.blocks[b];
    IrBlock& taken = graph_.blocks[side];
    for (const std::uint32_t place : taken.instructions) {
      const IrInstruction& instruction = graph_.instructions[place];
      for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
        graph_.values[instruction.first_result + i].block = b;
      }
    }
    block.instructions.insert(block.instructions.end(), taken.instructions.begin(),
                              taken.instructions.end());
    choices_[b].push_back({.conditions = {{condition, if_true}}, .origins = taken.origins});
    for (ChosenBlock& choice : choices_[side]) {
      choice.conditions.emplace_back(condition, if_true);
      choices_[b].push_back(std::move(choice));
    }
    choices_[side].clear();
    taken = IrBlock();
  }

  // A value of the block `b`.
  Value Select(std::uint32_t b, Value condition, Value yes, Value no) {
    if (yes == no) return yes;
    const Kind kind = graph_.values[yes].kind;
    IrInstruction select;
    select.opcode = Opcode::kSelect;
    select.kind = kind;
    select.origin = graph_.blocks[b].origin;
    select.site = graph_.blocks[b].site;
    select.first_operand = static_cast<std::uint32_t>(graph_.operands.size());
    select.operand_count = 3;
    for (const Value operand : {condition, yes, no}) graph_.operands.push_back(operand);
    select.first_result = static_cast<Value>(graph_.values.size());
    select.result_count = 1;
    graph_.values.push_back({.value_kind = ValueKind::kInstruction,
                             .kind = kind,
                             .block = b,
                             .bits = graph_.instructions.size()});
    graph_.blocks[b].instructions.push_back(static_cast<std::uint32_t>(graph_.instructions.size()));
    graph_.instructions.push_back(select);
    return select.first_result;
  }

  // The block after `b` becomes a part of it where nobody else comes there.
  void Join(std::uint32_t b, std::uint32_t next) {
    IrBlock& after = graph_.blocks[next];
    if (after.predecessors.size() != 1 || !MayGrow(next) || next == 0) return;
    for (const Phi& phi : after.phis) values_.Replace(phi.result, values_.Find(phi.operands[0]));
    after.phis.clear();
    AppendBlock(&graph_, b, next);
    for (ChosenBlock& choice : choices_[next]) choices_[b].push_back(std::move(choice));
    choices_[next].clear();
  }

  ImportedKernel& kernel_;
  Graph& graph_;
  Replacements values_;
  std::vector<bool> is_fixed_;                     // others know the block by its number
  std::vector<std::vector<ChosenBlock>> choices_;  // by block
};

}  // namespace

std::optional<std::uint32_t> CostInVain(const IrInstruction& instruction) {
  const OpcodeTraits& traits = TraitsOf(instruction.opcode);
  if (instruction.opcode == Opcode::kVariable) return 0;
  if (traits.executed != Executed::kPure || traits.layout != Layout::kRegisters ||
      instruction.result_count != 1 || instruction.kind == Kind::kF16) {
    return std::nullopt;
  }
  switch (instruction.opcode) {
    case Opcode::kUDiv:
    case Opcode::kSDiv:
    case Opcode::kUMod:
    case Opcode::kSRem:
    case Opcode::kSMod:
    case Opcode::kFDiv:
    case Opcode::kRsqrtFloat:
    case Opcode::kConvertExactly:
    case Opcode::kFConvert:
    case Opcode::kCastToSpace:
    case Opcode::kMemorySemantics:
      return std::nullopt;
    default:
      return 2 + BytesOf(instruction.kind);
  }
}

void ChooseWithoutBranches(ImportedKernel* kernel) { Chooser(kernel).Run(); }

}  // namespace assay::interp
