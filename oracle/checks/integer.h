// The parts of @integer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "oracle/checks/element.h"

namespace assay::oracle {

// Those of `all` that share a program with number k, and the place of k among them: on a device
// with a kernel for each case, few, since clCreateKernel goes through the whole program (Mesa 22.3:
// 2 ms of 30 kernels, 24 ms of 270).
template <typename Op>
std::pair<std::vector<Op>, std::size_t> Together(const DeviceFacts& facts,
                                                 const std::vector<Op>& all, std::size_t k,
                                                 std::size_t most) {
  const std::size_t first = facts.compiles_once() ? 0 : k / most * most;
  const std::size_t end = facts.compiles_once() ? all.size() : std::min(all.size(), first + most);
  return {std::vector<Op>(all.begin() + static_cast<std::ptrdiff_t>(first),
                          all.begin() + static_cast<std::ptrdiff_t>(end)),
          k - first};
}

// Operators and functions of each integer type (OpenCL C, Operators; 6.15.3; 6.15.6).
void AddIntegerOperations(const DeviceFacts& facts, std::vector<Check>* checks);
// The same on constants, which compilers compute; `ops`: those of the type.
void AddConstants(const ElementType& type, const std::vector<ElementOp>& ops,
                  std::vector<Check>* checks);
// Functions and operators that compare or classify numbers of half, float and double (6.15.6).
void AddFloatRelations(const DeviceFacts& facts, std::vector<Check>* checks);
// Conversions between integers, and as_type.
void AddConversions(const DeviceFacts& facts, std::vector<Check>* checks);
// Literals, components, shuffles, loads and stores of vectors; any and all.
void AddVectorShapes(const DeviceFacts& facts, std::vector<Check>* checks);
// printf (6.15.14).
void AddPrintf(const DeviceFacts& facts, std::vector<Check>* checks);

}  // namespace assay::oracle
