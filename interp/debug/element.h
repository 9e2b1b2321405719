// Names the place of an address as the source does: "part[1]", "s.a[4]".
#pragma once

#include <string>

#include "interp/debug/evaluate.h"

namespace assay::interp {

// "y[7]; y has 7 elements, 0 to 6".  "" where no name of the work-item's frames stands for the
// object.  `bytes` is the size of what is accessed: descent into parts ends there.
std::string DescribeElement(DebugProgram* program, const DebugItem& item, Address address,
                            std::uint64_t bytes);

// The same of what the instruction before which the work-item stands loads, stores or changes; ""
// for instructions that do none of it.
std::string DescribeAccessed(DebugProgram* program, const DebugItem& item);

}  // namespace assay::interp
