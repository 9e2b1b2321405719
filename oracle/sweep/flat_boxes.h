// Boxes of operands where a function has one result, by proof.  Internal to the search.
#pragma once

#include <span>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/operation.h"
#include "oracle/sweep/boxes.h"

namespace assay::oracle {

// The reference is asked at the corners of a box.  If the function is monotonic in each operand
// there (oracle/judge/enclosure_shape.h), and its rounded result is the same at all corners, then
// it is the same inside: the box overflows or underflows as a whole, or its results differ by less
// than the format can tell.  Beside these, boxes outside of a function's domain: all NaN.
class FlatBoxes {
 public:
  FlatBoxes(const numerics::Operation& operation, const OperandSpace& space);

  // Of each box: is the result proven to be one?  False where nothing is known.
  std::vector<bool> Prove(std::span<const Box> boxes) const;

 private:
  bool IsMonotonic(const Box& box) const;
  bool IsOutsideDomain(const Box& box) const;

  const OperandSpace& space_;
  numerics::Operation operation_;  // of a half_ or native_ function and operators: the function
  std::vector<numerics::ScalarType> types_, result_types_;
  numerics::BatchEvaluator evaluator_;
  bool is_covered_ = false;  // is anything known of the function?
};

}  // namespace assay::oracle
