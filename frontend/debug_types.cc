#include "frontend/debug_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "frontend/debug_records.h"

namespace assay::frontend {
namespace {

// Of records that lead to each other, also by way of pointers.
constexpr int kMaxDepth = 100;
constexpr std::size_t kMostCopied = 1 << 20;

std::string ScalarName(SourceKind kind, std::uint32_t bits) {
  if (kind == SourceKind::kBool) return "bool";
  if (kind == SourceKind::kFloat) return bits == 16 ? "half" : bits == 32 ? "float" : "double";
  const std::string name = bits == 8 ? "char" : bits == 16 ? "short" : bits == 32 ? "int" : "long";
  return (kind == SourceKind::kUnsigned ? "u" : "") + name;
}

// The compilers' names of types that have short names in OpenCL C.
std::string_view ShortName(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"unsigned int", "uint"},
      {"unsigned char", "uchar"},
      {"unsigned short", "ushort"},
      {"unsigned long", "ulong"},
      {"long unsigned int", "ulong"},
      {"long int", "long"},
      {"short unsigned int", "ushort"},
      {"__fp16", "half"},
      {"_Bool", "bool"}};
  for (const auto& [long_name, short_name] : kNames) {
    if (long_name == name) return short_name;
  }
  return name;
}

std::string_view SpaceName(StorageClass storage_class) {
  switch (storage_class) {
    case StorageClass::kCrossWorkgroup:
      return "global ";
    case StorageClass::kWorkgroup:
      return "local ";
    case StorageClass::kUniformConstant:
      return "constant ";
    default:
      return "";
  }
}

SourceKind BasicKind(std::uint32_t encoding) {
  using Encoding = OpenClDebugInfo100DebugBaseTypeAttributeEncoding;
  switch (static_cast<Encoding>(encoding)) {
    case Encoding::kBoolean:
      return SourceKind::kBool;
    case Encoding::kFloat:
      return SourceKind::kFloat;
    case Encoding::kSigned:
    case Encoding::kSignedChar:
      return SourceKind::kSigned;
    default:
      return SourceKind::kUnsigned;
  }
}

bool IsScalarSize(std::uint64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

}  // namespace

SourceTypes::SourceTypes(const Module& module) : module_(module) {
  types_.push_back({.name = "?"});
}

TypeRef SourceTypes::Append(SourceType type) {
  types_.push_back(std::move(type));
  return static_cast<TypeRef>(types_.size() - 1);
}

TypeRef SourceTypes::Scalar(SourceKind kind, std::uint32_t bits) {
  const auto [place, added] = scalars_.try_emplace({kind, bits}, 0);
  if (added) {
    place->second = Append({.kind = kind,
                            .name = ScalarName(kind, bits),
                            .bytes = std::max<std::uint32_t>(bits / 8, 1),
                            .is_character = bits == 8 && kind != SourceKind::kBool});
  }
  return place->second;
}

TypeRef SourceTypes::Void() {
  const auto [place, added] = scalars_.try_emplace({SourceKind::kVoid, 0}, 0);
  if (added) place->second = Append({.kind = SourceKind::kVoid, .name = "void"});
  return place->second;
}

TypeRef SourceTypes::PointerTo(TypeRef element, StorageClass storage_class) {
  const auto key = std::pair(element, static_cast<std::uint64_t>(storage_class));
  if (const auto found = pointers_.find(key); found != pointers_.end()) return found->second;
  std::string name = types_[element].name;
  if (!name.starts_with(SpaceName(storage_class))) name.insert(0, SpaceName(storage_class));
  return pointers_[key] = Append({.kind = SourceKind::kPointer,
                                  .name = CutName(name + "*"),
                                  .bytes = module_.PointerBytes(),
                                  .element = element,
                                  .storage_class = storage_class});
}

TypeRef SourceTypes::VectorOf(TypeRef element, std::uint64_t count) {
  constexpr std::uint64_t kCounts[] = {2, 3, 4, 8, 16};
  const bool is_number = types_[element].IsScalar() || types_[element].kind == SourceKind::kPointer;
  if (!is_number || std::ranges::find(kCounts, count) == std::end(kCounts)) return 0;
  const auto [place, added] = vectors_.try_emplace({element, count}, 0);
  if (added) {
    // A vector of three takes the room of four (OpenCL C 6.1.5).
    const std::uint64_t room = count == 3 ? 4 : count;
    SourceType type{.kind = SourceKind::kVector,
                    .name = fmt::format("{}{}", types_[element].name, count),
                    .bytes = types_[element].bytes * room,
                    .element = element,
                    .count = count,
                    .depth = 2,
                    .parts = 2};
    const TypeRef made = Append(std::move(type));
    return vectors_[{element, count}] = made;
  }
  return place->second;
}

TypeRef SourceTypes::ArrayOf(TypeRef element, std::uint64_t count) {
  if (const auto found = arrays_.find({element, count}); found != arrays_.end()) {
    return found->second;
  }
  const SourceType& one = types_[element];
  if (one.depth >= kMostTypeDepth || one.parts >= kMostTypeParts) return 0;
  if (one.bytes == 0) count = 0;
  if (count != 0 && one.bytes > kMostTypeBytes / count) return 0;
  // int[2][3] is an array of two int[3]: the new count stands before the element's.
  std::string name = types_[element].name;
  const std::size_t bracket =
      types_[element].kind == SourceKind::kArray ? name.find('[') : std::string::npos;
  name.insert(bracket == std::string::npos ? name.size() : bracket, fmt::format("[{}]", count));
  return arrays_[{element, count}] = Append({.kind = SourceKind::kArray,
                                             .name = CutName(std::move(name)),
                                             .bytes = types_[element].bytes * count,
                                             .element = element,
                                             .count = count,
                                             .depth = one.depth + 1,
                                             .parts = one.parts + 1});
}

// --- from SPIR-V ------------------------------------------------------------------------------

TypeRef SourceTypes::OfSpirv(Id type) { return ReadSpirv(type, 0); }

TypeRef SourceTypes::ReadSpirv(Id id, int depth) {
  if (const auto found = spirv_.find(id); found != spirv_.end()) return found->second;
  const Type* type = module_.types.Find(id);
  if (type == nullptr || depth == kMaxDepth) return 0;
  TypeRef result = 0;
  switch (type->kind) {
    case TypeKind::kVoid:
      result = Void();
      break;
    case TypeKind::kBool:
      result = Scalar(SourceKind::kBool, 8);
      break;
    case TypeKind::kInteger:
      // SPIR-V of kernels has no signs; most integers of kernels are signed.
      result = Scalar(type->width == 64 ? SourceKind::kUnsigned : SourceKind::kSigned, type->width);
      break;
    case TypeKind::kFloat:
      // A float of eight bits is shown as its bits.
      result = Scalar(type->IsFloat8() ? SourceKind::kUnsigned : SourceKind::kFloat, type->width);
      break;
    case TypeKind::kVector:
      result = VectorOf(ReadSpirv(type->element, depth + 1), type->count);
      break;
    case TypeKind::kArray:
      result = ArrayOf(ReadSpirv(type->element, depth + 1), type->count);
      break;
    case TypeKind::kPointer:
      result = PointerTo(ReadSpirv(type->element, depth + 1), type->storage_class);
      break;
    case TypeKind::kStruct: {
      std::string name(module_.NameOf(id));
      if (name.empty()) name = fmt::format("struct %{}", id);
      if (name.starts_with("struct.")) name = "struct " + name.substr(7);
      result = Append({.kind = SourceKind::kStruct,
                       .name = CutName(name),
                       .bytes = type->size <= kMostTypeBytes ? type->size : 0});
      spirv_[id] = result;  // before the members, which may point to it
      const auto members = module_.types.Members(*type);
      const auto offsets = module_.types.Offsets(*type);
      for (std::uint32_t i = 0; i < members.size(); ++i) {
        std::string member(module_.NameOf(id, i));
        if (member.empty()) member = fmt::format("m{}", i);
        const TypeRef read = ReadSpirv(members[i], depth + 1);
        AddMember(result, CutName(std::move(member)), read, offsets[i]);
      }
      break;
    }
    case TypeKind::kFunction:
    case TypeKind::kOpaque:
      result = Append({.name = CutName(module_.types.Describe(id)),
                       .bytes = type->size <= kMostTypeBytes ? type->size : 0});
      break;
  }
  return spirv_[id] = result;
}

// --- from debug information -------------------------------------------------------------------

TypeRef SourceTypes::OfDebug(Id record) { return ReadDebug(record, 0); }

TypeRef SourceTypes::ReadDebug(Id id, int depth) {
  if (const auto found = debug_.find(id); found != debug_.end()) return found->second;
  const auto record = ReadDebugOperands(module_, id);
  if (!record || depth == kMaxDepth) return 0;
  return debug_[id] = ReadDebugRecord(id, *record, depth);
}

TypeRef SourceTypes::ReadDebugRecord(Id id, const DebugOperands& record, int depth) {
  switch (record.number) {
    case DebugNumber::kDebugInfoNone:
      return Void();
    case DebugNumber::kDebugTypeBasic:
      return ReadBasic(record);
    case DebugNumber::kDebugTypePointer: {
      const TypeRef element = ReadDebug(record.At(0), depth + 1);
      return PointerTo(element, static_cast<StorageClass>(DebugNumberAt(module_, record, 1)));
    }
    case DebugNumber::kDebugTypeQualifier:
      return ReadDebug(record.At(0), depth + 1);
    case DebugNumber::kDebugTypeVector:
      return VectorOf(ReadDebug(record.At(0), depth + 1), DebugNumberAt(module_, record, 1));
    case DebugNumber::kDebugTypeArray:
      return ReadArray(record, depth);
    case DebugNumber::kDebugTypedef:
      return Alias(DebugNameOf(module_, record.At(0)), ReadDebug(record.At(1), depth + 1));
    case DebugNumber::kDebugTypeEnum:
      return ReadEnum(record, depth);
    case DebugNumber::kDebugTypeComposite:
      return ReadComposite(id, record, depth);
    default:
      return 0;
  }
}

std::uint64_t SourceTypes::IntegerAt(const DebugOperands& record, std::size_t place) const {
  return module_.constants.Integer(record.At(place)).value_or(0);
}

TypeRef SourceTypes::ReadBasic(const DebugOperands& record) {
  const SourceKind kind = BasicKind(DebugNumberAt(module_, record, 2));
  const std::string name = DebugNameOf(module_, record.At(0));
  const std::uint64_t bits = IntegerAt(record, 1);
  const std::uint64_t bytes = std::max<std::uint64_t>(bits / 8, 1);
  if (!IsScalarSize(bytes) || (kind == SourceKind::kFloat && bytes == 1)) return 0;
  return Append({.kind = kind,
                 .name = std::string(ShortName(name)),
                 .bytes = bytes,
                 .is_character = bits == 8 && kind != SourceKind::kBool});
}

TypeRef SourceTypes::ReadArray(const DebugOperands& record, int depth) {
  std::vector<std::uint64_t> counts;
  for (const Word word : record.words.subspan(std::min<std::size_t>(1, record.words.size()))) {
    if (const auto count = module_.constants.Integer(word)) counts.push_back(*count);
  }
  TypeRef result = ReadDebug(record.At(0), depth + 1);
  if (counts.size() > kMostTypeDepth) result = 0;
  for (std::size_t i = counts.size(); i-- > 0 && result != 0;) {
    result = ArrayOf(result, counts[i]);
  }
  return result;
}

TypeRef SourceTypes::ReadEnum(const DebugOperands& record, int depth) {
  const TypeRef base = ReadDebug(record.At(1), depth + 1);
  SourceType type{.kind = SourceKind::kEnum,
                  .name = "enum " + DebugNameOf(module_, record.At(0)),
                  .bytes = std::max<std::uint64_t>(IntegerAt(record, 6) / 8, 1),
                  .element = base};
  if (!IsScalarSize(type.bytes)) return 0;
  for (std::size_t i = 8; i + 1 < record.words.size(); i += 2) {
    type.enumerators.emplace_back(static_cast<std::int64_t>(IntegerAt(record, i)),
                                  DebugNameOf(module_, record.At(i + 1)));
  }
  return Append(std::move(type));
}

TypeRef SourceTypes::ReadComposite(Id id, const DebugOperands& record, int depth) {
  using Tag = OpenClDebugInfo100DebugCompositeType;
  const bool is_union = static_cast<Tag>(DebugNumberAt(module_, record, 1)) == Tag::kUnion;
  const std::uint64_t bytes = IntegerAt(record, 7) / 8;
  if (bytes > kMostTypeBytes) return 0;
  std::string name = DebugNameOf(module_, record.At(0));
  name = (is_union ? "union " : "struct ") + (name.empty() ? "{...}" : name);
  const TypeRef result = Append({.kind = is_union ? SourceKind::kUnion : SourceKind::kStruct,
                                 .name = std::move(name),
                                 .bytes = bytes});
  debug_[id] = result;  // before the members, which may point to it
  ReadMembers(record, result, depth);
  return result;
}

void SourceTypes::ReadMembers(const DebugOperands& composite, TypeRef type, int depth) {
  unfinished_[type];
  for (std::size_t i = 9; i < composite.words.size(); ++i) {
    const auto member = ReadDebugOperands(module_, composite.words[i]);
    if (!member || member->number != DebugNumber::kDebugTypeMember) continue;
    // The older set names the structure that a member is of, too.
    const std::size_t offset = member->literals ? 6 : 5;
    const TypeRef read = ReadDebug(member->At(1), depth + 1);
    AddMember(type, DebugNameOf(module_, member->At(0)), read,
              module_.constants.Integer(member->At(offset)).value_or(0) / 8);
  }
  const std::vector<TypeRef> aliases = std::move(unfinished_[type]);
  unfinished_.erase(type);
  for (const TypeRef alias : aliases) {
    alias_of_.erase(alias);
    if (copied_ + types_[type].members.size() > kMostCopied) continue;
    copied_ += types_[type].members.size();
    types_[alias].members = types_[type].members;
    types_[alias].depth = types_[type].depth;
    types_[alias].parts = types_[type].parts;
  }
}

void SourceTypes::AddMember(TypeRef type, std::string name, TypeRef member, std::uint64_t offset) {
  SourceType& whole = types_[type];
  const SourceType& part = types_[member];
  const bool is_inside = part.bytes <= whole.bytes && offset <= whole.bytes - part.bytes;
  if (!is_inside || part.depth >= kMostTypeDepth || part.parts > kMostTypeParts - whole.parts) {
    return;
  }
  whole.depth = std::max(whole.depth, part.depth + 1);
  whole.parts += part.parts;
  whole.members.push_back({std::move(name), member, offset});
}

// The same type under another name, which vectors keep: float4.
TypeRef SourceTypes::Alias(std::string name, TypeRef of) {
  const std::size_t size = types_[of].members.size() + types_[of].enumerators.size();
  if (copied_ + size > kMostCopied) return 0;
  copied_ += size;
  SourceType type = types_[of];
  if (!name.empty()) type.name = std::move(name);
  const TypeRef result = Append(std::move(type));
  // A structure with a member that points to this typedef does not exist yet.
  const auto alias = alias_of_.find(of);
  const auto unfinished = unfinished_.find(alias == alias_of_.end() ? of : alias->second);
  if (unfinished != unfinished_.end()) {
    alias_of_[result] = unfinished->first;
    unfinished->second.push_back(result);
  }
  return result;
}

std::optional<TypeRef> SourceTypes::Named(std::string_view name) {
  if (name == "void") return Void();
  if (name == "size_t" || name == "uintptr_t")
    return Named(module_.PointerBytes() == 8 ? "ulong" : "uint");
  if (name == "ptrdiff_t" || name == "intptr_t") {
    return Named(module_.PointerBytes() == 8 ? "long" : "int");
  }
  // A scalar, with the number of a vector's components behind it.
  const std::size_t digits = name.find_first_of("0123456789");
  const std::string_view base = name.substr(0, digits);
  for (const SourceKind kind :
       {SourceKind::kBool, SourceKind::kSigned, SourceKind::kUnsigned, SourceKind::kFloat}) {
    for (const std::uint32_t bits : {8u, 16u, 32u, 64u}) {
      if (kind == SourceKind::kFloat ? bits == 8 : kind == SourceKind::kBool && bits != 8) continue;
      if (ScalarName(kind, bits) != base) continue;
      const TypeRef scalar = Scalar(kind, bits);
      if (digits == std::string_view::npos) return scalar;
      for (const int count : {2, 3, 4, 8, 16}) {
        if (name.substr(digits) == fmt::format("{}", count)) {
          return VectorOf(scalar, static_cast<std::uint64_t>(count));
        }
      }
    }
  }
  for (const auto& [id, record] : module_.debug_info.records) {
    const auto number = static_cast<DebugNumber>(record.number);
    if (number != DebugNumber::kDebugTypedef && number != DebugNumber::kDebugTypeComposite &&
        number != DebugNumber::kDebugTypeEnum) {
      continue;
    }
    const auto operands = ReadDebugOperands(module_, id);
    const std::string own = DebugNameOf(module_, operands->At(0));
    if (own.empty()) continue;
    if (own == name || "struct " + own == name || "union " + own == name || "enum " + own == name) {
      return OfDebug(id);
    }
  }
  for (const Type& type : module_.types.All()) {
    if (type.kind != TypeKind::kStruct) continue;
    const TypeRef read = OfSpirv(type.id);
    if (types_[read].name == name || types_[read].name == "struct " + std::string(name))
      return read;
  }
  return std::nullopt;
}

// --- variables --------------------------------------------------------------------------------

std::vector<SourceGlobal> ReadSourceGlobals(const Module& module, SourceTypes* types) {
  std::vector<SourceGlobal> globals;
  std::unordered_set<Id> known;
  for (const Instruction& instruction : module.instructions) {
    const auto record = ReadDebugOperands(module, instruction);
    if (!record || record->number != DebugNumber::kDebugGlobalVariable) continue;
    const Id variable = module.FindGlobal(record->At(7)) != nullptr ? record->At(7) : 0;
    known.insert(variable);
    globals.push_back(
        {DebugNameOf(module, record->At(0)), types->OfDebug(record->At(1)), variable});
  }
  for (const GlobalVariable& global : module.globals) {
    std::string name = CutName(std::string(module.NameOf(global.id)));
    if (known.contains(global.id) || name.empty() || global.storage_class == StorageClass::kInput)
      continue;
    globals.push_back({std::move(name), types->OfSpirv(global.pointee), global.id});
  }
  return globals;
}

}  // namespace assay::frontend
