// Forms of blocks and functions.
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
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

std::vector<std::vector<std::size_t>> Predecessors(const Function& function) {
  const std::size_t count = function.blocks.size();
  std::unordered_map<Id, std::size_t> place;
  for (std::size_t i = 0; i < count; ++i) place[function.blocks[i].label] = i;
  std::vector<std::vector<std::size_t>> before(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Target& target : function.blocks[i].targets)
      before[place.at(target.label)].push_back(i);
  }
  return before;
}

// The sets of blocks that dominate each block; empty of one that the first does not reach.
std::vector<std::vector<bool>> Dominators(const Function& function) {
  const std::size_t count = function.blocks.size();
  const auto before = Predecessors(function);
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

// What second entries of loops are written with.
struct EntryWords {
  Id ids, ids_type, id_type;  // GlobalInvocationId and the types of its value and component
  Id condition_type, pointer_type, one, zero;
};

// With constants and a type that are appended to the front; nothing where the module has no
// conditions, or does not ask for the id of a work-item.
std::optional<EntryWords> EntryWordsOf(Words* front, Id* bound) {
  constexpr auto kBuiltIn = static_cast<Word>(frontend::Decoration::kBuiltIn);
  constexpr auto kId = static_cast<Word>(frontend::BuiltIn::kGlobalInvocationId);
  constexpr auto kFunction = static_cast<Word>(frontend::StorageClass::kFunction);
  EntryWords made = {};
  Id pointer = 0;
  std::unordered_map<Id, Id> pointees, components;
  std::unordered_map<Id, Word> widths;
  std::unordered_map<Id, Id> pointers;  // by the pointee, of variables of functions
  frontend::ForEachInstruction(*front, [&](std::size_t, Instruction one) {
    const Op opcode = OpcodeOf(one[0]);
    if (opcode == Op::kDecorate && one.size() == 4 && one[2] == kBuiltIn && one[3] == kId)
      made.ids = one[1];
    if (opcode == Op::kTypeBool) made.condition_type = one[1];
    if (opcode == Op::kTypeInt) widths[one[1]] = one[2];
    if (opcode == Op::kTypeVector) components[one[1]] = one[2];
    if (opcode == Op::kTypePointer) pointees[one[1]] = one[3];
    if (opcode == Op::kTypePointer && one[2] == kFunction) pointers[one[3]] = one[1];
    if (opcode == Op::kVariable && one[2] == made.ids) pointer = one[1];
  });
  made.ids_type = pointees[pointer];
  made.id_type = components[made.ids_type];
  if (made.condition_type == 0 || made.id_type == 0) return std::nullopt;
  made.pointer_type = pointers[made.id_type];
  if (made.pointer_type == 0) {
    made.pointer_type = (*bound)++;
    front->insert(front->end(),
                  {FirstWord(Op::kTypePointer, 4), made.pointer_type, kFunction, made.id_type});
  }
  made.one = (*bound)++;
  made.zero = (*bound)++;
  const bool is_long = widths[made.id_type] == 64;
  front->insert(front->end(),
                {FirstWord(Op::kConstant, is_long ? 5u : 4u), made.id_type, made.one, 1});
  if (is_long) front->push_back(0);
  front->insert(front->end(), {FirstWord(Op::kConstantNull, 3), made.id_type, made.zero});
  return made;
}

// A loop that is entered from one block, by OpBranch.
struct Loop {
  std::size_t header = 0, entry = 0;
  Id second = 0;  // the label of the block by which it is entered, too
  Id variable = 0;
};

bool IsOfOneWorkItem(const Block& block) {
  return std::ranges::none_of(block.instructions, [](Instruction one) {
    const std::string_view name = frontend::FindInstruction(OpcodeOf(one[0]))->name;
    return name == "OpFunctionCall" || name == "OpControlBarrier" || name.starts_with("OpGroup") ||
           name.starts_with("OpSubgroup");
  });
}

// Loops of which nothing is asked that work-items do together: those may enter them at two places.
std::vector<Loop> LoopsOf(const Function& function, const EntryWords& words, Id* bound) {
  const auto is_id = [&](Instruction one) {
    return OpcodeOf(one[0]) == Op::kLoad && one[3] == words.ids;
  };
  // Entry points name the variable where functions use it.
  if (std::ranges::none_of(function.blocks, [&](const Block& block) {
        return std::ranges::any_of(block.instructions, is_id);
      })) {
    return {};
  }
  const auto dominators = Dominators(function);
  const auto before = Predecessors(function);
  const Id variable = (*bound)++;
  std::vector<Loop> loops;
  for (std::size_t header = 1; header < function.blocks.size(); ++header) {
    std::vector<std::size_t> entries, body = {header};
    for (const std::size_t one : before[header]) {
      const bool is_entry = dominators[one].empty() || !dominators[one][header];
      (is_entry ? entries : body).push_back(one);
    }
    if (body.size() == 1 || entries.size() != 1 || dominators[entries[0]].empty()) continue;
    if (OpcodeOf(function.blocks[entries[0]].instructions.back()[0]) != Op::kBranch) continue;
    for (std::size_t i = 1; i < body.size(); ++i) {
      for (const std::size_t one : before[body[i]]) {
        if (body[i] != header && std::ranges::find(body, one) == body.end()) body.push_back(one);
      }
    }
    const bool is_alone = std::ranges::all_of(
        body, [&](std::size_t one) { return IsOfOneWorkItem(function.blocks[one]); });
    if (is_alone) loops.push_back({header, entries[0], (*bound)++, variable});
  }
  return loops;
}

// In front of the header: the block through which all turns go, and some of the work-items that
// enter.  The store is volatile, so that compilers keep the block.
void AppendSecondEntry(const Function& function, const Loop& loop, const EntryWords& words,
                       Id* bound, std::vector<Id>* phis, Words* made) {
  const Block& header = function.blocks[loop.header];
  constexpr Word kVolatile = 1;
  made->insert(made->end(), {FirstWord(Op::kLabel, 2), loop.second});
  for (const Instruction one : header.instructions) {
    if (OpcodeOf(one[0]) != Op::kPhi) continue;
    phis->push_back((*bound)++);
    const std::size_t first = made->size();
    Append(one, made);
    (*made)[first + 2] = phis->back();
  }
  made->insert(made->end(), {FirstWord(Op::kStore, 4), loop.variable, words.zero, kVolatile,
                             FirstWord(Op::kBranch, 2), header.label});
}

// The end of the block from which the loop is entered.
void AppendEntry(const Loop& loop, Id header, const EntryWords& words, Id* bound, Words* made) {
  const Id ids = *bound, id = ids + 1, bit = ids + 2, condition = ids + 3;
  *bound += 4;
  made->insert(made->end(), {FirstWord(Op::kLoad, 4), words.ids_type, ids, words.ids});
  made->insert(made->end(), {FirstWord(Op::kCompositeExtract, 5), words.id_type, id, ids, 0});
  made->insert(made->end(), {FirstWord(Op::kBitwiseAnd, 5), words.id_type, bit, id, words.one});
  made->insert(made->end(),
               {FirstWord(Op::kINotEqual, 5), words.condition_type, condition, bit, words.zero});
  made->insert(made->end(), {FirstWord(Op::kBranchConditional, 4), condition, loop.second, header});
}

// Of OpPhi of a header.
void AppendHeaderPhi(Instruction phi, Id entry, Id second, Id value, Words* made) {
  made->insert(made->end(), {FirstWord(Op::kPhi, 7), phi[1], phi[2]});
  for (std::size_t k = 3; k < phi.size(); k += 2) {
    if (phi[k + 1] == entry) Append(phi.subspan(k, 2), made);
  }
  made->insert(made->end(), {value, second});
}

void AppendWithSecondEntries(const Function& function, const std::vector<Loop>& loops,
                             const EntryWords& words, Id* bound, Words* made) {
  for (const Instruction one : function.head) Append(one, made);
  for (std::size_t i = 0; i < function.blocks.size(); ++i) {
    const Block& block = function.blocks[i];
    const auto loop = std::ranges::find(loops, i, &Loop::header);
    const auto entered = std::ranges::find(loops, i, &Loop::entry);
    std::vector<Id> phis;
    if (loop != loops.end()) AppendSecondEntry(function, *loop, words, bound, &phis, made);
    std::size_t phi = 0, first = 0;
    for (const Instruction one : block.instructions) {
      first = made->size();
      if (loop != loops.end() && OpcodeOf(one[0]) == Op::kPhi) {
        AppendHeaderPhi(one, function.blocks[loop->entry].label, loop->second, phis[phi++], made);
      } else if (entered != loops.end() && OpcodeOf(one[0]) == Op::kBranch) {
        AppendEntry(*entered, function.blocks[entered->header].label, words, bound, made);
      } else {
        Append(one, made);
      }
      if (i == 0 && OpcodeOf(one[0]) == Op::kLabel) {
        made->insert(made->end(),
                     {FirstWord(Op::kVariable, 4), words.pointer_type, loops[0].variable,
                      static_cast<Word>(frontend::StorageClass::kFunction)});
      }
    }
    if (entered != loops.end()) continue;
    for (const Target& target : block.targets) {
      const auto back = std::ranges::find_if(loops, [&](const Loop& one) {
        return function.blocks[one.header].label == target.label;
      });
      if (back != loops.end()) (*made)[first + target.place] = back->second;
    }
  }
  Append(function.end, made);
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

Words WithSecondEntries(Instruction words) {
  Split split = SplitModule(words);
  Id bound = words[3];
  const auto entry_words = EntryWordsOf(&split.front, &bound);
  if (!entry_words) return {words.begin(), words.end()};
  Words made = std::move(split.front);
  for (const Function& function : split.functions) {
    const std::vector<Loop> loops =
        function.blocks.empty() ? std::vector<Loop>() : LoopsOf(function, *entry_words, &bound);
    if (loops.empty()) {
      AppendFunction(function, AllOf(function), &made);
    } else {
      AppendWithSecondEntries(function, loops, *entry_words, &bound, &made);
    }
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
