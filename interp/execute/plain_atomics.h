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

}  // namespace assay::interp
