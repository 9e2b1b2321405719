#include "frontend/linker.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/linker.hpp>

#include "base/in_child.h"
#include "frontend/debug_instructions.h"
#include "frontend/decode.h"
#include "frontend/linkage.h"
#include "frontend/linked_places.h"

namespace assay::frontend {
namespace {

// SPIRV-Tools' linker takes the first of several exports silently.
Expected<void> CheckExports(std::span<const Binary> modules, const std::string& name) {
  std::map<std::string, const Binary*, std::less<>> exporters;
  std::string clashes;
  for (const Binary& module : modules) {
    ForEachInstruction(module.words, [&](std::size_t, std::span<const Word> words) {
      const auto symbol = ReadSymbol(0, words);
      if (!symbol || symbol->type != LinkageType::kExport) return;
      const auto [other, added] = exporters.try_emplace(symbol->name, &module);
      if (added) return;
      clashes += fmt::format("\n  {} and {} both export {}", other->second->name, module.name,
                             symbol->name);
    });
  }
  if (clashes.empty()) return {};
  return Fail(ErrorKind::kUsage, fmt::format("{}: the modules do not link:{}", name, clashes));
}

// A variable without its initializer is a declaration.
std::vector<Word> AsImports(const std::vector<Word>& words, const std::set<Id>& variables) {
  std::vector<Word> declared(words.begin(), words.begin() + kHeaderWords);
  ForEachInstruction(words, [&](std::size_t, std::span<const Word> instruction) {
    constexpr std::uint32_t kWithoutInitializer = 4;
    if (OpcodeOf(instruction[0]) == Op::kVariable && variables.contains(instruction[2]) &&
        instruction.size() > kWithoutInitializer) {
      declared.push_back((kWithoutInitializer << 16) | static_cast<Word>(Op::kVariable));
      instruction = instruction.subspan(1, kWithoutInitializer - 1);
    }
    declared.insert(declared.end(), instruction.begin(), instruction.end());
  });
  return declared;
}

// Without these decorations.
std::vector<Word> WithoutSymbols(const std::vector<Word>& words,
                                 const std::set<std::size_t>& type_words) {
  std::vector<Word> kept(words.begin(), words.begin() + kHeaderWords);
  ForEachInstruction(words, [&](std::size_t place, std::span<const Word> instruction) {
    const auto symbol = ReadSymbol(place, instruction);
    if (symbol && type_words.contains(symbol->type_word)) return;
    kept.insert(kept.end(), instruction.begin(), instruction.end());
  });
  return kept;
}

// SPV_KHR_linkonce_odr: "merge with other globals of the same name when linkage occurs".
// SPIRV-Tools 2023.1 leaves these names alone, and 2025.1 refuses them beside an export.  So one
// definition becomes an export, variables of the same name become imports, and functions of the
// same name, which have to be equal, lose it. `once`: the names of which a definition was made an
// export.
void ChooseDefinitions(std::vector<std::vector<Word>>* modules, std::set<std::string>* once) {
  std::set<std::string> defined;
  for (const std::vector<Word>& module : *modules) {
    ForEachInstruction(module, [&](std::size_t place, std::span<const Word> words) {
      const auto symbol = ReadSymbol(place, words);
      if (symbol && symbol->type == LinkageType::kExport) defined.insert(symbol->name);
    });
  }
  for (std::vector<Word>& module : *modules) {
    std::vector<Symbol> symbols;
    std::set<Id> all_variables;
    ForEachInstruction(module, [&](std::size_t place, std::span<const Word> words) {
      const auto symbol = ReadSymbol(place, words);
      if (symbol && symbol->type == LinkageType::kLinkOnceODR) symbols.push_back(*symbol);
      if (OpcodeOf(words[0]) == Op::kVariable) all_variables.insert(words[2]);
    });
    std::set<Id> declared;
    std::set<std::size_t> unnamed;  // Symbol::type_word
    for (const Symbol& symbol : symbols) {
      if (defined.insert(symbol.name).second) {
        once->insert(symbol.name);
        module[symbol.type_word] = static_cast<Word>(LinkageType::kExport);
      } else if (all_variables.contains(symbol.target)) {
        declared.insert(symbol.target);
        module[symbol.type_word] = static_cast<Word>(LinkageType::kImport);
      } else {
        unnamed.insert(symbol.type_word);
      }
    }
    if (!unnamed.empty()) module = WithoutSymbols(module, unnamed);
    if (!declared.empty()) module = AsImports(module, declared);
  }
}

// A library's definition may meet others of its name again.
void RestoreDefinitions(const std::set<std::string>& once, std::vector<Word>* words) {
  const std::vector<Word> original = *words;
  ForEachInstruction(original, [&](std::size_t place, std::span<const Word> instruction) {
    const auto symbol = ReadSymbol(place, instruction);
    if (!symbol || !once.contains(symbol->name)) return;
    (*words)[symbol->type_word] = static_cast<Word>(LinkageType::kLinkOnceODR);
  });
}

// The words, or a message: the other is empty.
std::pair<std::vector<Word>, std::string> LinkHere(const std::vector<std::vector<Word>>& inputs) {
  std::string messages;
  spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
  context.SetMessageConsumer([&messages](spv_message_level_t level, const char*,
                                         const spv_position_t&, const char* message) {
    if (level > SPV_MSG_ERROR) return;
    if (!messages.empty()) messages += '\n';
    messages += message;
  });
  spvtools::LinkerOptions options;
  options.SetCreateLibrary(true);
  options.SetAllowPartialLinkage(true);
  std::vector<Word> words;
  if (spvtools::Link(context, inputs, &words, options) != SPV_SUCCESS) {
    return {{}, messages.empty() ? "refused without a message" : messages};
  }
  return {std::move(words), ""};
}

}  // namespace

Expected<Binary> Link(std::span<const Binary> modules, std::string name,
                      const base::Budget& budget) {
  if (modules.empty()) return Fail(ErrorKind::kUsage, fmt::format("{}: nothing to link", name));
  if (modules.size() == 1) return modules[0];
  if (auto good = CheckExports(modules, name); !good) return tl::unexpected(good.error());
  // The linker wants one version in all headers: the newest understands the others' instructions.
  Word newest = 0;
  for (const Binary& module : modules) newest = std::max(newest, module.words[1]);
  std::vector<std::vector<Word>> inputs;
  std::vector<std::string> warnings;
  for (const Binary& module : modules) {
    // It cannot read debug information that does not keep to the grammar.
    const bool damaged = !module.skipped.empty();
    inputs.push_back(damaged ? DebugInstructions(module.words).Without() : module.words);
    inputs.back()[1] = newest;
    if (damaged) {
      warnings.push_back(
          fmt::format("{}: linked without its debug information, which is damaged", module.name));
    }
  }
  UnifyPointers(&inputs);
  LinkedPlaces places;
  for (std::vector<Word>& input : inputs) input = places.Hidden(input);
  std::set<std::string> once;
  ChooseDefinitions(&inputs, &once);
  auto answer = base::InChild(budget, fmt::format("linking {} by SPIRV-Tools", name), [&inputs] {
    const auto [words, message] = LinkHere(inputs);
    base::Packed packed;
    packed.Add(std::string_view(message));
    packed.Add(base::BytesOf(words));
    return packed.bytes();
  });
  if (!answer) return tl::unexpected(answer.error());
  base::Packed packed(std::move(*answer));
  if (const std::string message = packed.Text(); !message.empty()) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: the modules do not link: {}", name, message));
  }
  std::vector<Word> words = places.Restored(base::ItemsOf<Word>(packed.Text()));
  RestoreDefinitions(once, &words);
  auto binary = LoadWords(std::move(words), std::move(name));
  if (binary) binary->warnings.insert(binary->warnings.begin(), warnings.begin(), warnings.end());
  return binary;
}

}  // namespace assay::frontend
