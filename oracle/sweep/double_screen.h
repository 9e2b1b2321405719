// Judges answers of double functions by the first step of the reference (numerics/double_path.h),
// which tells within a small part of an ulp how far an answer is off. Internal to the sweep.
//
// Items whose error might matter beside that doubt are left to the reference: those that may be
// refused, that are near a threshold, or that may be the worst of their place. All others only
// count, so that the statistics are what the reference gives for every item, to the bit. Of
// functions whose values are numbers (fmod, frexp), answers that are the value only count, too,
// once any error is known.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "numerics/double_path.h"
#include "numerics/evaluate.h"
#include "oracle/judge/panel.h"
#include "oracle/sweep/double_columns.h"
#include "oracle/sweep/screen_columns.h"

namespace assay::oracle {

class DoubleScreen {
 public:
  static constexpr double kNoError = -1;  // right, and no error is measured
  static constexpr double kOpen = kOpenError;

  // Nothing for an operation that has no such step, or whose answers are not judged by one number
  // of ulp.
  static std::optional<DoubleScreen> Find(const JudgePanel& panel);

  // What is known of items before these. `errors`: item by item, below which an item cannot be the
  // worst of its places. `most`: a smaller error is not the largest of all. `may_be_exact`: answers
  // that are the value itself need no look.
  struct Known {
    const double* errors = nullptr;
    double most = -1;
    bool may_be_exact = false;
  };
  // Items [begin, begin + count) of the columns, count <= kScreenItems. `errors` gets the largest
  // error of each item's answers in ulp, or kNoError, or kOpen where the reference is needed.
  struct Looked {
    std::size_t open = 0;         // items
    std::size_t first_exact = 0;  // the first that is not, with a result of IsExact; count: none
  };
  // Whether the values of a result are numbers: answers that are not open are these.
  bool IsExact(std::size_t result) const { return is_exact_[result]; }
  Looked Look(std::span<const numerics::ConstColumn> operands,
              std::span<const numerics::ConstColumn> answers, std::size_t begin, std::size_t count,
              const Known& known, double* errors) const;

 private:
  struct Columns;
  double AtEnd(const Columns& columns, std::size_t i, const Known& known) const;
  static void CompareExactly(const Columns& columns, std::size_t count, bool may_be_exact,
                             double* errors);
  void Measure(const Columns& columns, std::size_t count, const Known& known, double* errors) const;

  std::array<numerics::DoubleBatch, 2> batches_{};  // one a result
  numerics::DoubleBatch both_ = nullptr;            // of both results, if there is one
  std::array<bool, 2> is_exact_{};
  std::size_t results_ = 1;
  DoubleColumns columns_ = nullptr;
  double limit_ = 0;
  bool accepts_overflow_ = false;
  bool accepts_pole_ = false;
};

}  // namespace assay::oracle
