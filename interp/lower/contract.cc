// Sums of products that a compiler may make one operation.
#include <array>
#include <optional>
#include <span>

#include "interp/lower/passes.h"

namespace assay::interp {

namespace {

class Contraction {
 public:
  explicit Contraction(Graph* graph) : graph_(*graph) {}

  void Run() {
    for (block_ = 0; block_ < graph_.blocks.size(); ++block_) {
      // What is added stands before the sum.
      const std::vector<std::uint32_t> old = std::move(graph_.blocks[block_].instructions);
      code_.clear();
      for (const std::uint32_t place : old) {
        Visit(place);
        code_.push_back(place);
      }
      graph_.blocks[block_].instructions = code_;
    }
  }

 private:
  struct Product {
    Value a = kNoValue, b = kNoValue;
    bool negated = false;
  };

  const IrInstruction* DefinitionOf(Value value) const {
    const ValueInfo& info = graph_.values[value];
    return info.value_kind == ValueKind::kInstruction ? &graph_.instructions[info.bits] : nullptr;
  }

  std::optional<Product> ProductOf(Value value, Kind kind) const {
    bool negated = false;
    const IrInstruction* definition = DefinitionOf(value);
    while (definition != nullptr && definition->opcode == Opcode::kFNegate) {
      negated = !negated;
      definition = DefinitionOf(graph_.Operands(*definition)[0]);
    }
    if (definition == nullptr || definition->opcode != Opcode::kFMul || definition->kind != kind) {
      return std::nullopt;
    }
    const auto operands = graph_.Operands(*definition);
    return Product{operands[0], operands[1], negated};
  }

  Value Negated(Value value, const IrInstruction& sum) {
    IrInstruction negation;
    negation.opcode = Opcode::kFNegate;
    negation.kind = sum.kind;
    negation.origin = sum.origin;
    negation.site = sum.site;
    negation.first_operand = static_cast<std::uint32_t>(graph_.operands.size());
    negation.operand_count = 1;
    graph_.operands.push_back(value);
    negation.first_result = static_cast<Value>(graph_.values.size());
    negation.result_count = 1;
    graph_.values.push_back({.value_kind = ValueKind::kInstruction,
                             .kind = sum.kind,
                             .block = block_,
                             .bits = graph_.instructions.size()});
    code_.push_back(static_cast<std::uint32_t>(graph_.instructions.size()));
    graph_.instructions.push_back(negation);
    return static_cast<Value>(graph_.values.size() - 1);
  }

  void Replace(std::uint32_t place, Opcode opcode, std::span<const Value> operands) {
    IrInstruction& sum = graph_.instructions[place];
    sum.opcode = opcode;
    sum.first_operand = static_cast<std::uint32_t>(graph_.operands.size());
    sum.operand_count = static_cast<std::uint32_t>(operands.size());
    graph_.operands.insert(graph_.operands.end(), operands.begin(), operands.end());
  }

  void Visit(std::uint32_t place) {
    const IrInstruction sum = graph_.instructions[place];
    if (sum.opcode != Opcode::kFAdd && sum.opcode != Opcode::kFSub) return;
    const auto operands = graph_.Operands(sum);
    const Value left = operands[0], right = operands[1];
    std::optional<Product> first = ProductOf(left, sum.kind);
    std::optional<Product> second = ProductOf(right, sum.kind);
    if (!first && !second) return;
    const bool subtracts = sum.opcode == Opcode::kFSub;
    if (second && subtracts) second->negated = !second->negated;
    if (first && first->negated) first->a = Negated(first->a, sum);
    if (second && second->negated) second->a = Negated(second->a, sum);
    if (first && second) {
      return Replace(place, Opcode::kMultiplyAddTwo,
                     std::array{first->a, first->b, second->a, second->b});
    }
    if (second) return Replace(place, Opcode::kMultiplyAdd, std::array{second->a, second->b, left});
    const Value rest = subtracts ? Negated(right, sum) : right;
    Replace(place, Opcode::kMultiplyAdd, std::array{first->a, first->b, rest});
  }

  Graph& graph_;
  std::uint32_t block_ = 0;
  std::vector<std::uint32_t> code_;
};

}  // namespace

void Contract(Graph* graph) { Contraction(graph).Run(); }

}  // namespace assay::interp
