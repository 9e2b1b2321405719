// Replaces LLVM's integers of unusual widths, which llvm-spirv-15 does not translate.
//
// The optimizer makes "switch (x & 3)" a switch over i2, and multiplies in i33 what a loop adds up.
#pragma once

#include <string>
#include <string_view>

namespace assay::frontend {

// IR as text in which each integer whose width is not 1, 8, 16, 32 or 64 is one of the next of
// these widths, with zeros in front.  The IR as it is if there is an instruction for which nobody
// here knows how, such as a signed comparison.
std::string WithPlainWidths(std::string_view ir);

}  // namespace assay::frontend
