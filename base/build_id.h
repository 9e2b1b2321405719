// The GNU build-id of a program: the identifier that the linker writes into it (elf(5)).
#pragma once

#include <span>
#include <string>

namespace assay::base {

// Among the notes of a segment, in hexadecimal digits; "" where there is none.
std::string BuildIdIn(std::span<const unsigned char> notes);

// Of this program, from its own memory; "" where it was linked without one.
std::string OwnBuildId();

}  // namespace assay::base
