#include "frontend/llvm_debug_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::frontend {
namespace {

using Record = OpenClDebugInfo100;
using Encoding = OpenClDebugInfo100DebugBaseTypeAttributeEncoding;
using Flags = OpenClDebugInfo100DebugInfoFlags;

constexpr int kMaxDepth = 64;  // metadata may be circular
constexpr std::string_view kImplementation = "__clang_ocl_kern_imp_";

template <typename Enumeration>
constexpr Word WordOf(Enumeration value) {
  return static_cast<Word>(value);
}

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

Word Line(const LlvmNode& node) { return static_cast<Word>(node.Number("line")); }

std::uint32_t FileOf(const LlvmNode& node) { return node.Reference("file").value_or(0xffffffff); }

}  // namespace

LlvmDebugRecords::LlvmDebugRecords(const LlvmMetadata& metadata, DebugWriter* writer,
                                   std::unordered_map<std::string_view, Id> functions)
    : metadata_(metadata), writer_(*writer), functions_(std::move(functions)) {
  std::unordered_map<std::string, std::uint32_t> implementations;
  for (std::uint32_t i = 0; i < metadata.size(); ++i) {
    const auto node = metadata.Find(i);
    if (node && node->Is("DISubprogram")) {
      const std::string name = node->Text("linkageName");
      if (name.starts_with(kImplementation)) implementations[name] = i;
    }
  }
  for (const auto& [function, node] : metadata.subprograms()) {
    const auto found = implementations.find(ImplementationOf(function));
    if (found != implementations.end()) wrappers_[node] = found->second;
  }
  for (std::uint32_t i = 0; i < metadata.size(); ++i) {
    const auto node = metadata.Find(i);
    if (!node || !node->Is("DILocalVariable")) continue;
    const auto scope = node->Reference("scope");
    if (scope) variables_.try_emplace({*scope, node->Text("name")}, i);
  }
}

std::string LlvmDebugRecords::ImplementationOf(std::string_view kernel) {
  return std::string(kImplementation) + std::string(kernel);
}

std::uint32_t LlvmDebugRecords::Canonical(std::uint32_t scope) const {
  const auto found = wrappers_.find(scope);
  return found == wrappers_.end() ? scope : found->second;
}

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
  if (!known || depth_ == kMaxDepth) return None();
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
                       {name, base, Source(FileOf(node)), Line(node), 0, Unit()});
  }
  // A qualifier of void, or one that the set does not have, says nothing about values.
  if (base == none_) return base;
  for (const auto& [name, qualifier] : kQualifiers) {
    if (tag == name) return writer_.Add(Record::kDebugTypeQualifier, {base, WordOf(qualifier)});
  }
  return base;
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
    if (count <= 0) return None();  // as long as what is stored there
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
                                Line(node),
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
    auto value = static_cast<std::uint64_t>(one->Number("value"));
    if (size <= 32) value &= 0xffffffff;
    operands.push_back(writer_.Number(value));
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
                                Line(node),
                                0,
                                Unit(),
                                None(),
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
                {name, type, Source(FileOf(member)), Line(member), 0, id, offset, size,
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
    operands.push_back(Type(ReadReference(type)));
  }
  if (operands.size() == 1) operands.push_back(None());
  return writer_.Add(Record::kDebugTypeFunction, operands);
}

std::uint64_t LlvmDebugRecords::Bits(std::uint32_t type) const {
  std::optional<std::uint32_t> next = type;
  for (int depth = 0; next && depth < kMaxDepth; ++depth) {
    const auto node = metadata_.Find(*next);
    if (!node) return 0;
    if (const std::int64_t size = node->Number("size"); size > 0) {
      return static_cast<std::uint64_t>(size);
    }
    next = node->Reference("baseType");
  }
  return 0;
}

// --- scopes -------------------------------------------------------------------------------------

Id LlvmDebugRecords::Scope(std::uint32_t number) {
  number = Canonical(number);
  // A scope that is in itself has none around it.
  const auto [place, added] = scopes_.try_emplace(number, 0);
  if (!added) return place->second;
  const auto node = metadata_.Find(number);
  if (!node || depth_ >= kMaxDepth) return 0;
  ++depth_;
  const Id made = MakeScope(*node);
  --depth_;
  return scopes_[number] = made;
}

Id LlvmDebugRecords::MakeScope(const LlvmNode& node) {
  if (node.Is("DISubprogram")) return MakeFunction(node);
  const auto around = node.Reference("scope");
  if (!around) return 0;
  const bool is_block = node.Is("DILexicalBlock");
  if (!is_block && !node.Is("DILexicalBlockFile")) return 0;
  const Id parent = Scope(*around);
  if (parent == 0) return 0;
  const Id source = Source(FileOf(node));
  if (is_block) {
    return writer_.Add(Record::kDebugLexicalBlock,
                       {source, Line(node), static_cast<Word>(node.Number("column")), parent});
  }
  return writer_.Add(Record::kDebugLexicalBlockDiscriminator,
                     {source, static_cast<Word>(node.Number("discriminator")), parent});
}

Id LlvmDebugRecords::MakeFunction(const LlvmNode& node) {
  const std::string name = node.Text("name");
  const std::string linkage = node.Text("linkageName");
  const auto function = functions_.find(linkage.empty() ? name : linkage);
  const auto type_node = node.Reference("type");
  const Id type = type_node ? Type(type_node) : MakeFunctionType(LlvmNode());
  const Id unit = Unit();
  const Id source = Source(FileOf(node));
  const Word flags = WordOf(Flags::kFlagIsDefinition) |
                     (node.Field("flags").find("Prototyped") != std::string_view::npos
                          ? WordOf(Flags::kFlagPrototyped)
                          : 0);
  return writer_.Add(Record::kDebugFunction,
                     {writer_.String(name), type, source, Line(node), 0, unit,
                      writer_.String(linkage), flags, static_cast<Word>(node.Number("scopeLine")),
                      function == functions_.end() ? None() : function->second});
}

std::uint32_t LlvmDebugRecords::FunctionOf(std::uint32_t scope) const {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const auto node = metadata_.Find(scope);
    if (!node || node->Is("DISubprogram")) break;
    const auto around = node->Reference("scope");
    if (!around) break;
    scope = *around;
  }
  return Canonical(scope);
}

// --- locations ----------------------------------------------------------------------------------

const LlvmLocation* LlvmDebugRecords::Location(std::string_view text) {
  if (const auto number = ReadReference(text)) {
    const auto [place, added] = locations_.try_emplace(*number);
    if (!added) return place->second.scope == 0 ? nullptr : &place->second;
    const auto node = metadata_.Find(*number);
    return node ? MakeLocation(*node, &place->second) : nullptr;
  }
  const auto [place, added] = inline_locations_.try_emplace(std::string(text));
  if (!added) return place->second.scope == 0 ? nullptr : &place->second;
  return MakeLocation(LlvmNode(text), &place->second);
}

const LlvmLocation* LlvmDebugRecords::MakeLocation(const LlvmNode& node, LlvmLocation* location) {
  const auto scope_node = node.Reference("scope");
  const auto scope = scope_node ? metadata_.Find(*scope_node) : std::nullopt;
  if (!node.Is("DILocation") || !scope) return nullptr;
  location->line = Line(node);
  location->column = static_cast<Word>(node.Number("column"));
  const auto file = metadata_.Find(FileOf(*scope));
  location->place = fmt::format("{}:{}", file ? file->Text("filename") : "", location->line);
  if (location->column != 0) location->place += fmt::format(":{}", location->column);
  location->path = Path(FileOf(*scope));
  location->scope_node = *scope_node;
  if (const auto call = node.Reference("inlinedAt")) {
    location->inlined_at = InlinedAt(*call, FunctionOf(*scope_node));
  }
  if (location->path == 0) return nullptr;
  location->scope = Scope(*scope_node);
  return location->scope == 0 ? nullptr : location;
}

Id LlvmDebugRecords::InlinedAt(std::uint32_t number, std::uint32_t inlined_function) {
  const auto [place, added] = inlined_.try_emplace(number, 0);
  if (!added) return place->second;
  const auto node = metadata_.Find(number);
  const auto scope = node ? node->Reference("scope") : std::nullopt;
  if (!scope || !node->Is("DILocation") || depth_ >= kMaxDepth) return 0;
  // A kernel's second function in its first one.
  if (FunctionOf(*scope) == inlined_function) return 0;
  const Id around = Scope(*scope);
  if (around == 0) return 0;
  Id further = 0;
  if (const auto call = node->Reference("inlinedAt")) {
    ++depth_;
    further = InlinedAt(*call, FunctionOf(*scope));
    --depth_;
  }
  const Id made = further == 0
                      ? writer_.Add(Record::kDebugInlinedAt, {Line(*node), around})
                      : writer_.Add(Record::kDebugInlinedAt, {Line(*node), around, further});
  return inlined_[number] = made;
}

// --- variables ----------------------------------------------------------------------------------

LlvmDebugRecords::Local LlvmDebugRecords::Variable(std::string_view name, std::uint32_t scope_node,
                                                   std::uint32_t line) {
  std::optional<std::uint32_t> scope = scope_node;
  for (int depth = 0; scope && depth < kMaxDepth; ++depth) {
    const std::uint32_t one = Canonical(*scope);
    const auto found = variables_.find({one, std::string(name)});
    if (found == variables_.end()) {
      const auto node = metadata_.Find(one);
      scope = node ? node->Reference("scope") : std::nullopt;
      continue;
    }
    const auto node = metadata_.Find(found->second);
    if (Line(*node) != line) return {};
    const auto type = node->Reference("type");
    const std::uint64_t bits = type ? Bits(*type) : 0;
    const auto [place, added] = locals_.try_emplace(found->second, 0);
    if (!added) return {place->second, bits};
    const Id around = Scope(one);
    if (around == 0) return {};
    std::vector<Word> operands = {writer_.String(std::string(name)),
                                  Type(type),
                                  Source(FileOf(*node)),
                                  Line(*node),
                                  0,
                                  around,
                                  WordOf(Flags::kNone)};
    if (const std::int64_t argument = node->Number("arg"); argument > 0) {
      operands.push_back(static_cast<Word>(argument));
    }
    place->second = writer_.Add(Record::kDebugLocalVariable, operands);
    return {place->second, bits};
  }
  return {};
}

Id LlvmDebugRecords::Expression(std::string_view text, bool through_pointer) {
  using Operation = OpenClDebugInfo100DebugOperation;
  const auto [place, added] =
      expressions_.try_emplace((through_pointer ? "*" : "") + std::string(text), 0);
  if (!added) return place->second;
  std::vector<Word> steps;
  const auto add = [&](Operation operation, std::initializer_list<Word> operands) {
    std::vector<Word> words = {WordOf(operation)};
    words.insert(words.end(), operands);
    steps.push_back(writer_.Add(Record::kDebugOperation, words));
  };
  if (through_pointer) add(Operation::kDeref, {});
  const std::vector<std::string_view> words = LlvmNode(text).Elements();
  for (std::size_t i = 0; i < words.size();) {
    const auto is = [&](std::size_t at, std::string_view word) {
      return at < words.size() && words[at] == word;
    };
    // An address space: a number, swap, xderef.  It is in the pointer's type already.
    const std::size_t number = words[i].starts_with("DW_OP_lit") ? 1
                               : is(i, "DW_OP_constu")           ? 2
                                                                 : 0;
    if (number != 0 && is(i + number, "DW_OP_swap") && is(i + number + 1, "DW_OP_xderef")) {
      i += number + 2;
    } else if (is(i, "DW_OP_deref")) {
      add(Operation::kDeref, {});
      ++i;
    } else if (is(i, "DW_OP_LLVM_fragment") && i + 3 == words.size()) {
      Word offset = 0, size = 0;
      for (const char c : words[i + 1]) offset = offset * 10 + static_cast<Word>(c - '0');
      for (const char c : words[i + 2]) size = size * 10 + static_cast<Word>(c - '0');
      add(Operation::kFragment, {offset, size});
      i += 3;
    } else {
      return 0;
    }
  }
  return place->second = writer_.Add(Record::kDebugExpression, steps);
}

void LlvmDebugRecords::AddGlobal(std::uint32_t expression_node, Id variable) {
  const auto expression = metadata_.Find(expression_node);
  if (!expression || !expression->Is("DIGlobalVariableExpression")) return;
  const auto reference = expression->Reference("var");
  const auto node = reference ? metadata_.Find(*reference) : std::nullopt;
  if (!node || !node->Is("DIGlobalVariable")) return;
  const auto scope = node->Reference("scope");
  const Id around = scope ? Scope(*scope) : 0;
  const Word flags = WordOf(Flags::kFlagIsDefinition) |
                     (node->Field("isLocal") == "true" ? WordOf(Flags::kFlagIsLocal) : 0);
  const Id type = Type(node->Reference("type"));
  writer_.Add(
      Record::kDebugGlobalVariable,
      {writer_.String(node->Text("name")), type, Source(FileOf(*node)), Line(*node), 0,
       around != 0 ? around : Unit(), writer_.String(node->Text("linkageName")), variable, flags});
}

}  // namespace assay::frontend
