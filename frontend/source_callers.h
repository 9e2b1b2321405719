// Where the functions around an instruction are called.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/module.h"

namespace assay::frontend {

// The places of the calls that lead to an instruction, innermost first: "reduce.cl:14:9".  These
// are calls that were inlined, as debug information has them, and the instructions `calls`, which
// are places in Module::instructions, innermost first, with those that these were inlined into.
std::vector<std::string> SourceCallers(const Module& module, std::uint32_t instruction,
                                       std::span<const std::uint32_t> calls);

}  // namespace assay::frontend
