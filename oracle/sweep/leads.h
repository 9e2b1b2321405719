// The inputs of a plan from which a search begins.  Internal to the sweep.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "numerics/operation.h"
#include "oracle/devices/batch.h"

namespace assay::oracle {

// An input and its largest error, over results and widths.
struct Lead {
  std::vector<numerics::Bits> args;
  double ulp = 0;
};

// Of each combination of the operands' binades the input with the largest error, the first of equal
// ones; of these the kMostLeads with the largest errors.  What is kept depends on what was learned
// in which order, and not on where a run was interrupted.
inline constexpr std::size_t kMostLeads = 1024;

class Leads {
 public:
  explicit Leads(const numerics::Operation& operation) : types_(operation.ArgumentTypes()) {}

  void Learn(const Batch& batch, std::span<const double> errors);
  void Learn(const Lead& lead);
  // By falling error.
  std::vector<Lead> List() const;

 private:
  std::uint64_t CellOf(std::span<const numerics::Bits> args) const;
  void Forget();

  std::vector<numerics::ScalarType> types_;
  std::map<std::uint64_t, Lead> cells_;
};

}  // namespace assay::oracle
