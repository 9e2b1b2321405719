// Judges answers to operands that follow one another, as in a sweep over all floats, without the
// reference for each.  Internal to the sweep.
//
// Over 1024 neighbours a function that is analytic around them is a polynomial of degree 7, with an
// error that Hermite's formula bounds (Davis, Interpolation and Approximation, 1963, 3.6). The
// certified path gives its values at eight of them. Items whose error might matter beside this
// bound are left to the reference: those that may be refused, that are near a threshold, or that
// may be the worst of their binade. All others only count, so that the statistics are what the
// reference gives for every item, to the bit.
//
// Of large angles, which go through whole periods, the addition theorem gives the values from 64
// sines and cosines.
//
// On a plateau (numerics/smoothness.h) the values of all items are known from those of two.
//
// Where there is no polynomial, or it leaves too much open, the certified path gives the value at
// each item, and one pass of vector instructions measures the answers beside them.
//
// Of a function of several results there is a screen for each.
#pragma once

#include <limits>
#include <optional>

#include "numerics/evaluate.h"
#include "numerics/fast_path.h"
#include "oracle/judge/panel.h"
#include "oracle/sweep/screen_columns.h"

namespace assay::oracle {

class Screen {
 public:
  // Of one result. Nothing where it is neither one of Rounded nor has a unary certified path of
  // floats, and answers that are judged by one number of ulp, or all accepted.
  static std::optional<Screen> Find(const JudgePanel& panel, int result);

  // Answers [begin, begin + kScreenItems) of one column to operands of one. False: the operands are
  // no neighbours, or nothing is certain of the function there.
  bool Look(const numerics::ConstColumn& operands, const numerics::ConstColumn& answers,
            std::size_t begin, double known, Screened* screened) const;

  // The same for any operands, from the certified path's value of each: the items that it leaves
  // open, or that are neither accepted nor refused at sight, are left to the reference. Of the
  // functions of Rounded, all that equals the function's value is accepted, if the answer with the
  // largest error is. False: nothing was done.
  bool Measure(const numerics::ConstColumn& operands, const numerics::ConstColumn& answers,
               std::size_t begin, Screened* screened) const;

  // Whether these operands may be on a plateau (numerics/smoothness.h).
  bool MayBePlateau(const numerics::ConstColumn& operands, std::size_t begin) const;
  // Whether all items have the same exact value and the same answer. `first` and `last`: the exact
  // values of these two items of a plateau.
  bool IsUniform(const numerics::ConstColumn& answers, std::size_t begin,
                 const numerics::Exact& first, const numerics::Exact& last) const;
  // On a plateau: if none is refused at sight, the items that are not open are accepted, if the one
  // with the largest error is. False: nothing was done.
  bool MeasurePlateau(const numerics::ConstColumn& answers, std::size_t begin,
                      const numerics::Exact& first, const numerics::Exact& last,
                      Screened* screened) const;

  // The error beyond which the items that are not open are refused.
  double refused_from() const { return refused_from_; }

  // Whether the results are compared with the function's own.
  bool IsOfRounded() const { return rounded_ != Rounded::kNone; }

  // Makes of the first the items of both.
  void Join(const Screened& other, Screened* screened) const { columns_.join(other, screened); }

 private:
  std::optional<double> ValueAt(const numerics::ConstColumn& operands, std::size_t item) const;
  bool LookAtAngles(const numerics::ConstColumn& operands, const float* answers, std::size_t begin,
                    double known, Screened* screened) const;
  bool AreNeighbours(const numerics::ConstColumn& operands, std::size_t begin) const;

  numerics::Operation operation_;  // whose only result this one is, if there is such a function
  numerics::Function function_{};  // that the operation is certified as
  Rounded rounded_ = Rounded::kNone;
  bool has_angles_ = false;  // sin, cos or tan
  const numerics::FastPath* path_ = nullptr;
  double limit_ = 0;  // infinite: any number is accepted
  // From this error on, in ulp, an item is refused without the reference; infinite: none is.
  double refused_from_ = std::numeric_limits<double>::infinity();
  std::int64_t error_units_ = 0;
  ScreenColumns columns_{};
};

}  // namespace assay::oracle
