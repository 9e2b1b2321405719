// Detectors: families of rules that can be switched on.  Memory safety (bounds, lifetime, address
// space), barrier divergence, printf's formats and launches are part of executing and always on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay::interp {

enum class Detector : std::uint8_t {
  kAlignment,    // accesses, attributes
  kDefinedness,  // undefined values, bit by bit
  kRaces,        // unordered accesses
  kArithmetic,   // division, shifts, conversions, wrapping and fast-math promises, domains
  kVectors,      // dynamic indices of components
  kPointers,     // arithmetic, comparisons and casts of pointers, restrict, const
  kAtomics,      // storage, flags, fences
  kGroups,       // collective instructions: instances, operands, asynchronous copies
  kControl,      // promises about control flow and calls
  kImages,       // reads and writes that the text leaves undefined
  // Only if it is named, because its findings are no errors.
  kNan,              // origins of NaNs and infinities
  kFloatExceptions,  // the same by kind, and cancellation
  kCount,
};
std::string_view DetectorName(Detector detector);  // "alignment"
std::optional<Detector> FindDetector(std::string_view name);
std::span<const Detector> AllDetectors();

// Whether `all` does not include it.
constexpr bool IsOptIn(Detector detector) { return detector >= Detector::kNan; }

struct DetectorSet {
  std::uint32_t bits = 0;
  static constexpr DetectorSet All() {
    return {(std::uint32_t{1} << static_cast<int>(Detector::kNan)) - 1};
  }
  constexpr bool Has(Detector detector) const {
    return (bits >> static_cast<int>(detector) & 1) != 0;
  }
  constexpr void Add(Detector detector) { bits |= std::uint32_t{1} << static_cast<int>(detector); }
  constexpr bool IsEmpty() const { return bits == 0; }
  bool operator==(const DetectorSet&) const = default;
};

}  // namespace assay::interp
