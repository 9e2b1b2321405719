// The kinds of validation, and the options that each does not take.
#pragma once

#include <cstdint>

#include "base/expected.h"
#include "tools/assay/validate_options.h"

namespace assay::tools {

// What --functions names; functions of the numerical compliance chapter take every option.
enum class ValidationKind : std::uint8_t {
  kImages,    // @images
  kMatrices,  // @matrix
  kSmall,     // @small
  kLists,     // @integer, @groups, ...
};

// kUsage, with those that it takes, for the first option that the kind does not take.
Expected<void> CheckTaken(ValidationKind kind, const ValidateOptions& options);

}  // namespace assay::tools
