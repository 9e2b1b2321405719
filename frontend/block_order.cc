#include "frontend/block_order.h"

#include <unordered_map>
#include <utility>

#include "frontend/decode.h"
#include "frontend/loader.h"

namespace assay::frontend {
namespace {

struct Block {
  std::size_t first = 0;  // places in the words
  std::size_t end = 0;
  std::vector<Id> branches;  // every id in the last instruction; labels are the successors
};

// The blocks of one function, as far as they have been read.
struct FunctionBlocks {
  std::vector<Block> blocks;
  std::unordered_map<Id, std::size_t> by_label;

  std::vector<std::size_t> ReversePostOrder() const {
    std::vector<std::size_t> order;
    std::vector<bool> seen(blocks.size());
    std::vector<std::pair<std::size_t, std::size_t>> path;  // block, next branch to follow
    for (std::size_t root = 0; root < blocks.size(); ++root) {
      // The entry first; blocks that it does not reach are unreachable.
      if (seen[root]) continue;
      const std::size_t begin = order.size();
      seen[root] = true;
      path.emplace_back(root, 0);
      while (!path.empty()) {
        auto& [block, next] = path.back();
        if (next == blocks[block].branches.size()) {
          order.push_back(block);
          path.pop_back();
          continue;
        }
        const auto target = by_label.find(blocks[block].branches[next++]);
        if (target == by_label.end() || seen[target->second]) continue;
        seen[target->second] = true;
        path.emplace_back(target->second, 0);
      }
      for (std::size_t i = begin, j = order.size(); i + 1 < j; ++i, --j) {
        std::swap(order[i], order[j - 1]);
      }
    }
    return order;
  }
};

}  // namespace

std::vector<Word> WithBlocksInOrder(const std::vector<Word>& words) {
  std::vector<Word> ordered(words.begin(), words.begin() + kHeaderWords);
  Decoder decoder(words[3]);
  std::vector<Operand> operands;
  FunctionBlocks function;
  ForEachInstruction(words, [&](std::size_t place, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    decoder.Decode(instruction, &operands);
    if (opcode == Op::kLabel) {
      function.by_label.emplace(instruction[1], function.blocks.size());
      function.blocks.push_back({.first = place});
    } else if (opcode == Op::kFunctionEnd) {
      for (const std::size_t index : function.ReversePostOrder()) {
        const Block& block = function.blocks[index];
        ordered.insert(ordered.end(), words.begin() + static_cast<std::ptrdiff_t>(block.first),
                       words.begin() + static_cast<std::ptrdiff_t>(block.end));
      }
      function = {};
    }
    if (function.blocks.empty()) {
      ordered.insert(ordered.end(), instruction.begin(), instruction.end());
      return;
    }
    Block& block = function.blocks.back();
    block.end = place + instruction.size();
    block.branches.clear();
    for (const Operand& operand : operands) {
      if (operand.kind == OperandKind::kIdRef) block.branches.push_back(instruction[operand.first]);
    }
  });
  // A function without OpFunctionEnd is refused by the validator.
  for (const Block& block : function.blocks) {
    ordered.insert(ordered.end(), words.begin() + static_cast<std::ptrdiff_t>(block.first),
                   words.begin() + static_cast<std::ptrdiff_t>(block.end));
  }
  return ordered;
}

std::vector<Word> WithVariablesFirst(const std::vector<Word>& words) {
  std::vector<Word> ordered(words.begin(), words.begin() + kHeaderWords);
  std::vector<Word> others;  // of the first block, which come behind its variables
  enum class Place { kOutside, kBeforeBlocks, kFirstBlock, kLaterBlock } where = Place::kOutside;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    const bool begins_block = opcode == Op::kLabel;
    if (begins_block || opcode == Op::kFunction || opcode == Op::kFunctionEnd) {
      ordered.insert(ordered.end(), others.begin(), others.end());
      others.clear();
      const bool is_first = begins_block && where == Place::kBeforeBlocks;
      where = opcode == Op::kFunction ? Place::kBeforeBlocks
              : is_first              ? Place::kFirstBlock
              : begins_block          ? Place::kLaterBlock
                                      : Place::kOutside;
    }
    if (where == Place::kLaterBlock && opcode == Op::kVariable && instruction.size() == 4) {
      ordered.insert(ordered.end(),
                     {3u << 16 | static_cast<Word>(Op::kUndef), instruction[1], instruction[2]});
      return;
    }
    const bool waits = where == Place::kFirstBlock && !begins_block && opcode != Op::kVariable;
    std::vector<Word>& target = waits ? others : ordered;
    target.insert(target.end(), instruction.begin(), instruction.end());
  });
  ordered.insert(ordered.end(), others.begin(), others.end());
  return ordered;
}

std::vector<Word> WithoutMerges(const std::vector<Word>& words) {
  std::vector<Word> copy(words.begin(), words.begin() + kHeaderWords);
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    const Op opcode = OpcodeOf(instruction[0]);
    if (opcode == Op::kLoopMerge || opcode == Op::kSelectionMerge) return;
    copy.insert(copy.end(), instruction.begin(), instruction.end());
  });
  return copy;
}

}  // namespace assay::frontend
