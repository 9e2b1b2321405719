// What a program under detectors has beside its code.  Internal to lowering.
#pragma once

#include "interp/import.h"

namespace assay::interp {

// Program::written_parameters, written_addresses, writes_anywhere, access_granule and
// has_acquire_release.
void DescribeSharedMemory(const ImportedKernel& kernel, Program* program);

// How undefined bits go through an operation.
ShadowRule ShadowRuleOf(Opcode opcode);

}  // namespace assay::interp
