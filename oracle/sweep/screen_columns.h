// The inner loops of the screen (screen.h), over 1024 items at once. Internal to the sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "numerics/vector_set.h"
#include "oracle/sweep/statistics.h"

namespace assay::oracle {

inline constexpr int kScreenItems = 1024;
inline constexpr int kScreenNodes = 8;
inline constexpr int kScreenAngles = 32;
static_assert(kScreenAngles * kScreenAngles == kScreenItems);
inline constexpr int kScreenThresholds = static_cast<int>(kThresholds.size());
// No error as large as this is judged here.
inline constexpr double kMostScreened = 0x1p16;
// What the reference gives beside the exact value: settled by algebra, a fraction may be off by
// 2^-24 of a gap; and the error itself is rounded.
inline constexpr double kReferenceSlack = 0x1p-22 + kMostScreened * 0x1p-40;

// The function at item i is within `error` of
//   base + c[0] + c[1] t + ... + c[7] t^7 with t = (i - 511.5) / 511.5.
struct ScreenTask {
  const float* observed = nullptr;
  double base = 0;
  double coefficients[kScreenNodes] = {};
  bool is_cubic = false;  // c[4] to c[7] are 0
  // Not 0: all values are in one binade, in which an ulp is the inverse of this.
  double per_ulp = 0;
  double error = 0;
  double limit = 0;  // ulp, accepted under every reading
  double known = 0;  // the largest error of this place so far, in ulp
};

// The function at item i is a sine, a cosine, or their quotient, of the sum of two angles: number
// i / 32 of the coarse ones and i % 32 of the fine ones.
struct AnglesTask {
  enum class Kind : std::uint8_t { kSine, kCosine, kTangent };

  const float* observed = nullptr;
  Kind kind = Kind::kSine;
  alignas(64) double coarse_sines[kScreenAngles] = {};
  alignas(64) double coarse_cosines[kScreenAngles] = {};
  alignas(64) double fine_sines[kScreenAngles] = {};
  alignas(64) double fine_cosines[kScreenAngles] = {};
  double error = 0;  // of the sines and cosines of the sums
  double limit = 0, known = 0;
};

// The reference's approximations of the function at all items.
struct MeasureTask {
  const float* observed = nullptr;
  const double* values = nullptr;  // NaN where the exact result is NaN
  std::int64_t error_units = 0;    // of the values, as numerics::Locate takes it
  double limit = 0;                // ulp, accepted under every reading
  // Ulp, refused under every reading beyond it.
  double refused_from = std::numeric_limits<double>::infinity();
};

// The exact value at item i is beside the float of bits `below` + `step` * i, by this fraction of
// the gap away from zero, which is neither 0 nor 1.
struct PlateauTask {
  const float* observed = nullptr;
  std::uint32_t below = 0, step = 0;
  double fraction = 0;
  double limit = 0;  // ulp, accepted under every reading
  // Ulp, refused under every reading beyond it.
  double refused_from = std::numeric_limits<double>::infinity();
};

// Results that are floats or integers themselves, and the sum of fract, which is rounded once.
enum class Rounded : std::uint8_t {
  kNone,
  kCeil,
  kFabs,
  kFloor,
  kFract,
  kFrexp,
  kFrexpExponent,
  kGammaSign,  // of lgamma_r
  kIlogb,
  kLogb,
  kModf,  // the fractional part
  kNan,   // any
  kRint,
  kRound,
  kSign,
  kTrunc,
};

struct Screened {
  // The items that need the reference: their error may be over the limit, on either side of a
  // threshold or a whole number, or the largest; or nothing is certain of it. In order.
  std::uint32_t open_count;
  std::uint16_t open[kScreenItems];
  // Of the other items: those that are refused under every reading, by their error. The rest is
  // accepted.
  std::uint32_t refused_count;
  // Of the other items: those with an error over each threshold.
  std::uint32_t over[kScreenThresholds];
  // The errors; -1 where an item is open, or has none because NaN is due and there.
  alignas(64) double errors[kScreenItems];
  // Where all errors are the reference's to the bit: the largest of the items that are not open,
  // and the first of them that has it; -1: there is none, and the first that is not open. Where
  // errors are approximations: -1.
  double most;
  std::uint32_t first;
};

struct ScreenColumns {
  // An item whose error is near the largest, or `known`, is open, too.
  void (*screen)(const ScreenTask& task, Screened* screened);
  void (*screen_angles)(const AnglesTask& task, Screened* screened);
  // The errors are those of Judge::Item, to the bit; open is what is neither accepted by
  // Judge::QuickAccept nor refused from `refused_from` on, and what Locate leaves open.
  void (*measure)(const MeasureTask& task, Screened* screened);
  // The same for values beside known floats.
  void (*measure_plateau)(const PlateauTask& task, Screened* screened);
  // The items whose answers are the bits of the function have their error, which is 0 but for
  // kFract, or none (integers and NaN); the others are open, and those whose operands are zero,
  // infinite or NaN, but for kNan.
  void (*compare)(Rounded function, const std::uint32_t* operands, const std::uint32_t* observed,
                  Screened* screened);
  // An item is open where one of the two is; its error is the larger one. `most` and `first` stay.
  void (*join)(const Screened& other, Screened* screened);
  // Whether item i is first + step * i.
  bool (*follow)(const std::uint32_t* items, std::uint32_t first, std::uint32_t step);
};
ScreenColumns ScreenColumnsOf(numerics::VectorSet set);

}  // namespace assay::oracle
