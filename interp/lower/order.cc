#include <algorithm>
#include <unordered_map>

#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

// Loops in each other beyond this are put in order as one: only how long work-items stay together
// depends on it, and every level takes a look at all blocks inside.
constexpr int kMaxDepth = 200;

// Strongly connected components of the blocks with one label, by Tarjan's algorithm without
// recursion; within a component the same again without its head's incoming edges.
class Orderer {
 public:
  explicit Orderer(Graph* graph)
      : graph_(*graph),
        label_(graph->blocks.size(), 0),
        index_(graph->blocks.size(), 0),
        low_(graph->blocks.size(), 0),
        on_stack_(graph->blocks.size(), false) {
    // As if a called function lay between the calls and what comes after them; of several calls,
    // after each of these.
    for (const CalledFunction& function : graph_.functions) {
      for (const std::uint32_t caller : graph_.blocks[function.entry].predecessors) {
        const std::uint32_t after = graph_.blocks[caller].targets[0];
        around_calls_[caller] = {function.entry, after};
        around_calls_[function.exit].push_back(after);
      }
    }
  }

  std::vector<std::uint32_t> Run() {
    std::vector<std::uint32_t> order;
    // What is left to put in order: one block, or a component to take apart, the next at the end.
    struct Task {
      std::vector<std::uint32_t> blocks;
      std::uint32_t head = 0;
      bool single = false;
      int depth = 0;
    };
    std::vector<Task> tasks;
    std::vector<std::uint32_t> all;
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      if (b == 0 || !graph_.blocks[b].predecessors.empty()) all.push_back(b);
    }
    tasks.push_back({all, 0, false, 0});
    while (!tasks.empty()) {
      const Task task = std::move(tasks.back());
      tasks.pop_back();
      if (task.single) {
        order.push_back(task.head);
        continue;
      }
      if (task.depth > kMaxDepth) {
        order.insert(order.end(), task.blocks.begin(), task.blocks.end());
        continue;
      }
      // The head first, then the rest without it.
      order.push_back(task.head);
      ++next_label_;
      for (const std::uint32_t block : task.blocks) {
        label_[block] = block == task.head ? 0 : next_label_;
      }
      std::vector<Task> parts;
      for (std::vector<std::uint32_t>& component : Components(task.blocks, task.head)) {
        if (component.size() == 1) {
          parts.push_back({{}, component[0], true, 0});
        } else {
          parts.push_back({component, HeadOf(component), false, task.depth + 1});
        }
      }
      // Tarjan's algorithm finds components in reverse topological order, which is the order in
      // which a stack wants them.
      for (Task& part : parts) tasks.push_back(std::move(part));
    }
    return order;
  }

 private:
  const std::vector<std::uint32_t>& TargetsOf(std::uint32_t block) const {
    const auto found = around_calls_.find(block);
    return found == around_calls_.end() ? graph_.blocks[block].targets : found->second;
  }

  // Where a component is entered: the block with a predecessor outside; the first of several.
  std::uint32_t HeadOf(const std::vector<std::uint32_t>& component) {
    std::vector<std::uint32_t> sorted = component;
    std::sort(sorted.begin(), sorted.end());
    for (const std::uint32_t block : sorted) {
      for (const std::uint32_t predecessor : graph_.blocks[block].predecessors) {
        if (!std::binary_search(sorted.begin(), sorted.end(), predecessor)) return block;
      }
    }
    return sorted[0];
  }

  std::vector<std::vector<std::uint32_t>> Components(const std::vector<std::uint32_t>& blocks,
                                                     std::uint32_t head) {
    std::vector<std::vector<std::uint32_t>> components;
    const std::uint32_t label = next_label_;
    std::vector<std::uint32_t> stack;
    struct Frame {
      std::uint32_t block;
      std::size_t next;
    };
    std::vector<Frame> frames;
    for (const std::uint32_t block : blocks) index_[block] = 0;
    std::uint32_t counter = 0;
    const auto enter = [&](std::uint32_t block) {
      index_[block] = low_[block] = ++counter;
      stack.push_back(block);
      on_stack_[block] = true;
      frames.push_back({block, 0});
    };
    const auto search = [&](std::uint32_t start) {
      enter(start);
      while (!frames.empty()) {
        Frame& frame = frames.back();
        const auto& targets = TargetsOf(frame.block);
        if (frame.next < targets.size()) {
          // The last target first: of a loop's condition that is the way out, which then comes
          // last in a topological order that leaves the choice.
          const std::uint32_t target = targets[targets.size() - 1 - frame.next++];
          if (label_[target] != label) continue;
          if (index_[target] == 0) {
            enter(target);
          } else if (on_stack_[target]) {
            low_[frame.block] = std::min(low_[frame.block], index_[target]);
          }
          continue;
        }
        const std::uint32_t block = frame.block;
        frames.pop_back();
        if (!frames.empty()) {
          low_[frames.back().block] = std::min(low_[frames.back().block], low_[block]);
        }
        if (low_[block] != index_[block]) continue;
        std::vector<std::uint32_t> component;
        std::uint32_t member;
        do {
          member = stack.back();
          stack.pop_back();
          on_stack_[member] = false;
          component.push_back(member);
        } while (member != block);
        components.push_back(std::move(component));
      }
    };
    // From the head's targets first, so that the order follows the flow.
    const auto& targets = TargetsOf(head);
    for (std::size_t i = targets.size(); i-- > 0;) {
      if (label_[targets[i]] == label && index_[targets[i]] == 0) search(targets[i]);
    }
    for (const std::uint32_t block : blocks) {
      if (label_[block] == label && index_[block] == 0) search(block);
    }
    return components;
  }

  const Graph& graph_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> around_calls_;
  std::uint32_t next_label_ = 0;
  std::vector<std::uint32_t> label_;  // the component that a block is in; 0: a head, done
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<bool> on_stack_;
};

}  // namespace

void OrderBlocks(Graph* graph) { graph->order = Orderer(graph).Run(); }

}  // namespace assay::interp
