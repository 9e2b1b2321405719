// The rows of checks.def.
#pragma once

#include <cstdint>
#include <string_view>

#include "interp/rules/detector.h"
#include "interp/rules/finding.h"

namespace assay::interp {

// A condition that an instruction's operands must not meet (checks.def).
enum class Check : std::uint8_t {
#define CHECK(name, ...) k##name,
#define OBJECT_CHECK(name, ...) k##name,
#include "interp/rules/checks.def"
#undef CHECK
  kCount,
};

struct CheckRow {
  std::string_view name;
  Rule rule;
  bool takes_floats;
  int arity;
  std::string_view message;
};
const CheckRow& RowOf(Check check);
// The detector of its rule, which puts the check in.
Detector DetectorOf(Check check);

}  // namespace assay::interp
