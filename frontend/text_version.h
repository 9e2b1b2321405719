// Which version of SPIR-V a text is in that does not say so.
#pragma once

#include <span>

#include "frontend/grammar.h"

namespace assay::frontend {

// The least minor version of SPIR-V 1, from `least` on, that has every instruction, capability and
// other enumerant of the words.  What an extension has that the module declares needs no version.
// Nothing in the words is trusted.
std::uint32_t NeededMinorVersion(std::span<const Word> words, std::uint32_t least);

}  // namespace assay::frontend
