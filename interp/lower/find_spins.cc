// Loops that only an atomic operation's result lets go on: `while (atomic_cmpxchg(&lock, 0, 1))
// {}`. Whether somebody waits there is seen when the kernel runs (interp/execute/spin_watch.h).
#include <algorithm>

#include "interp/lower/dominators.h"
#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

struct Loop {
  std::uint32_t head = 0;
  std::vector<std::uint32_t> blocks;  // sorted
  bool Has(std::uint32_t block) const {
    return std::binary_search(blocks.begin(), blocks.end(), block);
  }
};

class SpinFinder {
 public:
  explicit SpinFinder(Graph* graph) : graph_(*graph), flow_(*graph) {
    phi_.assign(graph_.values.size(), nullptr);
    for (const IrBlock& block : graph_.blocks) {
      for (const Phi& phi : block.phis) phi_[phi.result] = &phi;
    }
  }

  void Run() {
    FindLoops();
    for (const std::uint32_t block : flow_.order()) {
      if (!IsAtomic(block)) continue;
      const Loop* inner = nullptr;
      for (const Loop& loop : loops_) {
        if (loop.Has(block) && (inner == nullptr || loop.blocks.size() < inner->blocks.size())) {
          inner = &loop;
        }
      }
      if (inner == nullptr || !IsOnlyAtomic(*inner) || !EndsByResult(*inner, block)) continue;
      graph_.instructions[graph_.blocks[block].sync].spins = true;
    }
  }

 private:
  bool IsAtomic(std::uint32_t block) const {
    const IrBlock& here = graph_.blocks[block];
    return here.end == End::kSync && graph_.instructions[here.sync].opcode == Opcode::kAtomic;
  }

  void FindLoops() {
    for (const std::uint32_t latch : flow_.order()) {
      for (const std::uint32_t head : graph_.blocks[latch].targets) {
        if (flow_.Dominates(head, latch)) AddLoop(head, latch);
      }
    }
    for (Loop& loop : loops_) {
      std::sort(loop.blocks.begin(), loop.blocks.end());
      loop.blocks.erase(std::unique(loop.blocks.begin(), loop.blocks.end()), loop.blocks.end());
    }
  }

  void AddLoop(std::uint32_t head, std::uint32_t latch) {
    constexpr std::size_t kMostWork = std::size_t{1} << 22;
    if (work_ > kMostWork) return;
    std::vector<std::uint32_t> blocks = {head};
    std::vector<bool> seen(graph_.blocks.size());
    seen[head] = true;
    if (!seen[latch]) blocks.push_back(latch);
    seen[latch] = true;
    const auto add = [&](std::uint32_t block) {
      if (seen[block] || !flow_.IsReachable(block)) return;
      seen[block] = true;
      blocks.push_back(block);
    };
    std::vector<bool> is_entry(graph_.blocks.size());
    for (const std::uint32_t entry : graph_.Entries()) is_entry[entry] = true;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const IrBlock& here = graph_.blocks[blocks[i]];
      // A function that is called in the loop is a part of it; its other callers are not.
      if (here.end == End::kCall && (i != 0 || latch == head)) {
        add(graph_.functions[here.function].exit);
      }
      if (i == 0 || is_entry[blocks[i]]) continue;
      for (const std::uint32_t before : here.predecessors) add(before);
    }
    work_ += blocks.size() + graph_.blocks.size() / 64;
    const auto same = std::ranges::find(loops_, head, &Loop::head);
    if (same == loops_.end()) {
      loops_.push_back({head, std::move(blocks)});
    } else {
      same->blocks.insert(same->blocks.end(), blocks.begin(), blocks.end());
    }
  }

  // Whether each way out of the loop hangs on the result.
  bool EndsByResult(const Loop& loop, std::uint32_t atomic) const {
    bool any = false;
    for (const std::uint32_t block : loop.blocks) {
      const IrBlock& here = graph_.blocks[block];
      const bool leaves = std::ranges::any_of(
          here.targets, [&](std::uint32_t target) { return !loop.Has(target); });
      if (!leaves) continue;
      any = true;
      if ((here.end != End::kBranch && here.end != End::kSwitch) ||
          !HangsOn(here.condition, graph_.instructions[graph_.blocks[atomic].sync], loop)) {
        return false;
      }
    }
    return any;
  }

  bool HangsOn(Value value, const IrInstruction& atomic, const Loop& loop) const {
    constexpr std::size_t kMost = 256;
    std::vector<Value> seen = {value};
    for (std::size_t i = 0; i < seen.size() && i < kMost; ++i) {
      if (seen[i] - atomic.first_result < atomic.result_count) return true;
      const auto push = [&](Value next) {
        if (std::ranges::find(seen, next) == seen.end()) seen.push_back(next);
      };
      const ValueInfo& info = graph_.values[seen[i]];
      if (info.value_kind == ValueKind::kPhi && phi_[seen[i]] != nullptr) {
        if (loop.Has(info.block)) std::ranges::for_each(phi_[seen[i]]->operands, push);
      } else if (info.value_kind == ValueKind::kInstruction && loop.Has(info.block)) {
        std::ranges::for_each(graph_.Operands(graph_.instructions[info.bits]), push);
      }
    }
    return false;
  }

  // A loop with several atomic operations may do something in each round.
  bool IsOnlyAtomic(const Loop& loop) const {
    return std::ranges::count_if(loop.blocks,
                                 [this](std::uint32_t block) { return IsAtomic(block); }) == 1;
  }

  Graph& graph_;
  Dominators flow_;
  std::vector<const Phi*> phi_;
  std::vector<Loop> loops_;
  std::size_t work_ = 0;
};

}  // namespace

void FindSpins(Graph* graph) {
  const bool any = std::ranges::any_of(graph->blocks, [&](const IrBlock& block) {
    return block.end == End::kSync && graph->instructions[block.sync].opcode == Opcode::kAtomic;
  });
  if (any) SpinFinder(graph).Run();
}

}  // namespace assay::interp
