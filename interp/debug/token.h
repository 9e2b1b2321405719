// The tokens of a debugger's expressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::interp {

struct DebugToken {
  enum class Kind : std::uint8_t { kEnd, kName, kNumber, kCharacter, kId, kDollar, kPunctuation };
  Kind kind = Kind::kEnd;
  std::string text;
  std::size_t column = 1;
};

// Ends with one of kEnd.  kUsage names the column.
Expected<std::vector<DebugToken>> DebugTokens(const std::string& text);

}  // namespace assay::interp
