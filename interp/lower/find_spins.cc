// Loops that only an atomic operation's result lets go on: `while (atomic_cmpxchg(&lock, 0, 1))
// {}`. Whether somebody waits there is seen when the kernel runs (interp/execute/spin_watch.h).
#include <algorithm>

#include "interp/lower/dominators.h"
#include "interp/lower/passes.h"

namespace assay::interp {
namespace {

// A load of memory that other work-groups may write, and whether it is volatile.
struct SharedLoad {
  bool is_shared = false;
  bool is_volatile = false;
};

SharedLoad LookAtLoad(const frontend::Module& module, const IrInstruction& made) {
  if (TraitsOf(made.opcode).access != Access::kLoad) return {};
  const frontend::Instruction& instruction = module.instructions[made.origin];
  if (instruction.opcode != frontend::Op::kLoad) return {.is_shared = true};
  const auto operands = module.Operands(instruction);
  const frontend::Type* type = module.types.Find(module.TypeOf(operands[0]));
  using frontend::StorageClass;
  if (type == nullptr || (type->storage_class != StorageClass::kCrossWorkgroup &&
                          type->storage_class != StorageClass::kGeneric)) {
    return {};
  }
  return {.is_shared = true, .is_volatile = operands.size() > 1 && (operands[1] & 1) != 0};
}

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

  void Run(bool for_watchers) {
    FindLoops();
    for (const std::uint32_t block : flow_.order()) {
      if (!IsAtomic(block)) continue;
      IrInstruction& atomic = graph_.instructions[graph_.blocks[block].sync];
      const Loop* inner = nullptr;
      for (const Loop& loop : loops_) {
        atomic.may_wait = atomic.may_wait || (loop.Has(block) && !IsCounted(loop));
        if (loop.Has(block) && (inner == nullptr || loop.blocks.size() < inner->blocks.size())) {
          inner = &loop;
        }
      }
      atomic.may_wait = atomic.may_wait || !has_all_loops_;
      if (!for_watchers || inner == nullptr || !IsOnlyAtomic(*inner)) continue;
      atomic.spins = EndsByResult(*inner, block);
    }
  }

  bool HasWaitingLoop(const frontend::Module& module) {
    FindLoops();
    return !has_all_loops_ || std::ranges::any_of(loops_, [&](const Loop& loop) {
      const auto any = [&](const auto& holds) { return std::ranges::any_of(loop.blocks, holds); };
      if (any([&](std::uint32_t block) {
            return HasLoad(module, block, &SharedLoad::is_volatile) ||
                   EndsByLoad(module, loop, block);
          })) {
        return true;
      }
      return any([&](std::uint32_t block) { return HasFence(module, block); }) &&
             any([&](std::uint32_t block) {
               return HasLoad(module, block, &SharedLoad::is_shared);
             }) &&
             !IsCounted(loop);
    });
  }

 private:
  bool HasLoad(const frontend::Module& module, std::uint32_t block, bool SharedLoad::*holds) const {
    return std::ranges::any_of(graph_.blocks[block].instructions, [&](std::uint32_t place) {
      return LookAtLoad(module, graph_.instructions[place]).*holds;
    });
  }

  // Of global memory: what other groups stored before is seen after it.
  bool HasFence(const frontend::Module& module, std::uint32_t block) const {
    constexpr std::uint64_t kGlobal = 0x200;  // CrossWorkgroupMemory
    const IrBlock& here = graph_.blocks[block];
    if (here.end == End::kSync) {
      const IrInstruction& sync = graph_.instructions[here.sync];
      if (sync.opcode == Opcode::kBarrier && (sync.immediate & kGlobal) != 0) return true;
    }
    return std::ranges::any_of(here.origins, [&](std::uint32_t origin) {
      return module.instructions[origin].opcode == frontend::Op::kMemoryBarrier;
    });
  }

  // Whether the block is left for good by what is loaded from places that no round changes.
  bool EndsByLoad(const frontend::Module& module, const Loop& loop, std::uint32_t block) const {
    constexpr std::size_t kMost = 256;
    const IrBlock& here = graph_.blocks[block];
    if (here.end != End::kBranch && here.end != End::kSwitch) return false;
    if (std::ranges::all_of(here.targets, [&](std::uint32_t target) { return loop.Has(target); })) {
      return false;
    }
    bool has_load = false;
    std::vector<Value> seen = {here.condition};
    for (std::size_t i = 0; i < seen.size() && i < kMost; ++i) {
      const ValueInfo& info = graph_.values[seen[i]];
      if (!loop.Has(info.block)) continue;
      const auto push = [&](Value next) {
        if (std::ranges::find(seen, next) == seen.end()) seen.push_back(next);
      };
      if (info.value_kind == ValueKind::kPhi && phi_[seen[i]] != nullptr) {
        if (info.block == loop.head) return false;
        std::ranges::for_each(phi_[seen[i]]->operands, push);
      } else if (info.value_kind == ValueKind::kInstruction) {
        const IrInstruction& made = graph_.instructions[info.bits];
        has_load = has_load || LookAtLoad(module, made).is_shared;
        std::ranges::for_each(graph_.Operands(made), push);
      }
    }
    return has_load;
  }

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
    has_all_loops_ = has_all_loops_ && work_ <= kMostWork;
    if (!has_all_loops_) return;
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

  // Whether each round reaches an exit whose condition the work-item computes by itself (IsOwn).
  // Then the loop ends whatever other work-items do.
  bool IsCounted(const Loop& loop) const {
    return std::ranges::any_of(loop.blocks, [&](std::uint32_t block) {
      const IrBlock& here = graph_.blocks[block];
      if (here.end != End::kBranch && here.end != End::kSwitch) return false;
      const bool leaves = std::ranges::any_of(
          here.targets, [&](std::uint32_t target) { return !loop.Has(target); });
      const auto& before = graph_.blocks[loop.head].predecessors;
      return leaves &&
             std::ranges::all_of(before,
                                 [&](std::uint32_t latch) {
                                   return !loop.Has(latch) || flow_.Dominates(block, latch);
                                 }) &&
             IsOwn(here.condition, loop);
    });
  }

  // Whether the value depends on no load and on no result of an atomic operation.
  bool IsOwn(Value value, const Loop& loop) const {
    constexpr std::size_t kMost = 256;
    std::vector<Value> seen = {value};
    bool has_conditions = false;
    const auto push = [&](Value next) {
      if (std::ranges::find(seen, next) == seen.end()) seen.push_back(next);
    };
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (i == kMost) return false;
      const ValueInfo& info = graph_.values[seen[i]];
      if (info.value_kind == ValueKind::kPhi && phi_[seen[i]] != nullptr) {
        if (!loop.Has(info.block)) continue;
        std::ranges::for_each(phi_[seen[i]]->operands, push);
        // Which one it is hangs on branches, but for the next round of a loop with one way back.
        if ((info.block == loop.head && phi_[seen[i]]->operands.size() <= 2) || has_conditions) {
          continue;
        }
        has_conditions = true;
        for (const std::uint32_t block : loop.blocks) {
          const IrBlock& here = graph_.blocks[block];
          if (here.end == End::kBranch || here.end == End::kSwitch) push(here.condition);
        }
      } else if (info.value_kind == ValueKind::kInstruction) {
        const IrInstruction& made = graph_.instructions[info.bits];
        if (!loop.Has(info.block)) continue;
        if (TraitsOf(made.opcode).executed != Executed::kPure) return false;
        std::ranges::for_each(graph_.Operands(made), push);
      }
    }
    return true;
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
  bool has_all_loops_ = true;
};

}  // namespace

bool MayWaitForGroups(const frontend::Module& module, Graph* graph) {
  const bool any = std::ranges::any_of(graph->blocks, [&](const IrBlock& block) {
    return std::ranges::any_of(block.instructions, [&](std::uint32_t place) {
      return LookAtLoad(module, graph->instructions[place]).is_shared;
    });
  });
  return any && SpinFinder(graph).HasWaitingLoop(module);
}

void FindSpins(Graph* graph, bool for_watchers) {
  const bool any = std::ranges::any_of(graph->blocks, [&](const IrBlock& block) {
    return block.end == End::kSync && graph->instructions[block.sync].opcode == Opcode::kAtomic;
  });
  if (any) SpinFinder(graph).Run(for_watchers);
}

}  // namespace assay::interp
