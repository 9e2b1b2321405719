// Compares the memory that a driver left with the memory that the interpreter left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "interp/job/job.h"

namespace assay::tools {

struct Difference {
  std::string buffer;
  std::string type;                // of its elements: "uint", and "uchar" where it is not known
  std::uint64_t element = 0;       // the first that differs
  std::uint64_t elements = 0;      // how many differ
  std::string observed, expected;  // of the first
  // Of floating-point elements: the largest difference in units in the last place of the format;
  // infinite where one side only is a NaN.
  std::optional<double> ulp;
};

// The elements of a type in the bytes of a buffer; those with an undefined bit do not count, and
// neither does the padding of vectors of three.  `undefined` is empty or has a 1 for each undefined
// bit.  Bytes behind the last whole element are compared as they are.
std::optional<Difference> Compare(const interp::ElementType& type,
                                  std::span<const std::byte> observed,
                                  std::span<const std::byte> expected,
                                  std::span<const std::byte> undefined);

}  // namespace assay::tools
