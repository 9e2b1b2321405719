// Compares the fast path with MPFR: the evidence behind a certificate.
//
// A task is a sequence of operand tuples with random access: item i is a pure function of the task,
// so a run can be split over threads, stopped anywhere and resumed.  For every item the answer of
// the fast path (with the present certificates.def) is compared with EvaluateExact: class, sign,
// correctly rounded bits in all four modes, side of 0, 1/2 and 1, and the fraction itself; of
// double functions also the result to nearest that FindDoubleFunction gives.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "numerics/double_path.h"
#include "numerics/exact.h"
#include "numerics/fast_path.h"
#include "numerics/functions.h"

namespace assay::numerics {

struct CertifyOptions {
  std::uint64_t samples = 1 << 16;        // random tuples
  std::optional<std::uint64_t> searched;  // more, found by search; default: a quarter as many
  std::uint64_t seed = 1;
  // Functions of one operand: every `stride`-th bit pattern from `from` to `to` inclusive, in place
  // of samples.  Always so for half and bfloat16.
  bool exhaustive = false;
  Bits from = 0;
  Bits to = ~Bits{0};  // cut to the format's last pattern
  std::uint64_t stride = 1;

  std::uint64_t Searched() const { return searched.value_or(samples / 4); }
};

class Stretch;

// A wrong answer, as text for a report.
struct Difference {
  std::uint64_t item = 0;
  std::vector<Bits> args;
  Exact fast, truth;
};

struct CertifyStatistics {
  std::uint64_t compared = 0;  // items that the fast path answered, and that were compared
  // Of these, those whose exact values are certain from neighbours that MPFR computed (stretch.h);
  // all others are compared with MPFR's value at the item.
  std::uint64_t interpolated = 0;
  std::uint64_t fallbacks = 0;  // items that it left to MPFR
  std::uint64_t special = 0;    // items with a zero, infinite or NaN operand, which it never sees
  std::uint64_t differences = 0;
  // |fast - truth| in gaps, where both are below 2; for interpolated items its bound
  double max_fraction_error = 0;
  // How near to 0, 1/2 or 1 a compared value lies; of interpolated items only those at both ends of
  // 1024 neighbours count, whether or not the fast path answered there.
  double nearest = 0.5;
  std::optional<Difference> first;  // the difference with the smallest item

  void Merge(const CertifyStatistics& other);
};

// The largest error of a fraction that is accepted: 2^-22 gaps, of double 2^-12 (exact.h), relative
// beyond one gap.
constexpr double FractionTolerance(Format format) {
  return format == Format::kDouble ? 0x1p-12 : 0x1p-22;
}

// How far a fraction is from 0, 1/2 or 1.
inline double DistanceToBoundary(double fraction) {
  return std::min({fraction, std::fabs(fraction - 0.5), std::fabs(fraction - 1)});
}

// Different for fractions that are not on the same side of, or alike at, 0, 1/2 and 1.
inline int SideOfBoundaries(double fraction) {
  int side = 0;
  for (double boundary : {0.0, 0.5, 1.0}) {
    side = 3 * side + (fraction > boundary) - (fraction < boundary);
  }
  return side;
}

// A fraction this near to 0, 1/2 or 1 was settled by algebra, not by the approximation.
inline constexpr double kSettled = 0x1p-45;

// Beyond this many gaps past the largest finite number only "at least" is meant (FastPath).
inline constexpr double kFarOverflow = 0x1p30;

// Do two placements agree, in the sense above?
bool Agrees(const Exact& fast, const Exact& truth, Format format);

class CertifyTask {
 public:
  // kUnsupported: there is no fast path.  kUsage: the options do not fit the function.  `path`:
  // replaces the function's own path, to test that a wrong path is detected.
  static Expected<CertifyTask> Make(Function function, Format format, const CertifyOptions& options,
                                    const FastPath* path = nullptr);

  Function function() const { return function_; }
  Format format() const { return format_; }
  std::uint64_t Count() const;
  std::uint64_t HardCount() const { return hard_.size() / operands_.size(); }
  // Is every operand tuple an item?
  Coverage coverage() const;
  // Describes the items: "all 65536 operands", "1600 pairs of special values, ...".
  std::string Describe() const;

  // Compares items [begin, end) on `threads` threads; gives up soon after *stop is set, in which
  // case nothing of the range counts (empty result).
  std::optional<CertifyStatistics> Run(std::uint64_t begin, std::uint64_t end, int threads,
                                       const std::atomic<bool>* stop = nullptr) const;

  // The operands of an item; `args` has one entry per operand.
  void Operands(std::uint64_t item, Bits* args) const;

 private:
  CertifyTask() = default;
  void RandomOperands(std::uint64_t stream, Bits* args) const;
  void SearchedOperands(std::uint64_t stream, Bits* args) const;
  // `stretch`: what is known of this item and its neighbours, or null.
  void Compare(std::uint64_t item, const Stretch* stretch, int place,
               CertifyStatistics* statistics) const;
  void CompareNearest(std::uint64_t item, std::span<const Bits> operands, const double* values,
                      const Exact* truth, CertifyStatistics* statistics) const;
  bool HasStretches() const;
  bool ToDoubles(const Bits* args, double* values) const;
  CertifyStatistics RunAlone(std::uint64_t begin, std::uint64_t end,
                             const std::atomic<bool>* stop) const;

  Function function_{};
  Format format_{};
  std::string operands_;                    // a letter each, as in functions.def
  std::array<const FastPath*, 2> paths_{};  // one a result
  DoubleFunction nearest_ = nullptr;        // of doubles with one result, where there is one
  CertifyOptions options_;
  std::vector<Bits> specials_;  // of a floating-point operand
  std::vector<Bits> integers_;  // of an int operand
  std::uint64_t special_tuples_ = 0;
  std::vector<Bits> hard_;  // tuples of hard_cases.h, flattened
};

}  // namespace assay::numerics
