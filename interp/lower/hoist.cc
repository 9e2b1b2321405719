// What several ways from a branch compute is computed once, before it (code hoisting): work-items
// that part would compute it way by way, few of them each time.
//
// Loads of private variables, too, where the variable certainly is alive and the element inside of
// it, and nothing is stored in it on the way: then a load in vain reports nothing.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "interp/lower/dominators.h"
#include "interp/lower/equal_phis.h"
#include "interp/lower/interleave.h"
#include "interp/lower/lifetimes.h"
#include "interp/lower/offsets.h"
#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

// One way in so many has it, at least.
constexpr std::size_t kMostWays = 3;
constexpr std::size_t kMostBlocksOfWay = 16;  // of a way
// Each is a register from the branch on.
constexpr std::size_t kMostHoisted = 32;
constexpr int kMostHoistRounds = 8;
// On all ways together.
constexpr std::size_t kMostLookedAt = 4096;

class Hoister {
 public:
  explicit Hoister(ImportedKernel* kernel)
      : kernel_(*kernel),
        graph_(kernel->graph),
        flow_(graph_),
        interleaving_(graph_),
        lifetimes_(graph_, interleaving_),
        values_(graph_) {}

  void Run() {
    FindHomes();
    // What comes up from inside may come up further.
    for (std::size_t i = flow_.order().size(); i-- > 0;) Hoist(flow_.order()[i]);
    values_.ReplaceIn(&graph_);
    for (ChosenBlock& choice : kernel_.choices) {
      for (auto& [condition, if_true] : choice.conditions) condition = values_.Find(condition);
    }
  }

 private:
  static constexpr std::uint32_t kAnywhere = 0xffffffff;

  // What an instruction computes: its operands are compared as values, constants by their bits.
  struct Key {
    Opcode opcode;
    Kind kind, from, result;
    std::uint64_t immediate;
    std::vector<std::pair<bool, std::uint64_t>> operands;
    auto operator<=>(const Key&) const = default;
  };
  // Blocks each of which is the only one after the one before it.
  using Way = std::vector<std::uint32_t>;
  // The instructions with one key, each on another way.
  struct Found {
    const Way* way;
    std::uint32_t block;
    std::uint32_t place;
  };

  void FindHomes() {
    home_.assign(graph_.values.size(), kAnywhere);
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      const IrBlock& block = graph_.blocks[b];
      for (const Phi& phi : block.phis) home_[phi.result] = b;
      for (const std::uint32_t place : block.instructions) SetHome(graph_.instructions[place], b);
      if (block.end == End::kSync) SetHome(graph_.instructions[block.sync], b);
    }
  }
  void SetHome(const IrInstruction& instruction, std::uint32_t b) {
    if (instruction.opcode == Opcode::kVariable) return;  // a constant
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      home_[instruction.first_result + i] = b;
    }
  }

  // The ways that only this block leads to.
  std::vector<Way> WaysFrom(std::uint32_t b) const {
    std::vector<Way> ways;
    const IrBlock& block = graph_.blocks[b];
    if (block.end != End::kBranch && block.end != End::kSwitch) return ways;
    for (const std::uint32_t target : block.targets) {
      Way way;
      for (std::uint32_t at = target; way.size() < kMostBlocksOfWay && at != 0 && at != b &&
                                      graph_.blocks[at].predecessors.size() == 1;) {
        way.push_back(at);
        if (graph_.blocks[at].end != End::kJump) break;
        at = graph_.blocks[at].targets[0];
      }
      if (!way.empty()) ways.push_back(std::move(way));
    }
    return ways;
  }

  void Hoist(std::uint32_t b) {
    const std::vector<Way> ways = WaysFrom(b);
    std::size_t instructions = 0;
    for (const Way& way : ways) {
      for (const std::uint32_t at : way) instructions += graph_.blocks[at].instructions.size();
    }
    if (ways.size() < 2 || instructions > kMostLookedAt) return;
    std::size_t hoisted = 0;
    for (int round = 0; round < kMostHoistRounds; ++round) {
      std::map<Key, std::vector<Found>> all;
      for (const Way& way : ways) Look(b, way, &all);
      bool changed = false;
      for (const auto& [key, found] : all) {
        const std::size_t targets = graph_.blocks[b].targets.size();
        if (found.size() < 2 || found.size() * kMostWays < targets) continue;
        if (hoisted++ == kMostHoisted) return;
        Move(b, found);
        changed = true;
      }
      if (!changed) return;
    }
  }

  // What may have been written on a way.
  struct Written {
    std::vector<std::uint32_t> variables;
    bool is_any = false;
    bool Has(std::uint32_t variable) const {
      return is_any || std::ranges::find(variables, variable) != variables.end();
    }
  };

  // Finds what could be computed before the way begins.
  void Look(std::uint32_t b, const Way& way, std::map<Key, std::vector<Found>>* all) {
    Written written;
    for (const std::uint32_t block : way) {
      for (const std::uint32_t place : graph_.blocks[block].instructions) {
        if (!MayHoist(graph_.instructions[place], b, &written)) continue;
        const auto key = KeyOf(graph_.instructions[place], b, way);
        if (!key) continue;
        std::vector<Found>& found = (*all)[*key];
        if (found.empty() || found.back().way != &way) found.push_back({&way, block, place});
      }
    }
  }

  bool MayHoist(const IrInstruction& instruction, std::uint32_t b, Written* written) const {
    const OpcodeTraits& traits = TraitsOf(instruction.opcode);
    const auto operands = graph_.Operands(instruction);
    if (traits.access == Access::kLoad) {
      const std::uint32_t variable = interleaving_.VariableOf(operands[0]);
      return !written->Has(variable) && IsSure(instruction, variable, b);
    }
    if (traits.access == Access::kStore) {
      written->variables.push_back(interleaving_.VariableOf(operands[0]));
    } else if (traits.executed != Executed::kPure) {
      written->is_any = true;
    }
    return instruction.opcode != Opcode::kVariable && CostInVain(instruction);
  }

  // Whether the load certainly is no error at the end of the block.
  bool IsSure(const IrInstruction& load, std::uint32_t variable, std::uint32_t b) const {
    if (load.opcode != Opcode::kLoad || variable == Interleaving::kNone ||
        !lifetimes_.HasBegun(variable, b, flow_)) {
      return false;
    }
    return InsideOf(graph_, load, graph_.variables[variable].bytes).has_value();
  }

  // None: an operand is there only on the way, or only at the end of the block.
  std::optional<Key> KeyOf(const IrInstruction& instruction, std::uint32_t b, const Way& way) {
    Key key{instruction.opcode,    instruction.kind,
            instruction.from,      graph_.values[instruction.first_result].kind,
            instruction.immediate, {}};
    for (const Value operand : graph_.Operands(instruction)) {
      const Value value = values_.Find(operand);
      const ValueInfo& info = graph_.values[value];
      const bool is_later = std::ranges::find(way, home_[value]) != way.end();
      if (is_later || value == graph_.blocks[b].condition) return std::nullopt;
      const bool is_constant = info.value_kind == ValueKind::kConstant;
      key.operands.emplace_back(is_constant, is_constant ? info.bits : value);
    }
    return key;
  }

  // The first one moves to the end of the block; its results are the others', too.
  void Move(std::uint32_t b, const std::vector<Found>& found) {
    const IrInstruction& first = graph_.instructions[found[0].place];
    for (const Found& one : found) {
      std::erase(graph_.blocks[one.block].instructions, one.place);
      if (one.place == found[0].place) continue;
      values_.Replace(graph_.instructions[one.place].first_result, first.first_result);
    }
    home_[first.first_result] = b;
    graph_.values[first.first_result].block = b;
    // A comparison for the branch stays the last one (Emitter::DeciderOf).
    IrBlock& block = graph_.blocks[b];
    auto end = block.instructions.end();
    if (!block.instructions.empty() && block.condition != kNoValue) {
      const IrInstruction& last = graph_.instructions[block.instructions.back()];
      if (last.result_count == 1 && last.first_result == block.condition) --end;
    }
    block.instructions.insert(end, found[0].place);
  }

  ImportedKernel& kernel_;
  Graph& graph_;
  const Dominators flow_;
  const Interleaving interleaving_;
  const Lifetimes lifetimes_;
  Replacements values_;
  std::vector<std::uint32_t> home_;  // by value: the block that computes it
};

}  // namespace

void HoistCommon(ImportedKernel* kernel) { Hoister(kernel).Run(); }

}  // namespace assay::interp
