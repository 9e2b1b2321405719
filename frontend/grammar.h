// SPIR-V's grammar as tables: what an instruction's words are, which names enumerants have, and
// which capabilities something needs.  The rows are generated at build time from SPIRV-Headers'
// JSON and, for what these headers lack, newer_grammar.json (generate_grammar.py); the enumerations
// (Op, Capability, Decoration, OpenClStd, ...) are in the generated "frontend/spirv.h".  No number,
// name or operand of SPIR-V is written by hand; what assay does with an instruction is
// (interp/import).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontend/spirv.h"

namespace assay::frontend {

using Id = std::uint32_t;    // of a result; 0 is no id
using Word = std::uint32_t;  // SPIR-V 2.2: a module is a stream of these

enum class Quantifier : std::uint8_t {
  kOne,
  kOptional,  // at most once, and then nothing that is required follows
  kAny,       // as often as words are left
};

enum class Category : std::uint8_t { kBits, kValue, kId, kLiteral, kComposite };

struct OperandRule {
  OperandKind kind;
  Quantifier quantifier;
};

// The least version of SPIR-V that has something in its core, as major * 16 + minor.
inline constexpr std::uint8_t kOnlyByExtension = 255;

struct InstructionRule {
  std::uint32_t opcode;  // an Op, or a number of an extended instruction set
  std::uint8_t version;
  std::string_view name;                         // "OpIAdd", "native_sin"
  std::span<const OperandRule> operands;         // result type and result id included
  std::span<const Capability> capabilities;      // any one of them is enough; empty: none needed
  std::span<const std::string_view> extensions;  // any one of them is enough below `version`

  bool HasResult() const;
  bool HasResultType() const;
};

struct EnumerantRule {
  std::uint32_t value;
  std::uint8_t version;
  std::string_view name;
  std::span<const OperandRule> parameters;  // operands that follow where the enumerant is used
  std::span<const Capability> capabilities;
  std::span<const std::string_view> extensions;
};

// The rule of an instruction; empty for a number that the grammar does not know.  O(1).
std::optional<InstructionRule> FindInstruction(Op opcode);
// The rule of an extended instruction.  O(log n).
std::optional<InstructionRule> FindInstruction(ExtendedSet set, std::uint32_t number);
// The set that OpExtInstImport names; kUnknown for every other.
ExtendedSet FindExtendedSet(std::string_view name);

// The rule of an enumerant (of one bit, for a kind of bits).  O(log n).
std::optional<EnumerantRule> FindEnumerant(OperandKind kind, std::uint32_t value);
std::optional<EnumerantRule> FindEnumerant(OperandKind kind, std::string_view name);  // O(n)
Category CategoryOf(OperandKind kind);
std::string_view NameOf(OperandKind kind);

// What SPIRV-Headers do not have, and therefore SPIRV-Tools neither (newer_grammar.json).
bool IsNewer(Op opcode);
std::optional<InstructionRule> FindNewerInstruction(std::string_view name);
bool IsNewer(OperandKind kind, std::uint32_t value);
// The kinds that a composite kind consists of, such as OpPhi's pairs of ids.
std::span<const OperandRule> BasesOf(OperandKind kind);

// What the registry calls a number that no table has (registry_names.tsv), and the extension that
// has it, or "".
struct RegistryName {
  std::string_view name;
  std::string_view extension;
};
std::optional<RegistryName> FindRegistryName(Op opcode);
std::optional<RegistryName> FindRegistryName(OperandKind kind, std::uint32_t value);
// The extension that has an instruction, or another thing, of this name, in text; "" for a name
// that nothing has.
std::optional<RegistryName> FindRegistryName(std::string_view name);

// For messages: the grammar's name, or the number where it has none, and what the registry calls
// it: "opcode 9999", "opcode 6231 (OpSubgroup2DBlockLoadINTEL of SPV_INTEL_2d_block_io)".
std::string NameOf(Op opcode);
// An enumerant's name ("Kernel"); bits are joined ("Volatile|Aligned"); an unknown one is "42", or
// "5112 (Int4TypeINTEL of SPV_INTEL_int4)".
std::string EnumerantName(OperandKind kind, std::uint32_t value);

}  // namespace assay::frontend
