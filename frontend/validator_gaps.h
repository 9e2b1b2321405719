// What SPIRV-Tools does not know of OpenCL's environment (validator_gaps.def).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// The OpenCL extension or feature with which the environment accepts a capability that SPIRV-Tools
// calls not allowed by OpenCL; "" for any other.
std::string_view AcceptedBy(Capability capability);

// The words with each extension called by the name of the earlier one that it continues: by that
// one SPIRV-Tools knows the capabilities that both have.
std::vector<Word> WithFormerExtensions(std::span<const Word> words);

}  // namespace assay::frontend
