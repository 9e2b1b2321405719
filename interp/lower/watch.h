// The data that a program has beside its code, most of it for detectors.  Internal to lowering.
#pragma once

#include <span>

#include "interp/import/import.h"
#include "interp/lower/lower.h"

namespace assay::interp {

// Program::written, added, accessed_otherwise, access_granule and has_acquire_release.
void DescribeSharedMemory(const ImportedKernel& kernel, Program* program);

// Sets IrInstruction::parameter, and adds checks of promises about pointers and functions before
// the accesses that may break them.
void WatchPointers(const LowerContext& context, const frontend::Function& function,
                   DetectorSet detectors, ImportedKernel* kernel);

// Classifies accesses inside calls of functions with restrict parameters: sets
// IrInstruction::restrict_uses, Program::restrict_pointers and restrict_uses.  Calls in which no
// rule can be broken are left out.
void WatchRestrict(ImportedKernel* kernel, Program* program);

// Sets IrInstruction::addresses and Program::stores_addresses: which stored values were computed
// from pointers.  The bits of a value are not enough: a hash may look like an address.
void FindStoredAddresses(const LowerContext& context, Graph* graph, Program* program);

// The addresses among an instruction's operands from which its result, an address, may be computed;
// empty if it has another source.
std::span<const Value> AddressSources(const Graph& graph, const IrInstruction& instruction);

}  // namespace assay::interp
