#include "interp/lower/offsets.h"

#include <algorithm>

namespace assay::interp {
namespace {

constexpr int kMostSteps = 16;
constexpr std::uint64_t kFar = std::uint64_t{1} << 32;

const IrInstruction* DefinitionOf(const Graph& graph, Value value) {
  const ValueInfo& info = graph.values[value];
  return info.value_kind == ValueKind::kInstruction ? &graph.instructions[info.bits] : nullptr;
}

// No sign.
bool IsSmall(std::uint64_t bits, Kind kind) { return bits >> (BitsOf(kind) - 1) == 0; }

std::optional<std::uint64_t> ConstantOf(const Graph& graph, Value value) {
  const ValueInfo& info = graph.values[value];
  return info.value_kind == ValueKind::kConstant ? std::optional(info.bits) : std::nullopt;
}

std::optional<std::uint64_t> Largest(const Graph& graph, Value integer, int depth) {
  const Kind kind = graph.values[integer].kind;
  const auto small = [&](std::uint64_t most) {
    return IsSmall(most, kind) ? std::optional(most) : std::nullopt;
  };
  if (const auto bits = ConstantOf(graph, integer)) return small(*bits);
  const IrInstruction* const made = DefinitionOf(graph, integer);
  if (made == nullptr || depth > kMostSteps) return std::nullopt;
  const auto operands = graph.Operands(*made);
  const auto of = [&](std::size_t i) { return Largest(graph, operands[i], depth + 1); };
  switch (made->opcode) {
    case Opcode::kUConvert:
    case Opcode::kSConvert: {
      // Not what is made narrower.
      if (BitsOf(made->from) > BitsOf(made->kind)) return std::nullopt;
      const auto most = of(0);
      const bool is_widened =
          made->opcode == Opcode::kUConvert && BitsOf(made->from) < BitsOf(made->kind);
      if (most || !is_widened) return most;
      return (std::uint64_t{1} << BitsOf(made->from)) - 1;
    }
    case Opcode::kBitwiseAnd:
      for (const Value operand : operands) {
        const auto mask = ConstantOf(graph, operand);
        if (mask && IsSmall(*mask, made->kind)) return mask;
      }
      return std::nullopt;
    case Opcode::kUMod: {
      // Of a division by 0 nothing is known.
      const auto divisor = ConstantOf(graph, operands[1]);
      return divisor && *divisor != 0 ? small(*divisor - 1) : std::nullopt;
    }
    case Opcode::kShiftRightLogical: {
      const auto shift = ConstantOf(graph, operands[1]);
      const auto bits = static_cast<std::uint64_t>(BitsOf(made->kind));
      if (!shift || *shift == 0 || *shift >= bits) return std::nullopt;
      return ~std::uint64_t{0} >> (64 - bits) >> *shift;
    }
    case Opcode::kSelect: {
      const auto yes = of(1), no = of(2);
      return yes && no ? std::optional(std::max(*yes, *no)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<OffsetRange> Offset(const Graph& graph, Value address, const LargestIndex& largest,
                                  int depth) {
  const IrInstruction* const made = DefinitionOf(graph, address);
  if (made == nullptr || depth > kMostSteps) return std::nullopt;
  if (made->opcode == Opcode::kVariable) return OffsetRange{};
  const auto operands = graph.Operands(*made);
  if (!TraitsOf(made->opcode).moves_address) return std::nullopt;
  auto place = Offset(graph, operands[0], largest, depth + 1);
  if (!place || made->opcode == Opcode::kCopy) return place;
  OffsetRange more{made->immediate, made->immediate};
  if (made->opcode == Opcode::kIndex || made->opcode == Opcode::kIndex32) {
    const auto most = largest(operands[1]);
    if (!most || *most >= kFar || made->immediate >= kFar) return std::nullopt;
    const bool is_constant = graph.values[operands[1]].value_kind == ValueKind::kConstant;
    more = {is_constant ? *most * made->immediate : 0, *most * made->immediate};
  } else if (made->opcode != Opcode::kOffset || made->immediate > kFar) {
    return std::nullopt;
  }
  place->low += more.low;
  place->high += more.high;
  return place->high > kFar ? std::nullopt : place;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> FindVariables(const Graph& graph) {
  std::vector<std::uint32_t> variables(graph.values.size(), kNoVariable);
  for (std::uint32_t i = 0; i < graph.variables.size(); ++i) {
    if (graph.variables[i].address != kNoValue) variables[graph.variables[i].address] = i;
  }
  // Nearly always definitions come before uses in the order in which instructions were made.
  constexpr int kMostRounds = 8;
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (round == kMostRounds) return std::nullopt;
    changed = false;
    for (const IrInstruction& instruction : graph.instructions) {
      if (!TraitsOf(instruction.opcode).moves_address || instruction.result_count != 1) continue;
      const std::uint32_t variable = variables[graph.Operands(instruction)[0]];
      std::uint32_t& known = variables[instruction.first_result];
      changed = changed || known != variable;
      known = variable;
    }
  }
  return variables;
}

std::optional<std::uint64_t> LargestOf(const Graph& graph, Value integer) {
  return Largest(graph, integer, 0);
}

std::optional<OffsetRange> OffsetOf(const Graph& graph, Value address) {
  return OffsetOf(graph, address, [&](Value index) { return LargestOf(graph, index); });
}

std::optional<OffsetRange> OffsetOf(const Graph& graph, Value address,
                                    const LargestIndex& largest) {
  return Offset(graph, address, largest, 0);
}

bool IsSurelyAligned(const Graph& graph, const IrInstruction& access,
                     const AlignmentOf& alignment_of) {
  const std::uint64_t below = (std::uint64_t{1} << access.alignment) - 1;
  if (below == 0) return true;
  if ((access.stride & below) != 0) return false;
  std::uint64_t distance = access.immediate - access.alignment_offset;
  Value address = graph.Operands(access)[0];
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const IrInstruction* const made = DefinitionOf(graph, address);
    const bool is_index =
        made != nullptr && (made->opcode == Opcode::kIndex || made->opcode == Opcode::kIndex32);
    if (is_index) {
      if ((made->immediate & below) != 0) return false;
    } else if (made != nullptr && made->opcode == Opcode::kOffset) {
      distance += made->immediate;
    } else if (made == nullptr || made->opcode != Opcode::kCopy) {
      return alignment_of(address) > below && (distance & below) == 0;
    }
    address = graph.Operands(*made)[0];
  }
  return false;
}

bool IsSurelyAligned(const Graph& graph, const IrInstruction& access) {
  return IsSurelyAligned(graph, access, [&](Value address) -> std::uint64_t {
    const IrInstruction* const made = DefinitionOf(graph, address);
    if (made == nullptr || made->opcode != Opcode::kVariable) return 1;
    return graph.variables[made->immediate].alignment;
  });
}

std::optional<OffsetRange> InsideOf(const Graph& graph, const IrInstruction& access,
                                    std::uint64_t variable_bytes) {
  const auto place = OffsetOf(graph, graph.Operands(access)[0]);
  if (!place) return std::nullopt;
  // The immediate may be negative.
  const OffsetRange begins{place->low + access.immediate, place->high + access.immediate};
  const std::uint64_t end = begins.high + BytesOf(access.kind);
  if (begins.low >= end || end > variable_bytes) return std::nullopt;
  return begins;
}

}  // namespace assay::interp
