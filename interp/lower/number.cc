// Integers that are computed twice are computed once, also where constants were added to them in
// other steps; and an index of 32 bits that cannot be negative needs no instruction that widens it.
//
// Within blocks, and along blocks each of which is the only way to the next one.
#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "interp/lower/dominators.h"
#include "interp/lower/equal_phis.h"
#include "interp/lower/offsets.h"
#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

bool IsNumbered(const IrInstruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kIAdd:
    case Opcode::kISub:
    case Opcode::kIMul:
    case Opcode::kBitwiseAnd:
    case Opcode::kBitwiseOr:
    case Opcode::kBitwiseXor:
    case Opcode::kShiftLeftLogical:
    case Opcode::kShiftRightLogical:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kUConvert:
    case Opcode::kSConvert:
      return instruction.result_count == 1;
    default:
      return false;
  }
}

class Numberer {
 public:
  explicit Numberer(Graph* graph) : graph_(*graph), values_(*graph) {}

  void Run() {
    const Dominators dominators(graph_);
    std::vector<Known> after(graph_.blocks.size());
    for (const std::uint32_t b : dominators.order()) {
      IrBlock& block = graph_.blocks[b];
      known_ = {};
      if (block.predecessors.size() == 1 && b != 0 &&
          graph_.blocks[block.predecessors[0]].end != End::kCall) {
        known_ = after[block.predecessors[0]];
      }
      std::erase_if(block.instructions,
                    [&](std::uint32_t place) { return IsKnown(&graph_.instructions[place]); });
      if (known_.size() > kMostKnown) known_ = {};
      after[b] = std::move(known_);
    }
    values_.ReplaceIn(&graph_);
  }

 private:
  using Key = std::tuple<Opcode, Kind, Kind, std::uint64_t, Value, Value>;
  using Known = std::map<Key, Value>;
  // At the end of a block: more is forgotten.
  static constexpr std::size_t kMostKnown = 128;

  const IrInstruction* DefinitionOf(Value value) const {
    const ValueInfo& info = graph_.values[value];
    return info.value_kind == ValueKind::kInstruction ? &graph_.instructions[info.bits] : nullptr;
  }
  bool IsConstant(Value value) const {
    return graph_.values[value].value_kind == ValueKind::kConstant;
  }
  Value Constant(Kind kind, std::uint64_t bits) {
    const auto [place, added] =
        constants_.try_emplace({kind, bits}, static_cast<Value>(graph_.values.size()));
    if (added) {
      graph_.values.push_back(
          {.value_kind = ValueKind::kConstant, .kind = kind, .block = 0, .bits = bits});
    }
    return place->second;
  }

  // True: the instruction is not needed.
  bool IsKnown(IrInstruction* instruction) {
    for (Value& operand : graph_.Operands(*instruction)) operand = values_.Find(operand);
    Widen(instruction);
    if (!IsNumbered(*instruction)) return false;
    const Value result = instruction->first_result;
    if (const Value same = SameAs(*instruction); same != kNoValue) {
      values_.Replace(result, same);
      return true;
    }
    const auto [known, added] = known_.try_emplace(KeyOf(*instruction), result);
    if (!added) values_.Replace(result, known->second);
    return !added;
  }

  // What a constant was added to, where this one takes it away again.
  Value SameAs(const IrInstruction& instruction) const {
    if (instruction.opcode != Opcode::kIAdd) return kNoValue;
    const auto operands = graph_.Operands(instruction);
    if (!IsConstant(operands[1])) return kNoValue;
    const auto [base, sum] = SumOf(operands[0]);
    const std::uint64_t both = sum + graph_.values[operands[1]].bits;
    return (both & MaskOf(instruction.kind)) == 0 ? base : kNoValue;
  }

  Key KeyOf(const IrInstruction& instruction) {
    const auto operands = graph_.Operands(instruction);
    Value first = operands[0], second = operands.size() > 1 ? Canonical(operands[1]) : kNoValue;
    if (instruction.opcode == Opcode::kIAdd && IsConstant(second)) {
      // (a + c) + d is a + (c + d), whatever wraps around. It is computed from a + c all the same:
      // so a is needed no longer than before.
      const auto [base, sum] = SumOf(first);
      const std::uint64_t both = sum + graph_.values[second].bits;
      first = base;
      second = Constant(instruction.kind, both & MaskOf(instruction.kind));
      sums_[instruction.first_result] = {first, graph_.values[second].bits};
    }
    return {instruction.opcode,    instruction.kind, instruction.from,
            instruction.immediate, Canonical(first), second};
  }
  static std::uint64_t MaskOf(Kind kind) { return ~std::uint64_t{0} >> (64 - BitsOf(kind)); }

  // A value as another one and a constant.
  std::pair<Value, std::uint64_t> SumOf(Value value) const {
    const auto found = sums_.find(value);
    return found == sums_.end() ? std::pair(value, std::uint64_t{0}) : found->second;
  }

  // Constants may be there several times.
  Value Canonical(Value value) {
    if (!IsConstant(value)) return value;
    const ValueInfo& info = graph_.values[value];
    return constants_.try_emplace({info.kind, info.bits}, value).first->second;
  }

  // Indices of 32 bits are widened with their sign.
  void Widen(IrInstruction* index) {
    if (index->opcode != Opcode::kIndex) return;
    Value& wide = graph_.Operands(*index)[1];
    const IrInstruction* const made = DefinitionOf(wide);
    if (made == nullptr || made->from != Kind::kI32 ||
        (made->opcode != Opcode::kSConvert && made->opcode != Opcode::kUConvert)) {
      return;
    }
    const Value narrow = values_.Find(graph_.Operands(*made)[0]);
    if (made->opcode == Opcode::kUConvert && !LargestOf(graph_, narrow)) return;
    wide = narrow;
    index->opcode = Opcode::kIndex32;
  }

  Graph& graph_;
  Replacements values_;
  Known known_;
  std::map<Value, std::pair<Value, std::uint64_t>> sums_;
  std::map<std::pair<Kind, std::uint64_t>, Value> constants_;
};

}  // namespace

void NumberValues(Graph* graph) { Numberer(graph).Run(); }

}  // namespace assay::interp
