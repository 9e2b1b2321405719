// Which stored values are addresses, by what they were made of: a flow-insensitive analysis of a
// kernel's graph.
//
// An address is what has a pointer type, the address of a variable, and what moves, offsets, masks
// and integer arithmetic make of one.  Private variables hand them on: each offset of one that only
// constants lead to by itself, and all others together.
//
// Known deviations: multiplications and shifts end it, as a pointer that was compressed is none;
// what other work-items or copies of whole structures left in memory counts only where it is loaded
// as a pointer.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "interp/lower/watch.h"

namespace assay::interp {
namespace {

class AddressFinder {
 public:
  AddressFinder(const LowerContext& context, Graph* graph)
      : graph_(*graph),
        address_bytes_(context.module->PointerBytes()),
        is_address_(graph->values.size()) {
    for (const Value value : graph_.pointers) is_address_[value] = true;
    for (const Variable& variable : graph_.variables) {
      if (!variable.promoted) is_address_[variable.address] = true;
    }
    for (const CalledFunction& function : graph_.functions) {
      for (const Phi& phi : graph_.blocks[function.entry].phis) parameters_[phi.result] = &phi;
    }
    for (const frontend::GlobalVariable& global : context.module->globals) {
      const auto found = context.addresses->find(global.id);
      if (found != context.addresses->end()) objects_.insert(found->second);
    }
  }

  bool Run() {
    // Facts are only ever added; what comes before its causes waits for the next round.
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const IrBlock& block : graph_.blocks) {
        for (const Phi& phi : block.phis) {
          if (AnyOf(phi.operands)) Mark(phi.result);
        }
        for (const std::uint32_t place : block.instructions) Look(graph_.instructions[place]);
      }
    }
    return stores_;
  }

 private:
  // Where an address leads to.
  struct Target {
    enum class Kind : std::uint8_t { kUnknown, kVariable, kShared };
    Kind kind = Kind::kUnknown;
    std::uint64_t variable = 0;
    std::optional<std::uint64_t> offset;  // nothing: computed
  };

  bool IsAddress(Value value) const {
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind == ValueKind::kConstant) {
      return info.kind == Kind::kI64 && objects_.contains(info.bits);
    }
    return is_address_[value];
  }
  template <typename Values>
  bool AnyOf(const Values& values) const {
    return std::any_of(values.begin(), values.end(), [this](Value v) { return IsAddress(v); });
  }
  void Mark(Value value) {
    if (is_address_[value]) return;
    is_address_[value] = true;
    changed_ = true;
  }
  void MarkResults(const IrInstruction& instruction) {
    for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
      Mark(instruction.first_result + i);
    }
  }

  // Every place that an address may lead to: what a kept function gets, each of its callers hands
  // over.
  std::vector<Target> TargetsOf(Value address, std::uint64_t immediate) const {
    constexpr std::size_t kMost = 64;
    std::vector<std::pair<Value, Target>> work = {{address, {.offset = immediate}}};
    std::vector<Target> targets;
    for (std::size_t i = 0; i < work.size(); ++i) {
      const auto [end, target] = TargetOf(work[i].first, work[i].second);
      const auto found = parameters_.find(end);
      if (found == parameters_.end()) {
        targets.push_back(target);
        continue;
      }
      if (work.size() > kMost) return {Target()};
      for (const Value operand : found->second->operands) work.emplace_back(operand, target);
    }
    return targets;
  }

  // Where an address leads to, and the value that this is known from.
  std::pair<Value, Target> TargetOf(Value address, Target target) const {
    constexpr int kMostSteps = 64;
    for (int step = 0; step < kMostSteps; ++step) {
      const ValueInfo& info = graph_.values[address];
      if (info.value_kind == ValueKind::kInput || info.value_kind == ValueKind::kConstant) {
        target.kind = Target::Kind::kShared;
        return {address, target};
      }
      if (info.value_kind != ValueKind::kInstruction) return {address, target};
      const IrInstruction& instruction = graph_.instructions[info.bits];
      if (instruction.opcode == Opcode::kVariable) {
        target.kind = Target::Kind::kVariable;
        target.variable = instruction.immediate;
        return {address, target};
      }
      if (instruction.opcode == Opcode::kOffset) {
        if (target.offset) *target.offset += instruction.immediate;
      } else if (instruction.opcode == Opcode::kIndex || instruction.opcode == Opcode::kIndex32) {
        target.offset.reset();
      } else if (instruction.opcode != Opcode::kCopy &&
                 instruction.opcode != Opcode::kTruncateAddress &&
                 instruction.opcode != Opcode::kCastToSpace) {
        return {address, target};
      }
      address = graph_.Operands(instruction)[0];
    }
    return {address, target};
  }

  void Keep(const std::vector<Target>& targets) {
    for (const Target& target : targets) Keep(target);
  }
  void Keep(const Target& target) {
    switch (target.kind) {
      case Target::Kind::kShared:
        return;  // those who load it see the record
      case Target::Kind::kUnknown:
        changed_ |= !std::exchange(everywhere_, true);
        return;
      case Target::Kind::kVariable:
        const bool added = target.offset ? cells_.insert({target.variable, *target.offset}).second
                                         : somewhere_.insert(target.variable).second;
        if (added) variables_.insert(target.variable);
        changed_ |= added;
        return;
    }
  }
  bool IsKept(const std::vector<Target>& targets) const {
    return std::ranges::any_of(targets, [this](const Target& target) { return IsKept(target); });
  }
  bool IsKept(const Target& target) const {
    if (target.kind == Target::Kind::kShared) return false;
    if (everywhere_) return true;
    if (target.kind == Target::Kind::kUnknown) return !variables_.empty();
    if (!target.offset) return variables_.contains(target.variable);
    return somewhere_.contains(target.variable) ||
           cells_.contains({target.variable, *target.offset});
  }

  static std::vector<Target> Anywhere(std::vector<Target> targets) {
    for (Target& target : targets) target.offset.reset();
    return targets;
  }

  void Look(IrInstruction& instruction) {
    const auto operands = graph_.Operands(instruction);
    const std::uint64_t bytes = BytesOf(instruction.kind);
    switch (TraitsOf(instruction.opcode).access) {
      case Access::kStore:
        if (bytes != address_bytes_) return;
        for (std::size_t part = 0; part + 1 < operands.size(); ++part) {
          if (!IsAddress(operands[part + 1])) continue;
          instruction.addresses = static_cast<std::uint16_t>(instruction.addresses | 1u << part);
          stores_ = true;
          Keep(TargetsOf(operands[0], instruction.immediate + part * bytes));
        }
        return;
      case Access::kLoad:
        if (bytes != address_bytes_) return;
        for (std::uint32_t part = 0; part < instruction.result_count; ++part) {
          if (IsKept(TargetsOf(operands[0], instruction.immediate + part * bytes))) {
            Mark(instruction.first_result + part);
          }
        }
        return;
      case Access::kCopy:
        if (IsKept(Anywhere(TargetsOf(operands[1], 0)))) Keep(Anywhere(TargetsOf(operands[0], 0)));
        return;
      case Access::kAtomic:  // see "Known deviations"
      case Access::kStridedCopy:
      case Access::kText:
      case Access::kImage:
        return;
      case Access::kNone:
        if (MakesAddress(instruction)) MarkResults(instruction);
        return;
    }
  }

  // Whether it makes an address of one.
  bool MakesAddress(const IrInstruction& instruction) const {
    const auto operands = graph_.Operands(instruction);
    const Opcode opcode = instruction.opcode;
    const auto is_one_of = [opcode](std::initializer_list<Opcode> opcodes) {
      return std::ranges::find(opcodes, opcode) != opcodes.end();
    };
    if (TraitsOf(opcode).moves_address ||
        is_one_of({Opcode::kCastToSpace, Opcode::kUConvert, Opcode::kSConvert})) {
      return IsAddress(operands[0]);
    }
    // Of two: a distance.
    if (opcode == Opcode::kISub) return IsAddress(operands[0]) && !IsAddress(operands[1]);
    if (opcode == Opcode::kSelect) return AnyOf(operands.subspan(1));
    return is_one_of({Opcode::kIAdd, Opcode::kBitwiseAnd, Opcode::kBitwiseOr, Opcode::kBitwiseXor,
                      Opcode::kExtractDynamic, Opcode::kInsertDynamic}) &&
           AnyOf(operands);
  }

  Graph& graph_;
  std::uint64_t address_bytes_;
  std::vector<bool> is_address_;                             // by value
  std::unordered_map<Value, const Phi*> parameters_;         // of kept functions
  std::set<std::uint64_t> objects_;                          // addresses that constants may be
  std::set<std::pair<std::uint64_t, std::uint64_t>> cells_;  // variable, offset
  std::set<std::uint64_t> somewhere_;                        // variables, at an offset not known
  std::set<std::uint64_t> variables_;                        // either
  bool everywhere_ = false;
  bool stores_ = false;
  bool changed_ = false;
};

}  // namespace

void FindStoredAddresses(const LowerContext& context, Graph* graph, Program* program) {
  program->stores_addresses = AddressFinder(context, graph).Run();
}

}  // namespace assay::interp
