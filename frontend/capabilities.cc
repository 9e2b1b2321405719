#include "frontend/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontend/decode.h"

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

#define SUPPORTED(capability) {Capability::k##capability, true, ""},
#define REFUSED(capability, why) {Capability::k##capability, false, why},
#define EXTENSION(name)
#define REFUSED_EXTENSION(name, why)
#define INSTRUCTION_SET(name)
constexpr CapabilityRow kCapabilityRows[] = {
#include "frontend/capabilities.def"
};
#undef SUPPORTED
#undef REFUSED
#undef EXTENSION
#undef REFUSED_EXTENSION
#define SUPPORTED(capability)
#define REFUSED(capability, why)
#define EXTENSION(name) {#name, true, ""},
#define REFUSED_EXTENSION(name, why) {#name, false, why},
constexpr NameRow kExtensionRows[] = {
#include "frontend/capabilities.def"
};
#undef EXTENSION
#undef REFUSED_EXTENSION
#undef INSTRUCTION_SET
#define EXTENSION(name)
#define REFUSED_EXTENSION(name, why)
#define INSTRUCTION_SET(name) #name,
constexpr std::string_view kInstructionSets[] = {
#include "frontend/capabilities.def"
};
#undef SUPPORTED
#undef REFUSED
#undef EXTENSION
#undef REFUSED_EXTENSION
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
  if (refusals.empty()) return {};
  std::string message;
  for (const std::string& refusal : refusals) {
    if (!message.empty()) message += '\n';
    message += fmt::format("{}: {}", binary.name, refusal);
  }
  return Fail(ErrorKind::kUnsupported, message);
}

}  // namespace assay::frontend
