#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "interp/lower/dominators.h"
#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

constexpr std::size_t kMaxCells = 1024;  // of one variable; a larger one stays in memory
// Phis of all variables: what does not fit stays in memory.
constexpr std::size_t kMaxPhis = std::size_t{1} << 23;
// Dominance frontiers of all blocks: a graph that has more keeps its variables in memory.
constexpr std::size_t kMaxFrontiers = std::size_t{1} << 26;
// Rounds: a variable that holds another's address frees it for the next one.
constexpr int kMaxRounds = 16;
constexpr std::uint32_t kNone = 0xffffffff;

// Whether the instruction loads, stores or undefines what its first operand points to.
bool IsOfCells(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLoad:
    case Opcode::kLoadMany:
    case Opcode::kStore:
    case Opcode::kStoreMany:
    case Opcode::kEnterVariable:
    case Opcode::kLeaveVariable:
      return true;
    default:
      return false;
  }
}

// A scalar of a variable, as everything that accesses the variable sees it.
struct Cell {
  std::uint32_t variable = 0;
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  Kind kind = Kind::kI32;
};

// SSA construction by dominance frontiers (Cytron et al., TOPLAS 1991).  Every step takes time for
// what it finds and not for all that it could: cells have lists of the blocks that define them, and
// a variable's phis lie where its first instruction dominates, which is in one expanded call.
class Promoter {
 public:
  explicit Promoter(Graph* graph) : graph_(*graph) {}

  // Whether a variable was promoted; promoting may free others, whose address it held.
  bool Round() {
    FindAddresses();
    if (!FindCells()) return false;
    Dominators dominators(graph_);
    if (!dominators.FindFrontiers(graph_, kMaxFrontiers)) return false;
    PlacePhis(dominators);
    if (!any_) return false;
    Rename(dominators);
    RemoveTrivialPhis();
    RemoveEqualPhis();
    Rewrite();
    RemoveUnusedPhis();
    return true;
  }

 private:
  // --- which variables ---

  void FindAddresses() {
    accesses_.assign(graph_.variables.size(), {});
    escaped_.assign(graph_.variables.size(), false);
    variable_of_.assign(graph_.values.size(), kNone);
    offset_.assign(graph_.values.size(), 0);
    for (std::uint32_t i = 0; i < graph_.variables.size(); ++i) {
      const Variable& variable = graph_.variables[i];
      escaped_[i] = variable.promoted;
      if (!variable.promoted) variable_of_[variable.address] = i;
    }
    // Definitions come before uses in the order in which instructions were made.
    std::vector<bool> is_there(graph_.instructions.size());
    for (const IrBlock& block : graph_.blocks) {
      for (const std::uint32_t place : block.instructions) is_there[place] = true;
    }
    for (std::uint32_t place = 0; place < is_there.size(); ++place) {
      if (is_there[place]) Look(graph_.instructions[place]);
    }
    for (const IrBlock& block : graph_.blocks) {
      for (const Phi& phi : block.phis) {
        for (const Value operand : phi.operands) Escape(operand);
      }
      if (block.condition != kNoValue) Escape(block.condition);
      if (block.end == End::kSync) {
        for (const Value operand : graph_.Operands(graph_.instructions[block.sync])) {
          Escape(operand);
        }
      }
    }
  }

  void Escape(Value value) {
    if (variable_of_[value] != kNone) escaped_[variable_of_[value]] = true;
  }

  void Look(const IrInstruction& instruction) {
    const auto operands = graph_.Operands(instruction);
    std::size_t first = 0;
    switch (instruction.opcode) {
      case Opcode::kCheckValue:  // of an address: gone with its last use
        return;
      case Opcode::kCopy:
      case Opcode::kOffset:
        variable_of_[instruction.first_result] = variable_of_[operands[0]];
        offset_[instruction.first_result] = offset_[operands[0]] + instruction.immediate;
        return;
      case Opcode::kLoad:
      case Opcode::kLoadMany:
      case Opcode::kStore:
      case Opcode::kStoreMany: {
        const std::uint32_t variable = variable_of_[operands[0]];
        if (variable != kNone) {
          const std::uint32_t count =
              instruction.opcode == Opcode::kLoad || instruction.opcode == Opcode::kLoadMany
                  ? instruction.result_count
                  : instruction.operand_count - 1;
          accesses_[variable].push_back(
              {offset_[operands[0]] + instruction.immediate, count, instruction.kind});
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

  // The scalars of a variable by offset; false where accesses overlap, or go beyond it.
  bool CellsOf(std::uint32_t variable, std::vector<Cell>* cells) const {
    const std::uint64_t size = graph_.variables[variable].bytes;
    for (const Access& access : accesses_[variable]) {
      const std::uint32_t bytes = BytesOf(access.kind);
      for (std::uint32_t i = 0; i < access.count; ++i) {
        const std::uint64_t offset = access.offset + std::uint64_t{i} * bytes;
        if (offset >= size || bytes > size - offset) return false;
        cells->push_back({variable, offset, bytes, access.kind});
      }
      // Most accesses are to the same few cells.
      if (cells->size() > 4 * kMaxCells && !Unite(cells)) return false;
    }
    return Unite(cells);
  }

  // The kind of a cell is that of its first access.
  static bool Unite(std::vector<Cell>* cells) {
    std::stable_sort(cells->begin(), cells->end(),
                     [](const Cell& a, const Cell& b) { return a.offset < b.offset; });
    for (std::size_t i = 1; i < cells->size(); ++i) {
      const Cell& before = (*cells)[i - 1];
      const Cell& cell = (*cells)[i];
      if (cell.offset == before.offset ? cell.bytes != before.bytes
                                       : cell.offset < before.offset + before.bytes) {
        return false;
      }
    }
    cells->erase(std::unique(cells->begin(), cells->end(),
                             [](const Cell& a, const Cell& b) { return a.offset == b.offset; }),
                 cells->end());
    return cells->size() <= kMaxCells;
  }

  // Whether there is a variable to promote.
  bool FindCells() {
    first_cell_.assign(graph_.variables.size() + 1, 0);
    bool any = false;
    std::vector<Cell> cells;
    for (std::uint32_t variable = 0; variable < graph_.variables.size(); ++variable) {
      first_cell_[variable] = static_cast<std::uint32_t>(cells_.size());
      if (escaped_[variable]) continue;
      cells.clear();
      if (!CellsOf(variable, &cells)) {
        escaped_[variable] = true;
        continue;
      }
      any = true;
      cells_.insert(cells_.end(), cells.begin(), cells.end());
    }
    first_cell_.back() = static_cast<std::uint32_t>(cells_.size());
    return any;
  }

  // --- definitions ---

  // The variable that an address is of and that lives in registers; or none.
  std::uint32_t Promoted(Value address) const {
    if (address >= variable_of_.size()) return kNone;
    const std::uint32_t variable = variable_of_[address];
    return variable == kNone || escaped_[variable] ? kNone : variable;
  }

  // The cell of an access's first scalar; those of the others follow it.
  std::uint32_t CellOf(std::uint32_t variable, const IrInstruction& instruction) const {
    const std::uint64_t offset = offset_[graph_.Operands(instruction)[0]] + instruction.immediate;
    const auto first = cells_.begin() + first_cell_[variable];
    const auto last = cells_.begin() + first_cell_[variable + 1];
    const auto found = std::lower_bound(
        first, last, offset, [](const Cell& cell, std::uint64_t at) { return cell.offset < at; });
    return static_cast<std::uint32_t>(found - cells_.begin());
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

  // What an instruction does to cells: calls load(cell, result), store(cell, operand) or
  // undefine(cell, has ended) for each.
  template <typename Load, typename Store, typename Undefine>
  void ForEachCell(const IrInstruction& instruction, Load&& load, Store&& store,
                   Undefine&& undefine) {
    if (!IsOfCells(instruction.opcode)) return;
    const auto operands = graph_.Operands(instruction);
    const std::uint32_t variable = Promoted(operands[0]);
    if (variable == kNone) return;
    switch (instruction.opcode) {
      case Opcode::kLoad:
      case Opcode::kLoadMany: {
        const std::uint32_t cell = CellOf(variable, instruction);
        for (std::uint32_t i = 0; i < instruction.result_count; ++i) {
          load(cell + i, instruction.first_result + i);
        }
        return;
      }
      case Opcode::kStore:
      case Opcode::kStoreMany: {
        const std::uint32_t cell = CellOf(variable, instruction);
        for (std::uint32_t i = 1; i < operands.size(); ++i) store(cell + i - 1, operands[i]);
        return;
      }
      default:
        for (std::uint32_t cell = first_cell_[variable]; cell < first_cell_[variable + 1]; ++cell) {
          undefine(cell, instruction.opcode == Opcode::kLeaveVariable);
        }
    }
  }

  // --- phis ---

  struct Cells {
    std::vector<std::vector<std::uint32_t>> definitions;  // blocks, by cell
    std::vector<bool> is_read;        // in a block that does not define it before, by cell
    std::vector<std::uint32_t> root;  // a block that dominates all of a variable's; or kNone
  };

  Cells FindDefinitions(const Dominators& dominators) {
    Cells cells;
    cells.definitions.resize(cells_.size());
    cells.is_read.assign(cells_.size(), false);
    cells.root.assign(graph_.variables.size(), kNone);
    std::vector<bool> is_left(graph_.variables.size());  // a block that its root does not dominate
    for (const std::uint32_t b : dominators.order()) {
      const auto look = [&](std::uint32_t cell, bool enters) {
        const std::uint32_t variable = cells_[cell].variable;
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
        ForEachCell(
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
      if (escaped_[variable]) continue;
      const std::uint32_t root = cells.root[variable];
      const std::size_t before = new_phis_.size();
      for (std::uint32_t c = first_cell_[variable]; c < first_cell_[variable + 1]; ++c) {
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
        escaped_[variable] = true;
        continue;
      }
      graph_.variables[variable].promoted = true;
      any_ = true;
    }
  }

  void MakePhis() {
    for (NewPhi& phi : new_phis_) {
      graph_.values.push_back({ValueKind::kPhi, cells_[phi.cell].kind, phi.block, 0});
      phi.value = static_cast<Value>(graph_.values.size() - 1);
      IrBlock& block = graph_.blocks[phi.block];
      phi.place = static_cast<std::uint32_t>(block.phis.size());
      block.phis.push_back({phi.value, std::vector<Value>(block.predecessors.size(), kNoValue)});
    }
    replacement_.assign(graph_.values.size(), kNoValue);
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
    std::vector<Value> now(cells_.size(), kNoValue);
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
        return now[cell] == kNoValue ? Undefined(cells_[cell]) : now[cell];
      };
      for (const std::uint32_t i : phis_of.Of(b)) set(new_phis_[i].cell, new_phis_[i].value);
      for (const std::uint32_t place : graph_.blocks[b].instructions) {
        ForEachCell(
            graph_.instructions[place],
            [&](std::uint32_t cell, Value result) { Replace(result, get(cell)); }, set,
            [&](std::uint32_t cell, bool has_ended) {
              set(cell, Undefined(cells_[cell], has_ended));
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

  // What a call hands over or gives back is another block's value, which the next call changes.
  // Only what is the same everywhere may take the place of such a phi.
  bool MayReplace(bool is_of_call, Value by) const {
    const ValueKind kind = graph_.values[by].value_kind;
    return !is_of_call || kind == ValueKind::kConstant || kind == ValueKind::kInput;
  }

  // A phi of one value, beside itself, is that value; then others may be.
  void RemoveTrivialPhis() {
    std::vector<Phi*> phis;
    std::vector<std::uint32_t> phi_of(graph_.values.size(), kNone);
    const std::vector<bool> blocks_of_calls = graph_.BlocksOfCalls();
    std::vector<bool> is_of_call;
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      for (Phi& phi : graph_.blocks[b].phis) {
        is_of_call.push_back(blocks_of_calls[b]);
        phi_of[phi.result] = static_cast<std::uint32_t>(phis.size());
        phis.push_back(&phi);
      }
    }
    // Phis that look at each phi, in rows: joined where one takes the place of another.
    struct User {
      std::uint32_t phi;
      std::uint32_t next;
    };
    std::vector<User> users;
    std::vector<std::uint32_t> first(phis.size(), kNone), last(phis.size(), kNone);
    const auto join = [&](std::uint32_t to, std::uint32_t head, std::uint32_t tail) {
      if (first[to] == kNone) {
        first[to] = head;
      } else {
        users[last[to]].next = head;
      }
      last[to] = tail;
    };
    for (std::uint32_t i = 0; i < phis.size(); ++i) {
      for (Value& operand : phis[i]->operands) {
        operand = Find(operand);
        const std::uint32_t used = phi_of[operand];
        if (used == kNone) continue;
        users.push_back({i, kNone});
        join(used, static_cast<std::uint32_t>(users.size() - 1),
             static_cast<std::uint32_t>(users.size() - 1));
      }
    }
    std::vector<std::uint32_t> work(phis.size());
    std::vector<bool> is_queued(phis.size(), true);
    for (std::uint32_t i = 0; i < phis.size(); ++i) {
      work[i] = static_cast<std::uint32_t>(phis.size()) - 1 - i;
    }
    while (!work.empty()) {
      const std::uint32_t i = work.back();
      work.pop_back();
      is_queued[i] = false;
      Phi& phi = *phis[i];
      if (Find(phi.result) != phi.result) continue;
      Value same = kNoValue;
      bool is_trivial = true;
      for (const Value operand : phi.operands) {
        const Value value = Find(operand);
        if (value == phi.result || value == same) continue;
        is_trivial = same == kNoValue;
        if (!is_trivial) break;
        same = value;
      }
      if (!is_trivial || same == kNoValue || !MayReplace(is_of_call[i], same)) continue;
      Replace(phi.result, same);
      for (std::uint32_t u = first[i]; u != kNone; u = users[u].next) {
        if (is_queued[users[u].phi]) continue;
        is_queued[users[u].phi] = true;
        work.push_back(users[u].phi);
      }
      if (phi_of[same] != kNone && first[i] != kNone) join(phi_of[same], first[i], last[i]);
    }
  }

  // Phis that look at each other, in a circle, and beside that at one value are that value (Braun
  // et al., CC 2013): a loop in which the same address is assigned again.
  void RemoveEqualPhis() {
    std::vector<const Phi*> phis;
    std::vector<std::uint32_t> phi_of(graph_.values.size(), kNone);
    for (const IrBlock& block : graph_.blocks) {
      for (const Phi& phi : block.phis) {
        if (Find(phi.result) != phi.result) continue;
        phi_of[phi.result] = static_cast<std::uint32_t>(phis.size());
        phis.push_back(&phi);
      }
    }
    const std::vector<bool> blocks_of_calls = graph_.BlocksOfCalls();
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      if (!blocks_of_calls[b]) continue;
      for (const Phi& phi : graph_.blocks[b].phis) phi_of[phi.result] = kNone;
    }
    // Strongly connected components (Tarjan 1972): each behind those that it looks at.
    std::vector<std::uint32_t> number(phis.size(), kNone), low(phis.size());
    std::vector<bool> is_open(phis.size());
    std::vector<std::uint32_t> open;
    std::vector<std::pair<std::uint32_t, std::size_t>> path;  // phi, next operand
    std::uint32_t count = 0;
    const auto enter = [&](std::uint32_t i) {
      number[i] = low[i] = count++;
      is_open[i] = true;
      open.push_back(i);
      path.emplace_back(i, 0);
    };
    for (std::uint32_t i = 0; i < phis.size(); ++i) {
      if (number[i] != kNone || phi_of[phis[i]->result] == kNone) continue;
      enter(i);
      while (!path.empty()) {
        auto& [at, next] = path.back();
        if (next < phis[at]->operands.size()) {
          const std::uint32_t used = phi_of[Find(phis[at]->operands[next++])];
          if (used == kNone) continue;
          if (number[used] == kNone) {
            enter(used);
          } else if (is_open[used]) {
            low[at] = std::min(low[at], number[used]);
          }
          continue;
        }
        const std::uint32_t done = at;
        path.pop_back();
        if (!path.empty()) low[path.back().first] = std::min(low[path.back().first], low[done]);
        if (low[done] != number[done]) continue;
        const auto first = std::find(open.rbegin(), open.rend(), done).base() - 1;
        ReplaceCircle(std::span(first, open.end()), number[done], phis, phi_of, number, is_open);
        for (auto member = first; member != open.end(); ++member) is_open[*member] = false;
        open.erase(first, open.end());
      }
    }
  }

  // Of open phis, those from `first` on are the circle.
  void ReplaceCircle(std::span<const std::uint32_t> circle, std::uint32_t first,
                     const std::vector<const Phi*>& phis, const std::vector<std::uint32_t>& phi_of,
                     const std::vector<std::uint32_t>& number, const std::vector<bool>& is_open) {
    Value same = kNoValue;
    for (const std::uint32_t i : circle) {
      for (const Value operand : phis[i]->operands) {
        const Value value = Find(operand);
        const std::uint32_t used = phi_of[value];
        const bool is_inside = used != kNone && is_open[used] && number[used] >= first;
        if (is_inside || value == same) continue;
        if (same != kNoValue) return;
        same = value;
      }
    }
    if (same == kNoValue) return;
    for (const std::uint32_t i : circle) Replace(phis[i]->result, same);
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
        return IsOfCells(instruction.opcode) && Promoted(graph_.Operands(instruction)[0]) != kNone;
      });
    }
    for (Value& operand : graph_.operands) operand = Find(operand);
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

  struct Access {
    std::uint64_t offset = 0;
    std::uint32_t count = 0;
    Kind kind = Kind::kI32;
  };
  struct NewPhi {
    std::uint32_t cell = 0;
    std::uint32_t block = 0;
    Value value = kNoValue;
    std::uint32_t place = 0;  // in the block's phis
  };

  Graph& graph_;
  bool any_ = false;
  // By value: the variable that it points into, and where.
  std::vector<std::uint32_t> variable_of_;
  std::vector<std::uint64_t> offset_;
  std::vector<std::vector<Access>> accesses_;
  std::vector<bool> escaped_;  // or it stays in memory for another reason
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> first_cell_;  // by variable, and the end
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
