#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "interp/passes.h"

namespace assay::interp {
namespace {

constexpr std::size_t kMaxCells = 1024;  // of one variable; a larger one stays in memory
// Phis of all variables, one for each cell where control flow joins: what does not fit stays in
// memory.
constexpr std::size_t kMaxPhis = std::size_t{1} << 23;
// Rounds: a variable that holds another's address frees it for the next one.
constexpr int kMaxRounds = 16;

// A scalar of a variable, as everything that accesses the variable sees it.
struct Cell {
  std::uint32_t variable = 0;
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  Kind kind = Kind::kI32;
};

struct Derived {
  std::uint32_t variable = 0;
  std::uint64_t offset = 0;
};

class Promoter {
 public:
  explicit Promoter(Graph* graph) : graph_(*graph) {}

  // Whether a variable was promoted; promoting may free others, whose address it held.
  bool Round() {
    FindAddresses();
    FindCells();
    if (cells_.empty()) return false;
    CollectDefinitions();
    ReplaceLoads();
    FillPhis();
    RemoveTrivialPhis();
    Rewrite();
    return true;
  }

 private:
  // --- which variables ---

  void FindAddresses() {
    accesses_.assign(graph_.variables.size(), {});
    escaped_.assign(graph_.variables.size(), false);
    for (std::size_t i = 0; i < graph_.variables.size(); ++i) {
      escaped_[i] = graph_.variables[i].promoted;
      if (!escaped_[i]) derived_[graph_.variables[i].address] = {std::uint32_t(i), 0};
    }
    // Definitions come before uses in the order in which instructions were made.
    std::vector<std::uint32_t> places;
    for (const IrBlock& block : graph_.blocks) {
      places.insert(places.end(), block.instructions.begin(), block.instructions.end());
      for (const Phi& phi : block.phis) {
        for (const Value operand : phi.operands) phi_uses_.push_back(operand);
      }
      if (block.condition != kNoValue) phi_uses_.push_back(block.condition);
      if (block.end == End::kSync) {
        for (const Value operand : graph_.Operands(graph_.instructions[block.sync])) {
          phi_uses_.push_back(operand);
        }
      }
    }
    std::sort(places.begin(), places.end());
    for (const std::uint32_t place : places) Look(graph_.instructions[place]);
    for (const Value value : phi_uses_) Escape(value);
  }

  void Escape(Value value) {
    const auto found = derived_.find(value);
    if (found != derived_.end()) escaped_[found->second.variable] = true;
  }

  void Look(const IrInstruction& instruction) {
    const auto operands = graph_.Operands(instruction);
    std::size_t first = 0;
    switch (instruction.opcode) {
      case Opcode::kCheckValue:  // of an address: gone with its last use
        return;
      case Opcode::kCopy:
      case Opcode::kOffset: {
        const auto found = derived_.find(operands[0]);
        if (found != derived_.end()) {
          derived_[instruction.first_result] = {found->second.variable,
                                                found->second.offset + instruction.immediate};
        }
        return;
      }
      case Opcode::kLoad:
      case Opcode::kLoadMany:
      case Opcode::kStore:
      case Opcode::kStoreMany: {
        const auto found = derived_.find(operands[0]);
        if (found != derived_.end()) {
          const std::uint32_t count =
              instruction.opcode == Opcode::kLoad || instruction.opcode == Opcode::kLoadMany
                  ? instruction.result_count
                  : instruction.operand_count - 1;
          accesses_[found->second.variable].push_back(
              {found->second.offset + instruction.immediate, count, instruction.kind});
        }
        first = 1;
        break;
      }
      case Opcode::kEnterVariable:
      case Opcode::kLeaveVariable:
      case Opcode::kVariable:
        return;
      default:
        break;
    }
    for (std::size_t i = first; i < operands.size(); ++i) Escape(operands[i]);
  }

  void FindCells() {
    cells_.clear();
    place_.clear();
    const auto joins = static_cast<std::size_t>(
        std::count_if(graph_.blocks.begin(), graph_.blocks.end(),
                      [](const IrBlock& block) { return block.predecessors.size() > 1; }));
    const std::size_t most = kMaxPhis / std::max<std::size_t>(joins, 1);
    for (std::uint32_t variable = 0; variable < graph_.variables.size(); ++variable) {
      if (escaped_[variable]) continue;
      std::map<std::uint64_t, Cell> cells;
      bool good = true;
      for (const Access& access : accesses_[variable]) {
        const std::uint32_t bytes = BytesOf(access.kind);
        for (std::uint32_t i = 0; good && i < access.count; ++i) {
          const std::uint64_t offset = access.offset + std::uint64_t{i} * bytes;
          good = offset < graph_.variables[variable].bytes &&
                 bytes <= graph_.variables[variable].bytes - offset;
          const auto [cell, added] =
              cells.try_emplace(offset, Cell{variable, offset, bytes, access.kind});
          good = good && cell->second.bytes == bytes && cells.size() <= kMaxCells;
        }
      }
      std::uint64_t end = 0;
      for (const auto& [offset, cell] : cells) {
        good = good && offset >= end;
        end = offset + cell.bytes;
      }
      if (!good || cells_.size() + cells.size() > most) continue;
      graph_.variables[variable].promoted = true;
      first_cell_[variable] = static_cast<std::uint32_t>(cells_.size());
      for (const auto& [offset, cell] : cells) {
        place_[{variable, offset}] = static_cast<std::uint32_t>(cells_.size());
        cells_.push_back(cell);
      }
      cell_count_[variable] = static_cast<std::uint32_t>(cells.size());
      any_ = true;
    }
    // A variable that is never accessed has no cells, but is gone all the same.
    if (any_ && cells_.empty()) cells_.push_back({});
  }

  // --- definitions ---

  const Derived* Promoted(Value address) const {
    const auto found = derived_.find(address);
    if (found == derived_.end() || escaped_[found->second.variable] ||
        !graph_.variables[found->second.variable].promoted) {
      return nullptr;
    }
    return &found->second;
  }

  std::uint32_t CellOf(const Derived& derived, const IrInstruction& instruction,
                       std::uint32_t index) const {
    return place_.at({derived.variable, derived.offset + instruction.immediate +
                                            std::uint64_t{index} * BytesOf(instruction.kind)});
  }

  // A cell before anything is stored there, or after its variable has ended.
  Value Undefined(const Cell& cell, bool has_ended = false) {
    using Reason = UndefinedSource::Reason;
    const Variable& variable = graph_.variables[cell.variable];
    Reason reason = variable.is_returned ? Reason::kReturn : Reason::kVariable;
    for (const auto& [offset, bytes] : variable.padding) {
      const bool is_inside = cell.offset >= offset && cell.offset + cell.bytes <= offset + bytes;
      if (is_inside) reason = Reason::kPadding;
    }
    if (has_ended) reason = Reason::kEnded;
    const auto [place, added] = undefined_.try_emplace({cell.kind, cell.variable, reason}, 0);
    if (!added) return place->second;
    graph_.undefined_sources.push_back({.reason = reason, .name = variable.name});
    graph_.values.push_back(
        {ValueKind::kUndefined, cell.kind, 0, graph_.undefined_sources.size() - 1});
    return place->second = static_cast<Value>(graph_.values.size() - 1);
  }

  void Define(const IrInstruction& instruction, std::unordered_map<std::uint32_t, Value>* now) {
    if (instruction.opcode == Opcode::kStore || instruction.opcode == Opcode::kStoreMany) {
      const auto operands = graph_.Operands(instruction);
      if (const Derived* derived = Promoted(operands[0])) {
        for (std::uint32_t i = 1; i < operands.size(); ++i) {
          (*now)[CellOf(*derived, instruction, i - 1)] = operands[i];
        }
      }
    } else if (instruction.opcode == Opcode::kEnterVariable ||
               instruction.opcode == Opcode::kLeaveVariable) {
      if (const Derived* derived = Promoted(graph_.Operands(instruction)[0])) {
        for (std::uint32_t i = 0; i < cell_count_[derived->variable]; ++i) {
          const std::uint32_t cell = first_cell_[derived->variable] + i;
          (*now)[cell] = Undefined(cells_[cell], instruction.opcode == Opcode::kLeaveVariable);
        }
      }
    }
  }

  void CollectDefinitions() {
    at_end_.assign(graph_.blocks.size(), {});
    at_begin_.assign(graph_.blocks.size(), {});
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      for (const std::uint32_t place : graph_.blocks[b].instructions) {
        Define(graph_.instructions[place], &at_end_[b]);
      }
    }
  }

  // The cell's value where the block begins: a new phi where several blocks lead to it.
  Value AtBegin(std::uint32_t cell, std::uint32_t block) {
    const std::uint32_t asked = block;
    Value value = kNoValue;
    while (value == kNoValue) {
      if (const auto found = at_begin_[block].find(cell); found != at_begin_[block].end()) {
        value = found->second;
        break;
      }
      const auto& predecessors = graph_.blocks[block].predecessors;
      if (predecessors.empty()) {
        value = Undefined(cells_[cell]);
      } else if (predecessors.size() > 1) {
        graph_.values.push_back({ValueKind::kPhi, cells_[cell].kind, block, 0});
        value = static_cast<Value>(graph_.values.size() - 1);
        at_begin_[block][cell] = value;
        new_phis_.push_back({cell, block, value});
      } else {
        block = predecessors[0];
        if (const auto found = at_end_[block].find(cell); found != at_end_[block].end()) {
          value = found->second;
        }
      }
    }
    at_begin_[asked][cell] = value;
    return value;
  }

  Value AtEnd(std::uint32_t cell, std::uint32_t block) {
    const auto found = at_end_[block].find(cell);
    return found != at_end_[block].end() ? found->second : AtBegin(cell, block);
  }

  void ReplaceLoads() {
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      std::unordered_map<std::uint32_t, Value> now;
      for (const std::uint32_t place : graph_.blocks[b].instructions) {
        const IrInstruction instruction = graph_.instructions[place];
        Define(instruction, &now);
        if (instruction.opcode != Opcode::kLoad && instruction.opcode != Opcode::kLoadMany) {
          continue;
        }
        const Derived* derived = Promoted(graph_.Operands(instruction)[0]);
        if (derived == nullptr) continue;
        for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
          const std::uint32_t cell = CellOf(*derived, instruction, i);
          const auto found = now.find(cell);
          Replace(instruction.first_result + i,
                  found != now.end() ? found->second : AtBegin(cell, b));
        }
      }
    }
  }

  void FillPhis() {
    for (std::size_t i = 0; i < new_phis_.size(); ++i) {  // grows while it is walked
      const NewPhi phi = new_phis_[i];
      Phi built{.result = phi.value};
      const std::vector<std::uint32_t> predecessors = graph_.blocks[phi.block].predecessors;
      for (const std::uint32_t predecessor : predecessors) {
        built.operands.push_back(AtEnd(phi.cell, predecessor));
      }
      graph_.blocks[phi.block].phis.push_back(std::move(built));
    }
  }

  // --- replacing ---

  void Replace(Value value, Value by) {
    if (replacement_.size() < graph_.values.size()) {
      replacement_.resize(graph_.values.size(), kNoValue);
    }
    replacement_[value] = by;
  }

  Value Find(Value value) {
    Value root = value;
    while (root < replacement_.size() && replacement_[root] != kNoValue) root = replacement_[root];
    while (value != root) value = std::exchange(replacement_[value], root);
    return root;
  }

  void RemoveTrivialPhis() {
    for (int round = 0; round < 100; ++round) {
      bool changed = false;
      for (IrBlock& block : graph_.blocks) {
        for (Phi& phi : block.phis) {
          if (Find(phi.result) != phi.result) continue;
          Value same = kNoValue;
          bool trivial = true;
          for (Value& operand : phi.operands) {
            operand = Find(operand);
            if (operand == phi.result || operand == same) continue;
            trivial = trivial && same == kNoValue;
            same = operand;
          }
          if (!trivial || same == kNoValue) continue;
          Replace(phi.result, same);
          changed = true;
        }
      }
      if (!changed) return;
    }
  }

  void Rewrite() {
    for (IrBlock& block : graph_.blocks) {
      std::erase_if(block.phis, [&](const Phi& phi) { return Find(phi.result) != phi.result; });
      for (Phi& phi : block.phis) {
        for (Value& operand : phi.operands) operand = Find(operand);
      }
      if (block.condition != kNoValue) block.condition = Find(block.condition);
      std::erase_if(block.instructions, [&](std::uint32_t place) {
        const IrInstruction& instruction = graph_.instructions[place];
        switch (instruction.opcode) {
          case Opcode::kLoad:
          case Opcode::kLoadMany:
          case Opcode::kStore:
          case Opcode::kStoreMany:
          case Opcode::kEnterVariable:
          case Opcode::kLeaveVariable:
            return Promoted(graph_.Operands(instruction)[0]) != nullptr;
          default:
            return false;
        }
      });
    }
    for (Value& operand : graph_.operands) operand = Find(operand);
  }

  struct Access {
    std::uint64_t offset = 0;
    std::uint32_t count = 0;
    Kind kind = Kind::kI32;
  };
  struct NewPhi {
    std::uint32_t cell = 0;
    std::uint32_t block = 0;
    Value value = kNoValue;
  };

  Graph& graph_;
  bool any_ = false;
  std::unordered_map<Value, Derived> derived_;
  std::vector<Value> phi_uses_;
  std::vector<std::vector<Access>> accesses_;
  std::vector<bool> escaped_;
  std::vector<Cell> cells_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> place_;
  std::unordered_map<std::uint32_t, std::uint32_t> first_cell_;
  std::unordered_map<std::uint32_t, std::uint32_t> cell_count_;
  std::vector<std::unordered_map<std::uint32_t, Value>> at_end_;
  std::vector<std::unordered_map<std::uint32_t, Value>> at_begin_;
  std::vector<NewPhi> new_phis_;
  // By kind, variable and reason.
  std::map<std::tuple<Kind, std::uint32_t, UndefinedSource::Reason>, Value> undefined_;
  std::vector<Value> replacement_;
};

}  // namespace

void PromoteVariables(Graph* graph) {
  for (int round = 0; round < kMaxRounds && Promoter(graph).Round(); ++round) {
  }
}

}  // namespace assay::interp
