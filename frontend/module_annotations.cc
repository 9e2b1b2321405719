// The parts of a module that stand before what they are about: names, decorations, entry points.

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "frontend/decode.h"
#include "frontend/module_builder.h"

namespace assay::frontend {
namespace {

// Decorations that groups may add; more is no module but an attack on memory.
constexpr std::size_t kMaxDecorations = std::size_t{1} << 22;

}  // namespace

Expected<void> ModuleBuilder::ReadAnnotations() {
  Module& module = *module_;
  for (std::uint32_t i = 0; i < module.instructions.size(); ++i) {
    const Instruction& instruction = module.instructions[i];
    switch (instruction.opcode) {
      case Op::kName:
      case Op::kMemberName:
        AddName(instruction);
        break;
      case Op::kDecorate:
      case Op::kDecorateId:
      case Op::kDecorateString:
      case Op::kMemberDecorate:
      case Op::kMemberDecorateString:
        AddDecoration(instruction);
        break;
      case Op::kGroupDecorate:
      case Op::kGroupMemberDecorate:
        groups_.push_back(i);
        break;
      case Op::kEntryPoint:
        AddEntryPoint(instruction);
        break;
      case Op::kExecutionMode:
      case Op::kExecutionModeId:
        AddExecutionMode(instruction);
        break;
      default:
        break;
    }
  }
  if (auto good = ApplyGroups(); !good) return good;
  const auto by_target = [](const auto& a, const auto& b) {
    return std::tie(a.target, a.member) < std::tie(b.target, b.member);
  };
  std::ranges::stable_sort(module.decorations, by_target);
  std::ranges::stable_sort(module.names, by_target);
  return {};
}

void ModuleBuilder::AddName(const Instruction& instruction) {
  const auto operands = module_->Operands(instruction);
  const bool member = instruction.opcode == Op::kMemberName;
  const auto text = StringAt(operands.subspan(member ? 2 : 1));
  if (text->empty()) return;
  module_->names.push_back({operands[0], member ? operands[1] : kNone, std::string(*text)});
}

void ModuleBuilder::AddDecoration(const Instruction& instruction) {
  const auto operands = module_->Operands(instruction);
  const bool member =
      instruction.opcode == Op::kMemberDecorate || instruction.opcode == Op::kMemberDecorateString;
  DecorationUse use;
  use.target = operands[0];
  use.member = member ? operands[1] : kNone;
  use.decoration = static_cast<Decoration>(operands[member ? 2 : 1]);
  use.operands = WordsAfter(instruction, member ? 3 : 2);
  module_->decorations.push_back(use);
}

// A decoration of a group decorates each of its targets.
Expected<void> ModuleBuilder::ApplyGroups() {
  std::unordered_map<Id, std::vector<DecorationUse>> by_group;
  for (const DecorationUse& use : module_->decorations) {
    const Instruction* definition = module_->Definition(use.target);
    if (definition != nullptr && definition->opcode == Op::kDecorationGroup) {
      by_group[use.target].push_back(use);
    }
  }
  for (const std::uint32_t place : groups_) {
    const Instruction& instruction = module_->instructions[place];
    const auto operands = module_->Operands(instruction);
    const bool members = instruction.opcode == Op::kGroupMemberDecorate;
    for (DecorationUse use : by_group[operands[0]]) {
      for (std::size_t i = 1; i + (members ? 1 : 0) < operands.size(); i += members ? 2 : 1) {
        use.target = operands[i];
        use.member = members ? operands[i + 1] : kNone;
        module_->decorations.push_back(use);
        if (module_->decorations.size() > kMaxDecorations) {
          return Bad(instruction, "groups give the module more decorations than are possible");
        }
      }
    }
  }
  return {};
}

void ModuleBuilder::AddEntryPoint(const Instruction& instruction) {
  const auto operands = module_->Operands(instruction);
  const std::string_view name = *StringAt(operands.subspan(2));
  EntryPoint entry;
  entry.model = static_cast<ExecutionModel>(operands[0]);
  entry.function = operands[1];
  entry.name = name;
  entry.interface = WordsAfter(instruction, 2 + StringWords(name.size()));
  module_->entry_points.push_back(std::move(entry));
}

void ModuleBuilder::AddExecutionMode(const Instruction& instruction) {
  const auto operands = module_->Operands(instruction);
  ExecutionModeUse use;
  use.mode = static_cast<ExecutionMode>(operands[1]);
  use.by_id = instruction.opcode == Op::kExecutionModeId;
  use.operands = WordsAfter(instruction, 2);
  // One function may be several entry points; its modes are those of all of them.
  for (EntryPoint& entry : module_->entry_points) {
    if (entry.function == operands[0]) entry.modes.push_back(use);
  }
}

Expected<void> ModuleBuilder::ResolveLocalSizes() {
  for (EntryPoint& entry : module_->entry_points) {
    for (const ExecutionModeUse& use : entry.modes) {
      const bool hint =
          use.mode == ExecutionMode::kLocalSizeHint || use.mode == ExecutionMode::kLocalSizeHintId;
      const bool size =
          use.mode == ExecutionMode::kLocalSize || use.mode == ExecutionMode::kLocalSizeId;
      if ((!hint && !size) || use.operands.count < 3) continue;
      const auto words = module_->Slice(use.operands);
      std::array<std::uint32_t, 3> sizes{};
      for (std::size_t i = 0; i < 3; ++i) {
        const auto value = use.by_id ? module_->constants.Integer(words[i])
                                     : std::optional<std::uint64_t>(words[i]);
        if (!value || *value > 0xffffffff) {
          return Fail(
              ErrorKind::kUsage,
              fmt::format("{}: entry point {}: its {} is no constant of 32 bits", module_->name,
                          entry.name,
                          EnumerantName(OperandKind::kExecutionMode, static_cast<Word>(use.mode))));
        }
        sizes[i] = static_cast<std::uint32_t>(*value);
      }
      (hint ? entry.local_size_hint : entry.required_local_size) = sizes;
    }
  }
  return {};
}

}  // namespace assay::frontend
