// The verdicts of a report under the profile that it was not measured under.
#pragma once

#include <optional>

#include "oracle/campaign/campaign.h"

namespace assay::oracle {

struct ProfileVerdict {
  Verdict verdict = Verdict::kNotMeasured;
  bool measured = false;  // false: concluded from what was measured under the other profile
};

// The verdict that `profile` would have given.  A wrong class, sign or integer fails in both; an
// error is held against the other limit where that is one number for all inputs.  What this
// cannot decide is kNotMeasured.
ProfileVerdict VerdictUnder(Profile profile, const RunInfo& run, const DeviceDescription& device,
                            const FunctionResult& result);

// The limit as one number of ulp for all inputs, for plots; nothing where it has no such number.
// What is correctly rounded in another mode than to nearest is up to one ulp off.
std::optional<double> PlottedLimit(Profile profile, const RunInfo& run,
                                   const DeviceDescription& device,
                                   const numerics::Operation& operation);

}  // namespace assay::oracle
