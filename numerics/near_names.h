// Suggests names that a user may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay::numerics {

// "'sin'", "'sin' or 'sinh'", "'a', 'b' or 'c'": the nearest candidates, at most three of them;
// "" where none is near enough to be a slip of the finger.
std::string NearNames(std::string_view name, std::span<const std::string> candidates);

}  // namespace assay::numerics
