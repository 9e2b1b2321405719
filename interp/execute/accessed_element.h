// Describes an access in the terms of the source: which elements of an object it touches, and what
// they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/module.h"

namespace assay::interp {

struct AccessedObject {
  std::string_view name;
  std::uint64_t bytes = 0;
};

// "element 64 of 'out' (64 elements of float)", for the instruction (its place in the module) that
// accesses `bytes` bytes at an offset of the object.  The element's type is that of the variable
// from which the pointer was made, or else that of the pointer itself.  "" if it is not known.
std::string DescribeElements(const frontend::Module& module, std::uint32_t instruction,
                             const AccessedObject& object, std::int64_t offset,
                             std::uint64_t bytes);

}  // namespace assay::interp
