// Variables of the environment.
#pragma once

#include <cstdlib>
#include <string>

namespace assay::base {

// The variable's text; "" where it is not set.
inline std::string EnvironmentText(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace assay::base
