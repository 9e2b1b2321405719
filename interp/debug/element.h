// Names the place of an address as the source does: "part[1]", "s.a[4]".
#pragma once

#include <string>

#include "interp/debug/evaluate.h"

namespace assay::interp {

// "y[7]; y has 7 elements, 0 to 6". "" if no variable of the work-item's frames names the object.
// `bytes` is the size of the access: parts that are smaller are not named.
std::string DescribeElement(DebugProgram* program, const DebugItem& item, Address address,
                            std::uint64_t bytes);

// The same for the memory that the work-item's next instruction loads, stores or changes; "" for
// other instructions.
std::string DescribeAccessed(DebugProgram* program, const DebugItem& item);

}  // namespace assay::interp
