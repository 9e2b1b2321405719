// Scopes, places and variables; llvm_debug_types.cc has files and types, llvm_debug_expression.cc
// what variables are made of.
#include "frontend/llvm_debug_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/kernel_body.h"

namespace assay::frontend {
namespace {

using Record = OpenClDebugInfo100;
using Flags = OpenClDebugInfo100DebugInfoFlags;

}  // namespace

LlvmDebugRecords::LlvmDebugRecords(const LlvmMetadata& metadata, DebugWriter* writer,
                                   std::unordered_map<std::string_view, Id> functions)
    : metadata_(metadata), writer_(*writer), functions_(std::move(functions)) {
  ReadInductions();
  std::unordered_map<std::string, std::uint32_t> implementations;
  for (std::uint32_t i = 0; i < metadata.size(); ++i) {
    const auto node = metadata.Find(i);
    if (node && node->Is("DISubprogram")) {
      const std::string name = node->Text("linkageName");
      if (name.starts_with(kKernelBodyPrefix)) implementations[name] = i;
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
    if (!scope) continue;
    variables_.try_emplace({*scope, node->Text("name")}, i);
    if (!wrappers_.contains(*scope)) variables_of_[FunctionOf(*scope)].push_back(i);
  }
}

std::string LlvmDebugRecords::ImplementationOf(std::string_view kernel) {
  return std::string(kKernelBodyPrefix) + std::string(kernel);
}

std::uint32_t LlvmDebugRecords::Canonical(std::uint32_t scope) const {
  const auto found = wrappers_.find(scope);
  return found == wrappers_.end() ? scope : found->second;
}

// --- scopes -------------------------------------------------------------------------------------

Id LlvmDebugRecords::Scope(std::uint32_t number) {
  number = Canonical(number);
  // A scope that is in itself has none around it.
  const auto [place, added] = scopes_.try_emplace(number, 0);
  if (!added) return place->second;
  const auto node = metadata_.Find(number);
  if (!node || depth_ >= kMaxLlvmDepth) return 0;
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
                       {source, LineOf(node), static_cast<Word>(node.Number("column")), parent});
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
                     {writer_.String(name), type, source, LineOf(node), 0, unit,
                      writer_.String(linkage), flags, static_cast<Word>(node.Number("scopeLine")),
                      function == functions_.end() ? None() : function->second});
}

std::uint32_t LlvmDebugRecords::FunctionOf(std::uint32_t scope) const {
  for (int depth = 0; depth < kMaxLlvmDepth; ++depth) {
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
  location->line = LineOf(node);
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
  if (!scope || !node->Is("DILocation") || depth_ >= kMaxLlvmDepth) return 0;
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
                      ? writer_.Add(Record::kDebugInlinedAt, {LineOf(*node), around})
                      : writer_.Add(Record::kDebugInlinedAt, {LineOf(*node), around, further});
  return inlined_[number] = made;
}

// --- variables ----------------------------------------------------------------------------------

LlvmDebugRecords::Local LlvmDebugRecords::Variable(std::string_view name, std::uint32_t scope_node,
                                                   std::uint32_t line) {
  std::optional<std::uint32_t> scope = scope_node;
  for (int depth = 0; scope && depth < kMaxLlvmDepth; ++depth) {
    const std::uint32_t one = Canonical(*scope);
    const auto found = variables_.find({one, std::string(name)});
    if (found == variables_.end()) {
      const auto node = metadata_.Find(one);
      scope = node ? node->Reference("scope") : std::nullopt;
      continue;
    }
    const auto node = metadata_.Find(found->second);
    if (LineOf(*node) != line) return {};
    return MakeLocal(found->second);
  }
  return {};
}

LlvmDebugRecords::Local LlvmDebugRecords::MakeLocal(std::uint32_t number) {
  const auto node = metadata_.Find(number);
  const auto type = node->Reference("type");
  const ValueShape shape = ShapeOf(type);
  const auto [place, added] = locals_.try_emplace(number, 0);
  const auto argument = static_cast<Word>(node->Number("arg"));
  if (!added) return {place->second, argument, shape};
  const auto scope = node->Reference("scope");
  const Id around = scope ? Scope(*scope) : 0;
  if (around == 0) return {};
  std::vector<Word> operands = {writer_.String(node->Text("name")),
                                Type(type),
                                Source(FileOf(*node)),
                                LineOf(*node),
                                0,
                                around,
                                WordOf(Flags::kNone)};
  if (argument != 0) operands.push_back(argument);
  place->second = writer_.Add(Record::kDebugLocalVariable, operands);
  return {place->second, argument, shape};
}

std::vector<LlvmDebugRecords::Local> LlvmDebugRecords::VariablesOf(std::string_view function) {
  std::vector<Local> locals;
  const auto subprogram = metadata_.SubprogramOf(function);
  const auto found = variables_of_.find(subprogram ? Canonical(*subprogram) : 0);
  if (!subprogram || found == variables_of_.end()) return locals;
  for (const std::uint32_t number : found->second) locals.push_back(MakeLocal(number));
  return locals;
}

const LlvmLocation* LlvmDebugRecords::BeginOf(std::string_view function) {
  const auto subprogram = metadata_.SubprogramOf(function);
  if (!subprogram) return nullptr;
  LlvmLocation& begin = begins_[std::string(function)];
  begin.scope_node = *subprogram;
  begin.scope = Scope(*subprogram);
  return begin.scope == 0 ? nullptr : &begin;
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
      {writer_.String(node->Text("name")), type, Source(FileOf(*node)), LineOf(*node), 0,
       around != 0 ? around : Unit(), writer_.String(node->Text("linkageName")), variable, flags});
}

}  // namespace assay::frontend
