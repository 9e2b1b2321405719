#include "frontend/cfg.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace assay::frontend {
namespace {

using Labels = std::unordered_map<Id, std::uint32_t>;  // to places in Module::blocks

// The labels that a terminator names, in the order of its operands.
Expected<std::vector<Id>> Targets(const Module& module, const Instruction& terminator) {
  const auto operands = module.Operands(terminator);
  switch (terminator.opcode) {
    case Op::kBranch:
      return std::vector<Id>{operands[0]};
    case Op::kBranchConditional:
      return std::vector<Id>{operands[1], operands[2]};
    case Op::kSwitch: {
      std::vector<Id> targets = {operands[1]};
      const Type* selector = module.types.Find(module.TypeOf(operands[0]));
      if (selector == nullptr || selector->kind != TypeKind::kInteger) {
        return Fail(ErrorKind::kUsage, "OpSwitch over what is no integer");
      }
      const std::size_t stride = selector->width > 32 ? 3 : 2;
      for (std::size_t i = 2 + stride - 1; i < operands.size(); i += stride) {
        targets.push_back(operands[i]);
      }
      return targets;
    }
    default:
      return std::vector<Id>{};
  }
}

Expected<void> AddSuccessors(Module* module, Block* block, const Labels& labels) {
  const Range inside = block->instructions;
  const auto bad = [&](std::string_view what) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: block {}: {}", module->name,
                                               module->Describe(block->label), what));
  };
  if (inside.count == 0) return bad("it is empty");
  const Instruction& terminator = module->instructions[inside.first + inside.count - 1];
  if (!IsTerminator(terminator.opcode)) return bad("it does not end with a branch or return");
  auto targets = Targets(*module, terminator);
  if (!targets) return bad(targets.error().message);
  block->successors.first = static_cast<std::uint32_t>(module->edges.size());
  std::unordered_set<std::uint32_t> seen;
  for (const Id target : *targets) {
    const auto found = labels.find(target);
    if (found == labels.end()) {
      return bad(fmt::format("it branches to %{}, which is no block of its function", target));
    }
    if (seen.insert(found->second).second) module->edges.push_back(found->second);
  }
  block->successors.count =
      static_cast<std::uint32_t>(module->edges.size()) - block->successors.first;
  return {};
}

void AddPredecessors(Module* module, Range blocks) {
  std::vector<std::vector<std::uint32_t>> predecessors(blocks.count);
  for (std::uint32_t i = 0; i < blocks.count; ++i) {
    for (const std::uint32_t next : module->blocks[blocks.first + i].successors.Of(module->edges)) {
      predecessors[next - blocks.first].push_back(blocks.first + i);
    }
  }
  for (std::uint32_t i = 0; i < blocks.count; ++i) {
    Range& range = module->blocks[blocks.first + i].predecessors;
    range = {static_cast<std::uint32_t>(module->edges.size()),
             static_cast<std::uint32_t>(predecessors[i].size())};
    module->edges.insert(module->edges.end(), predecessors[i].begin(), predecessors[i].end());
  }
}

// Depth first without recursion: a hostile function may be a chain of a million blocks.
void OrderBlocks(Module* module, Function* function) {
  const Range blocks = function->blocks;
  std::vector<bool> seen(blocks.count);
  std::vector<std::uint32_t> finished;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path = {{blocks.first, 0}};
  seen[0] = true;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    const auto successors = module->blocks[block].successors.Of(module->edges);
    if (next == successors.size()) {
      finished.push_back(block);
      path.pop_back();
      continue;
    }
    const std::uint32_t target = successors[next++];
    if (seen[target - blocks.first]) continue;
    seen[target - blocks.first] = true;
    path.emplace_back(target, 0);
  }
  function->order = {static_cast<std::uint32_t>(module->block_order.size()),
                     static_cast<std::uint32_t>(finished.size())};
  module->block_order.insert(module->block_order.end(), finished.rbegin(), finished.rend());
  for (std::uint32_t i = 0; i < function->order.count; ++i) {
    module->blocks[module->block_order[function->order.first + i]].order = i;
  }
}

}  // namespace

bool IsTerminator(Op opcode) {
  switch (opcode) {
    case Op::kBranch:
    case Op::kBranchConditional:
    case Op::kSwitch:
    case Op::kReturn:
    case Op::kReturnValue:
    case Op::kUnreachable:
    case Op::kKill:
    case Op::kAbortKHR:
      return true;
    default:
      return false;
  }
}

Expected<void> BuildControlFlow(Module* module, Function* function) {
  if (function->IsDeclaration()) return {};
  Labels labels;
  const Range blocks = function->blocks;
  for (std::uint32_t i = 0; i < blocks.count; ++i) {
    labels.emplace(module->blocks[blocks.first + i].label, blocks.first + i);
  }
  for (std::uint32_t i = 0; i < blocks.count; ++i) {
    if (auto good = AddSuccessors(module, &module->blocks[blocks.first + i], labels); !good) {
      return good;
    }
  }
  AddPredecessors(module, blocks);
  OrderBlocks(module, function);
  return {};
}

}  // namespace assay::frontend
