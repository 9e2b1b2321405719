// Reads instructions of the debug information sets.  Internal to debug information.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "frontend/module.h"

namespace assay::frontend {

// The two sets number their common instructions alike; DebugLine exists in the newer only.
using DebugNumber = ShaderDebugInfo100;

struct DebugOperands {
  bool literals = false;  // numbers are literal words and not ids of constants
  DebugNumber number{};
  std::span<const Word> words;

  // 0 beyond the last one.
  Id At(std::size_t place) const { return place < words.size() ? words[place] : 0; }
};

// Nothing if it is not an instruction of such a set.
std::optional<DebugOperands> ReadDebugOperands(const Module& module,
                                               const Instruction& instruction);
std::optional<DebugOperands> ReadDebugOperands(const Module& module, Id id);

// An operand that is a literal in the one set and a constant in the other.
std::uint32_t DebugNumberAt(const Module& module, const DebugOperands& operands, std::size_t place);
// The text of an OpString; "" where the id is of none.
std::string DebugStringOf(const Module& module, Id id);

// Many records may share one name; each shows at most this many bytes of it.
constexpr std::size_t kMostNameBytes = 512;
std::string CutName(std::string name);
std::string DebugNameOf(const Module& module, Id id);

// Lines and columns that a source can have; 0, not known, for others.
constexpr std::uint32_t KnownLine(std::uint32_t line) { return line >> 30 == 0 ? line : 0; }
constexpr std::uint32_t KnownColumn(std::uint32_t column) { return column >> 16 == 0 ? column : 0; }
std::uint32_t DebugLineAt(const Module& module, const DebugOperands& operands, std::size_t place);

}  // namespace assay::frontend
