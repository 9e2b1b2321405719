// Forms of blocks and functions.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "tools/hunt/form_words.h"
#include "tools/hunt/forms.h"

namespace assay::tools {
namespace {

using namespace form_words;

struct Target {
  std::size_t place = 0;  // in the terminator
  Id label = 0;
};

struct Block {
  Id label = 0;
  std::vector<Instruction> instructions;  // from OpLabel to the terminator
  std::vector<Target> targets;            // of the terminator
};

struct Function {
  std::vector<Instruction> head;  // OpFunction and its parameters
  std::vector<Block> blocks;
  Instruction end;
};

struct Split {
  Words front;  // the header, and what stands in front of the functions
  std::vector<Function> functions;
};

Split SplitModule(Instruction words) {
  Split split;
  split.front.assign(words.begin(), words.begin() + frontend::kHeaderWords);
  frontend::Decoder decoder(words[3]);
  std::vector<frontend::Operand> operands;
  bool is_inside = false;
  frontend::ForEachInstruction(words, [&](std::size_t, Instruction one) {
    decoder.Decode(one, &operands);
    const Op opcode = OpcodeOf(one[0]);
    if (opcode == Op::kFunction) {
      split.functions.emplace_back();
      is_inside = true;
    }
    if (!is_inside) return Append(one, &split.front);
    Function& function = split.functions.back();
    if (opcode == Op::kFunctionEnd) {
      function.end = one;
      is_inside = false;
      return;
    }
    if (opcode == Op::kLabel) function.blocks.push_back({.label = one[1]});
    if (function.blocks.empty()) return function.head.push_back(one);
    Block& block = function.blocks.back();
    block.instructions.push_back(one);
    if (opcode != Op::kBranch && opcode != Op::kBranchConditional && opcode != Op::kSwitch) return;
    for (const frontend::Operand& operand : operands) {
      const bool is_condition = opcode != Op::kBranch && operand.first == 1;
      const bool is_id = frontend::CategoryOf(operand.kind) == frontend::Category::kId;
      if (is_id && !is_condition) block.targets.push_back({operand.first, one[operand.first]});
    }
  });
  return split;
}

void AppendFunction(const Function& function, const std::vector<std::size_t>& order, Words* copy) {
  for (const Instruction one : function.head) Append(one, copy);
  for (const std::size_t block : order) {
    for (const Instruction one : function.blocks[block].instructions) Append(one, copy);
  }
  Append(function.end, copy);
}

std::vector<std::size_t> AllOf(const Function& function) {
  std::vector<std::size_t> order(function.blocks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  return order;
}

// The sets of blocks that dominate each block; empty of one that the first does not reach.
std::vector<std::vector<bool>> Dominators(const Function& function) {
  const std::size_t count = function.blocks.size();
  std::unordered_map<Id, std::size_t> place;
  for (std::size_t i = 0; i < count; ++i) place[function.blocks[i].label] = i;
  std::vector<std::vector<std::size_t>> before(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Target& target : function.blocks[i].targets)
      before[place.at(target.label)].push_back(i);
  }
  std::vector<std::vector<bool>> dominators(count);
  dominators[0].assign(count, false);
  dominators[0][0] = true;
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (std::size_t i = 1; i < count; ++i) {
      std::vector<bool> all;
      for (const std::size_t one : before[i]) {
        if (dominators[one].empty()) continue;
        if (all.empty()) all = dominators[one];
        for (std::size_t k = 0; k < count; ++k) all[k] = all[k] && dominators[one][k];
      }
      if (all.empty()) continue;
      all[i] = true;
      if (all == dominators[i]) continue;
      dominators[i] = std::move(all);
      is_new = true;
    }
  }
  return dominators;
}

std::vector<std::size_t> LastFirst(const Function& function) {
  const std::size_t count = function.blocks.size();
  if (count == 0) return {};
  const auto dominators = Dominators(function);
  std::vector<std::size_t> order = {0};
  std::vector<bool> is_placed(count, false);
  is_placed[0] = true;
  const auto may_come = [&](std::size_t block) {
    if (is_placed[block] || dominators[block].empty()) return false;
    for (std::size_t k = 0; k < count; ++k) {
      if (k != block && dominators[block][k] && !is_placed[k]) return false;
    }
    return true;
  };
  for (std::size_t i = count - 1; i > 0;) {
    if (!may_come(i)) {
      --i;
      continue;
    }
    order.push_back(i);
    is_placed[i] = true;
    i = count - 1;
  }
  // Those that are not reached.
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_placed[i]) order.push_back(i);
  }
  return order;
}

}  // namespace

// The last block that may come is the next one, again and again: SPIR-V 2.16 asks only that a block
// comes behind those that dominate it.
Words WithBlocksMoved(Instruction words) {
  const Split split = SplitModule(words);
  Words made = split.front;
  for (const Function& function : split.functions)
    AppendFunction(function, LastFirst(function), &made);
  return made;
}

Words WithEdgesSplit(Instruction words) {
  const Split split = SplitModule(words);
  Words made = split.front;
  Id bound = words[3];
  for (const Function& function : split.functions) {
    // The new block between a block and its target.
    std::map<std::pair<Id, Id>, Id> edges;
    for (const Block& block : function.blocks) {
      for (const Target& target : block.targets) {
        const auto [edge, is_new] = edges.emplace(std::pair(block.label, target.label), bound);
        if (is_new) ++bound;
      }
    }
    for (const Instruction one : function.head) Append(one, &made);
    for (const Block& block : function.blocks) {
      std::size_t first = 0;  // of the last instruction
      for (const Instruction one : block.instructions) {
        first = made.size();
        Append(one, &made);
        for (std::size_t k = 4; OpcodeOf(one[0]) == Op::kPhi && k < one.size(); k += 2)
          made[first + k] = edges.at({one[k], block.label});
      }
      for (const Target& target : block.targets)
        made[first + target.place] = edges.at({block.label, target.label});
      for (const auto& [edge, label] : edges) {
        if (edge.first != block.label) continue;
        made.insert(made.end(),
                    {FirstWord(Op::kLabel, 2), label, FirstWord(Op::kBranch, 2), edge.second});
      }
    }
    Append(function.end, &made);
  }
  made[3] = bound;
  return made;
}

// Those without a body come first (SPIR-V 2.4).
Words WithFunctionsReversed(Instruction words) {
  const Split split = SplitModule(words);
  Words made = split.front;
  for (const Function& function : split.functions) {
    if (function.blocks.empty()) AppendFunction(function, {}, &made);
  }
  for (std::size_t i = split.functions.size(); i-- > 0;) {
    const Function& function = split.functions[i];
    if (!function.blocks.empty()) AppendFunction(function, AllOf(function), &made);
  }
  return made;
}

}  // namespace assay::tools
