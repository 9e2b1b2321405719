// How the ranges of each instruction of a program are followed, found once.
#pragma once

#include <cstdint>

#include "interp/envelope/columns.h"
#include "interp/envelope/options.h"
#include "interp/program/program.h"

namespace assay::interp {

struct EnvelopePlan {
  enum class Way : std::uint8_t {
    kNothing,  // it has no results, and touches no memory
    kMove,
    kSelect,
    kLogic,       // of booleans
    kArithmetic,  // by `columns`
    kComparison,
    kTruncation,  // to integers
    kAddress,     // sums of addresses and indices
    kMath,        // by `columns` or `function`, where they are not null
    kOpen,        // nothing is known of the results
    kLanes,       // lane by lane
    kLoad,
    kStore,
    kCopyMemory,
    kEnterVariable,
    kReadImage,
    kWriteImage,
  };
  Way way = Way::kNothing;
  bool always = false;  // kLanes: also where all operands are points
  EnvelopeFunctions columns = nullptr;
  EnvelopeFunction function = nullptr;
  std::uint64_t error = 0;  // of `function`: EnvelopeColumns::error
  double absolute = 0;      // the same: EnvelopeColumns::absolute
  const numerics::FastPath* path = nullptr;
};

// For an instruction other than kMath, whose columns depend on its limit.
EnvelopePlan PlanOf(const EnvelopeStep& step, const Program& program,
                    const EnvelopeOptions& options);

}  // namespace assay::interp
