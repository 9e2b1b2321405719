#include "frontend/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/decode.h"

namespace assay::frontend {
namespace {

// Names and decorations are sorted by what they are of.
template <typename T>
std::pair<Id, std::uint32_t> KeyOf(const T& use) {
  return {use.target, use.member};
}

}  // namespace

ExtendedSet Module::SetOf(Id import) const {
  const Instruction* definition = Definition(import);
  if (definition == nullptr || definition->opcode != Op::kExtInstImport) {
    return ExtendedSet::kUnknown;
  }
  return FindExtendedSet(StringAt(Operands(*definition)).value_or(""));
}

const Function* Module::FindFunction(Id id) const {
  const std::uint32_t place = id < functions_.size() ? functions_[id] : 0;
  return place == 0 ? nullptr : &functions[place - 1];
}

const GlobalVariable* Module::FindGlobal(Id id) const {
  const std::uint32_t place = id < globals_.size() ? globals_[id] : 0;
  return place == 0 ? nullptr : &globals[place - 1];
}

const EntryPoint* Module::FindKernel(std::string_view kernel) const {
  const auto found = std::ranges::find_if(entry_points, [kernel](const EntryPoint& entry) {
    return entry.model == ExecutionModel::kKernel && entry.name == kernel;
  });
  return found == entry_points.end() ? nullptr : &*found;
}

std::span<const DecorationUse> Module::DecorationsOf(Id target) const {
  const auto first = std::ranges::lower_bound(decorations, target, {}, &DecorationUse::target);
  const auto last = std::ranges::upper_bound(decorations, target, {}, &DecorationUse::target);
  return {first, last};
}

const DecorationUse* Module::FindDecoration(Id target, Decoration decoration,
                                            std::uint32_t member) const {
  for (const DecorationUse& use : DecorationsOf(target)) {
    if (use.decoration == decoration && use.member == member) return &use;
  }
  return nullptr;
}

std::string_view Module::NameOf(Id target, std::uint32_t member) const {
  const auto found = std::ranges::lower_bound(names, std::pair(target, member), {}, KeyOf<Name>);
  const bool named = found != names.end() && found->target == target && found->member == member;
  return named ? std::string_view(found->text) : std::string_view();
}

std::string Module::Describe(Id id) const {
  const std::string_view text = NameOf(id);
  return text.empty() ? fmt::format("%{}", id) : fmt::format("%{} ({})", id, text);
}

std::string Module::Text(const Instruction& instruction) const {
  // An instruction may have 65,535 words; a message shows only a part.
  constexpr std::size_t kLongest = 2000;
  std::string text = instruction.result == 0 ? "" : fmt::format("%{} = ", instruction.result);
  text += frontend::NameOf(instruction.opcode);
  if (instruction.type != 0) text += fmt::format(" %{}", instruction.type);
  const auto rule = FindInstruction(instruction.opcode);
  const auto all = WordsOf(instruction);
  // Kinds by position, as far as the grammar fixes them; what an enumerant or a literal's type adds
  // are numbers here.
  std::size_t place = instruction.operands;
  const std::size_t fixed = (instruction.type != 0) + (instruction.result != 0);
  for (std::size_t i = fixed; rule && i < rule->operands.size() && place < all.size(); ++i) {
    const OperandRule operand = rule->operands[i];
    do {
      const Category category = CategoryOf(operand.kind);
      if (category == Category::kId || operand.kind == OperandKind::kPairIdRefIdRef) {
        text += fmt::format(" %{}", all[place++]);
      } else if (category == Category::kBits || category == Category::kValue) {
        text += fmt::format(" {}", EnumerantName(operand.kind, all[place++]));
      } else if (operand.kind == OperandKind::kLiteralString) {
        const std::string_view string = StringAt(all.subspan(place)).value_or("");
        text += fmt::format(" \"{}\"", string.substr(0, kLongest));
        place += StringWords(string.size());
      } else if (instruction.opcode == Op::kExtInst && i == 3) {
        const auto extended = FindInstruction(SetOf(all[3]), all[place]);
        text += extended ? fmt::format(" {}", extended->name) : fmt::format(" {}", all[place]);
        ++place;
      } else {
        text += fmt::format(" {}", all[place++]);
      }
    } while (operand.quantifier == Quantifier::kAny && place < all.size() &&
             text.size() < kLongest);
  }
  for (; place < all.size() && text.size() < kLongest; ++place) {
    text += fmt::format(" {}", all[place]);
  }
  return place < all.size() ? text + " [...]" : text;
}

}  // namespace assay::frontend
