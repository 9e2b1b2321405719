// Takes out checks of indices that cannot fail, or that fail only where one before them did: of
// work-item ids in groups of a required size, of counters of loops with constant bounds, and of
// what was looked at on every way here.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "interp/lower/dominators.h"
#include "interp/lower/passes.h"
#include "interp/rules/check.h"

namespace assay::interp {
namespace {

// "a < b" or "a <= b".
struct Relation {
  Value a = kNoValue;
  Value b = kNoValue;
  bool is_signed = false;
  bool or_equal = false;
};

class IndexBounds {
 public:
  IndexBounds(const std::optional<std::array<std::uint32_t, 3>>& local_size, ImportedKernel* kernel)
      : local_size_(local_size), kernel_(*kernel), graph_(kernel->graph), flow_(graph_) {
    phi_.assign(graph_.values.size(), nullptr);
    for (const IrBlock& block : graph_.blocks) {
      for (const Phi& phi : block.phis) phi_[phi.result] = &phi;
    }
  }

  void Run() {
    for (const std::uint32_t block : flow_.order()) {
      std::erase_if(graph_.blocks[block].instructions, [&](std::uint32_t place) {
        const IrInstruction& check = graph_.instructions[place];
        return check.opcode == Opcode::kCheck &&
               kernel_.checks[check.immediate].check == Check::kArrayIndex && IsSure(check, block);
      });
    }
  }

 private:
  struct Checked {
    std::uint32_t block = 0;
    std::uint64_t count = 0;
  };

  const IrInstruction* Definition(Value value) const {
    const ValueInfo& info = graph_.values[value];
    return info.value_kind == ValueKind::kInstruction ? &graph_.instructions[info.bits] : nullptr;
  }
  std::optional<std::uint64_t> Constant(Value value) const {
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind != ValueKind::kConstant) return std::nullopt;
    return info.bits;
  }
  static int Bits(const ValueInfo& info) { return static_cast<int>(BitsOf(info.kind)); }

  bool IsSure(const IrInstruction& check, std::uint32_t block) {
    const auto operands = graph_.Operands(check);
    const auto count = Constant(operands[1]);
    if (!count) return false;
    Value root = operands[0];
    for (;;) {
      const IrInstruction* made = Definition(root);
      if (made == nullptr ||
          (made->opcode != Opcode::kSConvert && made->opcode != Opcode::kUConvert) ||
          BitsOf(made->from) > BitsOf(made->kind)) {
        break;
      }
      root = graph_.Operands(*made)[0];
    }
    // As a signed and as an unsigned number it is the same below this.
    if (*count > std::uint64_t{1} << (Bits(graph_.values[root]) - 1)) return false;
    std::vector<Checked>& before = checked_[root];
    const bool was_checked = std::any_of(before.begin(), before.end(), [&](const Checked& one) {
      return one.count <= *count && flow_.Dominates(one.block, block);
    });
    if (was_checked || IsBelow(root, *count, block)) return true;
    before.push_back({block, *count});
    return false;
  }

  // Whether the value, as an unsigned number, is below the count wherever the block is executed.
  bool IsBelow(Value value, std::uint64_t count, std::uint32_t block) const {
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind == ValueKind::kConstant) return info.bits < count;
    if (info.value_kind == ValueKind::kInput) {
      const Input& input = kernel_.inputs[info.bits];
      return input.input_kind == InputKind::kLocalId && input.index < 3 && local_size_ &&
             (*local_size_)[input.index] <= count;
    }
    if (const IrInstruction* made = Definition(value); made != nullptr) {
      const auto operands = graph_.Operands(*made);
      if (made->opcode == Opcode::kUConvert && IsBelow(operands[0], count, block)) return true;
      const bool masks = made->opcode == Opcode::kBitwiseAnd;
      if (masks || made->opcode == Opcode::kUMod) {
        // Of a remainder the divisor itself is out of reach.
        const ValueInfo& constant = graph_.values[operands[1]];
        if (constant.value_kind == ValueKind::kConstant && constant.bits != 0 &&
            constant.bits - (masks ? 0 : 1) < count) {
          return true;
        }
      }
    }
    return IsBelowByBranch(value, count, block);
  }

  // The relations that hold in the block, because it is reached by one side of a branch only.
  template <typename Use>
  bool AnyRelation(std::uint32_t block, const Use& use) const {
    for (std::uint32_t at = block; at != 0; at = flow_.ImmediateOf(at)) {
      const IrBlock& here = graph_.blocks[at];
      if (here.predecessors.size() != 1) continue;
      const IrBlock& from = graph_.blocks[here.predecessors[0]];
      if (from.end != End::kBranch || from.targets[0] == from.targets[1]) continue;
      const auto relation = RelationOf(from.condition, from.targets[0] == at);
      if (relation && use(*relation)) return true;
    }
    return false;
  }

  std::optional<Relation> RelationOf(Value condition, bool holds) const {
    const IrInstruction* compare = Definition(condition);
    if (compare == nullptr) return std::nullopt;
    struct Comparison {
      Opcode opcode;
      bool is_signed;
      bool or_equal;
      bool swaps;
    };
    static constexpr Comparison kComparisons[] = {
        {Opcode::kSLessThan, true, false, false},
        {Opcode::kSLessThanEqual, true, true, false},
        {Opcode::kSGreaterThan, true, false, true},
        {Opcode::kSGreaterThanEqual, true, true, true},
        {Opcode::kULessThan, false, false, false},
        {Opcode::kULessThanEqual, false, true, false},
        {Opcode::kUGreaterThan, false, false, true},
        {Opcode::kUGreaterThanEqual, false, true, true},
    };
    const auto* const row = std::ranges::find(kComparisons, compare->opcode, &Comparison::opcode);
    if (row == std::end(kComparisons)) return std::nullopt;
    const bool is_signed = row->is_signed;
    bool or_equal = row->or_equal;
    bool swaps = row->swaps;
    // Not a < b: b <= a.
    if (!holds) {
      swaps = !swaps;
      or_equal = !or_equal;
    }
    const auto operands = graph_.Operands(*compare);
    return Relation{operands[swaps ? 1 : 0], operands[swaps ? 0 : 1], is_signed, or_equal};
  }

  bool IsBelowByBranch(Value value, std::uint64_t count, std::uint32_t block) const {
    const std::uint64_t half = std::uint64_t{1} << (Bits(graph_.values[value]) - 1);
    bool needs_sign = false;
    const bool has_bound = AnyRelation(block, [&](const Relation& relation) {
      const auto bound = Constant(relation.b);
      if (relation.a != value || !bound || *bound >= half) return false;
      if (*bound + (relation.or_equal ? 1 : 0) > count) return false;
      needs_sign = relation.is_signed;
      return true;
    });
    return has_bound && (!needs_sign || IsNotNegative(value, block));
  }

  bool IsNotNegative(Value value, std::uint32_t block) const {
    const auto starts_at = [this](Value start) {
      const auto bits = Constant(start);
      return bits && *bits < std::uint64_t{1} << (Bits(graph_.values[start]) - 1);
    };
    if (starts_at(value)) return true;
    // "c <= value".
    if (AnyRelation(block, [&](const Relation& relation) {
          return relation.is_signed && relation.b == value && starts_at(relation.a);
        })) {
      return true;
    }
    const Phi* phi = phi_[value];
    return phi != nullptr &&
           std::all_of(phi->operands.begin(), phi->operands.end(), [&](Value operand) {
             return starts_at(operand) || operand == value || IsStep(value, operand);
           });
  }

  // Whether one value is another one and a bit more, where a branch has kept that small.
  bool IsStep(Value counter, Value next) const {
    const IrInstruction* add = Definition(next);
    if (add == nullptr || add->opcode != Opcode::kIAdd) return false;
    const auto operands = graph_.Operands(*add);
    if (operands[0] != counter) return false;
    const auto step = Constant(operands[1]);
    const std::uint64_t most = std::uint64_t{1} << (Bits(graph_.values[counter]) - 2);
    return step && *step < most &&
           AnyRelation(graph_.values[next].block, [&](const Relation& relation) {
             const auto bound = Constant(relation.b);
             return relation.a == counter && relation.is_signed && bound && *bound < most;
           });
  }

  const std::optional<std::array<std::uint32_t, 3>>& local_size_;
  ImportedKernel& kernel_;
  Graph& graph_;
  Dominators flow_;
  std::vector<const Phi*> phi_;
  std::unordered_map<Value, std::vector<Checked>> checked_;
};

}  // namespace

void RemoveSureChecks(const std::optional<std::array<std::uint32_t, 3>>& local_size,
                      ImportedKernel* kernel) {
  const bool any =
      std::any_of(kernel->checks.begin(), kernel->checks.end(),
                  [](const CheckCall& call) { return call.check == Check::kArrayIndex; });
  if (any) IndexBounds(local_size, kernel).Run();
}

}  // namespace assay::interp
