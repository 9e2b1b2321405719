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

// "did you mean 'sin'? ", or "" where NearNames has none; for the middle of a message.
std::string DidYouMean(std::string_view name, std::span<const std::string> candidates);
// The same for a format: half, bfloat16, float, double.
std::string DidYouMeanFormat(std::string_view name);

}  // namespace assay::numerics
