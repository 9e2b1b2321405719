// assay validate DEVICE --functions @integer,@groups,...: what a device must do outside of the
// numerical compliance chapter (docs/validation-lists.md).
#pragma once

#include <string>

#include "base/expected.h"
#include "oracle/campaign/campaign.h"
#include "oracle/devices/device.h"
#include "tools/assay/validate_options.h"

namespace assay::tools {

// Are rows of these lists asked?  kUsage where other options or names do not go with them.
Expected<bool> AsksForChecks(const ValidateOptions& options);

// The command's exit code.  `title`: of the device.
int ValidateChecks(const ValidateOptions& options, oracle::Device& device,
                   const oracle::RunInfo& run, const std::string& title);

}  // namespace assay::tools
