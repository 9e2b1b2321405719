// How a call of the API ends that breaks one of its rules.
#pragma once

#include <CL/cl.h>

#include <optional>
#include <string>
#include <utility>

#include "interp/rules/rule.h"

namespace assay::driver {

// Thrown inside of an entry point and caught at its end (driver/core/call.h): no exception leaves
// the driver.
struct ApiError {
  cl_int code = CL_INVALID_VALUE;
  std::string message;  // a sentence for a person
  // A query for something that this version does not know, or a device that does not have what is
  // asked for, is how applications find out what there is, and no mistake.
  bool is_expected = false;
  std::optional<interp::Rule> rule;  // of the finding; none: host-api-error
};

[[noreturn]] inline void Refuse(cl_int code, std::string message) {
  throw ApiError{code, std::move(message), false, {}};
}
[[noreturn]] inline void RefuseAs(interp::Rule rule, cl_int code, std::string message) {
  throw ApiError{code, std::move(message), false, rule};
}
inline void RefuseIf(bool wrong, cl_int code, const char* message) {
  if (wrong) throw ApiError{code, message, false, {}};
}

// "CL_INVALID_VALUE".
const char* CodeName(cl_int code);

}  // namespace assay::driver
