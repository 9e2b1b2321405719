// assay's own interpreter as a device under test.
#pragma once

#include <memory>

#include "oracle/devices/device.h"

namespace assay::oracle {

// `rounding`: the mode of all operations without their own mode.
Expected<std::unique_ptr<Device>> OpenInterpreter(numerics::Rounding rounding);

}  // namespace assay::oracle
