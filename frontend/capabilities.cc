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
  bool of_module;  // a module with it is not for OpenCL
  std::string_view why;
};

struct NameRow {
  std::string_view name;
  bool supported;
  std::string_view why;
};

struct OpcodeRow {
  Op opcode;
  std::string_view why;
};

// Every kind of row is nothing but where its own table is made.
#define SUPPORTED(capability) {Capability::k##capability, true, false, ""},
#define REFUSED(capability, why) {Capability::k##capability, false, false, why},
#define FOREIGN(capability, why) {Capability::k##capability, false, true, why},
#define EXTENSION(name)
#define REFUSED_EXTENSION(name, why)
#define REFUSED_TYPE(opcode, why)
#define REFUSED_INSTRUCTION(opcode, why)
#define INSTRUCTION_SET(name)
constexpr CapabilityRow kCapabilityRows[] = {
#include "frontend/capabilities.def"
};
#undef SUPPORTED
#define SUPPORTED(capability)
#undef REFUSED
#define REFUSED(capability, why)
#undef FOREIGN
#define FOREIGN(capability, why)
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
constexpr OpcodeRow kTypeRows[] = {
#include "frontend/capabilities.def"
};
#undef REFUSED_TYPE
#define REFUSED_TYPE(opcode, why)
#undef REFUSED_INSTRUCTION
#define REFUSED_INSTRUCTION(opcode, why) {Op::k##opcode, why},
constexpr OpcodeRow kInstructionRows[] = {
#include "frontend/capabilities.def"
};
#undef REFUSED_INSTRUCTION
#define REFUSED_INSTRUCTION(opcode, why)
#undef INSTRUCTION_SET
#define INSTRUCTION_SET(name) #name,
constexpr std::string_view kInstructionSets[] = {
#include "frontend/capabilities.def"
};
#undef SUPPORTED
#undef REFUSED
#undef FOREIGN
#undef EXTENSION
#undef REFUSED_EXTENSION
#undef REFUSED_TYPE
#undef REFUSED_INSTRUCTION
#undef INSTRUCTION_SET

std::string Refusal(std::string_view what, std::string_view name, std::string_view why) {
  return fmt::format("{} {} is not supported{}{}", what, name, why.empty() ? "" : ": ", why);
}

void AddOnce(std::string line, std::vector<std::string>* refusals) {
  if (std::ranges::find(*refusals, line) == refusals->end()) refusals->push_back(std::move(line));
}

void Refuse(std::vector<std::string>* refusals, std::string_view what, std::string_view name,
            std::string_view why) {
  AddOnce(Refusal(what, name, why), refusals);
}

const CapabilityRow* FindRow(Capability capability) {
  const auto row = std::ranges::find(kCapabilityRows, capability, &CapabilityRow::capability);
  return row == std::end(kCapabilityRows) ? nullptr : &*row;
}

bool IsSupportedSet(std::string_view name) {
  // SPV_KHR_non_semantic_info: the instructions of such a set may be ignored.
  return name.starts_with("NonSemantic.") ||
         std::ranges::find(kInstructionSets, name) != std::end(kInstructionSets);
}

// The name that OpExtInstImport gives to a set.
std::string_view SetName(const Module& module, Id import) {
  const Instruction* definition = module.Definition(import);
  if (definition == nullptr || definition->opcode != Op::kExtInstImport) return "";
  return StringAt(module.Operands(*definition)).value_or("");
}

// Whether one of the capabilities that allow something is executed, or nothing is needed for it.
// Where none is, `why` is what is told of the first one.
template <typename Rule>
bool IsExecuted(const Rule& rule, std::string* why) {
  if (rule.capabilities.empty()) {
    if (rule.version != kOnlyByExtension || rule.extensions.empty()) return true;
    if (std::ranges::any_of(rule.extensions, IsSupportedExtension)) return true;
    const auto row = std::ranges::find(kExtensionRows, rule.extensions[0], &NameRow::name);
    *why = row != std::end(kExtensionRows) ? std::string(row->why)
                                           : fmt::format("of extension {}", rule.extensions[0]);
    return false;
  }
  if (std::ranges::any_of(rule.capabilities, IsSupported)) return true;
  const Capability first = rule.capabilities[0];
  const CapabilityRow* row = FindRow(first);
  *why = row != nullptr && !row->why.empty()
             ? std::string(row->why)
             : fmt::format("of capability {}",
                           EnumerantName(OperandKind::kCapability, static_cast<Word>(first)));
  return false;
}

void AddRefusedEnumerant(OperandKind kind, Word value, std::vector<std::string>* refusals) {
  const auto one = [&](Word enumerant) {
    std::string why;
    const auto rule = FindEnumerant(kind, enumerant);
    if (rule && !IsExecuted(*rule, &why)) Refuse(refusals, NameOf(kind), rule->name, why);
  };
  if (CategoryOf(kind) == Category::kValue) return one(value);
  for (Word rest = value; rest != 0; rest &= rest - 1) one(rest & ~(rest - 1));
}

}  // namespace

bool IsSupported(Capability capability) {
  const CapabilityRow* row = FindRow(capability);
  return row != nullptr && row->supported;
}

bool IsSupportedExtension(std::string_view name) {
  const auto row = std::ranges::find(kExtensionRows, name, &NameRow::name);
  return row != std::end(kExtensionRows) && row->supported;
}

Expected<void> CheckCapabilities(const Binary& binary) {
  std::vector<std::string> refusals;
  ForEachInstruction(binary.words, [&](std::size_t, std::span<const Word> instruction) {
    if (OpcodeOf(instruction[0]) != Op::kCapability || instruction.size() < 2) return;
    const auto row = FindRow(static_cast<Capability>(instruction[1]));
    const bool known = FindEnumerant(OperandKind::kCapability, instruction[1]).has_value();
    if (known && (row == nullptr || !row->of_module)) return;
    Refuse(&refusals, "capability", EnumerantName(OperandKind::kCapability, instruction[1]),
           row == nullptr ? "" : row->why);
  });
  if (refusals.empty()) return {};
  std::string message;
  for (const std::string& refusal : refusals) {
    if (!message.empty()) message += '\n';
    message += fmt::format("{}: {}", binary.name, refusal);
  }
  return Fail(ErrorKind::kUnsupported, message);
}

bool MayRefuse(const Module& module) {
  if (!std::ranges::all_of(module.capabilities, IsSupported) ||
      !std::ranges::all_of(module.extensions, IsSupportedExtension)) {
    return true;
  }
  return std::ranges::any_of(module.instructions, [&](const Instruction& instruction) {
    if (instruction.opcode == Op::kExtInstImport) {
      return !IsSupportedSet(SetName(module, instruction.result));
    }
    const auto is_in = [&](const auto& rows) {
      return std::ranges::find(rows, instruction.opcode, &OpcodeRow::opcode) != std::end(rows);
    };
    return is_in(kTypeRows) || is_in(kInstructionRows);
  });
}

std::string RefusalOf(Op opcode) {
  const auto type = std::ranges::find(kTypeRows, opcode, &OpcodeRow::opcode);
  if (type != std::end(kTypeRows)) return Refusal("type", NameOf(opcode), type->why);
  const auto refused = std::ranges::find(kInstructionRows, opcode, &OpcodeRow::opcode);
  if (refused != std::end(kInstructionRows)) {
    return Refusal("instruction", NameOf(opcode), refused->why);
  }
  const auto rule = FindInstruction(opcode);
  if (!rule) return "";
  std::string why;
  // Some come by an extension although a capability that is executed allows them, too.
  const bool only_extended = rule->version == kOnlyByExtension && !rule->extensions.empty() &&
                             std::ranges::none_of(rule->extensions, IsSupportedExtension);
  if (only_extended && std::ranges::any_of(rule->capabilities, IsSupported)) {
    return Refusal("instruction", rule->name, fmt::format("of extension {}", rule->extensions[0]));
  }
  return IsExecuted(*rule, &why) ? "" : Refusal("instruction", rule->name, why);
}

void AddRefusals(const Module& module, const Instruction& instruction,
                 std::span<const Operand> operands, std::vector<std::string>* refusals) {
  if (std::string refusal = RefusalOf(instruction.opcode); !refusal.empty()) {
    AddOnce(std::move(refusal), refusals);
  }
  const auto words = module.WordsOf(instruction);
  for (const Operand& operand : operands) {
    const Word value = words[operand.first];
    const Category category = CategoryOf(operand.kind);
    if (category == Category::kBits || category == Category::kValue) {
      AddRefusedEnumerant(operand.kind, value, refusals);
    }
  }
  if (instruction.opcode != Op::kExtInst) return;
  const std::string_view set = SetName(module, module.Operands(instruction)[0]);
  if (IsSupportedSet(set)) return;
  Refuse(refusals, "extended instruction set", set,
         set == "SPIRV.debug" ? "compile with --spirv-debug-info-version=ocl-100" : "");
}

}  // namespace assay::frontend
