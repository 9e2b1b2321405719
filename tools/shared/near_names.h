// Suggestions for an unknown name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tools {

// Up to three candidates that differ by a few letters or that contain the name, best first.
std::vector<std::string> NearNames(std::string_view name,
                                   std::span<const std::string_view> candidates);

// "unknown value 'x'; did you mean a? It is one of a, b, c".
std::string UnknownValue(std::string_view value, std::span<const std::string_view> values);

}  // namespace assay::tools
