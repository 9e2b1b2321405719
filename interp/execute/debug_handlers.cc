// Handlers of programs for a debugger: markers, operations and accesses.
#include "interp/execute/batch.h"
#include "interp/program/debug_hook.h"
#include "interp/program/debug_table.h"
#include "interp/program/handlers.h"

namespace assay::interp {

void DebugStep(Batch& batch, const FlatInstruction& in) {
  DebugHook& hook = *batch.debug;
  // The kernel's first marker is executed once by a work-item: nothing is left of the one before.
  const std::uint32_t previous = in.a == 0 ? kNoMarker : batch.marker;
  batch.marker = in.a;
  if (++hook.time < hook.next_time && hook.breaks[in.a] == 0) return;
  hook.Reached(batch, in.a, previous);
}

void DebugComputed(Batch& batch, const FlatInstruction& in) { batch.debug->Computed(batch, in.a); }

void DebugAccessMemory(Batch& batch, const FlatInstruction& in) {
  if (batch.debug->watches) batch.debug->Accesses(batch, in.a);
}

}  // namespace assay::interp
