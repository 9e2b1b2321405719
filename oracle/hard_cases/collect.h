// The cases that a search for hard cases keeps while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "numerics/exact.h"
#include "numerics/hard_cases.h"
#include "numerics/operation.h"

namespace assay::oracle {

using HardArguments = std::array<numerics::Bits, 3>;

// Neighbours within this many gaps make a case flat.
inline constexpr double kFlatDistance = 0x1p-10;
// Results at a larger distance are not hard.
inline constexpr double kFarthest = 0x1p-8;

// The distance from the nearest place of the kind, in gaps; 1 where the value is no case: not a
// number, at the place itself, saturated (beyond the largest finite number, or next to zero).
inline double HardDistance(const numerics::Exact& exact, numerics::HardKind kind,
                           numerics::Format format) {
  if (exact.kind != numerics::ResultKind::kFinite || !(exact.fraction < 1)) return 1;
  const double f = exact.fraction;
  if (f == 0 || f == 0.5) return 1;
  if (f < kFarthest && IsZero(format, exact.below)) return 1;
  if (kind == numerics::HardKind::kMidpoint) return f < 0.5 ? 0.5 - f : f - 0.5;
  return f < 0.5 ? f : 1 - f;
}

// The same, where the place itself counts as near.  Among subnormal results, which are farther
// apart than the operands, every second one is near a midpoint where its neighbours are near
// numbers.
inline bool IsNear(const numerics::Exact& exact, numerics::HardKind kind, numerics::Format format) {
  const auto near = [&](numerics::HardKind k) {
    const double place = k == numerics::HardKind::kNumber ? 0 : 0.5;
    return (exact.kind == numerics::ResultKind::kFinite && exact.fraction == place) ||
           HardDistance(exact, k, format) < kFlatDistance;
  };
  if (near(kind)) return true;
  return Magnitude(format, exact.below) < MinNormal(format) &&
         (near(numerics::HardKind::kNumber) || near(numerics::HardKind::kMidpoint));
}

// The operand next to `bits`, or nothing at the end of the type.
bool NeighbourOf(numerics::ScalarType type, numerics::Bits bits, int direction,
                 numerics::Bits* neighbour);

// Are both neighbours of operand `index` as IsNear says?
bool IsFlatAlong(const numerics::Operation& operation, const HardArguments& args, std::size_t index,
                 numerics::HardKind kind);
// Along any operand.
bool IsFlat(const numerics::Operation& operation, const HardArguments& args,
            numerics::HardKind kind);

// Has an operand few significant bits, or is next to one that has?  Algebra makes many of the
// results come near to numbers and midpoints (pow(4 + e, 0.5) = 2 + e/4 - ...): in drawn operands
// such cases are ranked apart, so that they leave room for others.
bool HasSimpleOperand(const numerics::Operation& operation, const HardArguments& args);

// A key for ordering operands independently of their values.  If many are equally near, those that
// are kept are spread over all of them, and do not depend on the order of the search.
std::uint64_t Shuffled(const HardArguments& args);

struct HardCandidate {
  HardArguments args{};
  double distance = 0;  // not below kBlur
  std::uint64_t order = 0;
  bool operator<(const HardCandidate& other) const {
    return distance != other.distance ? distance < other.distance : order < other.order;
  }
};

// The nearest kKept candidates of a kind, and the nearest flat one of each binade.
class HardCollector {
 public:
  // Distances below this one are all alike to it: fractions are true to half of it.
  static constexpr double kBlur = 0x1p-21;
  static constexpr std::size_t kKept = 1 << 13;

  explicit HardCollector(const numerics::Operation& operation);

  // Candidates farther than this need not be offered.
  double Limit(numerics::HardKind kind) const { return sets_[Index(kind)].limit; }
  void Offer(numerics::HardKind kind, const HardArguments& args, double distance);
  void OfferFlat(numerics::HardKind kind, const HardArguments& args, double distance);
  void Merge(const HardCollector& other);

  // Sorted.
  std::vector<HardCandidate> Nearest(numerics::HardKind kind) const;
  std::vector<HardCandidate> NearestFlat(numerics::HardKind kind) const;

 private:
  struct Set {
    double limit = kFarthest;
    std::vector<HardCandidate> candidates;
    std::vector<HardCandidate> flat;  // by sign and exponent of the first operand
    std::vector<bool> has_flat;
  };
  static std::size_t Index(numerics::HardKind kind) { return static_cast<std::size_t>(kind); }
  static void Prune(Set* set);
  static HardCandidate Make(const HardArguments& args, double distance);
  void PutFlat(Set* set, const HardCandidate& candidate);

  std::array<Set, 2> sets_;
  int binade_shift_ = 0;
};

}  // namespace assay::oracle
