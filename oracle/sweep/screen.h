// Judges answers to operands that follow one another, as in a sweep over all floats, without the
// reference for each.  Internal to the sweep.
//
// Over 1024 neighbours a function that is analytic around them is a polynomial of degree 7, with an
// error that Hermite's formula bounds (Davis, Interpolation and Approximation, 1963, 3.6). The
// certified path gives its values at eight of them. Items whose error might matter beside this
// bound are left to the reference: those that may be refused, that are near a threshold, or that
// may be the worst of their binade. All others only count, so that the statistics are what the
// reference gives for every item, to the bit.
#pragma once

#include <optional>

#include "numerics/evaluate.h"
#include "numerics/fast_path.h"
#include "oracle/judge/panel.h"
#include "oracle/sweep/screen_columns.h"

namespace assay::oracle {

class Screen {
 public:
  // Nothing for an operation that has no unary certified path of floats, or whose answers are not
  // judged by one number of ulp.
  static std::optional<Screen> Find(const JudgePanel& panel);

  // Answers [begin, begin + kScreenItems) of one column to operands of one. False: the operands are
  // no neighbours, or nothing is certain of the function there.
  bool Look(const numerics::ConstColumn& operands, const numerics::ConstColumn& answers,
            std::size_t begin, double known, Screened* screened) const;

  // Whether all items have the error, whatever it is, of the first. `first` and `last`: their exact
  // values.
  bool IsFlat(const numerics::ConstColumn& answers, std::size_t begin, const numerics::Exact& first,
              const numerics::Exact& last) const;
  // Whether IsFlat may hold.
  bool MayBeFlat(const numerics::ConstColumn& operands, std::size_t begin) const;

 private:
  numerics::Function function_{};
  const numerics::FastPath* path_ = nullptr;
  double limit_ = 0;
  ScreenColumns columns_ = nullptr;
};

}  // namespace assay::oracle
