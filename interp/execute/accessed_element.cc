#include "interp/execute/accessed_element.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "frontend/debug_types.h"

namespace assay::interp {

using frontend::Id;
using frontend::Instruction;
using frontend::Module;
using frontend::Op;
using frontend::OpenClStd;
using frontend::SourceKind;
using frontend::SourceType;
using frontend::SourceTypes;
using frontend::Type;
using frontend::TypeKind;
using frontend::TypeRef;

namespace {

struct Element {
  std::string name;
  std::uint64_t bytes = 0;
};

// The pointer that an instruction accesses memory through; 0 for those with none, or several.
Id AccessedPointer(const Module& module, const Instruction& instruction) {
  const auto operands = module.Operands(instruction);
  const auto at = [&](std::size_t place) { return place < operands.size() ? operands[place] : 0; };
  if (instruction.opcode == Op::kLoad || instruction.opcode == Op::kStore ||
      (instruction.opcode >= Op::kAtomicLoad && instruction.opcode <= Op::kAtomicXor)) {
    return at(0);
  }
  if (instruction.opcode != Op::kExtInst) return 0;
  switch (static_cast<OpenClStd>(at(1))) {
    case OpenClStd::kVloadn:
    case OpenClStd::kVloadHalf:
    case OpenClStd::kVloadHalfn:
    case OpenClStd::kVloadaHalfn:
      return at(3);  // behind the offset
    case OpenClStd::kVstoren:
    case OpenClStd::kVstoreHalf:
    case OpenClStd::kVstoreHalfR:
    case OpenClStd::kVstoreHalfn:
    case OpenClStd::kVstoreHalfnR:
    case OpenClStd::kVstoreaHalfn:
    case OpenClStd::kVstoreaHalfnR:
      return at(4);  // behind the data and the offset
    default:
      return 0;
  }
}

// What a pointer is computed from, and the last one on the way that has its object's type: behind a
// cast the type is another one.
struct Origin {
  Id root = 0;
  Id typed = 0;
};

Origin OriginOf(const Module& module, Id pointer) {
  Origin origin{.root = pointer, .typed = pointer};
  bool is_cast = false;
  for (int steps = 0; steps < 64; ++steps) {
    const Instruction* definition = module.Definition(origin.root);
    if (definition == nullptr) break;
    switch (definition->opcode) {
      case Op::kBitcast:
        is_cast = true;
        [[fallthrough]];
      case Op::kAccessChain:
      case Op::kInBoundsAccessChain:
      case Op::kPtrAccessChain:
      case Op::kInBoundsPtrAccessChain:
      case Op::kPtrCastToGeneric:
      case Op::kGenericCastToPtr:
      case Op::kGenericCastToPtrExplicit:
      case Op::kCopyObject:
        break;
      default:
        return origin;
    }
    origin.root = module.Operands(*definition)[0];
    if (!is_cast) origin.typed = origin.root;
  }
  return origin;
}

// What a name of this type stands for: an array's element, what a pointer points to, or itself.
std::optional<Element> ElementOf(const SourceTypes& types, TypeRef ref, bool is_pointer) {
  const SourceType* type = &types.At(ref);
  if (is_pointer != (type->kind == SourceKind::kPointer)) return std::nullopt;
  if (is_pointer || type->kind == SourceKind::kArray) type = &types.At(type->element);
  if (type->kind == SourceKind::kUnknown || type->bytes == 0) return std::nullopt;
  return Element{type->name, type->bytes};
}

// clang-22 casts the addresses of variables.
Id Uncast(const Module& module, Id pointer) {
  for (int steps = 0; steps < 64; ++steps) {
    const Instruction* definition = module.Definition(pointer);
    if (definition == nullptr || definition->opcode != Op::kBitcast) break;
    pointer = module.Operands(*definition)[0];
  }
  return pointer;
}

// By debug information: the variable that the root is, or whose value it is.
std::optional<Element> DeclaredElement(const Module& module, Id root) {
  SourceTypes types(module);
  const Instruction* definition = module.Definition(root);
  const bool is_loaded = definition != nullptr && definition->opcode == Op::kLoad;
  const bool is_variable = definition != nullptr && definition->opcode == Op::kVariable;
  const Id target = is_loaded ? Uncast(module, module.Operands(*definition)[0]) : root;
  for (const frontend::DebugVariable& variable : module.debug_info.variables) {
    if (variable.target != target || variable.is_declare != (is_loaded || is_variable)) continue;
    const Instruction* record = module.Definition(variable.variable);
    if (record == nullptr || module.WordsOf(*record).size() <= 6) continue;
    return ElementOf(types, types.OfDebug(module.WordsOf(*record)[6]), !is_variable);
  }
  if (!is_variable) return std::nullopt;
  for (const frontend::SourceGlobal& global : ReadSourceGlobals(module, &types)) {
    if (global.variable == root) return ElementOf(types, global.type, false);
  }
  return std::nullopt;
}

// By the type that SPIR-V gives the pointer.  An integer's sign is not known there, and bytes are
// what compilers have that know no more of what a pointer is to.
std::optional<Element> PointeeElement(const Module& module, Id pointer, std::uint64_t bytes) {
  const Type* type = module.types.Find(module.TypeOf(pointer));
  if (type == nullptr || type->kind != TypeKind::kPointer) return std::nullopt;
  Id id = type->element;
  type = module.types.Find(id);
  if (type != nullptr && type->kind == TypeKind::kArray) {
    id = type->element;
    type = module.types.Find(id);
  }
  if (type == nullptr || type->size == 0 || (type->size == 1 && bytes != 1)) return std::nullopt;
  std::string_view name = module.NameOf(id);
  if (type->kind != TypeKind::kStruct) return Element{module.types.Describe(id), type->size};
  if (name.starts_with("struct.")) name.remove_prefix(std::string_view("struct.").size());
  if (name.empty()) return std::nullopt;
  return Element{fmt::format("struct {}", name), type->size};
}

}  // namespace

std::string DescribeElements(const Module& module, std::uint32_t instruction,
                             const AccessedObject& object, std::int64_t offset,
                             std::uint64_t bytes) {
  const Id pointer = AccessedPointer(module, module.instructions[instruction]);
  if (pointer == 0 || bytes == 0 || object.name.empty()) return "";
  const Origin origin = OriginOf(module, pointer);
  auto element = DeclaredElement(module, origin.root);
  if (!element) element = PointeeElement(module, origin.typed, bytes);
  if (!element || element->bytes > object.bytes) return "";
  const auto size = static_cast<std::int64_t>(element->bytes);
  const auto place = [size](std::int64_t at) { return at / size - (at % size < 0 ? 1 : 0); };
  const std::int64_t first = place(offset);
  const std::int64_t last = place(offset + static_cast<std::int64_t>(bytes) - 1);
  const std::uint64_t count = object.bytes / element->bytes;
  return fmt::format("{} of '{}' ({} element{} of {})",
                     first == last ? fmt::format("element {}", first)
                                   : fmt::format("elements {} to {}", first, last),
                     object.name, count, count == 1 ? "" : "s", element->name);
}

}  // namespace assay::interp
