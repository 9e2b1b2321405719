#include "interp/execute/plain_copies.h"

#include "interp/detect/definedness.h"
#include "interp/detect/races.h"
#include "interp/execute/execute.h"

namespace assay::interp {

bool RecordPlainCopy(Batch& batch, const FlatInstruction& in, int lane, const Spaced& target,
                     const Spaced& source, std::uint64_t event) {
  Worker& worker = *batch.worker;
  if (Races* const races = RacesOf(worker)) {
    if (!races->AccessAll(batch, in, lane, target, source, event)) return false;
  }
  if (Definedness* const definedness = DefinednessOf(worker)) {
    definedness->CopiedElements(batch, lane, target, source);
  }
  return true;
}

}  // namespace assay::interp
