#include "frontend/kernel_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "frontend/decode.h"
#include "frontend/kernel_strings.h"

namespace assay::frontend {
namespace {

// "a,b<c,d>,": each ends with a comma; those in angle or other brackets belong to a type.
std::vector<std::string> PartsOf(std::string_view list) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : list) {
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c != ',' || depth > 0) {
      part += c;
      continue;
    }
    parts.push_back(std::move(part));
    part.clear();
  }
  return parts;
}

// The parts of "KIND.KERNEL.a,b,"; nothing where the module has no such string.
std::optional<std::vector<std::string>> StringsOf(const Module& module, std::string_view kind,
                                                  std::string_view kernel) {
  const std::string begin = fmt::format("{}.{}.", kind, kernel);
  for (const Instruction& instruction : module.instructions) {
    if (instruction.opcode == Op::kFunction) break;
    if (instruction.opcode != Op::kString) continue;
    const auto text = StringAt(module.Operands(instruction));
    if (text && text->starts_with(begin)) return PartsOf(text->substr(begin.size()));
  }
  return std::nullopt;
}

ArgumentAccess AccessOf(Word qualifier) {
  switch (qualifier) {
    case 0:
      return ArgumentAccess::kReadOnly;
    case 1:
      return ArgumentAccess::kWriteOnly;
    case 2:
      return ArgumentAccess::kReadWrite;
    default:
      return ArgumentAccess::kNone;
  }
}

ArgumentAddress AddressOf(StorageClass storage_class) {
  switch (storage_class) {
    case StorageClass::kCrossWorkgroup:
      return ArgumentAddress::kGlobal;
    case StorageClass::kWorkgroup:
      return ArgumentAddress::kLocal;
    case StorageClass::kUniformConstant:
      return ArgumentAddress::kConstant;
    default:
      return ArgumentAddress::kPrivate;
  }
}

// What the parameter's type says.
void ReadType(const Module& module, Id id, ArgumentInfo* info) {
  const Instruction* definition = module.Definition(id);
  if (definition == nullptr) return;
  const auto operands = module.Operands(*definition);
  switch (definition->opcode) {
    case Op::kTypePointer:
      info->address = AddressOf(static_cast<StorageClass>(operands[0]));
      info->is_const = info->address == ArgumentAddress::kConstant;
      break;
    case Op::kTypeImage: {
      constexpr std::size_t kAccess = 7;  // behind sampled type, dimension ... and format
      info->address = ArgumentAddress::kGlobal;
      info->access =
          operands.size() > kAccess ? AccessOf(operands[kAccess]) : ArgumentAccess::kReadOnly;
      break;
    }
    case Op::kTypePipe:
      info->address = ArgumentAddress::kGlobal;
      info->access = AccessOf(operands[0]);
      info->is_pipe = true;
      break;
    default:
      break;
  }
}

void ReadDecorations(const Module& module, Id parameter, ArgumentInfo* info) {
  for (const DecorationUse& use : module.DecorationsOf(parameter)) {
    if (use.decoration == Decoration::kVolatile) info->is_volatile = true;
    if (use.decoration != Decoration::kFuncParamAttr || use.operands.count == 0) continue;
    const auto attribute = static_cast<FunctionParameterAttribute>(module.Slice(use.operands)[0]);
    if (attribute == FunctionParameterAttribute::kNoAlias) info->is_restrict = true;
    if (attribute == FunctionParameterAttribute::kNoWrite) info->is_const = true;
  }
}

void ReadQualifiers(std::string_view text, ArgumentInfo* info) {
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  info->is_const = has("const");
  info->is_restrict = has("restrict");
  info->is_volatile = has("volatile");
  info->is_pipe = has("pipe");
}

std::string WithoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// The low half is the type of a component, the high half how many there are.
std::string HintedType(Word hint) {
  constexpr std::string_view kNames[] = {"char", "short", "int", "long", "half", "float", "double"};
  const Word kind = hint & 0xffff;
  const Word count = hint >> 16;
  if (kind >= std::size(kNames)) return "";
  return count > 1 ? fmt::format("{}{}", kNames[kind], count) : std::string(kNames[kind]);
}

std::string AttributesOf(const Module& module, const EntryPoint& kernel) {
  std::string text;
  const auto add = [&](std::string_view attribute) {
    if (!text.empty()) text += ' ';
    text += attribute;
  };
  const auto add_sizes = [&](std::string_view name, const auto& sizes) {
    if (sizes) add(fmt::format("{}({},{},{})", name, (*sizes)[0], (*sizes)[1], (*sizes)[2]));
  };
  for (const ExecutionModeUse& use : kernel.modes) {
    if (use.mode != ExecutionMode::kVecTypeHint || use.operands.count == 0) continue;
    const std::string type = HintedType(module.Slice(use.operands)[0]);
    if (!type.empty()) add(fmt::format("vec_type_hint({})", type));
  }
  add_sizes("work_group_size_hint", kernel.local_size_hint);
  add_sizes("reqd_work_group_size", kernel.required_local_size);
  for (const ExecutionModeUse& use : kernel.modes) {
    if (use.mode != ExecutionMode::kSubgroupSize || use.operands.count == 0) continue;
    add(fmt::format("intel_reqd_sub_group_size({})", module.Slice(use.operands)[0]));
  }
  return text;
}

}  // namespace

KernelInfo ReadKernelInfo(const Module& module, const EntryPoint& kernel) {
  KernelInfo info;
  info.attributes = AttributesOf(module, kernel);
  const Function* function = module.FindFunction(kernel.function);
  if (function == nullptr) return info;
  const auto types = StringsOf(module, kArgumentType, kernel.name);
  const auto qualifiers = StringsOf(module, kArgumentQualifiers, kernel.name);
  const auto names = StringsOf(module, kArgumentName, kernel.name);
  const std::size_t count = function->parameters.count;
  const auto fits = [&](const auto& list) { return list && list->size() == count; };
  info.has_type_names = fits(types);
  for (std::size_t i = 0; i < count; ++i) {
    const Parameter& parameter = function->parameters.Of(module.parameters)[i];
    ArgumentInfo argument;
    ReadType(module, parameter.type, &argument);
    ReadDecorations(module, parameter.id, &argument);
    argument.name = fits(names) ? (*names)[i] : std::string(module.NameOf(parameter.id));
    if (fits(types)) argument.type_name = WithoutSpaces((*types)[i]);
    if (fits(qualifiers)) ReadQualifiers((*qualifiers)[i], &argument);
    info.arguments.push_back(std::move(argument));
  }
  return info;
}

}  // namespace assay::frontend
