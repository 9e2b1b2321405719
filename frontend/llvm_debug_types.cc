#include <utility>
#include <vector>

#include "frontend/llvm_debug_records.h"

namespace assay::frontend {
namespace {

using Record = OpenClDebugInfo100;
using Encoding = OpenClDebugInfo100DebugBaseTypeAttributeEncoding;
using Flags = OpenClDebugInfo100DebugInfoFlags;

Encoding EncodingOf(std::string_view name) {
  if (name == "DW_ATE_boolean") return Encoding::kBoolean;
  if (name == "DW_ATE_float") return Encoding::kFloat;
  if (name == "DW_ATE_signed") return Encoding::kSigned;
  if (name == "DW_ATE_signed_char") return Encoding::kSignedChar;
  if (name == "DW_ATE_unsigned") return Encoding::kUnsigned;
  if (name == "DW_ATE_unsigned_char") return Encoding::kUnsignedChar;
  if (name == "DW_ATE_address") return Encoding::kAddress;
  return Encoding::kUnspecified;
}

// clang's numbers of OpenCL's address spaces.
StorageClass StorageOf(std::int64_t space) {
  constexpr StorageClass kClasses[] = {StorageClass::kFunction, StorageClass::kCrossWorkgroup,
                                       StorageClass::kUniformConstant, StorageClass::kWorkgroup,
                                       StorageClass::kGeneric};
  return space >= 0 && space < 5 ? kClasses[space] : StorageClass::kGeneric;
}

}  // namespace

// --- files --------------------------------------------------------------------------------------

Id LlvmDebugRecords::Path(std::uint32_t file) {
  const auto [place, added] = paths_.try_emplace(file, 0);
  if (!added) return place->second;
  const auto node = metadata_.Find(file);
  if (!node || !node->Is("DIFile")) return 0;
  std::string path = node->Text("filename");
  const std::string folder = node->Text("directory");
  if (!path.starts_with('/') && !folder.empty()) path = folder + "/" + path;
  return place->second = writer_.String(path);
}

Id LlvmDebugRecords::Source(std::uint32_t file) {
  const auto [place, added] = sources_.try_emplace(file, 0);
  if (!added) return place->second;
  const Id path = Path(file);
  return place->second = writer_.Add(Record::kDebugSource, {path != 0 ? path : writer_.String("")});
}

Id LlvmDebugRecords::Unit() {
  if (unit_ != 0) return unit_;
  std::uint32_t file = 0xffffffff;
  for (std::uint32_t i = 0; i < metadata_.size(); ++i) {
    const auto node = metadata_.Find(i);
    if (!node || !node->Is("DICompileUnit")) continue;
    file = FileOf(*node);
    break;
  }
  constexpr Word kVersion = 65536, kDwarf = 5;
  return unit_ = writer_.Add(Record::kDebugCompilationUnit,
                             {kVersion, kDwarf, Source(file), WordOf(SourceLanguage::kOpenCLC)});
}

Id LlvmDebugRecords::None() {
  if (none_ == 0) none_ = writer_.Add(Record::kDebugInfoNone, {});
  return none_;
}

// --- types --------------------------------------------------------------------------------------

Id LlvmDebugRecords::Type(std::optional<std::uint32_t> node) {
  if (!node) return None();
  if (const auto found = types_.find(*node); found != types_.end()) return found->second;
  const auto known = metadata_.Find(*node);
  if (!known || depth_ == kMaxLlvmDepth) return None();
  ++depth_;
  const Id made = MakeType(*node, *known);
  --depth_;
  return types_[*node] = made;
}

Id LlvmDebugRecords::MakeType(std::uint32_t number, const LlvmNode& node) {
  if (node.Is("DIBasicType")) {
    const Id name = writer_.String(node.Text("name"));
    const Id size = writer_.Number(static_cast<std::uint64_t>(node.Number("size")));
    return writer_.Add(Record::kDebugTypeBasic,
                       {name, size, WordOf(EncodingOf(node.Field("encoding")))});
  }
  if (node.Is("DIDerivedType")) return MakeDerived(node);
  if (node.Is("DISubroutineType")) return MakeFunctionType(node);
  if (!node.Is("DICompositeType")) return None();
  const std::string_view tag = node.Field("tag");
  if (tag == "DW_TAG_array_type") return MakeArray(node);
  if (tag == "DW_TAG_enumeration_type") return MakeEnum(node);
  return MakeComposite(number, node);
}

Id LlvmDebugRecords::MakeDerived(const LlvmNode& node) {
  using Qualifier = OpenClDebugInfo100DebugTypeQualifier;
  constexpr std::pair<std::string_view, Qualifier> kQualifiers[] = {
      {"DW_TAG_const_type", Qualifier::kConstType},
      {"DW_TAG_volatile_type", Qualifier::kVolatileType},
      {"DW_TAG_restrict_type", Qualifier::kRestrictType},
      {"DW_TAG_atomic_type", Qualifier::kAtomicType}};
  const std::string_view tag = node.Field("tag");
  const Id base = Type(node.Reference("baseType"));
  if (tag == "DW_TAG_pointer_type") {
    const StorageClass storage = StorageOf(node.Number("dwarfAddressSpace"));
    return writer_.Add(Record::kDebugTypePointer, {base, WordOf(storage), WordOf(Flags::kNone)});
  }
  if (tag == "DW_TAG_typedef") {
    const Id name = writer_.String(node.Text("name"));
    return writer_.Add(Record::kDebugTypedef,
                       {name, base, Source(FileOf(node)), LineOf(node), 0, Unit()});
  }
  // A qualifier of void says nothing about values, and other tags are of C++.
  if (base == none_) return base;
  for (const auto& [name, qualifier] : kQualifiers) {
    if (tag == name) return writer_.Add(Record::kDebugTypeQualifier, {base, WordOf(qualifier)});
  }
  return None();
}

Id LlvmDebugRecords::MakeArray(const LlvmNode& node) {
  const Id base = Type(node.Reference("baseType"));
  const auto elements = node.Reference("elements");
  const auto list = elements ? metadata_.Find(*elements) : std::nullopt;
  if (base == none_ || !list) return None();
  std::vector<Word> operands = {base};
  const bool is_vector = node.Field("flags").find("DIFlagVector") != std::string_view::npos;
  for (const std::string_view element : list->Elements()) {
    const auto reference = ReadReference(element);
    const auto range = reference ? metadata_.Find(*reference) : std::nullopt;
    const std::int64_t count = range && range->Is("DISubrange") ? range->Number("count") : 0;
    if (count <= 0) return None();  // as many elements as are stored there
    if (is_vector) {
      return writer_.Add(Record::kDebugTypeVector, {base, static_cast<Word>(count)});
    }
    operands.push_back(writer_.Number(static_cast<std::uint64_t>(count)));
  }
  if (operands.size() == 1) return None();
  return writer_.Add(Record::kDebugTypeArray, operands);
}

Id LlvmDebugRecords::MakeEnum(const LlvmNode& node) {
  const auto size = static_cast<std::uint64_t>(node.Number("size"));
  std::vector<Word> operands = {writer_.String(node.Text("name")),
                                Type(node.Reference("baseType")),
                                Source(FileOf(node)),
                                LineOf(node),
                                0,
                                Unit(),
                                writer_.Number(size),
                                WordOf(Flags::kNone)};
  const auto elements = node.Reference("elements");
  const auto list = elements ? metadata_.Find(*elements) : std::nullopt;
  if (!list) return None();
  for (const std::string_view element : list->Elements()) {
    const auto reference = ReadReference(element);
    const auto one = reference ? metadata_.Find(*reference) : std::nullopt;
    if (!one || !one->Is("DIEnumerator")) continue;
    // A negative one in 64 bits, so that it keeps its sign.
    operands.push_back(writer_.Number(static_cast<std::uint64_t>(one->Number("value"))));
    operands.push_back(writer_.String(one->Text("name")));
  }
  return writer_.Add(Record::kDebugTypeEnum, operands);
}

// Members may point to what they are members of, so it is written before them.
Id LlvmDebugRecords::MakeComposite(std::uint32_t number, const LlvmNode& node) {
  using Tag = OpenClDebugInfo100DebugCompositeType;
  const bool is_union = node.Field("tag") == "DW_TAG_union_type";
  const Id id = types_[number] = writer_.NewId();
  std::vector<Word> operands = {writer_.String(node.Text("name")),
                                WordOf(is_union ? Tag::kUnion : Tag::kStructure),
                                Source(FileOf(node)),
                                LineOf(node),
                                0,
                                Unit(),
                                writer_.String(""),
                                writer_.Number(static_cast<std::uint64_t>(node.Number("size"))),
                                WordOf(Flags::kNone)};
  std::vector<std::pair<Id, LlvmNode>> members;
  const auto elements = node.Reference("elements");
  const auto list = elements ? metadata_.Find(*elements) : std::nullopt;
  for (const std::string_view element : list ? list->Elements() : std::vector<std::string_view>()) {
    const auto reference = ReadReference(element);
    const auto member = reference ? metadata_.Find(*reference) : std::nullopt;
    if (!member || member->Field("tag") != "DW_TAG_member") continue;
    members.emplace_back(writer_.NewId(), *member);
    operands.push_back(members.back().first);
  }
  writer_.Add(Record::kDebugTypeComposite, operands, id);
  for (const auto& [member_id, member] : members) {
    const Id type = Type(member.Reference("baseType"));
    const Id name = writer_.String(member.Text("name"));
    const Id offset = writer_.Number(static_cast<std::uint64_t>(member.Number("offset")));
    const Id size = writer_.Number(static_cast<std::uint64_t>(member.Number("size")));
    writer_.Add(Record::kDebugTypeMember,
                {name, type, Source(FileOf(member)), LineOf(member), 0, id, offset, size,
                 WordOf(Flags::kNone)},
                member_id);
  }
  return id;
}

Id LlvmDebugRecords::MakeFunctionType(const LlvmNode& node) {
  std::vector<Word> operands = {WordOf(Flags::kNone)};
  const auto types = node.Reference("types");
  const auto list = types ? metadata_.Find(*types) : std::nullopt;
  for (const std::string_view type : list ? list->Elements() : std::vector<std::string_view>()) {
    const bool is_void_result = operands.size() == 1 && type == "null";
    operands.push_back(is_void_result ? writer_.Void() : Type(ReadReference(type)));
  }
  if (operands.size() == 1) operands.push_back(writer_.Void());
  return writer_.Add(Record::kDebugTypeFunction, operands);
}

ValueShape LlvmDebugRecords::ShapeOf(std::optional<std::uint32_t> type, int depth) const {
  using Kind = ValueShape::Kind;
  const auto node = type ? metadata_.Find(*type) : std::nullopt;
  if (!node || depth == kMaxLlvmDepth) return {};
  const auto bits = static_cast<std::uint64_t>(node->Number("size"));
  if (node->Is("DIBasicType")) {
    const Encoding encoding = EncodingOf(node->Field("encoding"));
    if (encoding == Encoding::kFloat) return {Kind::kFloat, bits};
    return {encoding == Encoding::kBoolean ? Kind::kBool : Kind::kInteger, bits};
  }
  const std::string_view tag = node->Field("tag");
  if (tag == "DW_TAG_pointer_type") return {Kind::kPointer, bits};
  if (tag == "DW_TAG_enumeration_type") return {Kind::kInteger, bits};
  if (node->Is("DIDerivedType")) return ShapeOf(node->Reference("baseType"), depth + 1);
  if (node->Field("flags").find("DIFlagVector") == std::string_view::npos) {
    return {Kind::kAggregate, bits};
  }
  const auto elements = node->Reference("elements");
  const auto list = elements ? metadata_.Find(*elements) : std::nullopt;
  const auto first = list ? list->Elements() : std::vector<std::string_view>();
  const auto reference = first.empty() ? std::nullopt : ReadReference(first[0]);
  const auto range = reference ? metadata_.Find(*reference) : std::nullopt;
  const auto count = static_cast<std::uint64_t>(range ? range->Number("count") : 0);
  return {Kind::kVector, count * ShapeOf(node->Reference("baseType"), depth + 1).bits};
}

}  // namespace assay::frontend
