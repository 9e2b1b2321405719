// The data that a program with detectors has beside its code.  Internal to lowering.
#pragma once

#include <span>

#include "interp/import/import.h"
#include "interp/lower/lower.h"

namespace assay::interp {

// Program::written_parameters, written_addresses, writes_anywhere, access_granule and
// has_acquire_release.
void DescribeSharedMemory(const ImportedKernel& kernel, Program* program);

// IrInstruction::parameter, and checks of promises about pointers and functions before the accesses
// that break them.
void WatchPointers(const LowerContext& context, const frontend::Function& function,
                   DetectorSet detectors, ImportedKernel* kernel);

// Sorts accesses inside calls of functions with restrict parameters: IrInstruction::restrict_uses,
// Program::restrict_pointers and restrict_uses.  Calls where nothing can go wrong are forgotten.
void WatchRestrict(ImportedKernel* kernel, Program* program);

// IrInstruction::addresses and Program::stores_addresses: which stored values are made of pointers.
// The bits of a value do not say so: a hash may look like an address.
void FindStoredAddresses(const LowerContext& context, Graph* graph, Program* program);

// The addresses among an instruction's operands that its result, an address, may come from; empty
// where it comes from something else.
std::span<const Value> AddressSources(const Graph& graph, const IrInstruction& instruction);

}  // namespace assay::interp
