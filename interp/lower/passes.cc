#include "interp/lower/passes.h"

#include <algorithm>

#include "frontend/atomics.h"

namespace assay::interp {

void RemoveUnreachable(Graph* graph) {
  std::vector<bool> reached(graph->blocks.size());
  std::vector<std::uint32_t> work = {0};
  reached[0] = true;
  const auto reach = [&](std::uint32_t block) {
    if (reached[block]) return;
    reached[block] = true;
    work.push_back(block);
  };
  while (!work.empty()) {
    const IrBlock& block = graph->blocks[work.back()];
    work.pop_back();
    for (const std::uint32_t target : block.targets) reach(target);
    if (block.end == End::kCall) reach(graph->functions[block.function].entry);
  }
  for (std::uint32_t b = 0; b < graph->blocks.size(); ++b) {
    IrBlock& block = graph->blocks[b];
    if (!reached[b]) {
      block = IrBlock();
      continue;
    }
    for (std::size_t i = block.predecessors.size(); i-- > 0;) {
      if (reached[block.predecessors[i]]) continue;
      block.predecessors.erase(block.predecessors.begin() + static_cast<std::ptrdiff_t>(i));
      for (Phi& phi : block.phis) {
        phi.operands.erase(phi.operands.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

namespace {

// Makes the instruction at `index` of the block wait, and what follows it a block of its own.
void SplitAt(Graph* graph, std::uint32_t b, std::size_t index) {
  const auto rest = static_cast<std::uint32_t>(graph->blocks.size());
  graph->blocks.emplace_back();
  IrBlock& block = graph->blocks[b];
  IrBlock& after = graph->blocks[rest];
  const auto at = block.instructions.begin() + static_cast<std::ptrdiff_t>(index);
  const IrInstruction& instruction = graph->instructions[*at];
  after.instructions.assign(at + 1, block.instructions.end());
  after.targets = std::move(block.targets);
  after.end = block.end;
  after.condition = block.condition;
  after.cases = std::move(block.cases);
  after.sync = block.sync;
  after.function = block.function;
  after.origin = block.origin;
  after.site = block.site;
  after.predecessors = {b};
  block.sync = *at;
  block.instructions.resize(index);
  block.end = End::kSync;
  block.condition = kNoValue;
  block.cases.clear();
  block.targets = {rest};
  block.origin = instruction.origin;
  block.site = instruction.site;
  // Statistics: what comes later counts there.
  const auto later = std::find(block.origins.begin(), block.origins.end(), instruction.origin);
  if (later != block.origins.end()) {
    after.origins.assign(later + 1, block.origins.end());
    block.origins.erase(later + 1, block.origins.end());
  }
  const auto follow = [&](std::uint32_t target) {
    for (std::uint32_t& predecessor : graph->blocks[target].predecessors) {
      if (predecessor == b) predecessor = rest;
    }
  };
  for (const std::uint32_t target : after.targets) follow(target);
  if (after.end == End::kCall) follow(graph->functions[after.function].entry);
  for (const std::uint32_t place : after.instructions) {
    const IrInstruction& moved = graph->instructions[place];
    for (std::uint32_t i = 0; i < moved.result_count; ++i) {
      graph->values[moved.first_result + i].block = rest;
    }
  }
}

}  // namespace

bool SplitOrdered(ImportedKernel* kernel, bool all_atomics) {
  Graph& graph = kernel->graph;
  int family = -1;
  bool visible = false;
  bool beyond_group = false;
  const auto visit = [&](const IrInstruction& instruction) {
    if (instruction.opcode != Opcode::kAtomic) return;
    const AtomicCall& call = kernel->atomic_calls[instruction.immediate];
    const int own = frontend::OrderlessFamily(call.opcode);
    visible |=
        all_atomics || own == 0 || (family != -1 && own != family) || instruction.result_count != 0;
    beyond_group |= !call.local;
    family = own;
  };
  for (const IrBlock& block : graph.blocks) {
    for (const std::uint32_t place : block.instructions) visit(graph.instructions[place]);
  }
  // New blocks come at the end, so that each is looked at in its turn.
  for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
    for (std::size_t i = 0; i < graph.blocks[b].instructions.size(); ++i) {
      const Opcode opcode = graph.instructions[graph.blocks[b].instructions[i]].opcode;
      if (opcode == Opcode::kPrintf || opcode == Opcode::kDeviceQueue ||
          (opcode == Opcode::kAtomic && visible)) {
        SplitAt(&graph, b, i);
        break;
      }
    }
  }
  // Whether a pipe is full or empty shows which group was first.
  return (visible && beyond_group) || !kernel->pipe_calls.empty() ||
         std::ranges::any_of(kernel->queue_calls,
                             [](const QueueCall& call) { return call.IsOrdered(); });
}

void SplitEdges(Graph* graph) {
  const std::size_t count = graph->blocks.size();
  for (std::uint32_t b = 0; b < count; ++b) {
    for (std::size_t i = 0; i < graph->blocks[b].targets.size(); ++i) {
      const std::uint32_t target = graph->blocks[b].targets[i];
      if (graph->blocks[b].targets.size() < 2 || graph->blocks[target].phis.empty()) continue;
      const auto edge = static_cast<std::uint32_t>(graph->blocks.size());
      graph->blocks.emplace_back();
      IrBlock& source = graph->blocks[b];
      IrBlock& middle = graph->blocks[edge];
      middle.end = End::kJump;
      middle.targets = {target};
      middle.predecessors = {b};
      middle.origin = source.origin;
      middle.site = source.site;
      source.targets[i] = edge;
      for (SwitchCase& one : source.cases) {
        if (one.target == target) one.target = edge;
      }
      std::replace(graph->blocks[target].predecessors.begin(),
                   graph->blocks[target].predecessors.end(), b, edge);
    }
  }
}

}  // namespace assay::interp
