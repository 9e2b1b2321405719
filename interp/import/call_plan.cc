#include "interp/import/call_plan.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "frontend/grammar.h"

namespace assay::interp {
namespace {

using frontend::Function;
using frontend::Instruction;
using frontend::Module;
using frontend::Op;

// Beyond so many functions, which take one look at all calls each, all that saves is kept.
constexpr int kMaxRounds = 256;

// Whether work-items of a group or of a sub-group have to come to the instruction together, so that
// it matters from which call.
bool IsCollective(Op opcode) {
  // Calls through pointers are no part of the plan, and the clock counts where it is expanded.
  if (opcode == Op::kFunctionPointerCallINTEL || opcode == Op::kReadClockKHR) return true;
  const std::string name = frontend::NameOf(opcode);
  return opcode == Op::kControlBarrier || opcode == Op::kControlBarrierArriveINTEL ||
         opcode == Op::kControlBarrierWaitINTEL || opcode == Op::kNamedBarrierInitialize ||
         opcode == Op::kMemoryNamedBarrier || opcode == Op::kUntypedGroupAsyncCopyKHR ||
         name.starts_with("OpGroup") || name.starts_with("OpSubgroup") ||
         name.starts_with("OpCooperativeMatrix");
}

// About how many instructions of a graph an instruction becomes: one for each component.
double WeightOf(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Op::kLine || instruction.opcode == Op::kNoLine) return 0;
  if (instruction.opcode == Op::kExtInst &&
      module.SetOf(module.Operands(instruction)[0]) != frontend::ExtendedSet::kOpenClStd) {
    return 0;  // debug information
  }
  const frontend::Type* type = module.types.Find(instruction.type);
  const bool is_vector = type != nullptr && type->kind == frontend::TypeKind::kVector;
  return is_vector ? static_cast<double>(type->count) : 1;
}

class Planner {
 public:
  Planner(const Module& module, double target) : module_(module), target_(target) {}

  // False where the calls cannot be executed.
  bool FindCalls(const Function& kernel, std::uint32_t max_depth) {
    if (!Visit(kernel)) return false;
    // Callees come before their callers in order_, the kernel is the last one.
    for (Node& node : order_) {
      for (const auto& [callee, count] : node.calls) {
        node.depth = std::max(node.depth, order_[callee].depth + 1);
        node.is_collective = node.is_collective || order_[callee].is_collective;
      }
    }
    return order_.back().depth < max_depth;
  }

  CallPlan Run() {
    if (target_ == 0) {
      for (Node& node : order_) node.is_kept = MayKeep(node);
    } else {
      Measure();
      for (int round = 0; total_ > target_ && KeepBest(round); ++round) Measure();
    }
    CallPlan plan;
    for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
      if (!node->is_kept) continue;
      plan.places[node->function] = static_cast<std::uint32_t>(plan.kept.size());
      plan.kept.push_back(node->function);
    }
    return plan;
  }

 private:
  struct Node {
    const Function* function = nullptr;
    double own = 0;                                // weight without what it calls
    std::map<std::uint32_t, std::uint32_t> calls;  // place in order_, how often
    std::uint32_t depth = 0;
    bool is_collective = false;
    bool is_kept = false;
    double size = 0;   // with all that is expanded in it
    double times = 0;  // that it stands in the code
  };

  bool MayKeep(const Node& node) const { return !node.is_collective && &node != &order_.back(); }

  // The functions that a function calls, in the order of its calls, and its weight.
  bool Look(const Function& function, std::vector<const Function*>* callees, Node* node) const {
    for (const std::uint32_t block : function.order.Of(module_.block_order)) {
      for (const Instruction& instruction :
           module_.blocks[block].instructions.Of(module_.instructions)) {
        node->own += WeightOf(module_, instruction);
        node->is_collective = node->is_collective || IsCollective(instruction.opcode);
        if (instruction.opcode != Op::kFunctionCall) continue;
        const Function* callee = module_.FindFunction(module_.Operands(instruction)[0]);
        if (callee == nullptr || callee->IsDeclaration()) return false;
        callees->push_back(callee);
      }
    }
    return true;
  }

  // Depth first, without recursion; false where a function calls itself.
  bool Visit(const Function& kernel) {
    struct Frame {
      Node node;
      std::vector<const Function*> callees;
      std::size_t next = 0;
    };
    constexpr std::uint32_t kOpen = 0xffffffff;
    std::unordered_map<const Function*, std::uint32_t> places;
    std::vector<Frame> path;
    const auto enter = [&](const Function& function) {
      places[&function] = kOpen;
      path.emplace_back();
      path.back().node.function = &function;
      return Look(function, &path.back().callees, &path.back().node);
    };
    if (!enter(kernel)) return false;
    while (!path.empty()) {
      Frame& frame = path.back();
      if (frame.next == frame.callees.size()) {
        for (const Function* callee : frame.callees) ++frame.node.calls[places[callee]];
        places[frame.node.function] = static_cast<std::uint32_t>(order_.size());
        order_.push_back(std::move(frame.node));
        path.pop_back();
        continue;
      }
      const Function* callee = frame.callees[frame.next++];
      const auto found = places.find(callee);
      if (found == places.end()) {
        if (!enter(*callee)) return false;
      } else if (found->second == kOpen) {
        return false;
      }
    }
    return true;
  }

  void Measure() {
    total_ = 0;
    for (Node& node : order_) {
      node.size = node.own;
      for (const auto& [callee, count] : node.calls) {
        node.size += count * (order_[callee].is_kept ? 1 : order_[callee].size);
      }
      node.times = node.is_kept ? 1 : 0;
      if (node.is_kept) total_ += node.size;
    }
    total_ += order_.back().size;
    order_.back().times = 1;
    for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
      for (const auto& [callee, count] : node->calls) {
        if (!order_[callee].is_kept) order_[callee].times += node->times * count;
      }
    }
  }

  static double SavingOf(const Node& node) { return (node.times - 1) * node.size; }

  // Keeps the function that saves most; false if none saves anything.
  bool KeepBest(int round) {
    Node* best = nullptr;
    for (Node& node : order_) {
      if (node.is_kept || !MayKeep(node) || SavingOf(node) <= 0) continue;
      if (round >= kMaxRounds) node.is_kept = true;
      if (best == nullptr || SavingOf(node) > SavingOf(*best)) best = &node;
    }
    if (best != nullptr) best->is_kept = true;
    return best != nullptr;
  }

  const Module& module_;
  const double target_;
  double total_ = 0;
  std::vector<Node> order_;
};

}  // namespace

CallPlan PlanCalls(const Module& module, const Function& kernel, std::uint64_t max_expanded,
                   std::uint32_t max_depth) {
  Planner planner(module, static_cast<double>(max_expanded));
  return planner.FindCalls(kernel, max_depth) ? planner.Run() : CallPlan();
}

}  // namespace assay::interp
