#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "interp/lower/dominators.h"
#include "interp/lower/equal_phis.h"
#include "interp/lower/passes.h"
#include "interp/lower/variable_cells.h"

namespace assay::interp {
namespace {

// Phis of all variables: what does not fit stays in memory.
constexpr std::size_t kMaxPhis = std::size_t{1} << 23;
// Dominance frontiers of all blocks: a graph that has more keeps its variables in memory.
constexpr std::size_t kMaxFrontiers = std::size_t{1} << 26;
// Rounds: a variable that holds another's address frees it for the next one.
constexpr int kMaxRounds = 16;
constexpr std::uint32_t kNone = VariableCells::kNone;

// SSA construction by dominance frontiers (Cytron et al., TOPLAS 1991).  Every step takes time for
// what it finds and not for all that it could: cells have lists of the blocks that define them, and
// a variable's phis lie where its first instruction dominates, which is in one expanded call.
class Promoter {
 public:
  explicit Promoter(Graph* graph) : graph_(*graph), cells_(*graph), values_(*graph) {}

  // Whether a variable was promoted; promoting may free others, whose address it held.
  bool Round() {
    if (!cells_.Find()) return false;
    Dominators dominators(graph_);
    if (!dominators.FindFrontiers(graph_, kMaxFrontiers)) return false;
    PlacePhis(dominators);
    if (!any_) return false;
    Rename(dominators);
    RemoveTrivialPhis(&graph_, &values_);
    Rewrite();
    RemoveUnusedPhis();
    return true;
  }

 private:
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

  // --- phis ---

  struct Cells {
    std::vector<std::vector<std::uint32_t>> definitions;  // blocks, by cell
    std::vector<bool> is_read;        // in a block that does not define it before, by cell
    std::vector<std::uint32_t> root;  // a block that dominates all of a variable's; or kNone
  };

  Cells FindDefinitions(const Dominators& dominators) {
    Cells cells;
    cells.definitions.resize(cells_.all().size());
    cells.is_read.assign(cells_.all().size(), false);
    cells.root.assign(graph_.variables.size(), kNone);
    std::vector<bool> is_left(graph_.variables.size());  // a block that its root does not dominate
    for (const std::uint32_t b : dominators.order()) {
      const auto look = [&](std::uint32_t cell, bool enters) {
        const std::uint32_t variable = cells_.all()[cell].variable;
        if (cells.root[variable] == kNone) {
          cells.root[variable] = b;
          // Before it is entered it has another value on the next way around a loop.
          if (!enters) is_left[variable] = true;
        } else if (!dominators.Dominates(cells.root[variable], b)) {
          is_left[variable] = true;
        }
      };
      const auto define = [&](std::uint32_t cell) {
        std::vector<std::uint32_t>& blocks = cells.definitions[cell];
        if (blocks.empty() || blocks.back() != b) blocks.push_back(b);
      };
      for (const std::uint32_t place : graph_.blocks[b].instructions) {
        const IrInstruction& instruction = graph_.instructions[place];
        const bool enters = instruction.opcode == Opcode::kEnterVariable;
        cells_.ForEach(
            instruction,
            [&](std::uint32_t cell, Value) {
              look(cell, false);
              const std::vector<std::uint32_t>& blocks = cells.definitions[cell];
              if (blocks.empty() || blocks.back() != b) cells.is_read[cell] = true;
            },
            [&](std::uint32_t cell, Value) {
              look(cell, false);
              define(cell);
            },
            [&](std::uint32_t cell, bool) {
              look(cell, enters);
              define(cell);
            });
      }
    }
    for (std::uint32_t variable = 0; variable < is_left.size(); ++variable) {
      if (is_left[variable]) cells.root[variable] = kNone;
    }
    return cells;
  }

  // Where definitions of a cell meet: the iterated dominance frontier of the blocks that define it,
  // as far as the block is dominated that everything of the variable is behind.
  void PlacePhis(const Dominators& dominators) {
    const Cells cells = FindDefinitions(dominators);
    std::vector<std::uint32_t> placed(graph_.blocks.size(), kNone);  // by block: for which cell
    std::vector<std::uint32_t> queued(graph_.blocks.size(), kNone);
    std::vector<std::uint32_t> work;
    for (std::uint32_t variable = 0; variable < graph_.variables.size(); ++variable) {
      if (cells_.StaysInMemory(variable)) continue;
      const std::uint32_t root = cells.root[variable];
      const std::size_t before = new_phis_.size();
      for (std::uint32_t c = cells_.First(variable); c < cells_.End(variable); ++c) {
        if (!cells.is_read[c]) continue;
        work = cells.definitions[c];
        for (const std::uint32_t block : work) queued[block] = c;
        while (!work.empty() && new_phis_.size() <= kMaxPhis) {
          const std::uint32_t block = work.back();
          work.pop_back();
          for (const std::uint32_t join : dominators.FrontierOf(block)) {
            if (placed[join] == c || (root != kNone && !dominators.Dominates(root, join))) continue;
            placed[join] = c;
            new_phis_.push_back({c, join, kNoValue});
            if (std::exchange(queued[join], c) != c) work.push_back(join);
          }
        }
      }
      if (new_phis_.size() > kMaxPhis) {
        new_phis_.resize(before);
        cells_.KeepInMemory(variable);
        continue;
      }
      graph_.variables[variable].promoted = true;
      any_ = true;
    }
  }

  void MakePhis() {
    for (NewPhi& phi : new_phis_) {
      graph_.values.push_back({ValueKind::kPhi, cells_.all()[phi.cell].kind, phi.block, 0});
      phi.value = static_cast<Value>(graph_.values.size() - 1);
      IrBlock& block = graph_.blocks[phi.block];
      phi.place = static_cast<std::uint32_t>(block.phis.size());
      block.phis.push_back({phi.value, std::vector<Value>(block.predecessors.size(), kNoValue)});
    }
  }

  // --- replacing ---

  // Walks down the tree of dominators with the value that each cell has.
  void Rename(const Dominators& dominators) {
    MakePhis();
    const Lists phis_of(graph_.blocks.size(), [&](auto&& add) {
      for (std::uint32_t i = 0; i < new_phis_.size(); ++i) add(new_phis_[i].block, i);
    });
    // Beside each block the edges to blocks with new phis: places among their predecessors.
    const Lists edges_of(graph_.blocks.size(), [&](auto&& add) {
      for (const std::uint32_t b : dominators.order()) {
        if (phis_of.Of(b).empty()) continue;
        const auto& predecessors = graph_.blocks[b].predecessors;
        for (std::uint32_t i = 0; i < predecessors.size(); ++i) {
          add(predecessors[i], b);
          add(predecessors[i], i);
        }
      }
    });
    std::vector<Value> now(cells_.all().size(), kNoValue);
    struct Change {
      std::uint32_t depth;  // in the tree of the block that changed it
      std::uint32_t cell;
      Value before;
    };
    std::vector<Change> changes;
    for (const std::uint32_t b : dominators.order()) {
      const std::uint32_t depth = dominators.DepthOf(b);
      for (; !changes.empty() && changes.back().depth >= depth; changes.pop_back()) {
        now[changes.back().cell] = changes.back().before;
      }
      const auto set = [&](std::uint32_t cell, Value value) {
        changes.push_back({depth, cell, now[cell]});
        now[cell] = value;
      };
      const auto get = [&](std::uint32_t cell) {
        return now[cell] == kNoValue ? Undefined(cells_.all()[cell]) : now[cell];
      };
      for (const std::uint32_t i : phis_of.Of(b)) set(new_phis_[i].cell, new_phis_[i].value);
      for (const std::uint32_t place : graph_.blocks[b].instructions) {
        cells_.ForEach(
            graph_.instructions[place],
            [&](std::uint32_t cell, Value result) { values_.Replace(result, get(cell)); }, set,
            [&](std::uint32_t cell, bool has_ended) {
              set(cell, Undefined(cells_.all()[cell], has_ended));
            });
      }
      const auto edges = edges_of.Of(b);
      for (std::size_t i = 0; i < edges.size(); i += 2) {
        for (const std::uint32_t n : phis_of.Of(edges[i])) {
          const NewPhi& phi = new_phis_[n];
          graph_.blocks[phi.block].phis[phi.place].operands[edges[i + 1]] = get(phi.cell);
        }
      }
    }
  }

  void Rewrite() {
    for (IrBlock& block : graph_.blocks) {
      std::erase_if(block.phis,
                    [&](const Phi& phi) { return values_.Find(phi.result) != phi.result; });
      for (Phi& phi : block.phis) {
        for (Value& operand : phi.operands) operand = values_.Find(operand);
      }
      if (block.condition != kNoValue) block.condition = values_.Find(block.condition);
      std::erase_if(block.instructions, [&](std::uint32_t place) {
        return cells_.IsOfCells(graph_.instructions[place]);
      });
    }
    for (Value& operand : graph_.operands) operand = values_.Find(operand);
  }

  // A new phi may stand where nobody reads it; an address in it would have escaped.
  void RemoveUnusedPhis() {
    std::vector<const Phi*> unused(graph_.values.size(), nullptr);
    std::vector<const Phi*> work;
    const auto use = [&](Value value) {
      if (value == kNoValue || unused[value] == nullptr) return;
      work.push_back(std::exchange(unused[value], nullptr));
    };
    const Value first_new = new_phis_.empty() ? kNoValue : new_phis_[0].value;
    for (const IrBlock& block : graph_.blocks) {
      for (const Phi& phi : block.phis) {
        if (phi.result >= first_new) unused[phi.result] = &phi;
      }
    }
    for (const IrBlock& block : graph_.blocks) {
      for (const Phi& phi : block.phis) {
        if (phi.result >= first_new) continue;
        for (const Value operand : phi.operands) use(operand);
      }
      use(block.condition);
      for (const std::uint32_t place : block.instructions) {
        for (const Value operand : graph_.Operands(graph_.instructions[place])) use(operand);
      }
      if (block.end != End::kSync) continue;
      for (const Value operand : graph_.Operands(graph_.instructions[block.sync])) use(operand);
    }
    while (!work.empty()) {
      const Phi& phi = *work.back();
      work.pop_back();
      for (const Value operand : phi.operands) use(operand);
    }
    for (IrBlock& block : graph_.blocks) {
      std::erase_if(block.phis, [&](const Phi& phi) { return unused[phi.result] != nullptr; });
    }
  }

  struct NewPhi {
    std::uint32_t cell = 0;
    std::uint32_t block = 0;
    Value value = kNoValue;
    std::uint32_t place = 0;  // in the block's phis
  };

  Graph& graph_;
  VariableCells cells_;
  Replacements values_;
  bool any_ = false;
  std::vector<NewPhi> new_phis_;
  // By kind, variable and reason.
  std::map<std::tuple<Kind, std::uint32_t, UndefinedSource::Reason>, Value> undefined_;
};

}  // namespace

void PromoteVariables(Graph* graph) {
  for (int round = 0; round < kMaxRounds && Promoter(graph).Round(); ++round) {
  }
}

}  // namespace assay::interp
