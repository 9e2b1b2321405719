// What a kernel takes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/launch/session_state.h"

namespace assay::interp {

using frontend::StorageClass;
using frontend::TypeKind;

namespace {

// What the compilers make of a block that is enqueued: the host has no arguments for it.
bool IsBlock(const frontend::Module& module, const frontend::EntryPoint& entry) {
  const frontend::Function* function = module.FindFunction(entry.function);
  if (function == nullptr) return false;
  const auto parameters = function->parameters.Of(module.parameters);
  const frontend::Type* type = parameters.empty() ? nullptr : module.types.Find(parameters[0].type);
  return type != nullptr && type->kind == TypeKind::kPointer &&
         type->storage_class == StorageClass::kGeneric;
}

}  // namespace

std::vector<std::string> Session::State::KernelNames() const {
  std::vector<std::string> names;
  for (const frontend::EntryPoint& entry : module->entry_points) {
    if (entry.model == frontend::ExecutionModel::kKernel && !IsBlock(*module, entry)) {
      names.push_back(entry.name);
    }
  }
  return names;
}

namespace {

ParameterKind KindOfPointer(StorageClass storage_class) {
  switch (storage_class) {
    case StorageClass::kWorkgroup:
      return ParameterKind::kLocal;
    case StorageClass::kUniformConstant:
      return ParameterKind::kConstant;
    case StorageClass::kFunction:
      return ParameterKind::kByVal;
    default:
      return ParameterKind::kGlobal;
  }
}

}  // namespace

// llvm-spirv makes an entry point a function of its own, which calls the kernel and names nothing.
std::string ParameterName(const frontend::Module& module, const frontend::Function& function,
                          frontend::Id parameter) {
  if (const auto name = module.NameOf(parameter); !name.empty()) return std::string(name);
  for (const frontend::Block& block : function.blocks.Of(module.blocks)) {
    for (const frontend::Instruction& call : block.instructions.Of(module.instructions)) {
      if (call.opcode != frontend::Op::kFunctionCall) continue;
      const auto operands = module.Operands(call);
      const frontend::Function* callee = module.FindFunction(operands[0]);
      if (callee == nullptr) continue;
      const auto names = callee->parameters.Of(module.parameters);
      for (std::size_t i = 1; i < operands.size() && i <= names.size(); ++i) {
        if (operands[i] == parameter) return std::string(module.NameOf(names[i - 1].id));
      }
    }
  }
  return "";
}

namespace {

// A structure by the name that its source gives it; the compilers call it "struct.pair".
std::string TypeText(const frontend::Module& module, frontend::Id id) {
  const std::string text = module.types.Describe(id);
  const frontend::Type* type = module.types.Find(id);
  for (int depth = 0; depth < 32 && type != nullptr; ++depth) {
    if (type->kind != TypeKind::kPointer && type->kind != TypeKind::kArray) break;
    id = type->element;
    type = module.types.Find(id);
  }
  std::string_view name = module.NameOf(id);
  if (type == nullptr || type->kind != TypeKind::kStruct || name.empty()) return text;
  if (name.starts_with("struct.")) name.remove_prefix(std::string_view("struct.").size());
  const std::string number = fmt::format("struct %{}", id);
  if (!text.starts_with(number)) return text;
  return fmt::format("struct {}{}", name, text.substr(number.size()));
}

bool HasInstruction(const frontend::Module& module, const frontend::Function& function,
                    std::uint32_t place) {
  return std::ranges::any_of(function.blocks.Of(module.blocks), [place](const auto& block) {
    return place - block.instructions.first < block.instructions.count;
  });
}

// As ParameterName: the function itself, or one that it calls.
bool IsOfKernel(const frontend::Module& module, const frontend::Function& function,
                std::uint32_t place) {
  if (HasInstruction(module, function, place)) return true;
  for (const frontend::Block& block : function.blocks.Of(module.blocks)) {
    for (const frontend::Instruction& call : block.instructions.Of(module.instructions)) {
      if (call.opcode != frontend::Op::kFunctionCall) continue;
      const frontend::Function* callee = module.FindFunction(module.Operands(call)[0]);
      if (callee != nullptr && HasInstruction(module, *callee, place)) return true;
    }
  }
  return false;
}

// SPIR-V's integers of kernels have no sign, and pointers that newer compilers write point to
// bytes: the type as the source has it, where debug information tells it and it is `text` but for
// that.
std::string WithSign(const frontend::Module& module, const frontend::Function& function,
                     std::size_t parameter, const std::string& name, const std::string& text) {
  for (const frontend::DebugVariable& variable : module.debug_info.variables) {
    if (variable.argument != parameter + 1 || variable.name != name) continue;
    std::string_view type = variable.type;
    if (type.starts_with("const ")) type.remove_prefix(std::string_view("const ").size());
    const bool is_pointer_to_bytes = text == "uchar*" && type.ends_with('*');
    if (fmt::format("u{}", type) != text && !is_pointer_to_bytes) continue;
    if (IsOfKernel(module, function, variable.instruction)) return std::string(type);
  }
  return text;
}

// What a launch owes to a pointer parameter: its type's alignment and what attributes say.  LLVM's
// own back end has pointers to bytes only: where it says nothing, nothing is known.
std::uint64_t PromisedAlignment(const frontend::Module& module, frontend::Id parameter,
                                const frontend::Type* pointee) {
  constexpr std::uint32_t kBackend = 43;
  const std::uint64_t own = pointee == nullptr ? 1 : pointee->alignment;
  const auto* use = module.FindDecoration(parameter, frontend::Decoration::kAlignment);
  if (use == nullptr || module.Slice(use->operands).empty()) {
    return module.generator >> 16 == kBackend ? std::max(own, kBufferAlignment) : own;
  }
  return std::max<std::uint64_t>(own, module.Slice(use->operands)[0]);
}

}  // namespace

Expected<KernelInfo> Session::State::DescribeKernel(std::string_view name) const {
  const frontend::Module& module = *this->module;
  const frontend::EntryPoint* entry = module.FindKernel(name);
  if (entry == nullptr) {
    std::vector<std::string> names = KernelNames();
    return Fail(ErrorKind::kUsage, names.empty()
                                       ? fmt::format("{} has no kernels", module.name)
                                       : fmt::format("{} has no kernel '{}'; it has: {}",
                                                     module.name, name, fmt::join(names, ", ")));
  }
  const frontend::Function* function = module.FindFunction(entry->function);
  if (function == nullptr) {
    return Fail(ErrorKind::kUsage, fmt::format("kernel {} has no body", name));
  }
  if (auto good = needs.Check(*entry); !good) return tl::unexpected(good.error());
  KernelInfo info;
  info.name = entry->name;
  info.required_local_size = entry->required_local_size;
  for (const frontend::ExecutionModeUse& use : entry->modes) {
    const auto operands = module.Slice(use.operands);
    if (operands.empty()) continue;
    if (use.mode == frontend::ExecutionMode::kSubgroupsPerWorkgroup) {
      info.required_subgroups = operands[0];
    } else if (use.mode == frontend::ExecutionMode::kSubgroupSize) {
      info.required_subgroup_size = operands[0];
    } else if (use.mode == frontend::ExecutionMode::kSubgroupsPerWorkgroupId) {
      const auto value = module.constants.Integer(operands[0]);
      if (value) info.required_subgroups = static_cast<std::uint32_t>(*value);
    }
  }
  const auto parameters = function->parameters.Of(module.parameters);
  for (const frontend::Parameter& parameter : parameters) {
    ParameterInfo one;
    one.name = ParameterName(module, *function, parameter.id);
    one.type = WithSign(module, *function, info.parameters.size(), one.name,
                        TypeText(module, parameter.type));
    const frontend::Type* type = module.types.Find(parameter.type);
    if (type == nullptr) return Fail(ErrorKind::kUsage, "a parameter without a type");
    one.bytes = type->size;
    if (type->kind == TypeKind::kPointer) {
      one.kind = KindOfPointer(type->storage_class);
      const frontend::Type* pointee = module.types.Find(type->element);
      if (one.kind == ParameterKind::kByVal) one.bytes = pointee == nullptr ? 0 : pointee->size;
      one.alignment = PromisedAlignment(module, parameter.id, pointee);
    } else if (type->opcode == frontend::Op::kTypeImage) {
      auto image = ImageTypeOf(module, parameter.type);
      if (!image) return tl::unexpected(image.error());
      one.kind = ParameterKind::kImage;
      one.image = *image;
      one.type = DescribeImageType(*image);
    } else if (type->opcode == frontend::Op::kTypeSampler) {
      one.kind = ParameterKind::kSampler;
      one.type = "sampler_t";
    } else if (type->opcode == frontend::Op::kTypeQueue) {
      one.kind = ParameterKind::kQueue;
    } else if (type->opcode == frontend::Op::kTypePipe) {
      one.kind = ParameterKind::kPipe;
    } else if (type->kind == TypeKind::kOpaque) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("kernel {}: parameter {} is a {}, which is not executed yet", name,
                              info.parameters.size(), one.type));
    }
    info.parameters.push_back(std::move(one));
  }
  return info;
}

}  // namespace assay::interp
