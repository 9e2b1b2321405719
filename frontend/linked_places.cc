#include "frontend/linked_places.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "frontend/cfg.h"
#include "frontend/debug_instructions.h"
#include "frontend/decode.h"
#include "frontend/rewritten.h"

namespace assay::frontend {
namespace {

// SPV_KHR_non_semantic_info: sets of such names may be ignored.
constexpr std::string_view kSet = "NonSemantic.Assay.Places";
// The words of an OpExtInst before its operands: result type, result, set, number.
constexpr std::size_t kOperands = 5;

// The function, and where it was inlined.
constexpr std::size_t kMostScopes = 2;

bool IsScope(const DebugInstructions& debug, std::span<const Word> instruction) {
  if (!debug.Has(instruction) || instruction.size() > kOperands + kMostScopes) return false;
  // Both sets have the same numbers.
  const auto number = static_cast<OpenClDebugInfo100>(instruction[kOperands - 1]);
  return number == OpenClDebugInfo100::kDebugScope || number == OpenClDebugInfo100::kDebugNoScope;
}

// The ids that the linker has to give the numbers of the result.
std::size_t IdsOf(std::span<const Word> original) {
  const Op opcode = OpcodeOf(original[0]);
  if (opcode == Op::kLine) return 1;
  return opcode == Op::kNoLine ? 0 : original.size() - kOperands + 1;
}

Id FirstOf(const std::vector<Word>& words, Op opcode) {
  Id found = 0;
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    if (found == 0 && OpcodeOf(instruction[0]) == opcode) found = instruction[1];
  });
  return found;
}

}  // namespace

std::vector<Word> LinkedPlaces::Hidden(const std::vector<Word>& words) {
  const DebugInstructions debug(words);
  Id bound = words[3];
  const Id set = bound++;
  Id type = FirstOf(words, Op::kTypeVoid);
  const bool has_type = type != 0;
  if (!has_type) type = bound++;
  bool is_in_function = false;
  bool is_in_block = false;
  const auto hide = [&](std::span<const Word> instruction, Id result, std::span<const Word> ids,
                        std::vector<Word>* copy) {
    const auto number = static_cast<Word>(originals_.size());
    originals_.emplace_back(instruction.begin(), instruction.end());
    copy->insert(copy->end(), {FirstWord(Op::kExtInst, static_cast<Word>(kOperands + ids.size())),
                               type, result, set, number});
    Append(ids, copy);
  };
  std::vector<Word> hidden =
      Rewritten(words, [&](std::span<const Word> instruction, std::vector<Word>* copy) {
        const Op opcode = OpcodeOf(instruction[0]);
        if (opcode == Op::kMemoryModel) AppendText(Op::kExtInstImport, {&set, 1}, kSet, copy);
        if (opcode == Op::kFunction && !is_in_function) {
          is_in_function = true;
          if (!has_type) copy->insert(copy->end(), {FirstWord(Op::kTypeVoid, 2), type});
        }
        if (opcode == Op::kLine || opcode == Op::kNoLine) {
          const auto ids = instruction.subspan(1, IdsOf(instruction));
          if (is_in_block) hide(instruction, bound++, ids, copy);
          return;
        }
        if (IsScope(debug, instruction)) {
          std::vector<Word> ids = {instruction[3]};
          Append(instruction.subspan(kOperands), &ids);
          if (is_in_block) hide(instruction, instruction[2], ids, copy);
          return;
        }
        if (opcode == Op::kLabel) is_in_block = true;
        if (IsTerminator(opcode)) is_in_block = false;
        Append(instruction, copy);
      });
  hidden[3] = bound;
  return hidden;
}

std::vector<Word> LinkedPlaces::Restored(const std::vector<Word>& words) const {
  std::vector<Id> sets;
  return Rewritten(words, [&](std::span<const Word> instruction, std::vector<Word>* copy) {
    const Op opcode = OpcodeOf(instruction[0]);
    if (opcode == Op::kExtInstImport && StringAt(instruction.subspan(2)).value_or("") == kSet) {
      sets.push_back(instruction[1]);
      return;
    }
    const bool is_hidden = opcode == Op::kExtInst && std::ranges::count(sets, instruction[3]) > 0;
    if (!is_hidden) return Append(instruction, copy);
    const Word number = instruction[kOperands - 1];
    const std::span<const Word> ids = instruction.subspan(kOperands);
    // A module may have had a set of this name.
    if (number >= originals_.size() || ids.size() != IdsOf(originals_[number])) return;
    std::vector<Word> original = originals_[number];
    if (OpcodeOf(original[0]) == Op::kLine) original[1] = ids[0];
    if (OpcodeOf(original[0]) == Op::kExtInst) {
      std::ranges::copy(instruction.subspan(1, 2), original.begin() + 1);
      original[3] = ids[0];
      std::ranges::copy(ids.subspan(1), original.begin() + kOperands);
    }
    Append(original, copy);
  });
}

}  // namespace assay::frontend
