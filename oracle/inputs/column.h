// A column of inputs or outputs: scalars of all items, one after the other.
#pragma once

#include "numerics/operation.h"

namespace assay::oracle {

// A column of inputs or outputs of a device, in the layout of BatchEvaluator.
//
// Outputs are in and out: at the beginning of Run they hold poison (oracle/devices/poison.h), by
// which the runner detects elements that were not written.  A device must copy this content to the
// memory where its results are written, so that an unwritten element comes back unchanged.
struct Column {
  numerics::Slot slot;
  void* data = nullptr;
};

}  // namespace assay::oracle
