#include "tools/judge/pointer_classes.h"

#include <algorithm>

#include "frontend/atomics.h"

namespace assay::tools {

using frontend::Id;
using frontend::Instruction;
using frontend::Module;
using frontend::Op;
using frontend::Type;
using frontend::TypeKind;

namespace {

bool IsByte(const Type* type) {
  return type != nullptr && type->kind == TypeKind::kInteger && type->width == 8;
}

void NumberTypesOf(const Module& module, Id id, std::set<Id>* found) {
  const Type* type = module.types.Find(id);
  if (type == nullptr) return;
  if (type->kind == TypeKind::kStruct) {
    for (const Id member : module.types.Members(*type)) NumberTypesOf(module, member, found);
  } else if (type->kind == TypeKind::kVector || type->kind == TypeKind::kArray) {
    NumberTypesOf(module, type->element, found);
  } else if (type->kind == TypeKind::kInteger || type->kind == TypeKind::kFloat) {
    found->insert(id);
  }
}

bool ContainsPointer(const Module& module, Id id) {
  const Type* type = module.types.Find(id);
  if (type == nullptr) return false;
  if (type->kind == TypeKind::kPointer) return true;
  if (type->kind == TypeKind::kVector || type->kind == TypeKind::kArray) {
    return ContainsPointer(module, type->element);
  }
  return type->kind == TypeKind::kStruct &&
         std::ranges::any_of(module.types.Members(*type),
                             [&](Id member) { return ContainsPointer(module, member); });
}

}  // namespace

Id NumberTypeOf(const Module& module, Id id) {
  const Type* type = module.types.Find(id);
  while (type != nullptr && (type->kind == TypeKind::kVector || type->kind == TypeKind::kArray)) {
    type = module.types.Find(type->element);
  }
  const bool is_number =
      type != nullptr && (type->kind == TypeKind::kInteger || type->kind == TypeKind::kFloat);
  return is_number ? type->id : 0;
}

bool MayHavePadding(const Module& module, Id id) {
  const Type* type = module.types.Find(id);
  if (type == nullptr) return false;
  if (type->kind == TypeKind::kVector) return type->count == 3;
  if (type->kind == TypeKind::kArray) return MayHavePadding(module, type->element);
  if (type->kind != TypeKind::kStruct) return false;
  std::uint64_t end = 0;
  const auto members = module.types.Members(*type);
  const auto offsets = module.types.Offsets(*type);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Type* member = module.types.Find(members[i]);
    if (member == nullptr || offsets[i] != end) return true;
    const bool is_of_bytes =
        member->kind == TypeKind::kArray && IsByte(module.types.Find(member->element));
    if (is_of_bytes || MayHavePadding(module, members[i])) return true;
    end = offsets[i] + member->size;
  }
  return end != type->size;
}

PointerClasses::PointerClasses(const Module& module,
                               const std::vector<const frontend::Function*>& functions)
    : module_(module) {
  for (const frontend::Function* function : functions) {
    for (const frontend::Block& block : function->blocks.Of(module.blocks)) {
      for (const Instruction& one : block.instructions.Of(module.instructions)) Look(one);
    }
  }
  for (const frontend::Function* function : functions) {
    const bool is_kernel = std::ranges::any_of(
        module.entry_points, [&](const auto& entry) { return entry.function == function->id; });
    for (const frontend::Parameter& parameter : function->parameters.Of(module.parameters)) {
      if (!IsPointer(parameter.id)) continue;
      Note(parameter.id);
      const Type* type = module.types.Find(parameter.type);
      if (is_kernel) classes_[Root(parameter.id)].parameters.insert(type->element);
    }
  }
}

bool PointerClasses::IsPointer(Id id) const {
  const Type* type = module_.types.Find(module_.TypeOf(id));
  return type != nullptr && type->kind == TypeKind::kPointer;
}

Id PointerClasses::Root(Id id) const {
  Id root = id;
  for (auto at = parent_.find(root); at != parent_.end(); at = parent_.find(root))
    root = at->second;
  while (id != root) {
    Id& next = parent_[id];
    id = next;
    next = root;
  }
  return root;
}

void PointerClasses::Join(Id a, Id b) {
  a = Root(a);
  b = Root(b);
  if (a == b) return;
  parent_[b] = a;
  if (const auto from = classes_.find(b); from != classes_.end()) {
    Class other = std::move(from->second);
    classes_.erase(from);
    Class& to = classes_[a];
    to.stored.merge(other.stored);
    to.accessed.merge(other.accessed);
    to.parameters.merge(other.parameters);
    to.is_union |= other.is_union;
    to.may_have_padding |= other.may_have_padding;
    to.holds_pointers |= other.holds_pointers;
  }
  const auto content = content_.find(b);
  if (content == content_.end()) return;
  const Id moved = content->second;
  content_.erase(content);
  const auto own = content_.find(a);
  if (own == content_.end()) {
    content_[a] = moved;
  } else {
    Join(own->second, moved);
  }
}

// Ids of contents lie above those of the module.
Id PointerClasses::ContentOf(Id pointer) {
  const Id root = Root(pointer);
  const auto known = content_.find(root);
  if (known != content_.end()) return known->second;
  const Id made = module_.IdBound() + static_cast<Id>(content_.size() + parent_.size());
  Id unused = made;
  while (parent_.contains(unused) || classes_.contains(unused)) ++unused;
  content_[root] = unused;
  classes_[unused];
  return unused;
}

// What the pointer's type says of the class.
void PointerClasses::Note(Id pointer) {
  const Type* type = module_.types.Find(module_.TypeOf(pointer));
  if (type == nullptr || type->kind != TypeKind::kPointer) return;
  Class& of = classes_[Root(pointer)];
  of.is_union |= module_.NameOf(type->element).starts_with("union.");
  of.may_have_padding |= tools::MayHavePadding(module_, type->element);
  of.holds_pointers |= ContainsPointer(module_, type->element);
}

void PointerClasses::Access(Id pointer, Id type, bool stores) {
  Note(pointer);
  Class& of = classes_[Root(pointer)];
  std::set<Id> numbers;
  NumberTypesOf(module_, type, &numbers);
  of.accessed.insert(numbers.begin(), numbers.end());
  if (stores) of.stored.insert(numbers.begin(), numbers.end());
}

void PointerClasses::LookAtCall(const Instruction& one) {
  const auto operands = module_.Operands(one);
  const frontend::Function* function = module_.FindFunction(operands[0]);
  if (function == nullptr) return;
  const auto parameters = function->parameters.Of(module_.parameters);
  for (std::size_t i = 0; i < std::min(parameters.size(), operands.size() - 1); ++i) {
    if (IsPointer(operands[1 + i])) Join(parameters[i].id, operands[1 + i]);
  }
  for (const frontend::Block& block : function->blocks.Of(module_.blocks)) {
    for (const Instruction& last : block.instructions.Of(module_.instructions)) {
      if (last.opcode == Op::kReturnValue && IsPointer(module_.Operands(last)[0])) {
        Join(one.result, module_.Operands(last)[0]);
      }
    }
  }
}

namespace {

bool OnlyLoads(const Module& module, const Instruction& one) {
  if (one.opcode == Op::kAtomicLoad) return true;
  if (one.opcode != Op::kExtInst) return false;
  const auto operands = module.Operands(one);
  if (module.SetOf(operands[0]) != frontend::ExtendedSet::kOpenClStd) return false;
  switch (static_cast<frontend::OpenClStd>(operands[1])) {
    case frontend::OpenClStd::kVloadn:
    case frontend::OpenClStd::kVloadHalf:
    case frontend::OpenClStd::kVloadHalfn:
    case frontend::OpenClStd::kVloadaHalfn:
    case frontend::OpenClStd::kPrefetch:
    case frontend::OpenClStd::kPrintf:
      return true;
    default:
      return false;
  }
}

}  // namespace

// A function that gets pointers accesses what their types say.
void PointerClasses::LookAtFunction(const Instruction& one) {
  const bool stores = !OnlyLoads(module_, one);
  for (const Id operand : module_.Operands(one)) {
    if (!IsPointer(operand)) continue;
    const Type* type = module_.types.Find(module_.TypeOf(operand));
    Access(operand, type->element, stores);
  }
}

void PointerClasses::Look(const Instruction& one) {
  const auto operands = module_.Operands(one);
  switch (one.opcode) {
    case Op::kLoad:
      Access(operands[0], one.type, false);
      if (IsPointer(one.result)) Join(ContentOf(operands[0]), one.result);
      return;
    case Op::kStore:
      Access(operands[0], module_.TypeOf(operands[1]), true);
      if (IsPointer(operands[1])) Join(ContentOf(operands[0]), operands[1]);
      return;
    case Op::kCopyMemory:
    case Op::kCopyMemorySized:
      // Bytes as they are, and pointers among them.
      Note(operands[0]);
      Note(operands[1]);
      Join(ContentOf(operands[0]), ContentOf(operands[1]));
      return;
    case Op::kFunctionCall:
      return LookAtCall(one);
    case Op::kExtInst:
    case Op::kGroupAsyncCopy:
      return LookAtFunction(one);
    default:
      break;
  }
  if (frontend::FormOf(one.opcode) != frontend::AtomicForm::kNone) return LookAtFunction(one);
  if (!IsPointer(one.result)) return;
  Note(one.result);
  for (const Id operand : operands) {
    if (!IsPointer(operand)) continue;
    Note(operand);
    Join(one.result, operand);
  }
}

const PointerClasses::Class* PointerClasses::Find(Id pointer) const {
  const auto found = classes_.find(Root(pointer));
  return found == classes_.end() ? nullptr : &found->second;
}

bool PointerClasses::HasSeveralTypes(Id pointer) const {
  const Class* of = Find(pointer);
  if (of == nullptr) return true;
  if (of->is_union) return false;
  const auto is_byte = [&](Id type) { return IsByte(module_.types.Find(type)); };
  return std::ranges::any_of(of->stored, [&](Id stored) {
    return !is_byte(stored) && std::ranges::any_of(of->accessed, [&](Id accessed) {
      return accessed != stored && !is_byte(accessed);
    });
  });
}

bool PointerClasses::IsOfVectorsOfThree(Id pointer) const {
  const Class* of = Find(pointer);
  return of != nullptr && !of->parameters.empty() &&
         std::ranges::all_of(of->parameters, [&](Id id) {
           const Type* type = module_.types.Find(id);
           return type != nullptr && type->kind == TypeKind::kVector && type->count == 3;
         });
}

bool PointerClasses::MayHavePadding(Id pointer) const {
  const Class* of = Find(pointer);
  return of == nullptr || of->may_have_padding;
}

bool PointerClasses::HoldsPointers(Id pointer) const {
  const Class* of = Find(pointer);
  return of == nullptr || of->holds_pointers;
}

}  // namespace assay::tools
