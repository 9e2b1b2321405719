#include <algorithm>
#include <vector>

#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

bool IsCollective(const Graph& graph, const IrBlock& block) {
  if (block.end != End::kSync) return false;
  const Executed executed = TraitsOf(graph.instructions[block.sync].opcode).executed;
  return executed == Executed::kTogether || executed == Executed::kInSubgroup;
}

// Blocks of all loops together, and loops around an instruction: beyond these, which no kernel has,
// loops are not counted.
constexpr std::uint64_t kMaxWork = std::uint64_t{1} << 24;
constexpr std::uint32_t kMaxDepth = 64;

class Counter {
 public:
  explicit Counter(Graph* graph) : graph_(*graph), in_loop_(graph->blocks.size()) {}

  void Run() {
    for (const auto& [latch, head] : FindBackEdges()) {
      if (loops_.empty() || loops_.back().head != head) loops_.push_back({head, {}, {}, {}});
      AddBackEdge(latch, &loops_.back());
    }
    for (Loop& loop : loops_) {
      std::ranges::sort(loop.blocks);
      loop.blocks.erase(std::unique(loop.blocks.begin(), loop.blocks.end()), loop.blocks.end());
    }
    std::erase_if(loops_, [](const Loop& loop) { return loop.latches.empty(); });
    // Of two loops that share a block one is inside the other, and the outer one has more blocks.
    std::ranges::stable_sort(loops_, std::ranges::greater(),
                             [](const Loop& loop) { return loop.blocks.size(); });
    for (const Loop& loop : loops_) Count(loop);
  }

 private:
  struct Loop {
    std::uint32_t head;
    std::vector<std::uint32_t> blocks;
    std::vector<std::uint32_t> latches;  // whose way around comes by a collective instruction
    std::vector<std::uint32_t> others;   // other edges back to the head
  };
  struct Edge {
    std::uint32_t latch;
    std::uint32_t head;
  };

  // Edges to a block that a depth-first search is still in, by head.
  std::vector<Edge> FindBackEdges() const {
    enum : std::uint8_t { kNew, kOpen, kDone };
    std::vector<std::uint8_t> state(graph_.blocks.size(), kNew);
    std::vector<std::pair<std::uint32_t, std::size_t>> path = {{0, 0}};
    std::vector<Edge> edges;
    state[0] = kOpen;
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next == graph_.blocks[block].targets.size()) {
        state[block] = kDone;
        path.pop_back();
        continue;
      }
      const std::uint32_t target = graph_.blocks[block].targets[next++];
      if (state[target] == kOpen) {
        edges.push_back({block, target});
      } else if (state[target] == kNew) {
        state[target] = kOpen;
        path.emplace_back(target, 0);
      }
    }
    std::ranges::stable_sort(edges, {}, &Edge::head);
    return edges;
  }

  // The way around of one edge: what reaches its latch without the head.  A head that does not
  // dominate it (then the kernel's entry is found) makes no loop that can be counted.  Two loops of
  // the source may share a head after an optimizer: the ways around without a collective
  // instruction are taken for the inner one's.
  void AddBackEdge(std::uint32_t latch, Loop* loop) {
    loop->others.push_back(latch);
    if (loop->head == 0 || work_ > kMaxWork) return;
    std::vector<std::uint32_t> blocks = {loop->head};
    in_loop_[loop->head] = true;
    const auto add = [&](std::uint32_t block) {
      if (in_loop_[block]) return;
      in_loop_[block] = true;
      blocks.push_back(block);
    };
    add(latch);
    bool is_collective = false;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      is_collective = is_collective || IsCollective(graph_, graph_.blocks[blocks[i]]);
      if (blocks[i] == loop->head) continue;
      for (const std::uint32_t predecessor : graph_.blocks[blocks[i]].predecessors) {
        add(predecessor);
      }
    }
    const bool is_loop = !in_loop_[0];
    for (const std::uint32_t block : blocks) in_loop_[block] = false;
    work_ += blocks.size();
    if (!is_loop || !is_collective) return;
    loop->others.pop_back();
    loop->latches.push_back(latch);
    loop->blocks.insert(loop->blocks.end(), blocks.begin(), blocks.end());
  }

  Value NewValue(ValueKind value_kind, std::uint32_t block, std::uint64_t bits) {
    graph_.values.push_back(
        {.value_kind = value_kind, .kind = Kind::kI32, .block = block, .bits = bits});
    return static_cast<Value>(graph_.values.size() - 1);
  }

  static bool IsOneOf(const std::vector<std::uint32_t>& blocks, std::uint32_t block) {
    return std::ranges::find(blocks, block) != blocks.end();
  }

  bool IsConstant(Value value, std::uint64_t bits) const {
    return graph_.values[value].value_kind == ValueKind::kConstant &&
           graph_.values[value].bits == bits;
  }
  bool IsOneMore(Value value, Value than) const {
    const ValueInfo& info = graph_.values[value];
    if (info.value_kind != ValueKind::kInstruction) return false;
    const IrInstruction& add = graph_.instructions[info.bits];
    if (add.opcode != Opcode::kIAdd) return false;
    const auto operands = graph_.Operands(add);
    return (operands[0] == than && IsConstant(operands[1], 1)) ||
           (operands[1] == than && IsConstant(operands[0], 1));
  }
  // The kernel counts the iterations itself, as most loops do.
  Value OwnCounter(const Loop& loop) const {
    const IrBlock& head = graph_.blocks[loop.head];
    for (const Phi& phi : head.phis) {
      if (graph_.values[phi.result].kind != Kind::kI32) continue;
      bool counts = true;
      for (std::size_t i = 0; counts && i < head.predecessors.size(); ++i) {
        const std::uint32_t predecessor = head.predecessors[i];
        counts = IsOneOf(loop.latches, predecessor)  ? IsOneMore(phi.operands[i], phi.result)
                 : IsOneOf(loop.others, predecessor) ? phi.operands[i] == phi.result
                                                     : IsConstant(phi.operands[i], 0);
      }
      if (counts) return phi.result;
    }
    return kNoValue;
  }

  void Count(const Loop& loop) {
    Value counter = OwnCounter(loop);
    if (counter == kNoValue) counter = AddCounter(loop);
    for (const std::uint32_t b : loop.blocks) {
      if (IsCollective(graph_, graph_.blocks[b])) Append(graph_.blocks[b].sync, counter);
    }
  }

  // 0 where the loop is entered, one more on each way around.
  Value AddCounter(const Loop& loop) {
    IrBlock& head = graph_.blocks[loop.head];
    const Value counter = NewValue(ValueKind::kPhi, loop.head, 0);
    const Value zero = NewValue(ValueKind::kConstant, 0, 0);
    const Value one = NewValue(ValueKind::kConstant, 0, 1);
    const auto place = static_cast<std::uint32_t>(graph_.instructions.size());
    const Value next = NewValue(ValueKind::kInstruction, loop.head, place);
    IrInstruction add;
    add.opcode = Opcode::kIAdd;
    add.first_operand = static_cast<std::uint32_t>(graph_.operands.size());
    add.operand_count = 2;
    add.first_result = next;
    add.result_count = 1;
    add.origin = head.origin;
    add.site = head.site;
    graph_.operands.insert(graph_.operands.end(), {counter, one});
    graph_.instructions.push_back(add);
    head.instructions.insert(head.instructions.begin(), place);
    Phi phi{counter, {}};
    for (const std::uint32_t predecessor : head.predecessors) {
      phi.operands.push_back(IsOneOf(loop.latches, predecessor)  ? next
                             : IsOneOf(loop.others, predecessor) ? counter
                                                                 : zero);
    }
    head.phis.push_back(std::move(phi));
    return counter;
  }

  void Append(std::uint32_t sync, Value counter) {
    IrInstruction& instruction = graph_.instructions[sync];
    if (instruction.loop_operands == kMaxDepth) return;
    const auto first = static_cast<std::uint32_t>(graph_.operands.size());
    for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
      graph_.operands.push_back(graph_.operands[instruction.first_operand + i]);
    }
    graph_.operands.push_back(counter);
    instruction.first_operand = first;
    ++instruction.operand_count;
    ++instruction.loop_operands;
  }

  Graph& graph_;
  std::vector<bool> in_loop_;
  std::vector<Loop> loops_;
  std::uint64_t work_ = 0;
};

}  // namespace

void CountIterations(Graph* graph) { Counter(graph).Run(); }

}  // namespace assay::interp
