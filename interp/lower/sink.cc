// What several ways store in a private variable as the last thing before they meet, one store does
// after them (tail merging): work-items that part would store way by way, few of them each time.
//
// Only where the variable certainly is alive and the element inside of it, so that no store reports
// anything.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "interp/lower/dominators.h"
#include "interp/lower/interleave.h"
#include "interp/lower/lifetimes.h"
#include "interp/lower/offsets.h"
#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

// Fewer ways to where others come, too, are not worth a block.
constexpr std::size_t kFewestWays = 3;
constexpr std::size_t kMostBack = 64;  // instructions looked at from the end of a block
constexpr int kMostAddressSteps = 6;   // of an address

class Sinker {
 public:
  explicit Sinker(Graph* graph)
      : graph_(*graph),
        flow_(graph_),
        interleaving_(graph_),
        lifetimes_(graph_, interleaving_),
        is_fixed_(graph_.blocks.size()) {
    for (const CalledFunction& function : graph_.functions) {
      is_fixed_[function.entry] = is_fixed_[function.exit] = true;
    }
  }

  void Run() {
    for (const std::uint32_t b : flow_.order()) {
      if (!is_fixed_[b]) Sink(b);
    }
  }

 private:
  // Stores that may become one.
  struct Way {
    std::uint32_t block;  // the last one before they meet
    std::uint32_t home;   // the block that stores
    std::uint32_t store;  // place in Graph::instructions
  };
  using Group = std::tuple<std::uint32_t, Kind, std::uint64_t>;  // variable, kind, offset

  void Sink(std::uint32_t meets) {
    std::map<Group, std::vector<Way>> all;
    for (const std::uint32_t b : graph_.blocks[meets].predecessors) {
      const IrBlock& before = graph_.blocks[b];
      if (before.end != End::kJump || is_fixed_[b] || flow_.Dominates(meets, b)) continue;
      const auto way = WayTo(b);
      if (!way) continue;
      const IrInstruction& store = graph_.instructions[way->store];
      all[{VariableOf(store), store.kind, store.immediate}].push_back(*way);
    }
    const std::vector<Way>* best = nullptr;
    for (const auto& [group, ways] : all) {
      if (best == nullptr || ways.size() > best->size()) best = &ways;
    }
    if (best == nullptr || best->size() < 2) return;
    const bool is_all = best->size() == graph_.blocks[meets].predecessors.size();
    if (is_all || best->size() >= kFewestWays) Merge(meets, *best, is_all);
  }

  std::uint32_t VariableOf(const IrInstruction& access) const {
    return interleaving_.VariableOf(graph_.Operands(access)[0]);
  }

  // With the last store, of one element at a place that is no constant, if nothing that comes after
  // it could tell when it was.
  std::optional<Way> WayTo(std::uint32_t last) const {
    std::vector<std::uint32_t> seen;  // variables that are accessed later
    std::size_t back = 0;
    for (std::uint32_t b = last;;) {
      const std::vector<std::uint32_t>& code = graph_.blocks[b].instructions;
      for (std::size_t i = code.size(); i-- > 0;) {
        const IrInstruction& instruction = graph_.instructions[code[i]];
        const OpcodeTraits& traits = TraitsOf(instruction.opcode);
        if (++back > kMostBack) return std::nullopt;
        if (traits.executed == Executed::kPure) continue;
        if (traits.access != Access::kLoad && traits.access != Access::kStore) return std::nullopt;
        const std::uint32_t variable = VariableOf(instruction);
        if (variable == Interleaving::kNone) continue;  // other memory
        if (std::ranges::find(seen, variable) == seen.end() &&
            instruction.opcode == Opcode::kStore && IsSure(instruction, variable, b)) {
          return Way{last, b, code[i]};
        }
        seen.push_back(variable);
      }
      const auto& before = graph_.blocks[b].predecessors;
      if (b == 0 || before.size() != 1 || is_fixed_[b] || ++back > kMostBack ||
          graph_.blocks[before[0]].end != End::kJump) {
        return std::nullopt;
      }
      b = before[0];
    }
  }

  bool IsSure(const IrInstruction& store, std::uint32_t variable, std::uint32_t b) const {
    if (!lifetimes_.HasBegun(variable, b, flow_)) return false;
    const auto place = InsideOf(graph_, store, graph_.variables[variable].bytes);
    return place && place->low != place->high;
  }

  void Merge(std::uint32_t meets, const std::vector<Way>& ways, bool is_all) {
    std::vector<Value> addresses, values;
    for (const Way& way : ways) {
      const auto operands = graph_.Operands(graph_.instructions[way.store]);
      addresses.push_back(operands[0]);
      values.push_back(operands[1]);
    }
    FindPhis(meets, ways);
    if (!CanBuild(addresses, 0)) return;
    into_ = is_all ? meets : NewBlock(meets, ways);
    made_.clear();
    IrInstruction store = graph_.instructions[ways[0].store];
    const Value address = Build(addresses, 0);
    const Value value = Chosen(values);
    for (const Way& way : ways) std::erase(graph_.blocks[way.home].instructions, way.store);
    SetOperands(&store, {address, value});
    made_.push_back(static_cast<std::uint32_t>(graph_.instructions.size()));
    graph_.instructions.push_back(store);
    IrBlock& block = graph_.blocks[into_];
    block.instructions.insert(block.instructions.begin(), made_.begin(), made_.end());
  }

  // The phis where they meet, with their operands of these ways in the same order.
  void FindPhis(std::uint32_t meets, const std::vector<Way>& ways) {
    phis_.clear();
    const IrBlock& block = graph_.blocks[meets];
    edges_.clear();
    for (const Way& way : ways) {
      edges_.push_back(static_cast<std::size_t>(std::ranges::find(block.predecessors, way.block) -
                                                block.predecessors.begin()));
    }
    for (const Phi& phi : block.phis) {
      std::vector<Value> operands;
      for (const std::size_t edge : edges_) operands.push_back(phi.operands[edge]);
      phis_.emplace_back(phi.result, std::move(operands));
    }
  }

  // A block between the ways and where they meet others.
  std::uint32_t NewBlock(std::uint32_t meets, const std::vector<Way>& ways) {
    const auto made = static_cast<std::uint32_t>(graph_.blocks.size());
    graph_.blocks.emplace_back();
    is_fixed_.push_back(true);
    IrBlock& block = graph_.blocks[made];
    IrBlock& next = graph_.blocks[meets];
    block.end = End::kJump;
    block.targets = {meets};
    block.origin = graph_.blocks[ways[0].block].origin;
    block.site = graph_.blocks[ways[0].block].site;
    for (const Way& way : ways) {
      block.predecessors.push_back(way.block);
      graph_.blocks[way.block].targets = {made};
    }
    std::vector<bool> is_gone(next.predecessors.size());
    for (const std::size_t edge : edges_) is_gone[edge] = true;
    const auto leave = [&](auto* list) {
      std::size_t i = 0;
      std::erase_if(*list, [&](const auto&) { return is_gone[i++]; });
    };
    leave(&next.predecessors);
    next.predecessors.push_back(made);
    for (std::size_t i = 0; i < next.phis.size(); ++i) {
      leave(&next.phis[i].operands);
      auto& [result, operands] = phis_[i];
      result = AreSame(operands) ? operands[0] : NewPhi(made, operands);
      next.phis[i].operands.push_back(result);
    }
    return made;
  }

  Value NewPhi(std::uint32_t b, const std::vector<Value>& operands) {
    const auto result = static_cast<Value>(graph_.values.size());
    graph_.values.push_back({.value_kind = ValueKind::kPhi,
                             .kind = graph_.values[operands[0]].kind,
                             .block = b,
                             .bits = 0});
    graph_.blocks[b].phis.push_back({result, operands});
    return result;
  }

  bool IsConstant(Value value) const {
    return graph_.values[value].value_kind == ValueKind::kConstant;
  }
  bool IsSame(Value a, Value b) const {
    const ValueInfo &one = graph_.values[a], &other = graph_.values[b];
    return a == b ||
           (IsConstant(a) && IsConstant(b) && one.kind == other.kind && one.bits == other.bits);
  }
  bool AreSame(const std::vector<Value>& values) const {
    return std::ranges::all_of(values, [&](Value value) { return IsSame(value, values[0]); });
  }

  // A value as another one, or none, and a constant that is added.
  std::pair<Value, std::uint64_t> SumOf(Value value) const {
    std::uint64_t sum = 0;
    for (int i = 0; i < kMostAddressSteps; ++i) {
      const ValueInfo& info = graph_.values[value];
      if (IsConstant(value)) return {kNoValue, sum + info.bits};
      if (info.value_kind != ValueKind::kInstruction) break;
      const IrInstruction& made = graph_.instructions[info.bits];
      const auto operands = graph_.Operands(made);
      if (made.opcode != Opcode::kIAdd || !IsConstant(operands[1])) break;
      sum += graph_.values[operands[1]].bits;
      value = operands[0];
    }
    return {value, sum};
  }

  // A phi that is these values less a constant: its place in phis_, and the constant.
  std::optional<std::pair<std::size_t, std::uint64_t>> PhiBelow(
      const std::vector<Value>& values) const {
    const Kind kind = graph_.values[values[0]].kind;
    if (IsFloat(kind) || kind == Kind::kBool) return std::nullopt;
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - BitsOf(kind));
    for (std::size_t i = 0; i < phis_.size(); ++i) {
      if (graph_.values[phis_[i].first].kind != kind) continue;
      std::optional<std::uint64_t> common;
      bool fits = true;
      for (std::size_t k = 0; k < values.size() && fits; ++k) {
        const auto [base, sum] = SumOf(values[k]);
        const auto [phi_base, phi_sum] = SumOf(phis_[i].second[k]);
        const std::uint64_t apart = (sum - phi_sum) & mask;
        fits = base == phi_base && (!common || *common == apart);
        common = apart;
      }
      if (fits) return std::pair(i, *common);
    }
    return std::nullopt;
  }

  // One instruction that computes each of them from its own operands.
  const IrInstruction* CommonMaker(const std::vector<Value>& values) const {
    const IrInstruction* first = nullptr;
    for (const Value value : values) {
      const ValueInfo& info = graph_.values[value];
      if (info.value_kind != ValueKind::kInstruction) return nullptr;
      const IrInstruction& made = graph_.instructions[info.bits];
      if (first == nullptr) first = &made;
      if (made.opcode != first->opcode || made.kind != first->kind || made.from != first->from ||
          made.immediate != first->immediate || made.operand_count != first->operand_count ||
          made.opcode == Opcode::kVariable || !CostInVain(made)) {
        return nullptr;
      }
    }
    return first;
  }
  std::vector<Value> OperandsAt(const std::vector<Value>& values, std::size_t place) const {
    std::vector<Value> operands;
    for (const Value value : values) {
      operands.push_back(graph_.Operands(graph_.instructions[graph_.values[value].bits])[place]);
    }
    return operands;
  }
  bool IsAddress(Value value) const {
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind != ValueKind::kInstruction) return false;
    const IrInstruction& made = graph_.instructions[info.bits];
    return made.opcode == Opcode::kVariable || TraitsOf(made.opcode).moves_address;
  }

  // Whether it needs no phi of addresses: the variable would not be interleaved any more.
  bool CanBuild(const std::vector<Value>& values, int depth) const {
    if (AreSame(values)) return true;
    if (!IsAddress(values[0])) return true;
    const IrInstruction* const maker = CommonMaker(values);
    return maker != nullptr && depth < kMostAddressSteps &&
           CanBuild(OperandsAt(values, 0), depth + 1);
  }
  // Whether it is computed after they have met, without another phi.
  bool IsBuilt(const std::vector<Value>& values, int depth) const {
    if (AreSame(values) || PhiBelow(values)) return true;
    const IrInstruction* const maker = CommonMaker(values);
    if (maker == nullptr || depth == kMostAddressSteps) return false;
    for (std::size_t i = 0; i < maker->operand_count; ++i) {
      if (!IsBuilt(OperandsAt(values, i), depth + 1)) return false;
    }
    return true;
  }

  // The value in the new block.
  Value Build(const std::vector<Value>& values, int depth) {
    if (AreSame(values)) return values[0];
    const IrInstruction* const maker = CommonMaker(values);
    if (!IsAddress(values[0]) && (maker == nullptr || !IsBuilt(values, depth))) {
      return Chosen(values);
    }
    if (const auto below = PhiBelow(values); below && !IsAddress(values[0])) {
      return Chosen(values);
    }
    IrInstruction made = *maker;
    std::vector<Value> operands;
    for (std::size_t i = 0; i < made.operand_count; ++i) {
      operands.push_back(Build(OperandsAt(values, i), depth + 1));
    }
    return Append(made, operands);
  }
  // By a phi, another one than those that are there only if it must be.
  Value Chosen(const std::vector<Value>& values) {
    if (AreSame(values)) return values[0];
    const auto below = PhiBelow(values);
    if (!below) {
      const Value made = NewPhi(into_, values);
      phis_.emplace_back(made, values);
      return made;
    }
    const Value phi = phis_[below->first].first;
    if (below->second == 0) return phi;
    const Kind kind = graph_.values[phi].kind;
    IrInstruction add;
    add.opcode = Opcode::kIAdd;
    add.kind = kind;
    add.origin = graph_.blocks[into_].origin;
    add.site = graph_.blocks[into_].site;
    const auto constant = static_cast<Value>(graph_.values.size());
    graph_.values.push_back(
        {.value_kind = ValueKind::kConstant, .kind = kind, .block = 0, .bits = below->second});
    return Append(add, {phi, constant});
  }
  Value Append(IrInstruction instruction, const std::vector<Value>& operands) {
    SetOperands(&instruction, operands);
    instruction.result_count = 1;
    const auto place = static_cast<std::uint32_t>(graph_.instructions.size());
    const Kind kind = instruction.first_result == kNoValue
                          ? instruction.kind
                          : graph_.values[instruction.first_result].kind;
    instruction.first_result = static_cast<Value>(graph_.values.size());
    graph_.values.push_back(
        {.value_kind = ValueKind::kInstruction, .kind = kind, .block = into_, .bits = place});
    graph_.instructions.push_back(instruction);
    made_.push_back(place);
    return instruction.first_result;
  }
  void SetOperands(IrInstruction* instruction, const std::vector<Value>& operands) {
    instruction->first_operand = static_cast<std::uint32_t>(graph_.operands.size());
    instruction->operand_count = static_cast<std::uint32_t>(operands.size());
    graph_.operands.insert(graph_.operands.end(), operands.begin(), operands.end());
  }

  Graph& graph_;
  const Dominators flow_;
  const Interleaving interleaving_;
  const Lifetimes lifetimes_;
  std::vector<bool> is_fixed_;                              // by block: it stays as it is
  std::vector<std::size_t> edges_;                          // of the ways, where they meet
  std::vector<std::pair<Value, std::vector<Value>>> phis_;  // and their operands on the ways
  std::uint32_t into_ = 0;
  std::vector<std::uint32_t> made_;  // instructions
};

}  // namespace

void SinkStores(Graph* graph) { Sinker(graph).Run(); }

}  // namespace assay::interp
