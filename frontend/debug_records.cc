#include "frontend/debug_records.h"

#include "frontend/decode.h"

namespace assay::frontend {

std::optional<DebugOperands> ReadDebugOperands(const Module& module,
                                               const Instruction& instruction) {
  if (instruction.opcode != Op::kExtInst) return std::nullopt;
  const auto words = module.WordsOf(instruction);
  const ExtendedSet set = module.SetOf(words[3]);
  if (!IsDebugSet(set) || module.debug_info.left_out.contains(instruction.result)) {
    return std::nullopt;
  }
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

std::string DebugNameOf(const Module& module, Id id) { return CutName(DebugStringOf(module, id)); }

std::string CutName(std::string name) {
  if (name.size() <= kMostNameBytes) return name;
  std::size_t end = kMostNameBytes;
  // Not in the middle of a character of UTF-8.
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  name.resize(end);
  return name + "...";
}

std::uint32_t DebugLineAt(const Module& module, const DebugOperands& operands, std::size_t place) {
  return KnownLine(DebugNumberAt(module, operands, place));
}

}  // namespace assay::frontend
