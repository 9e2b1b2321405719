#include "frontend/debug_records.h"

#include "frontend/decode.h"

namespace assay::frontend {

std::optional<DebugOperands> ReadDebugOperands(const Module& module,
                                               const Instruction& instruction) {
  if (instruction.opcode != Op::kExtInst) return std::nullopt;
  const auto words = module.WordsOf(instruction);
  const ExtendedSet set = module.SetOf(words[3]);
  if (!IsDebugSet(set)) return std::nullopt;
  return DebugOperands{set == ExtendedSet::kOpenClDebugInfo100, static_cast<DebugNumber>(words[4]),
                       words.subspan(5)};
}

std::optional<DebugOperands> ReadDebugOperands(const Module& module, Id id) {
  const Instruction* definition = module.Definition(id);
  return definition == nullptr ? std::nullopt : ReadDebugOperands(module, *definition);
}

std::uint32_t DebugNumberAt(const Module& module, const DebugOperands& operands,
                            std::size_t place) {
  const Word word = operands.At(place);
  if (operands.literals) return word;
  return static_cast<std::uint32_t>(module.constants.Integer(word).value_or(0));
}

std::string DebugStringOf(const Module& module, Id id) {
  const Instruction* definition = module.Definition(id);
  if (definition == nullptr || definition->opcode != Op::kString) return "";
  return std::string(StringAt(module.Operands(*definition)).value_or(""));
}

}  // namespace assay::frontend
