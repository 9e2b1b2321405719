// Loads of private variables that give what was stored or loaded there before, in the same block or
// in one before it through which every path comes without meeting another; and stores of what is
// there already.
//
// Only where it is certain that the variable is alive and the element inside of it: then the load
// would have reported nothing.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
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

class Forwarder {
 public:
  explicit Forwarder(ImportedKernel* kernel)
      : kernel_(*kernel),
        graph_(kernel->graph),
        interleaving_(graph_),
        lifetimes_(graph_, interleaving_),
        values_(graph_) {}

  void Run() {
    const Dominators dominators(graph_);
    std::vector<State> after(graph_.blocks.size());
    for (const std::uint32_t b : dominators.order()) {
      IrBlock& block = graph_.blocks[b];
      state_ = {};
      if (block.predecessors.size() == 1 && b != 0) {
        const std::uint32_t before = block.predecessors[0];
        const bool is_only = graph_.blocks[before].targets.size() == 1;
        if (graph_.blocks[before].end != End::kCall) {
          state_ = is_only ? std::move(after[before]) : after[before];
        }
      }
      std::erase_if(block.instructions,
                    [&](std::uint32_t place) { return Visit(graph_.instructions[place]); });
      if (state_.known.size() + state_.known_indexed.size() > kMostKnown) state_ = {};
      after[b] = std::move(state_);
    }
    ReplaceValues();
  }

 private:
  // Elements by variable and offset.
  using Element = std::pair<std::uint32_t, std::uint64_t>;
  // By variable, index, stride and offset, where the index is no constant.
  using IndexedElement = std::tuple<std::uint32_t, Value, std::uint64_t, std::uint64_t>;
  // What is known between two instructions.
  struct State {
    std::map<Element, Value> known;
    std::map<IndexedElement, Value> known_indexed;
    std::vector<std::uint32_t> begun;  // variables whose lifetime has begun, and not ended
    std::vector<std::uint32_t> ended;
  };
  // At the end of a block: more is forgotten.
  static constexpr std::size_t kMostKnown = 256;

  // The interleaved variable that the first operand points into.
  std::uint32_t VariableOf(const IrInstruction& instruction) const {
    const auto operands = graph_.Operands(instruction);
    return operands.empty() ? Interleaving::kNone : interleaving_.VariableOf(operands[0]);
  }

  // True: the instruction is not needed.
  bool Visit(const IrInstruction& instruction) {
    const OpcodeTraits& traits = TraitsOf(instruction.opcode);
    const std::uint32_t variable = VariableOf(instruction);
    if (variable == Interleaving::kNone) return false;
    if (traits.layout == Layout::kVariable) {
      Forget(variable, {0, graph_.variables[variable].bytes});
      std::erase(state_.begun, variable);
      std::erase(state_.ended, variable);
      const bool begins = instruction.opcode == Opcode::kEnterVariable;
      (begins ? state_.begun : state_.ended).push_back(variable);
      return false;
    }
    if (traits.access == Access::kCopy) {
      Forget(variable, {0, graph_.variables[variable].bytes});
      return false;
    }
    if (traits.access == Access::kLoad) return VisitLoad(instruction, variable);
    return traits.access == Access::kStore && VisitStore(instruction, variable);
  }

  bool VisitLoad(const IrInstruction& load, std::uint32_t variable) {
    const auto first = Certain(load, variable, load.result_count);
    if (!first) {
      const auto place = CertainlyIndexed(load, variable);
      if (!place) return false;
      const auto [known, added] = state_.known_indexed.try_emplace(*place, load.first_result);
      if (added || graph_.values[known->second].kind != graph_.values[load.first_result].kind) {
        return false;
      }
      values_.Replace(load.first_result, known->second);
      return true;
    }
    const std::uint32_t bytes = BytesOf(load.kind);
    std::vector<Value> found;
    for (std::uint32_t i = 0; i < load.result_count; ++i) {
      const auto known = state_.known.find(Element(variable, *first + i * bytes));
      if (known == state_.known.end() ||
          graph_.values[known->second].kind != graph_.values[load.first_result + i].kind) {
        break;
      }
      found.push_back(known->second);
    }
    const bool is_known = found.size() == load.result_count;
    for (std::uint32_t i = 0; i < load.result_count; ++i) {
      if (is_known) {
        values_.Replace(load.first_result + i, found[i]);
      } else {
        state_.known[Element(variable, *first + i * bytes)] = load.first_result + i;
      }
    }
    return is_known;
  }

  bool VisitStore(const IrInstruction& store, std::uint32_t variable) {
    const std::uint32_t bytes = BytesOf(store.kind);
    const std::uint32_t count = store.operand_count - 1;
    const auto first = Certain(store, variable, count);
    const auto indexed = CertainlyIndexed(store, variable);
    if (indexed) {
      const auto known = state_.known_indexed.find(*indexed);
      const Value value = values_.Find(graph_.Operands(store)[1]);
      if (known != state_.known_indexed.end() && known->second == value) return true;
    }
    const std::uint64_t all = graph_.variables[variable].bytes;
    OffsetRange range{0, all};
    if (const auto place = OffsetOf(graph_, graph_.Operands(store)[0])) {
      // The immediate may be negative, and wrap one of the ends only.
      const OffsetRange moved{place->low + store.immediate,
                              place->high + store.immediate + std::uint64_t{count - 1} * bytes};
      if (moved.low <= moved.high && moved.high < all) range = moved;
    }
    Forget(variable, range);
    if (indexed) state_.known_indexed[*indexed] = values_.Find(graph_.Operands(store)[1]);
    if (!first) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      state_.known[Element(variable, *first + i * bytes)] =
          values_.Find(graph_.Operands(store)[1 + i]);
    }
    return false;
  }

  bool IsAlive(std::uint32_t variable) const {
    const auto has = [=](const std::vector<std::uint32_t>& variables) {
      return std::ranges::find(variables, variable) != variables.end();
    };
    return !has(state_.ended) && (!lifetimes_.MayEnd(variable) || has(state_.begun));
  }

  // The element of an array that is all of the variable or a part of it, where it certainly is
  // inside.
  std::optional<IndexedElement> CertainlyIndexed(const IrInstruction& access,
                                                 std::uint32_t variable) {
    if (access.opcode != Opcode::kLoad && access.opcode != Opcode::kStore) return std::nullopt;
    const ValueInfo& info = graph_.values[values_.Find(graph_.Operands(access)[0])];
    if (info.value_kind != ValueKind::kInstruction) return std::nullopt;
    const IrInstruction& made = graph_.instructions[info.bits];
    if (made.opcode != Opcode::kIndex && made.opcode != Opcode::kIndex32) return std::nullopt;
    const auto operands = graph_.Operands(made);
    if (operands[0] != graph_.variables[variable].address || !IsAlive(variable) ||
        !InsideOf(graph_, access, graph_.variables[variable].bytes)) {
      return std::nullopt;
    }
    return IndexedElement{variable, values_.Find(operands[1]), made.immediate, access.immediate};
  }

  // Where the elements certainly are.
  std::optional<std::uint64_t> Certain(const IrInstruction& access, std::uint32_t variable,
                                       std::uint32_t count) const {
    if (!IsAlive(variable)) return std::nullopt;
    const auto place = OffsetOf(graph_, graph_.Operands(access)[0]);
    if (!place || place->low != place->high) return std::nullopt;
    const std::uint64_t size = graph_.variables[variable].bytes;
    const std::uint64_t bytes = std::uint64_t{count} * BytesOf(access.kind);
    const std::uint64_t offset = place->low + access.immediate;
    if (bytes > size || offset > size - bytes) return std::nullopt;
    return offset;
  }

  // Elements that begin in the range, and all those of which the place is not known.
  void Forget(std::uint32_t variable, OffsetRange range) {
    auto indexed = state_.known_indexed.lower_bound({variable, 0, 0, 0});
    while (indexed != state_.known_indexed.end() && std::get<0>(indexed->first) == variable) {
      indexed = state_.known_indexed.erase(indexed);
    }
    auto element = state_.known.lower_bound(Element(variable, range.low));
    while (element != state_.known.end() && element->first.first == variable &&
           element->first.second <= range.high) {
      element = state_.known.erase(element);
    }
  }

  void ReplaceValues() {
    values_.ReplaceIn(&graph_);
    for (ChosenBlock& choice : kernel_.choices) {
      for (auto& [condition, if_true] : choice.conditions) condition = values_.Find(condition);
    }
  }

  ImportedKernel& kernel_;
  Graph& graph_;
  const Interleaving interleaving_;
  const Lifetimes lifetimes_;
  Replacements values_;
  State state_;
};

}  // namespace

void ForwardStores(ImportedKernel* kernel) { Forwarder(kernel).Run(); }

}  // namespace assay::interp
