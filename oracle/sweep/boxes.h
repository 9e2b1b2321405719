// The operands of an operation as a space that is cut into boxes, and the boxes that wait to be
// cut.  Internal to the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "numerics/operation.h"
#include "oracle/inputs/number_range.h"
#include "oracle/inputs/random.h"

namespace assay::oracle {

// Consecutive places of one operand, both ends included, and how often they were cut.
struct Side {
  std::uint64_t low = 0, high = 0;
  int cuts = 0;
};
using Box = std::vector<Side>;  // by scalar operand

// The values of one operand in their order, as consecutive places from 0 on: the finite numbers of
// a format, with one place for both zeros, or all integers of a type.  A range leaves the
// numbers of places as they are.
class Axis {
 public:
  // Floats only in the range, where there is one.
  explicit Axis(numerics::ScalarType type, const std::optional<NumberRange>& range = {});

  Side Whole() const { return {.low = first_, .high = last_}; }
  numerics::Bits At(std::uint64_t place) const;
  // Nothing for infinities and NaN.
  std::optional<std::uint64_t> PlaceOf(numerics::Bits bits) const;
  // Where several places are cut: the first one of the upper part.  First at zero; then between
  // powers of two, until all places have one exponent; then by the leading bits of the significand.
  std::uint64_t CutOf(const Side& side) const;

 private:
  numerics::ScalarType type_;
  std::uint64_t zero_ = 0, first_ = 0, last_ = 0;
};

class OperandSpace {
 public:
  explicit OperandSpace(const std::vector<numerics::ScalarType>& types,
                        const std::optional<NumberRange>& range = {});

  Box Whole() const;
  // Both halves, cut along the operand that was cut least often; nothing for a single point.
  std::optional<std::pair<Box, Box>> Halves(const Box& box) const;
  bool Contains(const Box& box, const Arguments& args) const;
  // A point of the box, each with the same probability.
  void Draw(const Box& box, ItemStream& stream, Arguments& args) const;
  // The share of the space's points that lie in the box.
  double ShareOf(const Box& box) const;

  std::size_t Arity() const { return axes_.size(); }
  const Axis& At(std::size_t operand) const { return axes_[operand]; }

 private:
  std::vector<Axis> axes_;
};

// An input that was asked, with its error.
struct Asked {
  Arguments args{};
  double ulp = 0;
  bool is_lead = false;  // from before the search: kept until it stands alone
};

// A box that was not cut yet.
struct Leaf {
  Box box;
  std::vector<Asked> known;  // inputs in it: the leads, and those with the largest errors
  int depth = 0;             // cuts
  double own = 0;            // the largest error of inputs that were asked of this box itself

  // An input that was asked of this box.
  void Learn(const Asked& asked);
  // The mean of the largest error known in the box and of the largest one of its own inputs: an
  // error that was found by chance in a larger box promises less than errors of its neighbours do.
  // -1 where no error is known.
  double Promise() const;
};

// Which boxes are cut next: of each depth, from large boxes to small ones, those that promise more
// than every larger box of the same round does.  This is simultaneous optimistic optimization
// (Munos, NIPS 2011): it needs no bound of how fast the error changes, goes down to single points
// where errors are large, and cuts the largest box in every round, so that no part of the space is
// left out for ever.
class BoxQueue {
 public:
  void Add(Leaf leaf);
  // The leaves of one round, at most `each` of a depth.  Empty: there are no more.
  std::vector<Leaf> Take(std::size_t each);
  // A leaf that cannot be cut.
  void End(const Leaf& leaf);
  // The inputs with the largest errors, one of each leaf, in falling order.
  std::vector<Asked> Best(std::size_t count) const;

 private:
  struct Entry {
    double promise = 0;
    std::uint64_t number = 0;  // in the order of Add: the earlier of two equal ones goes first
    Leaf leaf;
    bool operator<(const Entry& other) const {
      return promise != other.promise ? promise < other.promise : number > other.number;
    }
  };

  std::vector<std::vector<Entry>> heaps_;  // by depth
  std::vector<Asked> ended_;
  std::uint64_t added_ = 0;
};

}  // namespace assay::oracle
