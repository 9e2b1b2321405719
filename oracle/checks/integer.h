// The parts of @integer.
#pragma once

#include <vector>

#include "oracle/checks/element.h"

namespace assay::oracle {

// Operators and functions of each integer type (OpenCL C, Operators; 6.15.3; 6.15.6).
void AddIntegerOperations(const DeviceFacts& facts, std::vector<Check>* checks);
// Functions and operators that compare or classify numbers of half, float and double (6.15.6).
void AddFloatRelations(const DeviceFacts& facts, std::vector<Check>* checks);
// Conversions between integers, and as_type.
void AddConversions(const DeviceFacts& facts, std::vector<Check>* checks);
// Literals, components, shuffles, loads and stores of vectors; any and all.
void AddVectorShapes(const DeviceFacts& facts, std::vector<Check>* checks);
// printf (6.15.14).
void AddPrintf(const DeviceFacts& facts, std::vector<Check>* checks);

}  // namespace assay::oracle
