// Generates SPIR-V for the kernels of kernel_source.h: the same names, arguments and columns.
//
// Each built-in is one instruction: OpExtInst of OpenCL.std, or the core's own (OpFAdd, OpDot,
// OpConvertFToS, ...), as the tables of the SPIR-V environment specification name it ("Numerical
// Compliance").  No compiler stands in between that could fold, replace or contract it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/kernel_source.h"
#include "oracle/devices/spirv_writer.h"

namespace assay::oracle {

// kUnsupported, with the reason, where SPIR-V has no instruction for the operation: conversions
// that change no bit, rounding modes of conversions between integers, `dot` of scalars.
Expected<void> CheckInSpirv(const numerics::Operation& operation);

// As ProgramSource; each operation has passed CheckInSpirv.
std::vector<std::uint32_t> ProgramModule(std::span<const KernelFamily> families,
                                         std::span<const int> widths, KernelScheme scheme,
                                         const SpirvTarget& target);

// As kRangeSource of opencl_ranges.cc: `x[at + i] = first + i`, with the arguments (at, first, x).
std::vector<std::uint32_t> RangeModule(const std::string& kernel, const SpirvTarget& target);

// The instruction of the operation, as messages name it: "OpFAdd", "OpExtInst sin".
std::string InstructionName(const numerics::Operation& operation);

}  // namespace assay::oracle
