// Suggests names that a user may have meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace assay::numerics {

// How many letters to insert, remove, replace or swap with their neighbour make one of the other.
std::size_t EditDistance(std::string_view a, std::string_view b);

// "'sin'", "'sin' or 'sinh'", "'a', 'b' or 'c'": the nearest candidates, at most three of them;
// "" where none is near enough to be a slip of the finger.
std::string NearNames(std::string_view name, std::span<const std::string> candidates);

}  // namespace assay::numerics
