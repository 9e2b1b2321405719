// How far from the begin of a private variable an address may lie.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "interp/import/import.h"

namespace assay::interp {

// From `low` to `high`, both included.
struct OffsetRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// By value: the place in Graph::variables of the variable that it points into, or kNoVariable.
// None: the instructions stand in an order that takes too long to follow.
inline constexpr std::uint32_t kNoVariable = 0xffffffff;
std::optional<std::vector<std::uint32_t>> FindVariables(const Graph& graph);

// The largest value of an integer that, read with its sign, is certainly not negative; none: it may
// be, or nothing is known of it.
std::optional<std::uint64_t> LargestOf(const Graph& graph, Value integer);

// The distance in bytes of an address from the variable that it was made from, by steps forwards;
// none: anything, or more than 4 GiB.
std::optional<OffsetRange> OffsetOf(const Graph& graph, Value address);
// The same where `largest` says more of indices than LargestOf.
using LargestIndex = std::function<std::optional<std::uint64_t>(Value index)>;
std::optional<OffsetRange> OffsetOf(const Graph& graph, Value address, const LargestIndex& largest);

// Whether the address of a load or store of a private variable certainly has the alignment that it
// needs, wherever the variable lies.
bool IsSurelyAligned(const Graph& graph, const IrInstruction& access);
// The same of any memory: `alignment_of` says a power of two of which a value that is not computed
// from another address is a multiple.
using AlignmentOf = std::function<std::uint64_t(Value address)>;
bool IsSurelyAligned(const Graph& graph, const IrInstruction& access,
                     const AlignmentOf& alignment_of);

// Where the element that an instruction loads or stores begins; none: it may be outside of the
// variable, which is so large.
std::optional<OffsetRange> InsideOf(const Graph& graph, const IrInstruction& access,
                                    std::uint64_t variable_bytes);

}  // namespace assay::interp
