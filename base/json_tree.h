// A JSON document that keeps its numbers as text, so that each can be read as an exact literal of
// its own type.  A key that occurs twice is an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"

namespace assay::base {

struct JsonTree {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string text;               // "true", "0.1", a string's characters
  std::vector<std::string> keys;  // of an object, one for each item
  std::vector<JsonTree> items;    // of an array or an object

  const JsonTree* Find(std::string_view key) const;  // null: no such key
};

// kUsage with line and column; kDevice if the budget is exceeded: a tree takes up to 60 times the
// memory of its text.
Expected<JsonTree> ParseJsonTree(std::string_view json, const Budget& budget = {});

}  // namespace assay::base
