#include "frontend/module_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "frontend/cfg.h"
#include "frontend/decode.h"

namespace assay::frontend {

tl::unexpected<Error> ModuleBuilder::Bad(const Instruction& instruction,
                                         std::string_view what) const {
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: {}: {}", module_->name, module_->Text(instruction), what));
}

// The words from an operand to the instruction's end.
Range ModuleBuilder::WordsAfter(const Instruction& instruction, std::size_t operand) const {
  const auto first = static_cast<std::uint32_t>(instruction.operands + operand);
  return {instruction.place + first, instruction.word_count - first};
}

Expected<std::shared_ptr<const Module>> ModuleBuilder::Build() {
  constexpr Step kSteps[] = {
      &ModuleBuilder::FlattenInstructions, &ModuleBuilder::ReadPreamble,
      &ModuleBuilder::ReadAnnotations,     &ModuleBuilder::CheckSpecialization,
      &ModuleBuilder::ReadDeclarations,    &ModuleBuilder::ResolveLocalSizes,
      &ModuleBuilder::ReadFunctions,       &ModuleBuilder::ConnectBlocks};
  for (const Step step : kSteps) {
    if (auto good = (this->*step)(); !good) return tl::unexpected(good.error());
  }
  ReadLinkage();
  module_->debug_info = ReadDebugInfo(*module_);
  return std::shared_ptr<const Module>(std::move(module_));
}

Expected<void> ModuleBuilder::FlattenInstructions() {
  Module& module = *module_;
  module.name = binary_.name;
  module.words = binary_.words;
  module.major_version = binary_.MajorVersion();
  module.minor_version = binary_.MinorVersion();
  module.generator = binary_.words[2];
  // The header's bound may be far above the largest id; tables by id need not be.
  Id largest = 0;
  ForEachInstruction(module.words, [&](std::size_t place, std::span<const Word> words) {
    Instruction instruction;
    instruction.place = static_cast<std::uint32_t>(place);
    instruction.opcode = OpcodeOf(words[0]);
    instruction.word_count = static_cast<std::uint16_t>(words.size());
    instruction.operands = 1;
    const auto rule = FindInstruction(instruction.opcode);
    if (rule && rule->HasResultType()) instruction.type = words[instruction.operands++];
    if (rule && rule->HasResult()) instruction.result = words[instruction.operands++];
    largest = std::max(largest, instruction.result);
    module.instructions.push_back(instruction);
  });
  module.definitions_.assign(largest + 1, kNone);
  for (std::uint32_t i = 0; i < module.instructions.size(); ++i) {
    const Id result = module.instructions[i].result;
    if (result == 0) continue;
    if (module.definitions_[result] != kNone) {
      return Bad(module.instructions[i], "its result id is another instruction's already");
    }
    module.definitions_[result] = i;
  }
  module.functions_.assign(largest + 1, 0);
  module.globals_.assign(largest + 1, 0);
  module.types = TypeTable(largest + 1);
  module.constants = ConstantTable(largest + 1);
  return {};
}

Expected<void> ModuleBuilder::ReadPreamble() {
  Module& module = *module_;
  bool has_model = false;
  for (const Instruction& instruction : module.instructions) {
    const auto operands = module.Operands(instruction);
    switch (instruction.opcode) {
      case Op::kCapability:
        module.capabilities.push_back(static_cast<Capability>(operands[0]));
        break;
      case Op::kExtension:
        module.extensions.emplace_back(*StringAt(operands));
        break;
      case Op::kMemoryModel:
        module.addressing_model = static_cast<AddressingModel>(operands[0]);
        module.memory_model = static_cast<MemoryModel>(operands[1]);
        has_model = true;
        break;
      default:
        break;
    }
  }
  const bool physical = module.addressing_model == AddressingModel::kPhysical32 ||
                        module.addressing_model == AddressingModel::kPhysical64;
  if (!has_model || !physical || module.memory_model != MemoryModel::kOpenCL) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: its memory model is {} {}; kernels have Physical32 or Physical64 "
                            "and OpenCL",
                            module.name,
                            EnumerantName(OperandKind::kAddressingModel,
                                          static_cast<Word>(module.addressing_model)),
                            EnumerantName(OperandKind::kMemoryModel,
                                          static_cast<Word>(module.memory_model))));
  }
  return {};
}

Expected<void> ModuleBuilder::CheckSpecialization() {
  for (const DecorationUse& use : module_->decorations) {
    if (use.decoration != Decoration::kSpecId || use.operands.count == 0) continue;
    module_->spec_ids.push_back(module_->words[use.operands.first]);
  }
  std::ranges::sort(module_->spec_ids);
  for (const auto& [id, value] : specialization_) {
    if (std::ranges::binary_search(module_->spec_ids, id)) continue;
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{}: there is no specialization constant {}; it has: {}", module_->name, id,
                    module_->spec_ids.empty()
                        ? "none"
                        : fmt::format("{}", fmt::join(module_->spec_ids, ", "))));
  }
  return {};
}

// The words of an instruction and of those that continue it (SPV_INTEL_long_composites).
std::vector<Word> ModuleBuilder::WithContinued(std::uint32_t place) const {
  const auto words = module_->WordsOf(module_->instructions[place]);
  std::vector<Word> all(words.begin(), words.end());
  for (++place; place < module_->instructions.size(); ++place) {
    if (!IsContinued(module_->instructions[place].opcode)) break;
    const auto more = module_->Operands(module_->instructions[place]);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

// Types, constants and global variables are in one order, each after its parts.
Expected<void> ModuleBuilder::ReadDeclarations() {
  Module& module = *module_;
  TypeTable::Context layout;
  layout.pointer_bytes = module.PointerBytes();
  layout.constant = [&module](Id id) { return module.constants.Integer(id); };
  layout.packed = [&module](Id id) {
    return module.FindDecoration(id, Decoration::kCPacked) != nullptr;
  };
  layout.offset = [&module](Id id, std::uint32_t member) -> std::optional<std::uint64_t> {
    const DecorationUse* use = module.FindDecoration(id, Decoration::kOffset, member);
    if (use == nullptr || use->operands.count == 0) return std::nullopt;
    return module.words[use->operands.first];
  };
  bool in_function = false;
  for (std::uint32_t i = 0; i < module.instructions.size(); ++i) {
    const Instruction& instruction = module.instructions[i];
    const bool goes_on =
        i + 1 < module.instructions.size() && IsContinued(module.instructions[i + 1].opcode);
    std::vector<Word> joined;
    if (goes_on) joined = WithContinued(i);
    const auto words = goes_on ? std::span<const Word>(joined) : module.WordsOf(instruction);
    if (instruction.opcode == Op::kFunction) {
      in_function = true;
      module.constants.AddAddress(instruction.result, instruction.type);
    }
    // Within functions OpUndef is an instruction like any other, but a constant all the same.
    if (in_function && instruction.opcode != Op::kUndef && instruction.opcode != Op::kPoisonKHR) {
      continue;
    }
    if (auto good = module.types.Add(words, layout); !good) {
      return Bad(instruction, good.error().message);
    }
    ConstantTable::Context constants{.types = &module.types, .specialization = &specialization_};
    if (const DecorationUse* use = module.FindDecoration(instruction.result, Decoration::kSpecId);
        use != nullptr && use->operands.count != 0) {
      constants.spec_id = module.words[use->operands.first];
    }
    if (auto good = module.constants.Add(words, constants); !good) {
      return Fail(good.error().kind, fmt::format("{}: {}: {}", module.name,
                                                 module.Text(instruction), good.error().message));
    }
    if (instruction.opcode == Op::kVariable || instruction.opcode == Op::kUntypedVariableKHR) {
      if (auto good = AddGlobal(i); !good) return good;
    }
  }
  return {};
}

Expected<void> ModuleBuilder::AddGlobal(std::uint32_t place) {
  Module& module = *module_;
  const Instruction& instruction = module.instructions[place];
  const auto operands = module.Operands(instruction);
  const Type* pointer = module.types.Find(instruction.type);
  // The variable of an untyped pointer has the type as its operand.
  const bool is_untyped = instruction.opcode == Op::kUntypedVariableKHR;
  const Id pointee_id = is_untyped           ? (operands.size() > 1 ? operands[1] : 0)
                        : pointer == nullptr ? 0
                                             : pointer->element;
  const Type* pointee = pointer == nullptr || pointer->kind != TypeKind::kPointer
                            ? nullptr
                            : module.types.Find(pointee_id);
  if (pointee == nullptr) return Bad(instruction, "its type is no pointer to a type of objects");
  GlobalVariable variable;
  variable.id = instruction.result;
  variable.type = instruction.type;
  variable.pointee = pointee->id;
  variable.storage_class = static_cast<StorageClass>(operands[0]);
  variable.alignment = pointee->alignment;
  const std::size_t initializer = is_untyped ? 2 : 1;
  if (operands.size() > initializer) variable.initializer = operands[initializer];
  if (variable.initializer != 0 && module.constants.Find(variable.initializer) == nullptr) {
    return Bad(instruction, "its initializer is no constant and no variable before it");
  }
  for (const DecorationUse& use : module.DecorationsOf(variable.id)) {
    const auto values = module.Slice(use.operands);
    if (use.decoration == Decoration::kConstant) variable.constant = true;
    if (values.empty()) continue;
    if (use.decoration == Decoration::kBuiltIn) variable.built_in = static_cast<BuiltIn>(values[0]);
    if (use.decoration == Decoration::kAlignment && std::has_single_bit(values[0])) {
      variable.alignment = values[0];
    }
  }
  // Producers of SPIR-V 1.0 and 1.1 have the built-in variables in constant memory, as imports.
  if (variable.built_in && variable.storage_class == StorageClass::kUniformConstant) {
    variable.storage_class = StorageClass::kInput;
  }
  module.constants.AddAddress(variable.id, variable.type);
  module.globals.push_back(variable);
  module.globals_[variable.id] = static_cast<std::uint32_t>(module.globals.size());
  return {};
}

Expected<void> ModuleBuilder::ReadFunctions() {
  Module& module = *module_;
  bool open = false;
  bool in_block = false;
  for (std::uint32_t i = 0; i < module.instructions.size(); ++i) {
    const Instruction& instruction = module.instructions[i];
    const auto operands = module.Operands(instruction);
    const auto function_place = static_cast<std::uint32_t>(module.functions.size() - 1);
    switch (instruction.opcode) {
      case Op::kFunction: {
        if (open) return Bad(instruction, "it begins inside another function");
        open = true;
        const Type* type = module.types.Find(operands[1]);
        if (type == nullptr || type->kind != TypeKind::kFunction) {
          return Bad(instruction, "its type is no function type");
        }
        Function function;
        function.id = instruction.result;
        function.type = operands[1];
        function.return_type = type->element;
        function.control = operands[0];
        function.parameters.first = static_cast<std::uint32_t>(module.parameters.size());
        function.blocks.first = static_cast<std::uint32_t>(module.blocks.size());
        module.functions.push_back(function);
        module.functions_[function.id] = static_cast<std::uint32_t>(module.functions.size());
        break;
      }
      case Op::kFunctionParameter:
        if (!open || in_block) return Bad(instruction, "it stands outside a function's head");
        module.parameters.push_back({instruction.result, instruction.type});
        ++module.functions.back().parameters.count;
        break;
      case Op::kLabel: {
        if (!open || in_block) return Bad(instruction, "it stands inside a block or no function");
        in_block = true;
        Block block;
        block.label = instruction.result;
        block.function = function_place;
        block.instructions.first = i + 1;
        module.blocks.push_back(block);
        ++module.functions.back().blocks.count;
        break;
      }
      case Op::kFunctionEnd: {
        if (!open || in_block) return Bad(instruction, "it ends a block or no function");
        const Function& function = module.functions.back();
        if (module.types.Find(function.type)->count != function.parameters.count) {
          return Bad(module.instructions[module.definitions_[function.id]],
                     "its parameters are not those of its type");
        }
        open = false;
        break;
      }
      default:
        if (!in_block) break;
        ++module.blocks.back().instructions.count;
        in_block = !IsTerminator(instruction.opcode);
        break;
    }
  }
  if (open) return Fail(ErrorKind::kUsage, fmt::format("{}: a function has no end", module.name));
  return {};
}

Expected<void> ModuleBuilder::ConnectBlocks() {
  for (Function& function : module_->functions) {
    if (auto good = BuildControlFlow(module_.get(), &function); !good) return good;
  }
  for (const EntryPoint& entry : module_->entry_points) {
    if (module_->FindFunction(entry.function) != nullptr) continue;
    return Fail(ErrorKind::kUsage, fmt::format("{}: entry point {}: %{} is no function",
                                               module_->name, entry.name, entry.function));
  }
  return {};
}

void ModuleBuilder::ReadLinkage() {
  for (const DecorationUse& use : module_->decorations) {
    if (use.decoration != Decoration::kLinkageAttributes || use.member != kNone) continue;
    const auto operands = module_->Slice(use.operands);
    const auto name = StringAt(operands);
    if (!name || operands.size() <= StringWords(name->size())) continue;
    module_->linkage.push_back({use.target,
                                static_cast<LinkageType>(operands[StringWords(name->size())]),
                                std::string(*name)});
  }
}

Expected<std::shared_ptr<const Module>> BuildModule(const Binary& binary,
                                                    const Specialization& specialization) {
  return ModuleBuilder(binary, specialization).Build();
}

}  // namespace assay::frontend
