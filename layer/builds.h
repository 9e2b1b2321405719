// What executables were made of: their names, and the same as text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "layer/records.h"

namespace assay::layer {

// With its digest.
std::shared_ptr<const Build> Named(Build build);

// A build as text, with copies of the files that its sources include: it needs nothing else.
std::string BuildText(const Build& build);
// Nothing for a text that is none.
std::optional<Build> ReadBuildText(std::string_view text);

}  // namespace assay::layer
