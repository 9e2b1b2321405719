#include "frontend/grammar.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

// The tables are constants without pointers between them: a run of another table is its first row
// and its length.
struct Run {
  std::uint16_t first;
  std::uint16_t count;
};

struct InstructionRow {
  std::uint32_t opcode;
  std::uint8_t version;
  std::string_view name;
  Run operands;
  Run capabilities;
  Run extensions;
};

struct EnumerantRow {
  std::uint32_t value;
  std::uint8_t version;
  std::string_view name;
  Run parameters;
  Run capabilities;
  Run extensions;
};

struct KindRow {
  std::string_view name;
  Category category;
  Run enumerants;
  Run bases;
};

struct SetRow {
  std::string_view name;
  Run instructions;
};

struct NewerEnumerant {
  OperandKind kind;
  std::uint32_t value;
};

struct OpcodeName {
  Op opcode;
  RegistryName name;
};

struct EnumerantNameRow {
  OperandKind kind;
  std::uint32_t value;
  RegistryName name;
};

#include "frontend/grammar_tables.inc"

template <typename T, std::size_t N>
std::span<const T> Slice(const T (&table)[N], Run run) {
  return std::span<const T>(table).subspan(run.first, run.count);
}

InstructionRule RuleOf(const InstructionRow& row) {
  return {row.opcode,
          row.version,
          row.name,
          Slice(kOperands, row.operands),
          Slice(kCapabilities, row.capabilities),
          Slice(kExtensions, row.extensions)};
}

EnumerantRule RuleOf(const EnumerantRow& row) {
  return {row.value,
          row.version,
          row.name,
          Slice(kOperands, row.parameters),
          Slice(kCapabilities, row.capabilities),
          Slice(kExtensions, row.extensions)};
}

const KindRow& RowOf(OperandKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

// A result type stands first and a result id before every other operand (SPIR-V 2.3).
bool InstructionRule::HasResultType() const {
  return !operands.empty() && operands[0].kind == OperandKind::kIdResultType;
}

bool InstructionRule::HasResult() const {
  const std::size_t place = HasResultType() ? 1 : 0;
  return operands.size() > place && operands[place].kind == OperandKind::kIdResult;
}

std::optional<InstructionRule> FindInstruction(Op opcode) {
  const auto number = static_cast<std::size_t>(opcode);
  if (number >= std::size(kInstructionByOpcode)) return std::nullopt;
  const std::size_t place = kInstructionByOpcode[number];
  if (place == 0) return std::nullopt;
  return RuleOf(kInstructions[place - 1]);
}

std::optional<InstructionRule> FindInstruction(ExtendedSet set, std::uint32_t number) {
  if (set == ExtendedSet::kUnknown) return std::nullopt;
  const auto rows = Slice(kSetInstructions, kSets[static_cast<std::size_t>(set) - 1].instructions);
  const auto found = std::ranges::lower_bound(rows, number, {}, &InstructionRow::opcode);
  if (found == rows.end() || found->opcode != number) return std::nullopt;
  return RuleOf(*found);
}

// llvm-spirv writes it for SYCL.  It has the instructions of version 100 and some more, with
// numbers from 200 on.
constexpr std::string_view kDebugInfo200 = "NonSemantic.Shader.DebugInfo.200";

ExtendedSet FindExtendedSet(std::string_view name) {
  if (name == kDebugInfo200) return ExtendedSet::kShaderDebugInfo100;
  for (std::size_t i = 0; i < std::size(kSets); ++i) {
    if (kSets[i].name == name) return static_cast<ExtendedSet>(i + 1);
  }
  return ExtendedSet::kUnknown;
}

std::optional<EnumerantRule> FindEnumerant(OperandKind kind, std::uint32_t value) {
  const auto rows = Slice(kEnumerants, RowOf(kind).enumerants);
  const auto found = std::ranges::lower_bound(rows, value, {}, &EnumerantRow::value);
  if (found == rows.end() || found->value != value) return std::nullopt;
  return RuleOf(*found);
}

std::optional<EnumerantRule> FindEnumerant(OperandKind kind, std::string_view name) {
  const auto rows = Slice(kEnumerants, RowOf(kind).enumerants);
  const auto found = std::ranges::find(rows, name, &EnumerantRow::name);
  return found == rows.end() ? std::nullopt : std::optional(RuleOf(*found));
}

bool IsNewer(Op opcode) { return std::ranges::binary_search(kNewerOpcodes, opcode); }

std::optional<InstructionRule> FindNewerInstruction(std::string_view name) {
  for (const Op opcode : kNewerOpcodes) {
    const auto rule = FindInstruction(opcode);
    if (rule && rule->name == name) return rule;
  }
  return std::nullopt;
}

bool IsNewer(OperandKind kind, std::uint32_t value) {
  return std::ranges::any_of(kNewerEnumerants, [&](const NewerEnumerant& newer) {
    return newer.kind == kind && newer.value == value;
  });
}

Category CategoryOf(OperandKind kind) { return RowOf(kind).category; }

std::string_view NameOf(OperandKind kind) { return RowOf(kind).name; }

std::span<const OperandRule> BasesOf(OperandKind kind) {
  return Slice(kOperands, RowOf(kind).bases);
}

std::optional<RegistryName> FindRegistryName(Op opcode) {
  const auto* const row = std::ranges::find(kOpcodeNames, opcode, &OpcodeName::opcode);
  return row == std::end(kOpcodeNames) ? std::nullopt : std::optional(row->name);
}

std::optional<RegistryName> FindRegistryName(OperandKind kind, std::uint32_t value) {
  const auto* const row = std::ranges::find_if(kEnumerantNames, [&](const EnumerantNameRow& one) {
    return one.kind == kind && one.value == value;
  });
  return row == std::end(kEnumerantNames) ? std::nullopt : std::optional(row->name);
}

std::optional<RegistryName> FindRegistryName(std::string_view name) {
  for (const OpcodeName& row : kOpcodeNames) {
    if (row.name.name == name) return row.name;
  }
  for (const EnumerantNameRow& row : kEnumerantNames) {
    if (row.name.name == name) return row.name;
  }
  return std::nullopt;
}

namespace {

// " (Int4TypeINTEL of SPV_INTEL_int4)"; "" without a name.
std::string InBrackets(const std::optional<RegistryName>& name) {
  if (!name) return "";
  return fmt::format(" ({}{}{})", name->name, name->extension.empty() ? "" : " of ",
                     name->extension);
}

}  // namespace

std::string NameOf(Op opcode) {
  if (const auto rule = FindInstruction(opcode)) return std::string(rule->name);
  return fmt::format("opcode {}{}", static_cast<unsigned>(opcode),
                     InBrackets(FindRegistryName(opcode)));
}

std::string EnumerantName(OperandKind kind, std::uint32_t value) {
  if (const auto rule = FindEnumerant(kind, value)) return std::string(rule->name);
  if (CategoryOf(kind) != Category::kBits) {
    return fmt::format("{}{}", value, InBrackets(FindRegistryName(kind, value)));
  }
  std::string names;
  for (std::uint32_t rest = value; rest != 0; rest &= rest - 1) {
    const std::uint32_t bit = rest & ~(rest - 1);
    const auto rule = FindEnumerant(kind, bit);
    if (!names.empty()) names += '|';
    names += rule ? std::string(rule->name) : fmt::format("{:#x}", bit);
  }
  return names;
}

}  // namespace assay::frontend
