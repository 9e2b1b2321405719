// What a thread keeps of the chunk that it judges.  Internal to the sweep.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>

#include "oracle/sweep/judging.h"

namespace assay::oracle {

// Reference values of a chunk stay in the second-level cache until they are judged.
inline constexpr std::size_t kChunk = 1024;
static_assert(kChunk == kScreenItems);

// The plane is a flat array, by steps that begin with 0.
inline constexpr std::size_t kPlaneWidth = 2 * kPlaneSteps + 1;
constexpr std::size_t PlaneIndex(int step) { return static_cast<std::size_t>(step + kPlaneSteps); }

// The largest error among the answers of a chunk that are accepted at sight, the first of equal
// ones: where the error grows from item to item, all but one need no look at all that is known of
// them.
struct AtSight {
  double ulp = -1;
  std::size_t item = 0, width_index = 0, result = 0;

  void Offer(const AtSight& other, const std::vector<int>& widths) {
    const auto place = [&](const AtSight& at) {
      return std::tuple(at.item, widths[at.width_index], at.result);
    };
    if (other.ulp > ulp || (other.ulp == ulp && place(other) < place(*this))) *this = other;
  }
};

// A later width or result of the chunk may meet an equal error at an earlier item.
inline bool MayBeWorst(const Statistics& statistics, double ulp, std::uint64_t item) {
  if (!statistics.has_worst) return !std::isnan(ulp);
  return ulp > statistics.max_ulp || (ulp == statistics.max_ulp && item < statistics.worst.item);
}

// Those of the items [begin, end).
inline std::span<const Unwritten> UnwrittenOf(const Batch& batch, std::size_t w, std::size_t begin,
                                              std::size_t end) {
  const std::vector<Unwritten>& all = batch.unwritten[w];
  const auto from = std::lower_bound(all.begin(), all.end(), Unwritten{.item = begin});
  return {from, std::lower_bound(from, all.end(), Unwritten{.item = end})};
}

struct Judging::Local {
  Statistics statistics;
  std::vector<ErrorAt> places;  // by number of the first operand's place
  std::vector<ErrorAt> plane;
  std::vector<numerics::Exact> exact;
  std::vector<Refused> failed;
  // Of each item of the chunk, where they are needed: the numbers of the place of its first
  // operand, and of its cell of the plane.
  std::array<std::uint16_t, kChunk> numbers{}, cells{};
  std::array<double, kChunk> worst{};  // largest error of each item of the chunk; -1: none applies
  std::array<std::uint8_t, kChunk> worst_width{};  // number of the width in which it was seen
  AtSight at_sight;                                // of the chunk
  std::vector<Screened> screened;                  // of the chunk, of each result
  int unmeasured = 0;                              // chunks that are not measured
  bool screens = true;                             // false: the error of every item is wanted
};

}  // namespace assay::oracle
