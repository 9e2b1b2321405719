#include "interp/import/component_access.h"

#include <algorithm>
#include <span>

namespace assay::interp {

using frontend::Id;
using frontend::Instruction;
using frontend::Op;
using frontend::Word;

namespace {

constexpr Word kUndefinedComponent = 0xffffffff;

// Which operands use a value: literals may have the number of an id, and debug information and
// names of lines use nothing.
std::span<const Word> UsedValues(const frontend::Module& module, const Instruction& instruction) {
  const auto operands = module.Operands(instruction);
  const auto first = [&](std::size_t count) {
    return operands.first(std::min(operands.size(), count));
  };
  switch (instruction.opcode) {
    case Op::kLine:
    case Op::kNoLine:
    case Op::kVariable:
    case Op::kLoopMerge:
    case Op::kSelectionMerge:
      return {};
    case Op::kLoad:
    case Op::kCompositeExtract:
    case Op::kLifetimeStart:
    case Op::kLifetimeStop:
    case Op::kBranchConditional:
    case Op::kSwitch:
      return first(1);
    case Op::kStore:
    case Op::kCompositeInsert:
    case Op::kVectorShuffle:
    case Op::kCopyMemory:
      return first(2);
    case Op::kCopyMemorySized:
      return first(3);
    case Op::kExtInst:
      if (module.SetOf(operands[0]) != frontend::ExtendedSet::kOpenClStd) return {};
      return operands.subspan(std::min<std::size_t>(operands.size(), 2));
    default:
      return operands;
  }
}

std::uint32_t AllOf(std::uint64_t components) {
  return components >= 32 ? 0xffffffff : (1u << components) - 1;
}

template <typename IsKept>
bool AllKept(std::uint64_t components, const IsKept& is_kept) {
  for (std::uint64_t part = 0; part < components; ++part) {
    if (!is_kept(part)) return false;
  }
  return true;
}

bool IsOfVectors(Op opcode) {
  return opcode == Op::kLoad || opcode == Op::kCompositeInsert ||
         opcode == Op::kVectorInsertDynamic || opcode == Op::kVectorShuffle;
}

}  // namespace

ComponentAccesses::ComponentAccesses(const frontend::Module& module,
                                     const frontend::Function& function)
    : module_(module) {
  FindUsers(function);
  if (users_.empty()) return;
  const auto blocks = function.blocks.Of(module_.blocks);
  for (const frontend::Block& block : blocks) {
    for (const Instruction& instruction : block.instructions.Of(module_.instructions)) {
      if (instruction.opcode == Op::kStore) LookAtStore(instruction, block);
    }
  }
  for (const auto& [value, users] : users_) {
    const Instruction& load = *module_.Definition(value);
    if (load.opcode != Op::kLoad || users.empty()) continue;
    const std::uint32_t all = AllOf(ComponentsOf(value));
    const std::uint32_t needed = NeededParts(value);
    // What nobody needs at all was asked for all the same.
    if (needed != all && (needed != 0 || IsPutBack(value))) loads_[&load] = needed;
  }
}

const ComponentStore* ComponentAccesses::FindStore(const Instruction& store) const {
  const auto found = stores_.find(&store);
  return found == stores_.end() ? nullptr : &found->second;
}

const std::uint32_t* ComponentAccesses::FindLoad(const Instruction& load) const {
  const auto found = loads_.find(&load);
  return found == loads_.end() ? nullptr : &found->second;
}

std::uint64_t ComponentAccesses::ComponentsOf(Id value) const {
  const frontend::Type* type = module_.types.Find(module_.TypeOf(value));
  return type != nullptr && type->kind == frontend::TypeKind::kVector ? type->count : 0;
}

// Of loads of vectors, and of what vectors are made of those with.
void ComponentAccesses::FindUsers(const frontend::Function& function) {
  const auto blocks = function.blocks.Of(module_.blocks);
  bool any_load = false;
  for (const frontend::Block& block : blocks) {
    for (const Instruction& instruction : block.instructions.Of(module_.instructions)) {
      if (!IsOfVectors(instruction.opcode) || ComponentsOf(instruction.result) == 0) continue;
      any_load |= instruction.opcode == Op::kLoad;
      users_.try_emplace(instruction.result);
    }
  }
  if (!any_load) users_.clear();
  if (users_.empty()) return;
  for (const frontend::Block& block : blocks) {
    for (const Instruction& instruction : block.instructions.Of(module_.instructions)) {
      for (const Word operand : UsedValues(module_, instruction)) {
        const auto found = users_.find(operand);
        if (found == users_.end()) continue;
        if (found->second.empty() || found->second.back() != &instruction) {
          found->second.push_back(&instruction);
        }
      }
    }
  }
}

// A pointer without casts: clang casts that to a vector of three for each access.
Id ComponentAccesses::Uncast(Id pointer) const {
  const Instruction* definition = module_.Definition(pointer);
  while (definition != nullptr && definition->opcode == Op::kBitcast) {
    pointer = module_.Operands(*definition)[0];
    definition = module_.Definition(pointer);
  }
  return pointer;
}

// A store to the place itself may come between: of what puts the same component back.
bool ComponentAccesses::IsKept(const Instruction& load, std::uint64_t part,
                               const Instruction& store, const frontend::Block& block) const {
  if (&load < block.instructions.Of(module_.instructions).data() || &load > &store) return false;
  const Id pointer = Uncast(module_.Operands(store)[0]);
  for (const Instruction* at = &load + 1; at < &store; ++at) {
    switch (at->opcode) {
      case Op::kStore: {
        const auto operands = module_.Operands(*at);
        const Source source = SourceOf(operands[1], part);
        if (Uncast(operands[0]) != pointer || module_.TypeOf(operands[1]) != load.type ||
            source.load != &load || source.part != part) {
          return false;
        }
        break;
      }
      case Op::kCopyMemory:
      case Op::kCopyMemorySized:
      case Op::kFunctionCall:
      case Op::kControlBarrier:
      case Op::kMemoryBarrier:
      case Op::kLifetimeStart:
      case Op::kLifetimeStop:
        return false;
      case Op::kExtInst: {  // some store through a pointer, such as fract and vstore
        const auto operands = module_.Operands(*at);
        if (module_.SetOf(operands[0]) != frontend::ExtendedSet::kOpenClStd) break;
        for (const Word operand : operands.subspan(2)) {
          const frontend::Type* type = module_.types.Find(module_.TypeOf(operand));
          if (type != nullptr && type->kind == frontend::TypeKind::kPointer) return false;
        }
        break;
      }
      default: {
        const std::string name = frontend::NameOf(at->opcode);
        if (name.starts_with("OpAtomic") || name.starts_with("OpGroup")) return false;
        break;
      }
    }
  }
  return true;
}

ComponentAccesses::Source ComponentAccesses::SourceOf(Id value, std::uint64_t part) const {
  constexpr int kMostSteps = 64;
  for (int step = 0; step < kMostSteps; ++step) {
    const Instruction* definition = module_.Definition(value);
    if (definition == nullptr) return {};
    const auto operands = module_.Operands(*definition);
    switch (definition->opcode) {
      case Op::kLoad:
        return {Source::Kind::kLoaded, definition, part};
      case Op::kUndef:
        return {Source::Kind::kUndefined};
      case Op::kCompositeInsert:
        if (operands.size() != 3 || operands[2] == part) return {};
        value = operands[1];
        break;
      case Op::kVectorShuffle: {
        const std::uint64_t first_count = ComponentsOf(operands[0]);
        if (first_count == 0 || 2 + part >= operands.size()) return {};
        const Word index = operands[2 + part];
        if (index == kUndefinedComponent) return {Source::Kind::kUndefined};
        value = operands[index < first_count ? 0 : 1];
        part = index < first_count ? index : index - first_count;
        break;
      }
      default:
        return {};
    }
  }
  return {};
}

void ComponentAccesses::LookAtStore(const Instruction& store, const frontend::Block& block) {
  const auto operands = module_.Operands(store);
  const Id pointer = operands[0];
  const std::uint64_t count = ComponentsOf(operands[1]);
  const Instruction* value = module_.Definition(operands[1]);
  const frontend::Type* type = module_.types.Find(module_.TypeOf(pointer));
  if (count == 0 || count > 16 || value == nullptr || value->opcode == Op::kLoad ||
      type == nullptr) {
    return;
  }
  if (!IsOfVectors(value->opcode)) return LookAtReplaced(store, block);
  const auto is_kept = [&](const Instruction* load, std::uint64_t part) {
    return load != nullptr && load->opcode == Op::kLoad && load->type == value->type &&
           Uncast(module_.Operands(*load)[0]) == Uncast(pointer) &&
           IsKept(*load, part, store, block);
  };
  if (value->opcode == Op::kVectorInsertDynamic) {
    // A private variable with a computed component could live in no register any more.
    const auto inserted = module_.Operands(*value);
    if (type->storage_class != frontend::StorageClass::kFunction &&
        AllKept(count, [&](std::uint64_t part) {
          return is_kept(module_.Definition(inserted[0]), part);
        })) {
      stores_[&store] = {.dynamic_index = inserted[2]};
    }
    return;
  }
  std::uint32_t kept = 0;
  std::uint32_t undefined = 0;
  for (std::uint64_t part = 0; part < count; ++part) {
    const Source source = SourceOf(operands[1], part);
    if (source.kind == Source::Kind::kUndefined) undefined |= 1u << part;
    if (source.kind == Source::Kind::kLoaded && source.part == part && is_kept(source.load, part)) {
      kept |= 1u << part;
    }
  }
  if (kept == 0) return LookAtReplaced(store, block);
  const std::uint32_t parts = AllOf(count) & ~kept & ~undefined;
  if (parts != 0) stores_[&store] = {.parts = parts};
}

// `p->xyzw = v`, of which clang makes a load that nothing uses, right before.
void ComponentAccesses::LookAtReplaced(const Instruction& store, const frontend::Block& block) {
  const auto operands = module_.Operands(store);
  const Instruction* const begin = block.instructions.Of(module_.instructions).data();
  for (const Instruction* at = &store; at != begin;) {
    --at;
    if (at->opcode == Op::kLine ||
        (at->opcode == Op::kVectorShuffle && at->result == operands[1])) {
      continue;
    }
    const auto users = users_.find(at->result);
    if (at->opcode == Op::kLoad && at->type == module_.TypeOf(operands[1]) &&
        Uncast(module_.Operands(*at)[0]) == Uncast(operands[0]) && users != users_.end() &&
        users->second.empty()) {
      loads_[at] = 0;
    }
    return;
  }
}

std::uint32_t ComponentAccesses::NeededParts(Id value) {
  const std::uint32_t all = AllOf(ComponentsOf(value));
  const auto [found, is_new] = needed_.try_emplace(value, all);
  const auto users = users_.find(value);
  if (!is_new || users == users_.end()) return found->second;
  std::uint32_t needed = 0;
  for (const Instruction* user : users->second) needed |= NeededBy(*user, value);
  return needed_[value] = needed & all;
}

std::uint32_t ComponentAccesses::NeededBy(const Instruction& user, Id value) {
  constexpr std::uint32_t kAll = 0xffffffff;
  const auto operands = module_.Operands(user);
  switch (user.opcode) {
    case Op::kCompositeExtract:
      return operands[1] < 32 ? 1u << operands[1] : kAll;
    case Op::kCompositeInsert:
      if (operands.size() != 3 || operands[0] == value || operands[2] >= 32) return kAll;
      return NeededParts(user.result) & ~(1u << operands[2]);
    case Op::kVectorInsertDynamic:
      return NeededParts(user.result);
    case Op::kVectorShuffle: {
      const std::uint64_t first_count = ComponentsOf(operands[0]);
      if (first_count == 0 || ComponentsOf(user.result) > 16) return kAll;
      const std::uint32_t wanted = NeededParts(user.result);
      std::uint32_t needed = 0;
      for (std::size_t i = 0; i + 2 < operands.size(); ++i) {
        const Word index = operands[2 + i];
        if (index == kUndefinedComponent || (wanted >> i & 1) == 0) continue;
        const bool is_first = index < first_count;
        const std::uint64_t part = is_first ? index : index - first_count;
        if (operands[is_first ? 0 : 1] == value) needed |= part < 32 ? 1u << part : kAll;
      }
      return needed;
    }
    case Op::kStore: {
      const auto found = stores_.find(&user);
      return operands[1] != value || found == stores_.end() ? kAll : found->second.parts;
    }
    default:
      return kAll;
  }
}

// Whether a store of a component puts back what was loaded.
bool ComponentAccesses::IsPutBack(Id value) const {
  std::vector<Id> work = {value};
  for (std::size_t at = 0; at < work.size() && work.size() < 64; ++at) {
    const auto users = users_.find(work[at]);
    if (users == users_.end()) continue;
    for (const Instruction* user : users->second) {
      if (user->opcode == Op::kStore && stores_.contains(user)) return true;
      if (IsOfVectors(user->opcode) && user->result != 0) work.push_back(user->result);
    }
  }
  return false;
}

}  // namespace assay::interp
