// Takes out checks of indices that cannot fail, or that fail only where one before them did: of
// work-item ids in groups of a required size, of counters of loops with constant bounds, and of
// what was looked at on every way here.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "interp/lower/index_bounds.h"
#include "interp/lower/passes.h"
#include "interp/rules/check.h"

namespace assay::interp {
namespace {

class SureIndices {
 public:
  SureIndices(const std::optional<std::array<std::uint32_t, 3>>& local_size, ImportedKernel* kernel)
      : local_size_(local_size), kernel_(*kernel), graph_(kernel->graph), bounds_(graph_) {}

  void Run() {
    for (const std::uint32_t block : bounds_.flow().order()) {
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
      return one.count <= *count && bounds_.flow().Dominates(one.block, block);
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
    const auto most = bounds_.LargestByBranch(value, block);
    return most && *most < count;
  }

  const std::optional<std::array<std::uint32_t, 3>>& local_size_;
  ImportedKernel& kernel_;
  Graph& graph_;
  const IndexBounds bounds_;
  std::unordered_map<Value, std::vector<Checked>> checked_;
};

}  // namespace

void RemoveSureChecks(const std::optional<std::array<std::uint32_t, 3>>& local_size,
                      ImportedKernel* kernel) {
  const bool any =
      std::any_of(kernel->checks.begin(), kernel->checks.end(),
                  [](const CheckCall& call) { return call.check == Check::kArrayIndex; });
  if (any) SureIndices(local_size, kernel).Run();
}

}  // namespace assay::interp
