#include "frontend/kernel_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_set>

#include "frontend/capabilities.h"
#include "frontend/decode.h"

namespace assay::frontend {
namespace {

// Instructions that say something of their first operand, an id.
bool IsAbout(Op opcode) {
  switch (opcode) {
    case Op::kDecorate:
    case Op::kDecorateId:
    case Op::kDecorateString:
    case Op::kMemberDecorate:
    case Op::kMemberDecorateString:
    case Op::kExecutionMode:
    case Op::kExecutionModeId:
      return true;
    default:
      return false;
  }
}

// Debug information and names compute nothing.
bool ComputesNothing(const Module& module, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Op::kName:
    case Op::kMemberName:
    case Op::kString:
    case Op::kLine:
    case Op::kNoLine:
    case Op::kSource:
    case Op::kEntryPoint:
    case Op::kCapability:
    case Op::kExtension:
    case Op::kExtInstImport:
    case Op::kMemoryModel:
      return true;
    case Op::kExtInst:
      return IsDebugSet(module.SetOf(module.Operands(instruction)[0]));
    default:
      return false;
  }
}

}  // namespace

// One walk over the module: each instruction belongs to the function that it stands in, to the id
// that it describes, or to its own result.
KernelNeeds::KernelNeeds(const Module& module) : module_name_(module.name) {
  if (!MayRefuse(module)) return;
  Decoder decoder(module.IdBound());
  std::vector<Operand> operands;
  Id function = 0;
  Id last = 0;  // that had a result
  for (const Instruction& instruction : module.instructions) {
    // Only debug information can fail to decode completely (loader.h).
    (void)decoder.Decode(module.WordsOf(instruction), &operands);
    if (instruction.opcode == Op::kFunction) function = instruction.result;
    Id owner = function;
    if (owner == 0) owner = IsContinued(instruction.opcode) ? last : instruction.result;
    if (instruction.result != 0) last = instruction.result;
    if (owner == 0 && IsAbout(instruction.opcode)) owner = module.Operands(instruction)[0];
    if (owner != 0 && !ComputesNothing(module, instruction)) {
      Node& node = nodes_[owner];
      const auto words = module.WordsOf(instruction);
      for (const Operand& operand : operands) {
        if (CategoryOf(operand.kind) == Category::kId) node.uses.push_back(words[operand.first]);
      }
      AddRefusals(module, instruction, operands, &node.refusals);
    }
    if (instruction.opcode == Op::kFunctionEnd) function = 0;
  }
}

Expected<void> KernelNeeds::Check(const EntryPoint& kernel) const {
  std::vector<std::string> refusals;
  std::unordered_set<Id> seen = {kernel.function};
  std::vector<Id> open = {kernel.function};
  while (!open.empty()) {
    const auto node = nodes_.find(open.back());
    open.pop_back();
    if (node == nodes_.end()) continue;
    for (const std::string& refusal : node->second.refusals) {
      if (std::ranges::find(refusals, refusal) == refusals.end()) refusals.push_back(refusal);
    }
    for (const Id id : node->second.uses) {
      if (seen.insert(id).second) open.push_back(id);
    }
  }
  if (refusals.empty()) return {};
  std::string message;
  for (const std::string& refusal : refusals) {
    if (!message.empty()) message += '\n';
    message += fmt::format("{}: kernel {}: {}", module_name_, kernel.name, refusal);
  }
  return Fail(ErrorKind::kUnsupported, message);
}

}  // namespace assay::frontend
