// Compares the memory that a driver left with the memory that the interpreter left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "interp/envelope/memory_envelope.h"
#include "interp/job/job.h"

namespace assay::tools {

struct Difference {
  std::string buffer;
  std::string argument = {};       // the kernel's name for it; "": it has none
  std::string type;                // of its elements: "uint", and "uchar" where it is not known
  std::uint64_t element = 0;       // the first that differs
  std::uint64_t elements = 0;      // how many differ
  std::string observed, expected;  // of the first
  // Of floating-point elements: the largest difference in units in the last place of the format;
  // infinite where one side only is a NaN.
  std::optional<double> ulp;
  // Of an envelope run: how many values conforming devices cannot have, and what the first of them
  // is and could be.
  std::uint64_t outside = 0;
  std::string allowed;
};

// The elements of a type in the bytes of a buffer; those with an undefined bit do not count, and
// neither does the padding of vectors of three.  `undefined` is empty or has a 1 for each undefined
// bit.  Bytes behind the last whole element are compared as they are.
std::optional<Difference> Compare(const interp::ElementType& type,
                                  std::span<const std::byte> observed,
                                  std::span<const std::byte> expected,
                                  std::span<const std::byte> undefined);

// "[3] is 0.5 (0x3f000000), allowed is 0.7 (...) to 0.71 (...), 7 steps".
std::string AllowedText(const interp::ElementType& type, const interp::OpenScalar& scalar,
                        std::span<const std::byte> observed, std::span<const std::byte> expected);

}  // namespace assay::tools
