// `assay validate --baseline FILE`: the earlier report that a run is held against.
#pragma once

#include <optional>

#include "base/expected.h"
#include "oracle/report/baseline.h"
#include "tools/assay/validate_options.h"

namespace assay::tools {

// The report; nothing without the option.  kUsage where it is no report, or is to be overwritten.
Expected<std::optional<oracle::InputReport>> ReadBaseline(const ValidateOptions& options);

// kUsage where a run of this kind on this device cannot be compared with it; nothing has been asked
// by then.
Expected<void> CheckBaseline(const std::optional<oracle::InputReport>& baseline,
                             const oracle::DeviceDescription& device, const oracle::RunInfo& run);

}  // namespace assay::tools
