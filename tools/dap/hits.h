// Hit conditions of breakpoints: "5" and ">=5" (from the fifth hit on), ">5", "==5", "<5", "<=5",
// "%5".
#pragma once

#include <cstdint>
#include <string>

#include "base/expected.h"

namespace assay::tools::dap {

struct HitCondition {
  enum class Kind : std::uint8_t { kAlways, kFrom, kEqual, kUpTo, kEvery };
  Kind kind = Kind::kAlways;
  std::uint64_t count = 0;

  bool Holds(std::uint64_t hits) const;  // hits, with this one
  // How many hits never stop, whatever comes: the run need not even look at them.
  std::uint64_t Ignored() const;
};

// "" means every hit; the message of kUsage lists the valid forms.
Expected<HitCondition> ParseHitCondition(const std::string& text);

}  // namespace assay::tools::dap
