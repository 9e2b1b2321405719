// The verdicts of a report under the profile that it was not measured under.
#pragma once

#include <optional>

#include "oracle/campaign/campaign.h"

namespace assay::oracle {

struct ProfileVerdict {
  Verdict verdict = Verdict::kNotMeasured;
  bool measured = false;  // false: derived from the measurement under the other profile
};

// The verdict under `profile`. A wrong class, sign or integer fails in both profiles; an error is
// compared with the other limit if that is one number for all inputs.  Everything else is
// kNotMeasured.
ProfileVerdict VerdictUnder(Profile profile, const RunInfo& run, const DeviceDescription& device,
                            const FunctionResult& result);

// The limit as one number of ulp for all inputs, for plots; nothing if there is no such number.  A
// correctly rounded result in a mode other than to nearest has an error of up to one ulp.
std::optional<double> PlottedLimit(Profile profile, const RunInfo& run,
                                   const DeviceDescription& device,
                                   const numerics::Operation& operation);

// The limit that a result was judged by; nothing, too, where this assay has another one.
std::optional<double> PlottedLimit(const Report& report, const FunctionResult& result);

}  // namespace assay::oracle
