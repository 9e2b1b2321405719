// Atomic operations under detectors that these have nothing to say of.
#pragma once

#include <cstdint>

#include "interp/execute/batch.h"

namespace assay::interp {

// The operation of these lanes, on objects of `bytes` at `addresses`, which are there.  Those from
// the first lane on of which WatchAtomic would find nothing are recorded; the lanes from the next
// one on are returned (interp/detect/atomic_accesses.cc).
std::uint64_t RecordPlainAtomics(Batch& batch, const FlatInstruction& instruction,
                                 const AtomicCall& call, const Address* addresses,
                                 std::uint64_t bytes, std::uint64_t lanes);
// After all active lanes were recorded: an addition whose result nobody needs. False, and nothing
// is done: it is another operation, or has to be asked for more than for where its object is.
bool AddPlainly(const Batch& batch, const FlatInstruction& instruction, const AtomicCall& call,
                const Address* addresses);

}  // namespace assay::interp
