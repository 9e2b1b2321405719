// A column of inputs or outputs: scalars of all items, one after the other.
#pragma once

#include "numerics/operation.h"

namespace assay::oracle {

// Where a device finds inputs and leaves outputs: columns as BatchEvaluator takes them.
//
// Outputs are in and out: on entry of Run they hold poison (oracle/devices/poison.h), by which the
// runner tells what was not written.  A device must carry that content to wherever its results are
// written, so that an element that is not written comes back as it was.
struct Column {
  numerics::Slot slot;
  void* data = nullptr;
};

}  // namespace assay::oracle
