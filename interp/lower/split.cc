// The scalars of a private variable that lie beside an array, as those of a struct: each part that
// is accessed at constant offsets only becomes a variable of its own, so that it can live in
// registers (scalar replacement of aggregates).
//
// Only where it is certain that no access to an element of the array reaches it.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "interp/lower/index_bounds.h"
#include "interp/lower/offsets.h"
#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

constexpr std::size_t kMostAccesses = 4096;  // to one variable; one with more stays whole

class Splitter {
 public:
  explicit Splitter(Graph* graph)
      : graph_(*graph),
        bounds_(*graph),
        accesses_(graph->variables.size()),
        is_whole_(graph->variables.size()) {}

  bool Run() {
    for (std::uint32_t i = 0; i < graph_.variables.size(); ++i) {
      is_whole_[i] = graph_.variables[i].promoted || graph_.variables[i].is_input;
    }
    auto variables = FindVariables(graph_);
    if (!variables) return false;
    variable_ = std::move(*variables);
    for (const std::uint32_t b : bounds_.flow().order()) Look(b);
    part_.assign(graph_.variables.size(), kNone);
    bool any = false;
    const auto count = static_cast<std::uint32_t>(graph_.variables.size());
    for (std::uint32_t variable = 0; variable < count; ++variable) {
      any = (!is_whole_[variable] && Split(variable)) || any;
    }
    if (any) Begin();
    return any;
  }

 private:
  static constexpr std::uint32_t kNone = kNoVariable;

  // The bytes that it may touch: from `low` up to `high`.
  struct Accessed {
    std::uint32_t place;  // in Graph::instructions
    std::uint64_t low, high;
    std::uint64_t begin;  // of the first scalar; of one with several places: not known
    std::uint32_t element;
    bool is_fixed;
  };

  void Escape(Value value) {
    if (value != kNoValue && variable_[value] != kNone) is_whole_[variable_[value]] = true;
  }

  void Look(std::uint32_t b) {
    const IrBlock& block = graph_.blocks[b];
    for (const Phi& phi : block.phis) {
      for (const Value operand : phi.operands) Escape(operand);
    }
    Escape(block.condition);
    for (const std::uint32_t place : block.instructions) Look(place, b);
    if (block.end != End::kSync) return;
    for (const Value operand : graph_.Operands(graph_.instructions[block.sync])) Escape(operand);
  }

  void Look(std::uint32_t place, std::uint32_t b) {
    const IrInstruction& instruction = graph_.instructions[place];
    const OpcodeTraits& traits = TraitsOf(instruction.opcode);
    const auto operands = graph_.Operands(instruction);
    if (instruction.opcode == Opcode::kVariable || traits.layout == Layout::kVariable) return;
    if (traits.layout == Layout::kCheck) return;  // it looks at the address only
    std::size_t first = 0;
    if (traits.access == Access::kLoad || traits.access == Access::kStore) {
      if (variable_[operands[0]] != kNone) Add(variable_[operands[0]], place, b);
      first = 1;
    } else if (traits.moves_address && instruction.opcode != Opcode::kTruncateAddress) {
      first = 1;
    }
    for (std::size_t i = first; i < operands.size(); ++i) Escape(operands[i]);
  }

  void Add(std::uint32_t variable, std::uint32_t place, std::uint32_t b) {
    const IrInstruction& access = graph_.instructions[place];
    const auto offset = OffsetOf(graph_, graph_.Operands(access)[0],
                                 [&](Value index) { return bounds_.LargestIn(index, b); });
    const bool is_load = TraitsOf(access.opcode).access == Access::kLoad;
    const std::uint64_t count = is_load ? access.result_count : access.operand_count - 1;
    const std::uint32_t element = BytesOf(access.kind);
    const std::uint64_t all = graph_.variables[variable].bytes;
    if (!offset || accesses_[variable].size() == kMostAccesses ||
        !IsSurelyAligned(graph_, access)) {
      is_whole_[variable] = true;
      return;
    }
    const bool is_fixed = offset->low == offset->high;
    // The immediate may be negative, and wrap one of the ends only.
    const std::uint64_t low = offset->low + access.immediate;
    const std::uint64_t high = offset->high + access.immediate + count * element;
    const bool is_known = low < high && high <= all;
    accesses_[variable].push_back({.place = place,
                                   .low = is_known ? low : 0,
                                   .high = is_known ? high : all,
                                   .begin = low,
                                   .element = element,
                                   .is_fixed = is_fixed && is_known});
  }

  // Whether two that are both at constant offsets have the same scalars where they meet.
  static bool Agree(const Accessed& a, const Accessed& b) {
    return a.element == b.element && (a.begin - b.begin) % a.element == 0;
  }

  // Moves what is always at constant offsets to a new variable; false: there is none, or nothing
  // else.
  bool Split(std::uint32_t variable) {
    std::vector<Accessed>& all = accesses_[variable];
    std::sort(all.begin(), all.end(), [](const Accessed& a, const Accessed& b) {
      return std::pair(a.low, a.place) < std::pair(b.low, b.place);
    });
    // Those that overlap stand side by side: all of them move, or none.
    std::vector<const Accessed*> moved;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i;
      std::uint64_t high = 0;
      bool moves = true;
      for (; end < all.size() && (end == i || all[end].low < high); ++end) {
        high = std::max(high, all[end].high);
        moves = moves && all[end].is_fixed && Agree(all[i], all[end]);
      }
      for (; i < end; ++i) {
        if (moves) moved.push_back(&all[i]);
      }
    }
    if (moved.empty() || moved.size() == all.size()) return false;
    const std::uint32_t part = NewVariable(variable);
    for (const Accessed* const access : moved) {
      IrInstruction& instruction = graph_.instructions[access->place];
      graph_.Operands(instruction)[0] = graph_.variables[part].address;
      instruction.immediate = access->begin;
    }
    part_[variable] = part;
    return true;
  }

  // As large as the other one, so that offsets stay.
  std::uint32_t NewVariable(std::uint32_t variable) {
    const auto number = static_cast<std::uint32_t>(graph_.variables.size());
    Variable part = graph_.variables[variable];
    IrInstruction made = graph_.instructions[graph_.values[part.address].bits];
    const auto address = static_cast<Value>(graph_.values.size());
    made.first_result = address;
    made.immediate = number;
    ValueInfo info = graph_.values[part.address];
    info.bits = graph_.instructions.size();
    graph_.values.push_back(info);
    graph_.instructions.push_back(made);
    part.address = address;
    graph_.variables.push_back(std::move(part));
    return number;
  }

  // Where a variable is made, or its lifetime begins or ends, that of its part does.
  void Begin() {
    for (IrBlock& block : graph_.blocks) {
      std::vector<std::uint32_t> instructions;
      instructions.reserve(block.instructions.size());
      for (const std::uint32_t place : block.instructions) {
        instructions.push_back(place);
        const IrInstruction instruction = graph_.instructions[place];
        if (instruction.opcode == Opcode::kVariable) {
          const std::uint32_t part = part_[instruction.immediate];
          if (part == kNone) continue;
          instructions.push_back(
              static_cast<std::uint32_t>(graph_.values[graph_.variables[part].address].bits));
        } else if (TraitsOf(instruction.opcode).layout == Layout::kVariable) {
          const std::uint32_t variable = variable_[graph_.Operands(instruction)[0]];
          if (variable == kNone || part_[variable] == kNone) continue;
          IrInstruction same = instruction;
          same.first_operand = static_cast<std::uint32_t>(graph_.operands.size());
          graph_.operands.push_back(graph_.variables[part_[variable]].address);
          instructions.push_back(static_cast<std::uint32_t>(graph_.instructions.size()));
          graph_.instructions.push_back(same);
        }
      }
      block.instructions = std::move(instructions);
    }
  }

  Graph& graph_;
  const IndexBounds bounds_;
  std::vector<std::vector<Accessed>> accesses_;  // by variable
  std::vector<bool> is_whole_;                   // by variable: it stays so
  std::vector<std::uint32_t> variable_;          // by value: the variable that it points into
  std::vector<std::uint32_t> part_;              // by variable: its new part
};

}  // namespace

bool SplitVariables(Graph* graph) { return Splitter(graph).Run(); }

}  // namespace assay::interp
