// Operands at which rounding correctly is hardest: the rows of testsuites/golden/hard, embedded at
// build time.  `assay golden search` makes them; hard_cases_test.cc verifies every one with MPFR.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "numerics/format.h"
#include "numerics/functions.h"

namespace assay::numerics {

// The kind of point to which the exact value is near (numerics/hardness.h).
enum class HardKind : std::uint8_t { kMidpoint, kNumber };
// How the case was found.
enum class HardSource : std::uint8_t { kExhaustive, kLefevre, kPublished, kSampled };

inline constexpr std::string_view kHardKindNames[] = {"midpoint", "number"};
inline constexpr std::string_view kHardSourceNames[] = {"exhaustive", "lefevre", "published",
                                                        "sampled"};
constexpr std::string_view NameOf(HardKind kind) {
  return kHardKindNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view NameOf(HardSource source) {
  return kHardSourceNames[static_cast<std::size_t>(source)];
}

struct HardCase {
  std::array<Bits, 3> args{};  // as many as the function has operands
  double log2_distance = 0;    // of the first result, in gaps
  HardKind kind{};
  HardSource source{};
  // The neighbours of an operand are nearly as near: the function follows a number or a midpoint
  // there, as sin x does x for a small x.
  bool is_flat = false;
};

// Does the function have cases of its own?  Not so the half_ and native_ ones and those that
// compute what another one does (CasesOf), and not those that are exact, or inexact only where the
// result is subnormal (fmod, ldexp, floor, ...).
bool HasHardCases(Function function);

// The function whose cases serve: native_sin -> sin, sincos -> sin, powr -> pow.
Function CasesOf(Function function);

// The cases of CasesOf(function), those that are not flat first, then by distance; empty where none
// are kept.
std::span<const HardCase> HardCaseRows(Function function, Format format);

// The operands alone, flattened.
std::vector<Bits> HardCases(Function function, Format format);

}  // namespace assay::numerics
