// Generates OpenCL C for one operation in several vector widths.
//
// A work-item computes one vector: it loads one vector from every input column (global buffers, so
// that no compiler can fold the call), makes the one call under test and stores the results.
// Second results use a pointer to a private variable, as in ordinary programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "numerics/operation.h"

namespace assay::oracle {

enum class KernelScheme {
  // A kernel for each operation and width.
  kSeparate,
  // One kernel for a family and all widths, chosen at run time.  PoCL pays 30 ms a kernel beside
  // the code itself; a driver that runs SIMT code in software would execute every branch.
  kSwitched,
};

// Operations with the same columns (the variants of a conversion): they share a switched kernel.
using KernelFamily = std::vector<numerics::Operation>;

// Kernel arguments: [int which,] uint first, the input columns, the output columns.  `first` is the
// vector of the first work-item: a launch offset would be a reason for PoCL to compile again.
std::string KernelName(const numerics::Operation& operation, KernelScheme scheme, int width);

// The value of `which` for member `index` of the family.
int SwitchValue(std::size_t index, int width);

// The kernels of one family, without the pragmas; a switched one is named after the first member.
std::string KernelSource(const KernelFamily& family, std::span<const int> widths,
                         KernelScheme scheme);

// A program holding the kernels of several families, with the pragmas that their types need.
std::string ProgramSource(std::span<const KernelFamily> families, std::span<const int> widths,
                          KernelScheme scheme);

// The call or expression under test with x, y, z (and the pointer to the second result), as reports
// show it.  "remquo(x, y, &s)", "x * y + z", "convert_int4_sat_rte(x)".
std::string CallText(const numerics::Operation& operation, int width);

// The width of a slot's vector: geometric operands bring their own.
int SlotWidth(const numerics::Slot& slot, int width);

// The OpenCL C type: "float", "float4".
std::string VectorType(numerics::ScalarType type, int width);

// Do operations use this type as a value, not only as the memory format of vload_half and
// vstore_half (which need no extension)?
bool ComputesWith(const numerics::Operation& operation, numerics::ScalarType type);

}  // namespace assay::oracle
