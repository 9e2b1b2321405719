#include "frontend/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontend/decode.h"
#include "frontend/module.h"

namespace assay::frontend {
namespace {

struct CapabilityRow {
  Capability capability;
  bool supported;
  std::string_view why;
};

struct NameRow {
  std::string_view name;
  bool supported;
  std::string_view why;
};

struct TypeRow {
  Op opcode;
  std::string_view why;
};

struct BuiltInRow {
  BuiltIn built_in;
  std::string_view why;
};

// Every kind of row is nothing but where its own table is made.
#define SUPPORTED(capability) {Capability::k##capability, true, ""},
#define REFUSED(capability, why) {Capability::k##capability, false, why},
#define EXTENSION(name)
#define REFUSED_EXTENSION(name, why)
#define REFUSED_TYPE(opcode, why)
#define REFUSED_BUILT_IN(name, why)
#define INSTRUCTION_SET(name)
constexpr CapabilityRow kCapabilityRows[] = {
#include "frontend/capabilities.def"
};
#undef SUPPORTED
#define SUPPORTED(capability)
#undef REFUSED
#define REFUSED(capability, why)
#undef EXTENSION
#define EXTENSION(name) {#name, true, ""},
#undef REFUSED_EXTENSION
#define REFUSED_EXTENSION(name, why) {#name, false, why},
constexpr NameRow kExtensionRows[] = {
#include "frontend/capabilities.def"
};
#undef EXTENSION
#define EXTENSION(name)
#undef REFUSED_EXTENSION
#define REFUSED_EXTENSION(name, why)
#undef REFUSED_TYPE
#define REFUSED_TYPE(opcode, why) {Op::k##opcode, why},
constexpr TypeRow kTypeRows[] = {
#include "frontend/capabilities.def"
};
#undef REFUSED_TYPE
#define REFUSED_TYPE(opcode, why)
#undef REFUSED_BUILT_IN
#define REFUSED_BUILT_IN(name, why) {BuiltIn::k##name, why},
constexpr BuiltInRow kBuiltInRows[] = {
#include "frontend/capabilities.def"
};
#undef REFUSED_BUILT_IN
#define REFUSED_BUILT_IN(name, why)
#undef INSTRUCTION_SET
#define INSTRUCTION_SET(name) #name,
constexpr std::string_view kInstructionSets[] = {
#include "frontend/capabilities.def"
};
#undef SUPPORTED
#undef REFUSED
#undef EXTENSION
#undef REFUSED_EXTENSION
#undef REFUSED_TYPE
#undef REFUSED_BUILT_IN
#undef INSTRUCTION_SET

void Refuse(std::vector<std::string>* refusals, std::string_view what, std::string_view name,
            std::string_view why) {
  std::string line = fmt::format("{} {} is not supported", what, name);
  if (!why.empty()) line += fmt::format(": {}", why);
  if (std::ranges::find(*refusals, line) == refusals->end()) refusals->push_back(std::move(line));
}

void CheckCapability(Word value, std::vector<std::string>* refusals) {
  const auto capability = static_cast<Capability>(value);
  const auto row = std::ranges::find(kCapabilityRows, capability, &CapabilityRow::capability);
  const bool known = row != std::end(kCapabilityRows);
  if (known && row->supported) return;
  Refuse(refusals, "capability", EnumerantName(OperandKind::kCapability, value),
         known ? row->why : "");
}

void CheckExtension(std::string_view name, std::vector<std::string>* refusals) {
  const auto row = std::ranges::find(kExtensionRows, name, &NameRow::name);
  const bool known = row != std::end(kExtensionRows);
  if (known && row->supported) return;
  Refuse(refusals, "extension", name, known ? row->why : "");
}

void CheckInstructionSet(std::string_view name, std::vector<std::string>* refusals) {
  // SPV_KHR_non_semantic_info: what is in such a set may be ignored.
  if (name.starts_with("NonSemantic.")) return;
  if (std::ranges::find(kInstructionSets, name) != std::end(kInstructionSets)) return;
  Refuse(refusals, "extended instruction set", name,
         name == "SPIRV.debug" ? "compile with --spirv-debug-info-version=ocl-100" : "");
}

Expected<void> Tell(const std::string& name, const std::vector<std::string>& refusals) {
  if (refusals.empty()) return {};
  std::string message;
  for (const std::string& refusal : refusals) {
    if (!message.empty()) message += '\n';
    message += fmt::format("{}: {}", name, refusal);
  }
  return Fail(ErrorKind::kUnsupported, message);
}

// Instructions whose first operand is the scope of the work-items that take part together.
bool IsCollective(Op opcode) {
  const auto rule = FindInstruction(opcode);
  if (!rule) return false;
  const std::size_t first = (rule->HasResultType() ? 1 : 0) + (rule->HasResult() ? 1 : 0);
  const bool scoped =
      rule->operands.size() > first && rule->operands[first].kind == OperandKind::kIdScope;
  return scoped && opcode != Op::kMemoryBarrier;
}

}  // namespace

bool IsSupported(Capability capability) {
  const auto row = std::ranges::find(kCapabilityRows, capability, &CapabilityRow::capability);
  return row != std::end(kCapabilityRows) && row->supported;
}

bool IsSupportedExtension(std::string_view name) {
  const auto row = std::ranges::find(kExtensionRows, name, &NameRow::name);
  return row != std::end(kExtensionRows) && row->supported;
}

Expected<void> CheckCapabilities(const Binary& binary) {
  std::vector<std::string> refusals;
  ForEachInstruction(binary.words, [&](std::size_t, std::span<const Word> instruction) {
    switch (OpcodeOf(instruction[0])) {
      case Op::kCapability:
        if (instruction.size() > 1) CheckCapability(instruction[1], &refusals);
        break;
      case Op::kExtension:
        CheckExtension(*StringAt(instruction.subspan(1)), &refusals);
        break;
      case Op::kExtInstImport:
        CheckInstructionSet(*StringAt(instruction.subspan(2)), &refusals);
        break;
      default:
        break;
    }
  });
  return Tell(binary.name, refusals);
}

Expected<void> CheckFeatures(const Module& module) {
  std::vector<std::string> refusals;
  for (const Type& type : module.types.All()) {
    const auto row = std::ranges::find(kTypeRows, type.opcode, &TypeRow::opcode);
    if (row != std::end(kTypeRows)) Refuse(&refusals, "type", NameOf(type.opcode), row->why);
  }
  for (const GlobalVariable& global : module.globals) {
    if (!global.built_in) continue;
    const auto row = std::ranges::find(kBuiltInRows, *global.built_in, &BuiltInRow::built_in);
    if (row == std::end(kBuiltInRows)) continue;
    const auto value = static_cast<Word>(*global.built_in);
    Refuse(&refusals, "built-in variable", EnumerantName(OperandKind::kBuiltIn, value), row->why);
  }
  for (const Instruction& instruction : module.instructions) {
    if (!IsCollective(instruction.opcode)) continue;
    const auto scope = module.constants.Integer(module.Operands(instruction)[0]);
    if (!scope || *scope != static_cast<std::uint64_t>(Scope::kSubgroup)) continue;
    Refuse(&refusals, NameOf(instruction.opcode), "with scope Subgroup",
           "sub-groups are not executed yet");
  }
  return Tell(module.name, refusals);
}

}  // namespace assay::frontend
